"""The row above a picture: its own controls, the range, and how values become colours."""

from PySide6.QtCore import QEvent, QLocale, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QDoubleValidator
from PySide6.QtWidgets import QLabel, QLineEdit, QMenu, QToolButton

from hookscope.figures.ranges import TRIMMED_PERCENT
from hookscope.figures.text import format_number
from hookscope.gui.assets import icon
from hookscope.gui.colormaps import ColorMap
from hookscope.gui.panels.adaptive_row import AdaptiveRow
from hookscope.gui.panels.base import fixed_font
from hookscope.gui.panels.keys import Command
from hookscope.gui.panels.range_control import RangeControl

_BOX_CHARS, _MIN_BOX_CHARS = 10, 9
_BOX_PADDING = 18


class RangeBar(AdaptiveRow):
    """Low and high and what sets them, with room in front for the controls of a view.

    What there is no room for is in the menu of the last button, which has everything.

    Attributes:
        menu: That menu; views add their own entries.
        marks_negative: Whether negative values have a colour of their own (checkable).
        marks_clipped: Whether values outside the range have one (checkable).

    Signals:
        marks_changed: Other values are to be marked.
    """

    marks_changed = Signal()

    def __init__(self, control: RangeControl) -> None:
        super().__init__()
        self._control = control
        self._low = _value_box(self.tr("Value drawn in the first colour"))
        self._high = _value_box(self.tr("Value drawn in the last colour"))
        self._make_actions()
        self._menu_button = QToolButton(self)
        self._menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu_button.setToolTip(self.tr("Colours, marks and everything about the range"))
        self._menu_button.setAccessibleName(self.tr("Colours and range"))
        self.menu = QMenu(self._menu_button)
        self._menu_button.setMenu(self.menu)
        self._fill_menu()
        self._low.editingFinished.connect(self._take_typed)
        self._high.editingFinished.connect(self._take_typed)
        control.changed.connect(self.show_range)
        self._retint()

    def finish(self) -> None:
        """Append the range after the view's own controls; call it once."""
        self.add_stretch()
        self.add(_quiet(self.tr("range")), drop=19)
        self.add(self._low, shrink=7, drop=2)
        self.add(_quiet(self.tr("to")), drop=18)
        self.add(self._high, shrink=6, drop=2)  # one of them alone would not say which it is
        for action, shrink, drop in (
            (self._fit, 14, 4),
            (self._keep, 13, 3),
            (self._symmetric, 15, 9),
            (self._trim, 16, 10),
        ):
            self.add(self._button(action), shrink=shrink, drop=drop)
        for action, drop in ((self._reset, 17), (self._undo, 8)):
            button = self._button(action)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
            self.add(button, drop=drop)
        self.add(self._menu_button)

    @Slot()
    def show_range(self) -> None:
        """Show the levels and what was chosen."""
        control = self._control
        for box, value in ((self._low, control.levels[0]), (self._high, control.levels[1])):
            text = format_number(float(value))
            if box.text() != text and not (box.hasFocus() and box.isModified()):
                box.setText(text)
                box.setCursorPosition(0)  # in a narrow box the end is cut off, not the sign
            if box.toolTip() != repr(float(value)):
                box.setToolTip(repr(float(value)))
        choice = control.choice
        self._keep.setChecked(choice.keeps_fitting)
        self._symmetric.setChecked(control.is_symmetric)
        self._trim.setChecked(choice.is_trimmed)
        self._undo.setEnabled(control.can_undo)
        self._redo.setEnabled(control.can_redo)
        for action in self._maps.actions():
            action.setChecked(ColorMap(action.data()) is control.color_map)  # Qt keeps a plain str

    def changeEvent(self, event: QEvent) -> None:
        """Tint the icons again when the theme has changed."""
        if event.type() == QEvent.Type.PaletteChange:
            self._retint()
        super().changeEvent(event)

    def _make_actions(self) -> None:
        control = self._control
        self._fit = self._action(
            self.tr("Fit"),
            self.tr("Set the range to the smallest and largest value shown now, and stay with it."),
            Command.FIT,
        )
        self._keep = self._action(
            self.tr("Keep fitting"),
            self.tr(
                "Fit the range at every picture, also while the model runs fast. Otherwise colours hold still then."
            ),
        )
        self._symmetric = self._action(
            self.tr("Symmetric"), self.tr("Put zero in the middle of the range, with blue below and orange above it.")
        )
        percent = f"{TRIMMED_PERCENT:g}–{100 - TRIMMED_PERCENT:g} %"
        self._trim = self._action(
            percent, self.tr("Leave out the smallest and largest half percent of the values when the range is fitted.")
        )
        self._reset = self._action(
            self.tr("Reset range"), self.tr("Forget what was chosen for this tensor: the range follows the data.")
        )
        self._undo = self._action(
            self.tr("Undo range"), self.tr("Take back the last change of the range."), Command.UNDO
        )
        self._redo = self._action(self.tr("Redo range"), self.tr("Change the range again."), Command.REDO)
        self.marks_negative = self._action(
            self.tr("Mark negative values"), self.tr("Draw every value below zero in plain blue."), Command.NEGATIVE
        )
        self.marks_clipped = self._action(
            self.tr("Mark values outside the range"),
            self.tr("Draw values below the range in turquoise and those above it in red."),
            Command.CLIPPED,
        )
        for action in (self._keep, self._symmetric, self._trim, self.marks_negative, self.marks_clipped):
            action.setCheckable(True)
        self._fit.triggered.connect(control.fit_once)
        self._keep.triggered.connect(control.keep_fitting)
        self._symmetric.triggered.connect(control.set_symmetric)
        self._trim.triggered.connect(control.set_trimmed)
        self._reset.triggered.connect(control.reset)
        self._undo.triggered.connect(control.undo)
        self._redo.triggered.connect(control.redo)
        for action in (self.marks_negative, self.marks_clipped):
            action.toggled.connect(self._announce_marks)

    def _fill_menu(self) -> None:
        maps = self.menu.addMenu(self.tr("Colours"))
        self._maps = QActionGroup(self)
        names = {
            ColorMap.AUTO: self.tr("Automatic"),
            ColorMap.VIRIDIS: self.tr("Viridis"),
            ColorMap.CIVIDIS: self.tr("Cividis"),
            ColorMap.DIVERGING: self.tr("Blue to orange"),
            ColorMap.CYCLIC: self.tr("Cyclic, for angles"),
            ColorMap.GREY: self.tr("Grey"),
        }
        for color_map, name in names.items():
            action = maps.addAction(name)
            action.setData(color_map)
            action.setCheckable(True)
            self._maps.addAction(action)
        self._maps.triggered.connect(self._choose_map)
        self.menu.addActions([self.marks_negative, self.marks_clipped])
        self.menu.addSeparator()
        self.menu.addActions([self._fit, self._keep, self._symmetric, self._trim, self._reset, self._undo, self._redo])

    def _action(self, text: str, tip: str, key: Command | None = None) -> QAction:
        # The key is only told of here: it acts while the picture has the focus, and not in the whole window.
        action = QAction(f"{text}\t{key.value}" if key else text, self)
        action.setIconText(text)
        action.setToolTip(f"{text} ({key.value}): {tip}" if key else f"{text}: {tip}")
        return action

    def _button(self, action: QAction) -> QToolButton:
        button = QToolButton(self)
        button.setDefaultAction(action)
        button.setAccessibleName(action.iconText())
        button.setAccessibleDescription(action.toolTip())
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        return button

    def _retint(self) -> None:
        self._fit.setIcon(icon("msc.fold-horizontal"))
        self._keep.setIcon(icon("msc.sync"))
        self._symmetric.setIcon(icon("msc.mirror"))
        self._trim.setIcon(icon("msc.percentage"))
        self._reset.setIcon(icon("msc.refresh"))
        self._undo.setIcon(icon("msc.discard"))
        self._redo.setIcon(icon("msc.redo"))
        self._menu_button.setIcon(icon("msc.symbol-color"))

    @Slot()
    def _announce_marks(self) -> None:
        self.marks_changed.emit()

    @Slot(object)
    def _choose_map(self, action: QAction) -> None:
        self._control.choose_color_map(ColorMap(action.data()))

    @Slot()
    def _take_typed(self) -> None:
        before = self._control.levels
        levels = _typed(self._low, before[0]), _typed(self._high, before[1])
        for box in (self._low, self._high):
            box.setModified(False)
        if levels != before:
            self._control.type_levels(levels)
        with QSignalBlocker(self):
            self.show_range()


def _typed(box: QLineEdit, before: float) -> float:
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
