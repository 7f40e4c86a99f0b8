"""The range of a picture: which value gets the first colour and which the last."""

from PySide6.QtCore import QEvent, QLocale, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QDoubleValidator
from PySide6.QtWidgets import QLabel, QLineEdit, QToolButton

from hookscope.figures.levels import Levels, auto_levels, is_signed, symmetric_levels
from hookscope.figures.text import format_number
from hookscope.gui.assets import icon
from hookscope.gui.panels.adaptive_row import AdaptiveRow
from hookscope.gui.panels.base import fixed_font
from hookscope.protocol.identity import TensorRef

_BOX_CHARS, _MIN_BOX_CHARS = 10, 9
_BOX_PADDING = 18


class RangeBar(AdaptiveRow):
    """Low and high, *Fit*, *Keep fitting* and *Symmetric*, with room in front for the controls of a view.

    Fitting goes on until a person types a value or switches it off. Whether levels lie about zero follows the data
    (gradients, and values on both sides of zero) until a person chooses.

    Signals:
        levels_changed: The levels, or whether they are symmetric, were changed by a person.
    """

    levels_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._ref: TensorRef | None = None
        self._data: Levels = (0.0, 1.0)
        self._levels: Levels = (0.0, 1.0)
        self._chosen_symmetric: bool | None = None
        self._low = _value_box(self.tr("Value drawn in the first colour"))
        self._high = _value_box(self.tr("Value drawn in the last colour"))
        self._fit = self._button(self.tr("Fit"), self.tr("Set the range to the smallest and largest value shown now."))
        self._keep = self._button(self.tr("Keep fitting"), self.tr("Fit the range again at every new picture."))
        self._symmetric = self._button(
            self.tr("Symmetric"), self.tr("Put zero in the middle of the range, with blue below and orange above it.")
        )
        self._keep.setCheckable(True)
        self._keep.setChecked(True)
        self._symmetric.setCheckable(True)
        self._low.editingFinished.connect(self._take_typed)
        self._high.editingFinished.connect(self._take_typed)
        self._fit.clicked.connect(self._fit_now)
        self._keep.clicked.connect(self._take_keep)
        self._symmetric.clicked.connect(self._take_symmetric)
        self._retint()

    def finish(self) -> None:
        """Append the range after the view's own controls; call it once."""
        self.add_stretch()
        self.add(_quiet(self.tr("range")), drop=10)
        self.add(self._low, shrink=5)
        self.add(_quiet(self.tr("to")), drop=9)
        self.add(self._high, shrink=4)
        self.add(self._fit, shrink=8, drop=3)
        self.add(self._keep, shrink=7, drop=1)
        self.add(self._symmetric, shrink=6, drop=2)

    @property
    def levels(self) -> Levels:
        """Low and high; high is above low."""
        return self._levels

    @property
    def is_symmetric(self) -> bool:
        """Whether zero is in the middle, so that a diverging colour map says the sign."""
        return self._symmetric.isChecked()

    def take_data(self, ref: TensorRef, low: float, high: float) -> None:
        """Note the range of a new picture, and fit to it if that is wanted or it is of another tensor."""
        is_new = ref != self._ref
        # Once signed, always signed: colours must not jump about while the values of a few steps happen to be positive.
        was_signed = not is_new and self.is_symmetric
        self._ref, self._data = ref, (low, high)
        if self._chosen_symmetric is None:
            self._symmetric.setChecked(was_signed or ref.slot.is_gradient or is_signed(low, high))
        if is_new or self._keep.isChecked():
            self._set_levels(self._fitted())

    def changeEvent(self, event: QEvent) -> None:
        """Tint the icons again when the theme has changed."""
        if event.type() == QEvent.Type.PaletteChange:
            self._retint()
        super().changeEvent(event)

    def _button(self, text: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setToolTip(tip)
        button.setAccessibleName(text)
        button.setAccessibleDescription(tip)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        return button

    def _retint(self) -> None:
        self._fit.setIcon(icon("msc.fold-horizontal"))
        self._keep.setIcon(icon("msc.sync"))
        self._symmetric.setIcon(icon("msc.mirror"))

    def _fitted(self) -> Levels:
        return symmetric_levels(*self._data) if self.is_symmetric else auto_levels(*self._data)

    def _set_levels(self, levels: Levels) -> None:
        self._levels = levels
        for box, value in ((self._low, levels[0]), (self._high, levels[1])):
            text = format_number(float(value))
            if box.text() != text and not box.hasFocus():
                box.setText(text)
                box.setCursorPosition(0)  # in a narrow box the end is cut off, not the sign
                box.setToolTip(repr(float(value)))

    @Slot()
    def _fit_now(self) -> None:
        self._set_levels(self._fitted())
        self.levels_changed.emit()

    @Slot()
    def _take_keep(self) -> None:
        if self._keep.isChecked():
            self._fit_now()

    @Slot()
    def _take_symmetric(self) -> None:
        self._chosen_symmetric = self._symmetric.isChecked()
        self._fit_now()

    @Slot()
    def _take_typed(self) -> None:
        low, high = self._typed(self._low, self._levels[0]), self._typed(self._high, self._levels[1])
        if (low, high) == self._levels:
            return
        self._keep.setChecked(False)
        self._levels = auto_levels(min(low, high), max(low, high))
        for box, value in ((self._low, self._levels[0]), (self._high, self._levels[1])):
            with QSignalBlocker(box):
                box.setText(format_number(float(value)))
        self.levels_changed.emit()

    def _typed(self, box: QLineEdit, before: float) -> float:
        if box.text() == format_number(float(before)):  # untouched: keep the digits that are not shown
            return before
        try:
            return float(box.text())
        except ValueError:
            return before


def _value_box(name: str) -> QLineEdit:
    box = QLineEdit()
    box.setFont(fixed_font())
    box.setAlignment(Qt.AlignmentFlag.AlignRight)
    validator = QDoubleValidator(box)
    validator.setLocale(QLocale.c())  # a decimal point, as in every number that is shown
    box.setValidator(validator)
    unit = box.fontMetrics().horizontalAdvance("0")
    box.setMaximumWidth(unit * _BOX_CHARS + _BOX_PADDING)
    box.setMinimumWidth(unit * _MIN_BOX_CHARS + _BOX_PADDING)
    box.setAccessibleName(name)
    box.setToolTip(name)
    return box


def _quiet(text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("quiet", True)
    return label
