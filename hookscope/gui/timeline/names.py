"""How the timeline calls things: modules within others, events, and what can be read when the pointer rests on them."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from hookscope.client.session import DebugSession
from hookscope.figures.forecast import Coming
from hookscope.figures.lanes import Span, StepTrace
from hookscope.figures.text import format_bytes, format_duration, leaf_label
from hookscope.protocol.stops import SLOT_OF, EventKind, StepEvent
from hookscope.protocol.tree import ModuleTree

_CONTEXT = "Timeline"

KIND_TITLES: dict[EventKind, str] = {
    EventKind.FORWARD_ENTER: "forward begins",
    EventKind.FORWARD_LEAVE: "forward is done",
    EventKind.LOSS: "loss is known",
    EventKind.BACKWARD_ENTER: "backward begins",
    EventKind.BACKWARD_LEAVE: "backward is done",
    EventKind.PARAMETER_GRADIENT: "gradient accumulated",
    EventKind.OPTIMIZER: "optimizer steps",
}
"""What has happened, in a few words."""


@dataclass(frozen=True)
class ModuleNames:
    """Names of a model's modules.

    Attributes:
        classes: Class of each module by its path.
        leaves: Paths of the modules without others inside, in their order.
        tree: The tree that they are of.
    """

    classes: dict[str, str]
    leaves: tuple[str, ...] = ()
    tree: ModuleTree | None = None

    @classmethod
    def of(cls, session: DebugSession) -> "ModuleNames":
        """Read the names of the loaded model."""
        tree = session.tree
        modules = tree.modules if tree is not None else ()
        leaves = tuple(module.path for module in modules if not module.has_children)
        return cls({module.path: module.class_name for module in modules}, leaves, tree)

    def within(self, path: str, outer: str | None) -> str:
        """Return the name of a module inside another one: what follows the outer path; the root goes by its class."""
        if not path:
            return self.classes.get("") or translate("model")
        return path.removeprefix(f"{outer}.") if outer else path

    def class_of(self, path: str) -> str:
        """Return the class to write behind a name; nothing behind the root's, which is its class."""
        return self.classes.get(path, "") if path else ""


def event_label(event: StepEvent) -> str:
    """Name what is known at an event: `output`, `grad_output mask`, `weight grad`."""
    if event.kind is EventKind.PARAMETER_GRADIENT:
        return f"{event.leaf} grad"
    slot = SLOT_OF.get(event.kind)
    return f"{slot} {leaf_label(event.leaf)}".rstrip() if slot is not None else ""


def event_name(event: StepEvent, names: ModuleNames) -> str:
    """Name an event on its own: `features.3 grad_output`, `loss`."""
    label = event_label(event)
    return f"{names.within(event.path, None)} {label}" if label else translate(event.kind.value)


def event_tooltip(event: StepEvent, names: ModuleNames) -> str:
    """Say in full what an event is."""
    who = names.within(event.path, None)
    if event.call:
        who = translate("{module}, call {call}").format(module=who, call=event.call)
    lines = [who, translate(KIND_TITLES[event.kind]), event_label(event)]
    lines.append(translate("after {time}").format(time=format_duration(event.time_s)))
    return "\n".join(filter(None, lines))


def span_tooltip(span: Span, trace: StepTrace, names: ModuleNames) -> str:
    """Say what a bar stands for: module, call, how long it took, what share of the step that is, memory."""
    who = " ".join(filter(None, (names.within(span.path, None), names.class_of(span.path))))
    passed = translate("backward") if span.is_backward else translate("forward")
    if span.call:
        passed = translate("{passed}, call {call}").format(passed=passed, call=span.call)
    duration_s = trace.duration_of(span)
    share = duration_s / trace.duration_s if trace.duration_s > 0 else 0.0
    took = translate("{time}, {share} % of the step")
    lines = [who, passed, took.format(time=format_duration(duration_s), share=f"{100 * share:.1f}")]
    if trace.is_device_timed:
        wall_s = trace.events[span.last].time_s - trace.events[span.first].time_s
        lines[-1] = translate("{took} on the device").format(took=lines[-1])
        lines.append(translate("{time} until it was queued").format(time=format_duration(wall_s)))
    if trace.has_memory and span.leave >= 0:
        lines.append(translate("memory {change}").format(change=signed_bytes(span.allocated_bytes)))
    return "\n".join(lines)


def trace_summary(trace: StepTrace) -> str:
    """Say how long the passes of a step took, for those who cannot see it."""
    passes = [(translate("forward {time}"), False), (translate("backward {time}"), True)]
    roots = [(text, trace.spans.get(("", 0, is_backward))) for text, is_backward in passes]
    times = [text.format(time=format_duration(trace.duration_of(root))) for text, root in roots if root is not None]
    return ", ".join([translate("{count} events").format(count=f"{len(trace.events):,}"), *times])


def coming_sentence(coming: Coming, names: ModuleNames) -> str:
    """Say what has yet to come."""
    if coming.is_pending:
        text = translate("{module}: forward is done, backward has not come here yet.")
    else:
        text = translate("{module}: not reached yet.")
    return text.format(module=names.within(coming.key[0], None))


def coming_tooltip(coming: Coming, names: ModuleNames) -> str:
    """Say what the bar of something stands for that has yet to come."""
    return f"{coming_sentence(coming, names)}\n{translate('Place and length of the bar are a guess.')}"


def signed_bytes(change: int) -> str:
    """Write a change of memory: `+1.5 MiB`, `−24.0 KiB`, `±0 B`."""
    sign = "±" if change == 0 else "+" if change > 0 else "−"
    return f"{sign}{format_bytes(abs(change))}"


def translate(english: str) -> str:
    """Translate a text of the timeline."""
    return QCoreApplication.translate(_CONTEXT, english)
