"""What the actions do that change tensors."""

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from hookscope.gui.current import Current
from hookscope.gui.interventions.book import InterventionBook
from hookscope.gui.interventions.files import InterventionFiles
from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.identity import LOCAL_PREFIX, TensorRef
from hookscope.protocol.identity import Slot as TensorSlot
from hookscope.protocol.interventions import Channels, Intervention, Selection
from hookscope.protocol.tensor_changes import Change, Scale, Zero


class InterventionHandlers(QObject):
    """Adds interventions where the window looks, and has the lists shown.

    Args:
        bridge: The session.
        book: The interventions.
        files: Keeps the list in files.
        current: What the window is looking at.
        window: The main window.

    Signals:
        edit_requested: An intervention should be edited; its id (`int`).
        list_requested: The list should be seen.
        at_hand_requested: What is changed of the tensor at hand should be seen.
    """

    edit_requested = Signal(int)
    list_requested = Signal()
    at_hand_requested = Signal()

    def __init__(
        self,
        bridge: SessionBridge,
        book: InterventionBook,
        files: InterventionFiles,
        current: Current,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._session = bridge.session
        self._book = book
        self._current = current
        self.save_list, self.load_list, self.export_script = files.save, files.load, files.export

    @Slot()
    def add(self) -> None:
        """Begin to change the tensor that the window looks at, or the output of its module."""
        if self._current.path is not None:
            self.change_module(self._current.path)
        else:
            self.list_requested.emit()

    def change_module(self, path: str, change: Change | None = None, *, of_gradient: bool = False) -> None:
        """Go to a module, and change the tensor of it that the window looks at, else its output.

        Args:
            path: The module.
            change: What is done; `None` is nothing yet.
            of_gradient: Whether only a gradient will do; by default that of the output.
        """
        if path != self._current.path:
            self._current.select_module(path)
        ref = self._current.ref
        is_here = ref is not None and ref.path == path and not ref.operation.startswith(LOCAL_PREFIX)
        if ref is None or not is_here or (of_gradient and not ref.slot.is_gradient):
            slot = TensorSlot.GRAD_OUTPUT if of_gradient else TensorSlot.OUTPUT
            self._add(Intervention(0, path, slot, change or Scale(1.0)))
        else:
            self.change_tensor(ref, change)

    def change_tensor(self, ref: TensorRef, change: Change | None = None, where: Selection | None = None) -> None:
        """Change a tensor, where there are several calls in its own, and show the form; by default nothing yet."""
        is_repeated = ref.call > 0 or self._session.records.calls(ref.path) > 1
        call = ref.call if is_repeated and ref.slot not in {TensorSlot.PARAMETER, TensorSlot.PARAMETER_GRAD} else None
        self._add(
            Intervention(0, ref.path, ref.slot, change or Scale(1.0), ref.leaf, call, ref.operation, where),
        )

    def change_channel(self, ref: TensorRef, dim: int, number: int) -> None:
        """Zero one entry along a dim of a tensor, and show the form."""
        self.change_tensor(ref, Zero(), Channels((number,), dim))

    @Slot()
    def change_at_hand(self) -> None:
        """Show what is changed of the tensor at hand."""
        self.at_hand_requested.emit()

    @Slot()
    def show_list(self) -> None:
        """Show the list."""
        self.list_requested.emit()

    def _add(self, intervention: Intervention) -> None:
        self.edit_requested.emit(self._book.add(intervention).id)
