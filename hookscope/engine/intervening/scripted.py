"""Interventions as scripts write them."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass

from torch import nn

from hookscope.engine.intervening.statuses import idle_reason
from hookscope.engine.observed import listed, unknown
from hookscope.protocol import interventions as protocol
from hookscope.protocol.identity import Slot
from hookscope.protocol.tensor_changes import Change


@dataclass(frozen=True)
class Intervention:
    """A change at one place of a model, within an `observe` block.

    Attributes:
        path: Module path; any of its names will do, and the module need not be observed.
        slot: `input`, `output`, `grad_input`, `grad_output`, `parameter` or `parameter_grad`. A gradient of an input is
            this call's share; a parameter is changed for the time of the block.
        change: What is done: one of `hookscope.changes`.
        call: Index of a call, or `None` for all; a call that checkpointing runs again counts as the one it repeats.
        index: Which part of the tensor, as in `x[index]`: slices and ints. A negative int counts from the end.
        leaf: Place in a nested value, `args.0`, `kwargs.mask`, `out.logits`, or the name of a parameter; it may be left
            out when there is only one.
        operation: An operation in the module's own forward, `add:1` for the second `add` of a call; its `output` and
            `grad_output` can be changed.
    """

    path: str
    slot: str
    change: Change
    call: int | None = None
    index: tuple[int | slice, ...] | None = None
    _: KW_ONLY
    leaf: str = ""
    operation: str = ""


def named(
    interventions: Iterable[Intervention], names: Mapping[str, str], modules: Mapping[str, nn.Module]
) -> tuple[protocol.Intervention, ...]:
    """Return what a script wrote as the engine takes it; ids are from 1 on.

    Args:
        interventions: What was written.
        names: Every name of every module -> its first name.
        modules: The modules by their first names.

    Raises:
        UnknownNameError: (a `KeyError`) There is no such module, slot or parameter.
        TypeError: An index has something else than slices and ints.
    """
    return tuple(_named(number, each, names, modules) for number, each in enumerate(interventions, 1))


def warn_of_idle(
    interventions: Sequence[protocol.Intervention], statuses: Iterable[protocol.InterventionStatus], stacklevel: int
) -> None:
    """Warn of each intervention that never acted, and say why.

    Args:
        interventions: All of them.
        statuses: How they fared.
        stacklevel: Whose line the warning is of, as for `warnings.warn` called in this place's caller.
    """
    meant = {intervention.id: intervention for intervention in interventions}
    for status in statuses:
        reason = idle_reason(status)
        if reason:
            one = meant[status.id]
            where = " ".join(filter(None, (repr(one.path), one.operation, one.slot.value, one.leaf)))
            warnings.warn(f"the intervention on {where} did not act: {reason}", stacklevel=stacklevel + 1)


def _named(
    number: int, given: Intervention, names: Mapping[str, str], modules: Mapping[str, nn.Module]
) -> protocol.Intervention:
    path = names.get(given.path)
    if path is None:
        raise unknown("module", given.path, names, otherwise=f"there are {listed(names)}")
    if given.slot not in set(Slot):
        raise unknown("slot", given.slot, Slot, otherwise=f"there are {listed(Slot)}")
    slot = Slot(given.slot)
    own = [name for name, parameter in modules[path]._parameters.items() if parameter is not None]
    if slot in {Slot.PARAMETER, Slot.PARAMETER_GRAD} and given.leaf and given.leaf not in own:
        raise unknown("leaf", given.leaf, own, otherwise=f"there are {listed(own)}" if own else "there is none")
    where = None if given.index is None else protocol.Index(tuple(map(_part, given.index)))
    return protocol.Intervention(
        number, path, slot, given.change, leaf=given.leaf, call=given.call, operation=given.operation, where=where
    )


def _part(part: object) -> int | protocol.Span:
    if isinstance(part, slice):
        return protocol.Span(part.start, part.stop, part.step)
    if isinstance(part, int) and not isinstance(part, bool):
        return part
    raise TypeError(f"an index is a tuple of slices and ints; {part!r} is neither")
