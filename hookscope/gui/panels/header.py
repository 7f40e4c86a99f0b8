"""The line above a panel: which tensor it shows, and what can be done with the panel. The panel is dragged by it."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QContextMenuEvent, QStandardItemModel
from PySide6.QtWidgets import QComboBox, QLabel, QListView, QMenu, QSpinBox, QToolButton

from hookscope.figures.text import format_bytes, format_shape, slot_label
from hookscope.gui.assets import icon
from hookscope.gui.panels.adaptive_row import AdaptiveRow, ElidedLabel
from hookscope.gui.panels.base import fixed_font
from hookscope.gui.panels.registry import AUTO, PANEL_KINDS, kind_title, starts_group
from hookscope.gui.theme import theme_of
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.tensors import TensorSpec

_TITLE_SIZE = 1.15
_MIN_CHARS = 32
"""A panel is not made narrower than this."""


@dataclass(frozen=True)
class HeaderState:
    """What a header shows.

    Attributes:
        title: Name of the module; `""` when there is none.
        class_name: Its class.
        ref: The tensor, or `None`.
        choices: Tensors of the same module that can be chosen instead.
        spec: What the tensor is, or `None`.
        calls: How often the module was called.
        follows: Whether the panel follows what the window looks at.
        kind: `auto` or the tag of a view.
        fitting: Tags of the views that can be drawn; `None` when that is not known.
    """

    title: str = ""
    class_name: str = ""
    ref: TensorRef | None = None
    choices: tuple[TensorRef, ...] = ()
    spec: TensorSpec | None = None
    calls: int = 0
    follows: bool = True
    kind: str = AUTO
    fitting: tuple[str, ...] | None = None


class PanelHeader(AdaptiveRow):
    """Names first, then class, then what the tensor is; controls at the right. Narrow, the details go first.

    Signals:
        ref_chosen: Another tensor of the same module, as `TensorRef`.
        call_chosen: Another call of the module.
        lock_toggled: Whether the panel shall stay with its tensor.
        kind_chosen: `auto` or the tag of a view.
        copy_requested, png_requested, svg_requested: A picture of the panel is wanted.
        link_toggled: Whether the panel shares zoom, dims and range with the other linked ones.
        export_requested: The values of the tensor are wanted in a file.
        float_toggled: The panel shall become a window of its own, or go back.
        close_requested: The panel shall go away.
    """

    ref_chosen = Signal(object)
    call_chosen = Signal(int)
    lock_toggled = Signal(bool)
    link_toggled = Signal(bool)
    kind_chosen = Signal(str)
    copy_requested = Signal()
    png_requested = Signal()
    svg_requested = Signal()
    export_requested = Signal()
    float_toggled = Signal()
    close_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._state: HeaderState | None = None
        self._compact = False
        self._least_width = 0
        self._title = ElidedLabel()
        self._class = _quiet_label()
        self._slots = QComboBox()
        self._slots.setAccessibleName(self.tr("Tensor of the module"))
        self._slots.setToolTip(self.tr("Which tensor of the module is shown"))
        self._slots.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._slots.activated.connect(self._choose_slot)
        self._shape = QLabel()
        self._shape.setFont(fixed_font())
        self._details = _quiet_label()
        self._calls = QSpinBox()
        self._calls.setPrefix(self.tr("call "))
        self._calls.setAccessibleName(self.tr("Call of the module"))
        self._calls.setToolTip(self.tr("Which call of the module within the step is shown"))
        self._calls.valueChanged.connect(self.call_chosen)
        self._lock = _button(self.tr("Lock"), self.tr("Stay with this tensor whatever the window looks at."))
        self._lock.setCheckable(True)
        self._lock.clicked.connect(self.lock_toggled)
        self._kinds = self._kind_box()
        self._picture = _button("", self.tr("Copy or save a picture of this panel, or the values of its tensor"))
        self._picture.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._picture.setMenu(self._picture_menu())
        self._float = _button("", self.tr("Make this panel a window of its own, or put it back"))
        self._float.clicked.connect(self.float_toggled)
        self._close = _button("", self.tr("Close this panel"))
        self._close.clicked.connect(self.close_requested)
        self.add(self._title)
        self.add(self._class, drop=8)
        self.add(self._slots)
        self.add(self._shape, drop=7)
        self.add(self._details, drop=9)
        self.add(self._calls, drop=6)
        self.add_stretch()
        self.add(self._new_link_button())
        self.add(self._lock, shrink=5)
        self.add(self._kinds, shrink=3, drop=1)
        self.add(self._picture, drop=2)
        self.add(self._float, drop=4)
        self.add(self._close)
        self._layout.setContentsMargins(8, 4, 4, 4)
        self.set_linked(False)
        self._retint()

    def set_compact(self, compact: bool) -> None:
        """Show a quiet title only: for a panel that stands below another one of the same tensor."""
        self._compact = compact
        self._title.setProperty("quiet", compact)
        # A style sheet of its own, for a font that was set is taken back whenever the program's sheet changes.
        size = self.font().pointSizeF() * _TITLE_SIZE
        self._title.setStyleSheet("" if compact else f"font-weight: bold; font-size: {size:.1f}pt")
        self._state = None  # everything is to be shown again

    def set_linked(self, is_linked: bool) -> None:
        """Show whether the panel shares zoom, dims and range with others."""
        self._link.setChecked(is_linked)
        self.want(self._unlink, is_linked)

    def show_state(self, state: HeaderState) -> None:
        """Show which tensor it is; costs nothing when it is the same as before."""
        if state == self._state:
            return
        before, self._state = self._state, state
        slot = slot_label(state.ref) if state.ref is not None else ""
        self._title.setText(" · ".join(filter(None, (state.title, slot))) if self._compact else state.title)
        self._title.setToolTip(state.title)
        self._class.setText(state.class_name)
        if before is None or (before.choices, before.ref) != (state.choices, state.ref):
            self._show_choices(state)
        self._shape.setText(format_shape(state.spec.shape) if state.spec is not None else "")
        self._details.setText(_details(state.spec) if state.spec is not None else "")
        with QSignalBlocker(self._calls):
            self._calls.setMaximum(max(state.calls - 1, 0))
            self._calls.setSuffix(self.tr(" of {calls}").format(calls=state.calls))
            self._calls.setValue(state.ref.call if state.ref is not None else 0)
        self._lock.setChecked(not state.follows)  # a click has changed it, whatever became of it
        if before is None or before.follows != state.follows:
            self._lock.setText(self.tr("Lock") if state.follows else self.tr("Locked"))
            self._tint_lock()
        if before is None or (before.kind, before.fitting) != (state.kind, state.fitting):
            self._show_kind(state)
        self.want(self._class, not self._compact and bool(state.class_name))
        self.want(self._slots, not self._compact and bool(state.choices))
        for label in (self._shape, self._details):
            self.want(label, not self._compact and state.spec is not None)
        self.want(self._calls, not self._compact and state.calls > 1)
        self.adapt()

    def minimumSizeHint(self) -> QSize:
        """Return room for the name, the tensor and the way out."""
        if self._least_width == 0:  # asked for very often
            self._least_width = self.fontMetrics().averageCharWidth() * _MIN_CHARS
        return QSize(self._least_width, self.sizeHint().height())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done with the panel, also where the row has no room for the button of the menu."""
        self._picture.menu().popup(event.globalPos())

    def changeEvent(self, event: QEvent) -> None:
        """Tint the icons again when the theme has changed."""
        if event.type() == QEvent.Type.PaletteChange:
            self._retint()
        elif event.type() == QEvent.Type.FontChange:
            self._least_width = 0
        super().changeEvent(event)

    def _kind_box(self) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(self.tr("Kind of view"))
        box.setToolTip(self.tr("How the tensor is shown"))
        for kind in (AUTO, *PANEL_KINDS):
            if kind != AUTO and (starts_group(kind) or box.count() == 1):
                box.insertSeparator(box.count())
            box.addItem(kind_title(kind), kind)
        box.setMaxVisibleItems(box.count())
        box.setMinimumWidth(box.iconSize().width() + self.fontMetrics().averageCharWidth() * 6)
        box.activated.connect(self._choose_kind)
        return box

    def _show_choices(self, state: HeaderState) -> None:
        with QSignalBlocker(self._slots):
            self._slots.clear()
            for ref in state.choices:
                self._slots.addItem(slot_label(ref).partition(",")[0], ref)
            self._slots.setCurrentIndex(state.choices.index(state.ref) if state.ref in state.choices else -1)

    def _show_kind(self, state: HeaderState) -> None:
        self._kinds.setCurrentIndex(self._kinds.findData(state.kind))
        items, listed = self._kinds.model(), self._kinds.view()
        assert isinstance(items, QStandardItemModel)
        assert isinstance(listed, QListView)
        for kind in PANEL_KINDS:
            row = self._kinds.findData(kind)
            fits = state.fitting is None or kind in state.fitting
            items.item(row).setEnabled(fits)
            listed.setRowHidden(row, not fits)

    def _new_link_button(self) -> QToolButton:
        tip = self.tr("Linked with other panels: the same part, the same dims, the same range. Click to go alone.")
        self._unlink = _button("", tip)
        self._unlink.clicked.connect(self._go_alone)
        return self._unlink

    def _picture_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.addAction(self.tr("&Copy picture")).triggered.connect(self.copy_requested)
        menu.addAction(self.tr("Save as &PNG…")).triggered.connect(self.png_requested)
        menu.addAction(self.tr("Save as &SVG…")).triggered.connect(self.svg_requested)
        menu.addSeparator()
        self._link = menu.addAction(self.tr("&Link zoom, dims and range"))
        self._link.setCheckable(True)
        self._link.setToolTip(self.tr("Linked panels show the same part, the same entries and the same range."))
        self._link.triggered.connect(self.link_toggled)
        menu.addSeparator()
        menu.addAction(self.tr("Export &tensor…")).triggered.connect(self.export_requested)
        return menu

    def _retint(self) -> None:
        theme = theme_of(self.palette())
        self._tint_lock()
        self._unlink.setIcon(icon("msc.link", theme.accent))
        self._picture.setIcon(icon("msc.device-camera", theme.quiet))
        self._float.setIcon(icon("msc.multiple-windows", theme.quiet))
        self._close.setIcon(icon("msc.close", theme.quiet))
        for name, kind in PANEL_KINDS.items():
            self._kinds.setItemIcon(self._kinds.findData(name), icon(kind.icon, theme.quiet))
        self._kinds.setItemIcon(0, icon("msc.eye", theme.quiet))

    def _tint_lock(self) -> None:
        theme = theme_of(self.palette())
        is_locked = self._state is not None and not self._state.follows
        self._lock.setIcon(icon("msc.pinned", theme.accent) if is_locked else icon("msc.pin", theme.quiet))

    @Slot(int)
    def _choose_slot(self, row: int) -> None:
        self.ref_chosen.emit(self._slots.itemData(row))

    @Slot()
    def _go_alone(self) -> None:
        self.link_toggled.emit(False)

    @Slot(int)
    def _choose_kind(self, row: int) -> None:
        self.kind_chosen.emit(self._kinds.itemData(row))


def _details(spec: TensorSpec) -> str:
    parts = [spec.dtype, spec.device, format_bytes(spec.size_bytes)]
    return " · ".join(parts if spec.layout == "strided" else [*parts, spec.layout])


def _quiet_label() -> QLabel:
    label = QLabel()
    label.setProperty("quiet", True)
    return label


def _button(text: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    button.setAccessibleName(text or tip)
    button.setAccessibleDescription(tip)
    button.setAutoRaise(True)
    if text:
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    return button
