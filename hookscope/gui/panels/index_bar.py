"""Which entry of the leading dims is shown: one spin box a dim."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QSpinBox, QWidget


class IndexBar(QWidget):
    """Spin boxes for the leading dims of a tensor; boxes are kept and reused when the number of dims changes.

    Signals:
        index_changed: A person chose another entry.
    """

    index_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._boxes: list[QSpinBox] = []
        self._used = 0
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(4)

    @property
    def index(self) -> tuple[int, ...]:
        """The chosen entry of each leading dim."""
        return tuple(box.value() for box in self._boxes[: self._used])

    def set_sizes(self, sizes: Sequence[int]) -> None:
        """Say how many entries each leading dim has; what was chosen stays chosen where it still exists."""
        while len(self._boxes) < len(sizes):
            self._add_box()
        self._used = len(sizes)
        for dim, box in enumerate(self._boxes):
            is_used = dim < len(sizes)
            box.setVisible(is_used)
            with QSignalBlocker(box):
                box.setRange(0, max(sizes[dim] - 1, 0) if is_used else 0)
                box.setEnabled(is_used and sizes[dim] > 1)
        self.setVisible(bool(sizes))

    def _add_box(self) -> None:
        dim = len(self._boxes)
        box = QSpinBox(self)
        box.setPrefix(self.tr("dim {dim}: ").format(dim=dim))
        box.setAccessibleName(self.tr("Index in dim {dim}").format(dim=dim))
        box.setToolTip(self.tr("Which entry of dim {dim} is shown").format(dim=dim))
        box.setWrapping(True)
        box.valueChanged.connect(self._announce)
        self._boxes.append(box)
        self._layout.addWidget(box)

    @Slot()
    def _announce(self) -> None:
        self.index_changed.emit()
