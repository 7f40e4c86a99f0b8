"""What an observation hands out: records, and errors that say what is missing and why."""

from collections.abc import Iterable
from dataclasses import dataclass

from hookscope.engine.capture.captures import Capture
from hookscope.protocol.badge_words import badge_reason
from hookscope.protocol.patterns import nearest

_MOST_NAMES = 8


class NotCaptured(LookupError):  # noqa: N818 - what happened is no error of anyone's
    """There is no value: the message says why, in a plain sentence."""


class UnknownNameError(KeyError):
    """A name that is no module path, slot, leaf or mode; the message has the nearest ones."""

    def __str__(self) -> str:
        """Return the message as it is; a `KeyError` would quote it."""
        return str(self.args[0])


def unknown(what: str, name: str, names: Iterable[str], *, otherwise: str) -> UnknownNameError:
    """Make the error for a name that is not among `names`.

    Args:
        what: What the name should be, for example `module`.
        name: What was asked for.
        names: What there is.
        otherwise: What is said when no name is near: what there is instead.
    """
    near = [str(found) for found in nearest(name, names)]
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else otherwise
    return UnknownNameError(f"there is no {what} {name!r}; {hint}")


def listed(names: Iterable[str]) -> str:
    """Return names as a person reads them; of many, the first few."""
    quoted = [repr(str(name)) for name in names]
    more = len(quoted) - _MOST_NAMES
    return ", ".join(quoted[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


@dataclass(frozen=True, slots=True)
class ObservedRecord:
    """One firing of a hook, without the values.

    Attributes:
        path: Module path as `named_modules()` gives it first; `""` is the root.
        call: Index of the module's call within the block, from 0. Parameters have call 0.
        slot: `input`, `output`, `grad_input`, `grad_output`, `parameter` or `parameter_grad`.
        leaf: Place in a nested value: `args.0`, `kwargs.mask`, `out`, `out.logits`, or the parameter's own name.
        shape: Sizes, outermost first, or `None` when there is nothing, or no tensor; then `badges` says why.
        dtype: `float32`, ..., or `None`.
        device: `cpu`, `cuda:0`, ..., or `None`.
        badges: Reasons and remarks as words to compare with: `pass_through`, `no_gradient_reached`, ...
        order: Running number within the block: the order in which things happened.
        remarks: The badges as plain sentences, with what only this firing knows (the exception, the factor).
        same_as: Other leaves of the same slot that are this very tensor (`query is key`).
    """

    path: str
    call: int
    slot: str
    leaf: str
    shape: tuple[int, ...] | None
    dtype: str | None
    device: str | None
    badges: tuple[str, ...]
    order: int
    remarks: tuple[str, ...] = ()
    same_as: tuple[str, ...] = ()


def record_of(capture: Capture) -> ObservedRecord:
    """Return what a script is told about a capture."""
    spec, ref = capture.spec, capture.ref
    return ObservedRecord(
        path=ref.path,
        call=ref.call,
        slot=ref.slot.value,
        leaf=ref.leaf,
        shape=None if spec is None else spec.shape,
        dtype=None if spec is None else spec.dtype,
        device=None if spec is None else spec.device,
        badges=tuple(badge.kind.value for badge in capture.badges),
        order=capture.order,
        remarks=tuple(badge_reason(badge) for badge in capture.badges),
        same_as=capture.same_as,
    )
