"""What the window is looking at: one module and one of its tensors, which the tree and the following panels obey."""

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal
from PySide6.QtCore import Slot as QtSlot

from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.trials.comparison import CompareMode, Comparison
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.stops import SLOT_OF, EventKind, StepEvent

_LOSS_LEAF = "loss"


@dataclass(frozen=True)
class Moment:
    """An event of a kept step that was chosen.

    Attributes:
        step: The step.
        event: The event.
    """

    step: int
    event: StepEvent


class Current(QObject):
    """The current module and tensor of one session, and the step that they are looked at in.

    The slot and leaf that a person chose last are remembered: a module that has them shows them, and any other its
    output until it has.

    Attributes:
        comparison: What is shown of a trial; a step that was gone to wins over it.

    Signals:
        changed: `path`, `ref`, `step` or `moment` is another one.
    """

    changed = Signal()

    def __init__(self, bridge: SessionBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._path: str | None = None
        self._ref: TensorRef | None = None
        self._wanted_slot = Slot.OUTPUT
        self._wanted_leaf = ""
        self._step: int | None = None
        self._moment: Moment | None = None
        self._source = bridge.session.source
        self.comparison = Comparison(bridge, self)
        bridge.model_loaded.connect(self._follow_model)
        bridge.records_changed.connect(self._follow_records)
        bridge.stopped.connect(self.show_latest)  # what is at hand is in the newest step

    @property
    def step(self) -> int | None:
        """The step that is looked at; `None` follows the newest one."""
        return self._step

    @property
    def moment(self) -> Moment | None:
        """The event that was chosen last, until something else is looked at."""
        return self._moment

    @property
    def path(self) -> str | None:
        """Path of the current module, or `None`."""
        return self._path

    @property
    def ref(self) -> TensorRef | None:
        """The current tensor; `None` without a module, and until something of the module was captured."""
        return self._ref

    def select_module(self, path: str) -> None:
        """Look at a module: at the slot chosen last if it has that, else at its output.

        A path that the loaded model does not have changes nothing.
        """
        if not self._has_module(path):
            return
        keeps = path == self._path and self._has_wanted_slot() and self._ref is not None and not self._ref.operation
        self._look_at(path, self._ref if keeps else self._pick(path))

    def select_ref(self, ref: TensorRef) -> None:
        """Look at a tensor, and from now on at the same slot of other modules."""
        self._wanted_slot, self._wanted_leaf = ref.slot, ref.leaf
        self._look_at(ref.path, ref)

    def select_event(self, step: int, event: StepEvent) -> None:
        """Look at the tensor that was at hand at an event, as it was in that step.

        At an event without one, such as the optimizer's, what was looked at stays and only the step changes.
        """
        ref = self._ref_at(event)
        if ref is not None:
            self._wanted_slot, self._wanted_leaf = ref.slot, ref.leaf
        where = (ref.path, ref) if ref is not None else (self._path, self._ref)
        self._set(*where, step=self._past(step), moment=Moment(step, event))

    def show_step(self, step: int) -> None:
        """Look at the same tensor as it was in a step; from the newest step on, follow."""
        self._set(self._path, self._ref, step=self._past(step))

    @QtSlot()
    def show_latest(self) -> None:
        """Follow the newest step again."""
        self._set(self._path, self._ref)

    def compare(self, mode: CompareMode) -> None:
        """Show the values before or after the interventions, or the difference, of the newest trial."""
        self.show_latest()
        self.comparison.set_mode(mode)

    def toggle_comparison(self, mode: CompareMode) -> None:
        """Show the trial in a mode, or again the values after the interventions when that is shown already."""
        self.compare(CompareMode.AFTER if self.comparison.mode is mode else mode)

    def _past(self, step: int) -> int | None:
        """Return a step, or `None` when there is no newer one."""
        session = self._bridge.session
        finished = session.history[-1].step if session.history else 0
        newest = max(session.records.step, session.events.newest, finished)
        return step if step < newest else None

    def _ref_at(self, event: StepEvent) -> TensorRef | None:
        slot = SLOT_OF.get(event.kind)
        if slot is None:
            is_loss = event.kind is EventKind.LOSS
            return self._recorded(TensorRef("", Slot.OUTPUT, _LOSS_LEAF)) if is_loss else None
        call = 0 if slot is Slot.PARAMETER_GRAD else event.call
        if event.leaf:
            return TensorRef(event.path, slot, event.leaf, call, event.operation)
        # A call that has no gradient for an input is left without a leaf: its record, if there is one, says why.
        records = self._bridge.session.records.of(event.path)
        named = (record.ref for record in records if record.ref.slot is slot and record.ref.call == call)
        return next(named, TensorRef(event.path, slot, "args.0", call))

    def _recorded(self, ref: TensorRef) -> TensorRef | None:
        return ref if self._bridge.session.records.get(ref) is not None else None

    def _has_module(self, path: str) -> bool:
        tree = self._bridge.session.tree
        return tree is not None and any(module.path == path for module in tree.modules)

    def _has_wanted_slot(self) -> bool:
        return self._ref is not None and self._ref.slot is self._wanted_slot

    def _pick(self, path: str) -> TensorRef | None:
        records = self._bridge.session.records
        of_slot = [record for record in records.of(path) if record.ref.slot is self._wanted_slot]
        same_leaf = [record for record in of_slot if record.ref.leaf == self._wanted_leaf]
        tensors = [record for record in of_slot if not record.instead]
        chosen = next(iter(same_leaf or tensors or of_slot), None) or records.output(path)
        return chosen.ref if chosen is not None else self._pick_operation(path)

    def _pick_operation(self, path: str) -> TensorRef | None:
        """Return what was captured of an operation in a module that is not checked itself."""
        session = self._bridge.session
        if path in session.checked:
            return None
        checked = [operation.text for operation in session.checked_operations if operation.path == path]
        found = [record.ref for text in checked for record in session.records.of(path, text)]
        return next((ref for ref in found if ref.slot is self._wanted_slot), next(iter(found), None))

    @QtSlot()
    def _follow_model(self) -> None:
        source = self._bridge.session.source
        is_other, self._source = source != self._source, source
        if is_other:  # whatever the modules of two models are called, they have nothing to do with each other
            self._wanted_slot, self._wanted_leaf = Slot.OUTPUT, ""
        # Loaded again, a module that is still there keeps its tensor: it is shown until the next step replaces it.
        is_kept = not is_other and self._path is not None and self._has_module(self._path)
        self._set(self._path, self._ref) if is_kept else self._set(None, None)

    @QtSlot(object)
    def _follow_records(self, paths: frozenset[str]) -> None:
        if self._path is None or self._path not in paths or self._step is not None:
            return
        if self._ref is not None and self._ref.operation:
            return  # an operation stays until something else is selected, whether it runs again or not
        keeps_slot = self._has_wanted_slot()
        if keeps_slot and self._ref is not None and self._bridge.session.records.get(self._ref) is not None:
            return
        picked = self._pick(self._path)
        # Gradients come later in a step than outputs: a gradient that was shown is not left for an output meanwhile.
        if picked is not None and (picked.slot is self._wanted_slot or not keeps_slot):
            self._look_at(self._path, picked)

    def _look_at(self, path: str | None, ref: TensorRef | None) -> None:
        """Look at something else in the same step."""
        is_same = (path, ref) == (self._path, self._ref)
        self._set(path, ref, step=self._step, moment=self._moment if is_same else None)

    def _set(
        self, path: str | None, ref: TensorRef | None, *, step: int | None = None, moment: Moment | None = None
    ) -> None:
        if (path, ref, step, moment) != (self._path, self._ref, self._step, self._moment):
            self._path, self._ref, self._step, self._moment = path, ref, step, moment
            if step is not None:
                self.comparison.set_mode(CompareMode.AFTER)
            self.changed.emit()
