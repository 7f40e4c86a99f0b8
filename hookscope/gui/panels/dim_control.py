"""Which entry of one dim is shown: a slider, a box, and a button that plays through them."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QSizePolicy, QSlider, QSpinBox, QToolButton, QWidget

from hookscope.gui.assets import icon

_SLIDER_CHARS = 9
_SPACING = 6
_GAP = 4


@dataclass(frozen=True)
class ShownDim:
    """A dim of which one entry is shown, its name, how many entries it has, and which one it is."""

    dim: int
    name: str
    size: int
    entry: int


class DimControl(QWidget):
    """Controls of one dim; where there is little room the slider and the button go first.

    Signals:
        entry_chosen: The dim and the entry that a person chose.
        play_toggled: The dim, and whether it is to be played.
    """

    entry_chosen = Signal(int, int)
    play_toggled = Signal(int, bool)

    def __init__(self) -> None:
        super().__init__()
        self._dim = 0
        self._play = QToolButton(self)
        self._play.setCheckable(True)
        self._play.setToolTip(self.tr("Show one entry after the other"))
        self._play.clicked.connect(self._toggle)
        self._slider = QSlider(Qt.Orientation.Horizontal, self)
        self._slider.setFixedWidth(self.fontMetrics().averageCharWidth() * _SLIDER_CHARS)
        self._slider.valueChanged.connect(self._choose)
        self._box = QSpinBox(self)
        self._box.setWrapping(True)
        self._box.setKeyboardTracking(False)
        self._box.valueChanged.connect(self._choose)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(_GAP)
        for part in (self._play, self._slider, self._box):
            layout.addWidget(part)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._retint()

    @property
    def box(self) -> QSpinBox:
        """The box with the number."""
        return self._box

    def show_dim(self, shown: ShownDim) -> None:
        """Become the controls of a dim."""
        self._dim, name, size = shown.dim, shown.name, shown.size
        for part in (self._slider, self._box):
            with QSignalBlocker(part):
                part.setRange(0, max(size - 1, 0))
                part.setValue(shown.entry)
        prefix, suffix = f"{name} ", self.tr(" of {size}").format(size=size)
        if (self._box.prefix(), self._box.suffix()) != (prefix, suffix):  # it makes every layout above work anew
            self._box.setPrefix(prefix)
            self._box.setSuffix(suffix)
            text = self.tr("Which entry of {name} is shown").format(name=name)
            for part in (self._slider, self._box):
                part.setToolTip(text)
                part.setAccessibleName(text)
            self._play.setAccessibleName(self.tr("Play {name}").format(name=name))

    def show_playing(self, is_playing: bool) -> None:
        """Show whether the dim is played."""
        if self._play.isChecked() != is_playing:
            self._play.setChecked(is_playing)
            self._retint()

    def minimumSizeHint(self) -> QSize:
        """Return room for the box alone."""
        return self._box.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out what there is no room for."""
        super().resizeEvent(event)
        room = self.width() - self._box.sizeHint().width()
        button = self._play.sizeHint().width() + _GAP
        self._play.setVisible(room >= button)
        self._slider.setVisible(room >= button + self._slider.width() + _GAP)

    def sizeHint(self) -> QSize:
        """Return room for everything, whether it is in sight or not."""
        parts = (self._play.sizeHint().width(), self._slider.width(), self._box.sizeHint().width())
        return QSize(sum(parts) + 2 * _GAP, max(self._box.sizeHint().height(), self._play.sizeHint().height()))

    def changeEvent(self, event: QEvent) -> None:
        """Tint the icon again when the theme has changed."""
        if event.type() == QEvent.Type.PaletteChange:
            self._retint()
        super().changeEvent(event)

    def _retint(self) -> None:
        self._play.setIcon(icon("msc.debug-pause" if self._play.isChecked() else "msc.play"))

    @Slot(int)
    def _choose(self, entry: int) -> None:
        for part in (self._slider, self._box):
            with QSignalBlocker(part):
                part.setValue(entry)
        self.entry_chosen.emit(self._dim, entry)

    @Slot(bool)
    def _toggle(self, is_playing: bool) -> None:
        self._retint()
        self.play_toggled.emit(self._dim, is_playing)


class DimControls(QWidget):
    """The controls of several dims, in a row or below each other; they are kept and used again.

    Signals:
        entry_chosen, play_toggled: See `DimControl`.
    """

    entry_chosen = Signal(int, int)
    play_toggled = Signal(int, bool)

    def __init__(self, direction: QBoxLayout.Direction, most: int) -> None:
        """Show the controls of at most so many dims."""
        super().__init__()
        self._most = most
        self._controls: list[DimControl] = []
        self._used = 0
        self._is_row = direction is QBoxLayout.Direction.LeftToRight
        self._layout = QBoxLayout(direction, self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(_SPACING)

    def show_dims(self, dims: Sequence[ShownDim], playing: int | None) -> None:
        """Show controls for these dims."""
        while len(self._controls) < min(len(dims), self._most):
            self._add_control()
        self._used = min(len(dims), self._most)
        for control, shown in zip(self._controls, dims, strict=False):
            control.show_dim(shown)
            control.show_playing(shown.dim == playing)
        first = self._controls[: min(self._used, 1)]
        self.setMinimumWidth(sum(control.minimumSizeHint().width() for control in first))
        self._fit()

    def sizeHint(self) -> QSize:
        """Return room for all controls, whether they are in sight or not."""
        hints = [control.sizeHint() for control in self._controls[: self._used]]
        widths, heights = [hint.width() for hint in hints], [hint.height() for hint in hints]
        gaps = _SPACING * max(self._used - 1, 0)
        if self._is_row:
            return QSize(sum(widths) + gaps, max(heights, default=0))
        return QSize(max(widths, default=0), sum(heights) + gaps)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out the last ones of a row when there is no room for them."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        room = self.width() if self._is_row else None
        for number, control in enumerate(self._controls):
            needed = sum(part.minimumSizeHint().width() + _SPACING for part in self._controls[: number + 1]) - _SPACING
            control.setVisible(number < self._used and (number == 0 or room is None or needed <= room))

    def _add_control(self) -> None:
        control = DimControl()
        control.entry_chosen.connect(self.entry_chosen)
        control.play_toggled.connect(self.play_toggled)
        self._controls.append(control)
        self._layout.addWidget(control)
