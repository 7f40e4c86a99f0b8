"""What the window is looking at: one module and one of its tensors, which the tree and the following panels obey."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtCore import Slot as QtSlot

from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.identity import Slot, TensorRef


class Current(QObject):
    """The current module and tensor of one session.

    The slot and leaf that a person chose last are remembered: a module that has them shows them, and any other its
    output until it has.

    Signals:
        changed: `path` or `ref` is another one.
    """

    changed = Signal()

    def __init__(self, bridge: SessionBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._path: str | None = None
        self._ref: TensorRef | None = None
        self._wanted_slot = Slot.OUTPUT
        self._wanted_leaf = ""
        bridge.model_loaded.connect(self._follow_model)
        bridge.records_changed.connect(self._follow_records)

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
        self._set(path, self._ref if keeps else self._pick(path))

    def select_ref(self, ref: TensorRef) -> None:
        """Look at a tensor, and from now on at the same slot of other modules."""
        self._wanted_slot, self._wanted_leaf = ref.slot, ref.leaf
        self._set(ref.path, ref)

    def _has_module(self, path: str) -> bool:
        tree = self._bridge.session.tree
        return tree is not None and any(module.path == path for module in tree.modules)

    def _has_wanted_slot(self) -> bool:
        return self._ref is not None and self._ref.slot is self._wanted_slot

    def _pick(self, path: str) -> TensorRef | None:
        records = self._bridge.session.records
        of_slot = [record for record in records.of(path) if record.ref.slot is self._wanted_slot]
        same_leaf = [record for record in of_slot if record.ref.leaf == self._wanted_leaf]
        chosen = next(iter(same_leaf or of_slot), None) or records.output(path)
        return chosen.ref if chosen is not None else None

    @QtSlot()
    def _follow_model(self) -> None:
        # A module that is still there keeps its tensor too: what is shown stays until the next step replaces it.
        if self._path is not None and not self._has_module(self._path):
            self._set(None, None)

    @QtSlot(object)
    def _follow_records(self, paths: frozenset[str]) -> None:
        if self._path is None or self._path not in paths or (self._ref is not None and self._ref.operation):
            return  # an operation stays until something else is selected, whether it runs again or not
        keeps_slot = self._has_wanted_slot()
        if keeps_slot and self._ref is not None and self._bridge.session.records.get(self._ref) is not None:
            return
        picked = self._pick(self._path)
        # Gradients come later in a step than outputs: a gradient that was shown is not left for an output meanwhile.
        if picked is not None and (picked.slot is self._wanted_slot or not keeps_slot):
            self._set(self._path, picked)

    def _set(self, path: str | None, ref: TensorRef | None) -> None:
        if (path, ref) != (self._path, self._ref):
            self._path, self._ref = path, ref
            self.changed.emit()
