"""The inputs that a form is made of: each shows one value, and says beside itself what is wrong with what was typed."""

import math
from collections.abc import Callable

from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QLineEdit, QSlider, QSpinBox, QVBoxLayout, QWidget

from hookscope.figures.slider_scale import SliderScale
from hookscope.gui.cells import fixed_font

_LINE_CHARS, _BOX_CHARS = 7, 11
_LARGEST = 2**31 - 1
_TYPING_MS = 250
"""How long typing must rest before it counts as a change."""
_SIGNIFICANT = 12
"""Digits of a number in a field: more only says how binary fractions are rounded."""


class ValueField(QWidget):
    """Shows a value that can be changed; below it stands what is wrong with it.

    Signals:
        edited: A person changed something.
        settled: A person is done with a change: a slider was let go, a line was left.
    """

    edited = Signal()
    settled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._error = QLabel(self)
        self._error.setProperty("trouble", True)
        self._error.setTextFormat(Qt.TextFormat.PlainText)
        self._error.setWordWrap(True)
        self._error.hide()
        self._row = QHBoxLayout()
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(2)
        rows.addLayout(self._row)
        rows.addWidget(self._error)

    @property
    def error(self) -> str:
        """What is said to be wrong; `""` when nothing is."""
        return self._error.text()

    def tell(self, error: str) -> None:
        """Say what is wrong; `""` when nothing is."""
        self._error.setText(error)
        self._error.setVisible(bool(error))

    def set_value(self, value: object) -> None:
        """Show a value; nothing is emitted."""
        raise NotImplementedError

    def value(self) -> object:
        """Return the value.

        Raises:
            ValueError: What was typed is none; the message is for the person.
        """
        raise NotImplementedError

    def select(self) -> None:
        """Take the keyboard, ready to be typed over."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)


class LineField(ValueField):
    """A line of text; what it means is left to two functions.

    Args:
        read: Makes the value of the text, or raises `ValueError` with a message for the person.
        write: Makes the text of a value.
        hint: What stands in the empty line.
        parent: Qt parent.
    """

    def __init__(
        self,
        read: Callable[[str], object],
        write: Callable[[object], str] = str,
        hint: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._read, self._write = read, write
        self.line = QLineEdit(self)
        self.line.setFont(fixed_font(self.font()))
        self.line.setPlaceholderText(hint)
        self._row.addWidget(self.line, 1)
        self._typing = QTimer(self, singleShot=True, interval=_TYPING_MS)
        self._typing.timeout.connect(self.edited)
        self.line.textEdited.connect(self._typing.start)
        self.line.editingFinished.connect(self._finish)
        self.setFocusProxy(self.line)

    def set_value(self, value: object) -> None:
        """See `ValueField.set_value`."""
        self._typing.stop()
        self.line.setText(self._write(value))
        self.line.setCursorPosition(0)

    def value(self) -> object:
        """See `ValueField.value`."""
        return self._read(self.line.text())

    @Slot()
    def _finish(self) -> None:
        if self._typing.isActive():
            self._typing.stop()
            self.edited.emit()
        self.settled.emit()

    def select(self) -> None:
        """See `ValueField.select`."""
        super().select()
        self.line.selectAll()


class NumberField(LineField):
    """A number, with a slider where a range is known.

    Args:
        scale: The slider's values; `None` for no slider.
        least: The smallest number that is one.
        is_above: Whether `least` itself is none.
        is_optional: Whether an empty line is a value, `None`.
        parent: Qt parent.
    """

    def __init__(
        self,
        scale: SliderScale | None = None,
        least: float = -math.inf,
        *,
        is_above: bool = False,
        is_optional: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(self._number, format_field, parent=parent)
        self._scale = scale
        self._least, self._is_above, self._is_optional = least, is_above, is_optional
        if is_optional:
            self.line.setPlaceholderText(self.tr("none"))
        self.slider: QSlider | None = None
        if scale is not None:
            self._add_slider(scale)

    def _add_slider(self, scale: SliderScale) -> None:
        self.line.setFixedWidth(self.line.fontMetrics().averageCharWidth() * _LINE_CHARS + 18)
        self.slider = _Slider(self)
        self.slider.setRange(0, scale.places)
        self.slider.setPageStep(max(1, scale.places // 20))
        self._row.addWidget(self.slider, 1)
        self.slider.valueChanged.connect(self._follow_slider)
        self.slider.sliderReleased.connect(self.settled)
        self.edited.connect(self._follow_line)

    def set_value(self, value: object) -> None:
        """See `ValueField.set_value`."""
        super().set_value(value)
        self._follow_line()

    @Slot(int)
    def _follow_slider(self, place: int) -> None:
        if self._scale is not None:
            self._typing.stop()
            self.line.setText(format_field(self._scale.value_at(place)))
            self.edited.emit()

    @Slot()
    def _follow_line(self) -> None:
        if self.slider is None or self._scale is None or self.slider.isSliderDown():
            return
        try:
            value = self.value()
        except ValueError:
            return
        if isinstance(value, float):
            with QSignalBlocker(self.slider):
                self.slider.setValue(self._scale.place_of(value))

    def _number(self, text: str) -> float | None:
        typed = text.strip()
        if not typed and self._is_optional:
            return None
        try:
            number = float(typed)
        except ValueError:
            raise ValueError(
                self.tr("“{text}” is no number.").format(text=typed) if typed else self.tr("A number is needed.")
            ) from None
        if number < self._least or (self._is_above and number == self._least):
            text = self.tr("It must be above {least}.") if self._is_above else self.tr("It must be {least} or more.")
            raise ValueError(text.format(least=format_field(self._least)))
        return number


class _Slider(QSlider):
    """A slider that the wheel does not move: the form that it stands in is scrolled with it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)

    def sizeHint(self) -> QSize:
        """Ask for little."""
        return QSize(self.fontMetrics().averageCharWidth() * 10, super().sizeHint().height())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to what is around."""
        event.ignore()


class WholeField(ValueField):
    """A whole number."""

    def __init__(self, least: int = -_LARGEST, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = QSpinBox(self)
        self.box.setRange(least, _LARGEST)
        self.box.setMaximumWidth(self.fontMetrics().averageCharWidth() * _BOX_CHARS)
        self._row.addWidget(self.box)
        self._row.addStretch(1)
        self.box.valueChanged.connect(self.edited)
        self.box.editingFinished.connect(self.settled)
        self.setFocusProxy(self.box)

    def set_value(self, value: object) -> None:
        """See `ValueField.set_value`."""
        with QSignalBlocker(self.box):
            self.box.setValue(value if isinstance(value, int) else 0)

    def value(self) -> int:
        """See `ValueField.value`."""
        return self.box.value()

    def select(self) -> None:
        """See `ValueField.select`."""
        super().select()
        self.box.selectAll()


class TickField(ValueField):
    """Yes or no; its name stands behind the box."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = QCheckBox(title, self)
        self._row.addWidget(self.box)
        self.box.toggled.connect(self.edited)
        self.box.clicked.connect(self.settled)
        self.setFocusProxy(self.box)

    def set_value(self, value: object) -> None:
        """See `ValueField.set_value`."""
        with QSignalBlocker(self.box):
            self.box.setChecked(bool(value))

    def value(self) -> bool:
        """See `ValueField.value`."""
        return self.box.isChecked()


def format_field(value: object) -> str:
    """Write a number as it stands in a field: so many digits that it reads back, but not the rounding of fractions."""
    if not isinstance(value, float):
        return "" if value is None else str(value)
    short = f"{value:.{_SIGNIFICANT}g}"
    return short if float(short) == value or math.isnan(value) else repr(value)
