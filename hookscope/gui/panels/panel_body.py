"""What is below a panel's header: one view of a tensor or a few words, and a line with what the picture cannot say."""

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from hookscope.gui.badge_text import badge_label, badge_sentence
from hookscope.gui.panels.adaptive_row import AdaptiveRow
from hookscope.gui.panels.base import TensorView, fixed_font
from hookscope.gui.panels.feed import is_seen
from hookscope.gui.panels.long_question import LongQuestion
from hookscope.gui.panels.picker import Ask
from hookscope.gui.panels.picking_view import PickingView
from hookscope.gui.panels.registry import PANEL_KINDS
from hookscope.gui.panels.status_text import StatusText
from hookscope.gui.panels.tensor_memory import TensorMemory
from hookscope.gui.panels.text_card import CardWords, TextCard
from hookscope.gui.trials.comparison import CompareMode
from hookscope.protocol.events import ViewReady

_PATIENCE_MS = 250
"""How long a former picture stays while another one is on its way."""
_STEP_CHARS = 20
_LINES_FOR_STEP = 22
"""Lines of text that a panel must be high for a line that says nothing but the step, as the status bar does."""


class PanelBody(QWidget):
    """Views are made when first needed, and kept.

    Args:
        memory: What was chosen for each tensor, shared by the panels of a window.
        ask: Asks something else about the tensor of the panel.
        counter: Has all elements of it counted.

    Signals:
        request_changed: The view in sight wants another answer.
        lock_requested: The tensor is to be shown in a panel that stays with it.
        change_requested: An entry of a dim (`int`, `int`) is to be changed by an intervention.
        view_made: A kind of view (`TensorView`) is used for the first time.
    """

    request_changed = Signal()
    lock_requested = Signal()
    change_requested = Signal(int, int)
    view_made = Signal(object)

    def __init__(self, memory: TensorMemory, ask: Ask, counter: LongQuestion) -> None:
        super().__init__()
        self._memory = memory
        self._ask = ask
        self._counter = counter
        self._views: dict[str, TensorView] = {}
        self._view: TensorView | None = None
        self._remarks = ""
        self._labels: tuple[str, ...] = ()
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_PATIENCE_MS)
        self._patience.timeout.connect(self._say_waiting)
        self._stack = QStackedWidget()
        self._card = QLabel()
        self._card.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._card.setWordWrap(True)
        self._card.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._card.setProperty("quiet", True)
        self._card.setMargin(12)
        # A long sentence must not keep a panel from getting small.
        self._card.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self._stack.addWidget(self._card)
        self._text_card = TextCard()
        self._stack.addWidget(self._text_card)
        self._line = AdaptiveRow()
        self._text = StatusText(fixed_font(0.9))
        self._step = StatusText(fixed_font(0.9), chars=_STEP_CHARS)
        self._line.add(self._text)
        self._line.add(self._step, drop=1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 0, 8, 4)
        layout.setSpacing(4)
        layout.addWidget(self._stack, 1)
        layout.addWidget(self._line)

    @property
    def view(self) -> TensorView | None:
        """The view that was used last; it may be hidden behind a few words."""
        return self._view

    @property
    def message(self) -> str:
        """The words in place of a view; `""` while a view is in sight."""
        shown = self._stack.currentWidget()
        if shown is self._text_card:
            return self._text_card.words.text
        return self._card.text() if shown is self._card else ""

    def use_view(self, kind: str) -> TensorView:
        """Make a kind of view the one for what comes, and return it; it comes into sight with `show_answer`."""
        view = self._views.get(kind) or self._make_view(kind)
        if view is not self._view:
            if self._view is not None and self._view.corner is not None:
                self._line.want(self._view.corner, False)
            self._view = view
            self._want_corner()
            self._say(view.remarks() if self._stack.currentWidget() is view else "")
        panel = self.parentWidget()
        view.note_sight(panel is not None and is_seen(panel))
        return view

    def show_answer(self, answer: ViewReady) -> None:
        """Draw an answer in the view in use."""
        assert self._view is not None
        self._patience.stop()
        self._view.draw(answer)
        self._stack.setCurrentWidget(self._view)
        self._want_corner()
        self._labels = tuple(badge_label(badge) for badge in answer.badges)
        self._say_remarks()
        self._text.setToolTip("\n".join(badge_sentence(badge) for badge in answer.badges))

    def show_view(self) -> None:
        """Bring the view in use back into sight, with what it showed last."""
        if self._view is not None and self._stack.currentWidget() is not self._view:
            self._patience.stop()
            self._stack.setCurrentWidget(self._view)
            self._want_corner()
            self._say(self._view.remarks())

    def show_message(self, words: str | CardWords) -> None:
        """Show a few words in place of the view, or what there is that has no picture."""
        self._patience.stop()
        if isinstance(words, CardWords):
            self._text_card.show_words(words)
            self._stack.setCurrentWidget(self._text_card)
        else:
            self._card.setText(words)
            self._stack.setCurrentWidget(self._card)
        self._want_corner()
        self._say("")
        self._text.setToolTip("")

    def expect(self) -> None:
        """Keep what is in sight for a moment, for an answer is on its way."""
        if not self._patience.isActive():
            self._patience.start()

    def show_step(self, step: int, mode: CompareMode | None = None, *, is_stale: bool) -> None:
        """Say of which step the picture is, and what it is in a trial; step 0 says nothing."""
        words = {
            None: (self.tr("step {step}"), ""),
            CompareMode.AFTER: (self.tr("after, step {step}"), self.tr("With the changes that are on.")),
            CompareMode.BEFORE: (self.tr("before, step {step}"), self.tr("Without any change of yours.")),
            CompareMode.DIFFERENCE: (
                self.tr("difference"),
                self.tr("Values after the changes minus those before."),
            ),
        }
        text, tip = words[mode]
        if is_stale:
            text, tip = self.tr("from step {step}"), self.tr("The model has moved on since; this is the last seen.")
        is_urgent = is_stale or mode in {CompareMode.BEFORE, CompareMode.DIFFERENCE}
        self._step.show_text(text.format(step=f"{step:,}") if step else "", is_urgent=is_urgent)
        self._show_line()
        tip = tip if step else ""
        if self._step.toolTip() != tip:
            self._step.setToolTip(tip)

    def _make_view(self, kind: str) -> TensorView:
        view = PANEL_KINDS[kind].factory()
        view.use(self._memory, self._ask)
        if isinstance(view, PickingView):
            view.lock_requested.connect(self.lock_requested)
            view.change_requested.connect(self.change_requested)
        view.count_with(self._counter)
        view.request_changed.connect(self.request_changed)
        view.pointed.connect(self._show_pointed)
        view.remarks_changed.connect(self._say_remarks)
        self._views[kind] = view
        self.view_made.emit(view)
        self._stack.addWidget(view)
        if view.corner is not None:
            self._line.add(view.corner)
            self._line.want(view.corner, False)
        return view

    def _say(self, text: str) -> None:
        self._remarks = text
        self._text.show_text(text)
        self._show_line()

    def _want_corner(self) -> None:
        """Offer the switches of the view while it is in sight."""
        if self._view is not None and self._view.corner is not None:
            self._line.want(self._view.corner, self._stack.currentWidget() is self._view)

    def _show_line(self) -> None:
        """Leave the line out where it has nothing of its own to say and the picture needs its room."""
        has_corner = self._view is not None and self._view.corner is not None and not self.message
        is_high = self.height() >= self.fontMetrics().lineSpacing() * _LINES_FOR_STEP
        self._line.setVisible(is_high or has_corner or self._step.is_urgent or bool(self._remarks))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the picture the room that there is."""
        super().resizeEvent(event)
        self._show_line()

    @Slot()
    def _say_remarks(self) -> None:
        if self._view is not None and self._stack.currentWidget() is self._view:
            self._view.setAccessibleDescription(self._view.summary())
            self._say(" · ".join(filter(None, (self._view.remarks(), *self._labels))))

    @Slot(str)
    def _show_pointed(self, text: str) -> None:
        self._text.show_text(text or self._remarks)

    @Slot()
    def _say_waiting(self) -> None:
        self.show_message(self.tr("Waiting for the picture…"))
