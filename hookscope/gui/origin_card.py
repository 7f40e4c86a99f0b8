"""Where the first NaN or infinity was born, as a card above the panels: what led to it is one click away."""

from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from hookscope.figures.origin_words import origin_lines
from hookscope.figures.text import slot_label
from hookscope.gui.assets import icon
from hookscope.gui.cells import fixed_font
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.theme import theme_of
from hookscope.protocol.events import NonFiniteSearched

if TYPE_CHECKING:
    from hookscope.protocol.stops import NonFiniteOrigin

MAX_TENSORS = 4
"""At most so many of the tensors that led to it have a button."""


class OriginCard(QFrame):
    """Shows what a search has found; the next run of a search, another model and the person close it.

    Args:
        bridge: The session.
        parent: What it stands in.

    Signals:
        tensor_requested: A tensor that led to it should be seen; its `TensorRef`.
        module_requested: Its module should be selected; the path.
        place_requested: Its source line should be shown: the file and the line.
    """

    tensor_requested = Signal(object)
    module_requested = Signal(str)
    place_requested = Signal(str, int)

    def __init__(self, bridge: SessionBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("origin_card")
        self._origin: NonFiniteOrigin | None = None
        self._sign, self._title, self._code = QLabel(self), QLabel(self), QLabel(self)
        self._title.setStyleSheet("font-weight: 600;")
        for label in (self._title, self._code):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._code.setFont(fixed_font(self.font()))
        self.dismiss_button = QToolButton(self)
        self.dismiss_button.setAccessibleName(self.tr("Dismiss"))
        self.tensor_buttons = [QPushButton(self) for _ in range(MAX_TENSORS)]
        self._group = QButtonGroup(self)
        self.module_button = QPushButton(self.tr("Go to module"), self)
        self.line_button = QPushButton(self.tr("Go to line"), self)
        self._lay_out()
        self._group.idClicked.connect(self._show_tensor)
        self.module_button.clicked.connect(self._go_to_module)
        self.line_button.clicked.connect(self._go_to_line)
        self.dismiss_button.clicked.connect(self.hide)
        bridge.non_finite_searched.connect(self.show_result)
        bridge.model_loaded.connect(self.hide)
        self.hide()

    @property
    def text(self) -> str:
        """What the card says; `""` when it is not there."""
        return "" if self.isHidden() else self._title.text()

    @Slot(object)
    def show_result(self, found: NonFiniteSearched) -> None:
        """Show what a search has found."""
        origin = self._origin = found.origin
        if origin is not None:
            sentence, *place = origin_lines(origin, _translate)
        else:
            sentence, place = self._all_finite(found.steps), []
        self._title.setText(sentence[:1].upper() + sentence[1:])
        self._code.setText("\n".join(place))
        self._code.setVisible(bool(place))
        refs = origin.refs if origin is not None else ()
        for number, button in enumerate(self.tensor_buttons):
            button.setVisible(number < len(refs))
            if number < len(refs):
                button.setText(f"{refs[number].path} {slot_label(refs[number])}".strip())
                button.setToolTip(self.tr("Show this tensor"))
        self.module_button.setVisible(origin is not None)
        self.line_button.setVisible(origin is not None and bool(origin.file))
        if origin is not None and origin.file:
            self.line_button.setToolTip(f"{PurePath(origin.file).name}:{origin.line}")
        self.setProperty("found", origin is not None)
        self.style().unpolish(self)
        self.style().polish(self)
        self.setAccessibleName(self._title.text())
        self._tint()
        self.show()

    def _all_finite(self, steps: int) -> str:
        if steps == 1:
            return self.tr("All finite in 1 step: the loss, the outputs and the gradients.")
        return self.tr("All finite in {steps} steps: the loss, the outputs and the gradients.").format(steps=steps)

    def _lay_out(self) -> None:
        head, buttons = QHBoxLayout(), QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._sign)
        head.addWidget(self._title, 1)
        head.addWidget(self.dismiss_button)
        buttons.setSpacing(6)
        for number, button in enumerate(self.tensor_buttons):
            self._group.addButton(button, number)
            buttons.addWidget(button)
        buttons.addWidget(self.module_button)
        buttons.addWidget(self.line_button)
        buttons.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 5, 6, 8)
        layout.setSpacing(4)
        layout.addLayout(head)
        layout.addWidget(self._code)
        layout.addLayout(buttons)

    @Slot(int)
    def _show_tensor(self, number: int) -> None:
        if self._origin is not None:
            self.tensor_requested.emit(self._origin.refs[number])

    @Slot()
    def _go_to_module(self) -> None:
        if self._origin is not None:
            self.module_requested.emit(self._origin.path)

    @Slot()
    def _go_to_line(self) -> None:
        if self._origin is not None:
            self.place_requested.emit(self._origin.file, self._origin.line)

    def _tint(self) -> None:
        theme, side = theme_of(self.palette()), self.fontMetrics().height()
        name, color = ("msc.warning", theme.trouble) if self._origin is not None else ("msc.pass", theme.good)
        self._sign.setPixmap(icon(name, color).pixmap(QSize(side, side)))
        self.dismiss_button.setIcon(icon("msc.close"))

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._tint()


def _translate(english: str) -> str:
    return QCoreApplication.translate("origins", english)
