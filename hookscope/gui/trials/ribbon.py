"""The strip above every page that says that something is changed, and what that does to the loss."""

from PySide6.QtCore import QCoreApplication, QEvent, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QLabel, QToolButton, QVBoxLayout, QWidget

from hookscope.client.state import SessionState
from hookscope.figures.trial_words import Direction, word_changes, word_edited, word_loss
from hookscope.gui.assets import icon
from hookscope.gui.cells import fixed_font
from hookscope.gui.current import Current
from hookscope.gui.panels.adaptive_row import AdaptiveRow
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.theme import theme_of
from hookscope.gui.trials.comparison import CompareMode
from hookscope.protocol.interventions import Intervention

_LOSS_COLORS = {Direction.UP: "trouble", Direction.DOWN: "good", Direction.SAME: "quiet"}


class TrialRibbon(QFrame):
    """Is there while an intervention is on, or a tensor was edited by hand in the step at hand.

    Args:
        bridge: The session.
        current: What the window is looking at.
        parent: What it stands in.

    Signals:
        try_requested: A trial is wanted.
        off_requested: All interventions should be turned off.
        removal_requested: All should be removed, and the model be proved to be back.
    """

    try_requested = Signal()
    off_requested = Signal()
    removal_requested = Signal()

    def __init__(self, bridge: SessionBridge, current: Current, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._current = current
        self._tried: tuple[Intervention, ...] = ()
        self._direction = Direction.SAME
        self.setObjectName("trial_ribbon")
        self._icon, self._text, self._loss, self._values, self._delta = (QLabel() for _ in range(5))
        self.before_button = self._button(
            self.tr("Show before"),
            self.tr("Show every panel without the changes.  B in a panel, Ctrl+Shift+B anywhere"),
        )
        self.difference_button = self._button(
            self.tr("Difference"), self.tr("Show after minus before.  D in a panel, Ctrl+Shift+D anywhere")
        )
        self.try_button = self._button(
            self.tr("Try now"), self.tr("Run one step with the changes and one without, and put everything back")
        )
        self.off_button = self._button(self.tr("Turn all off"), self.tr("Turn all changes off; undo brings them back"))
        self.remove_button = self._button(
            self.tr("Remove all and prove"),
            self.tr("Remove all changes, run the step again and compare every bit with the untouched model"),
        )
        self._icons = {
            self.before_button: "msc.eye",
            self.difference_button: "msc.diff",
            self.try_button: "msc.debug-rerun",
            self.off_button: "msc.circle-slash",
            self.remove_button: "msc.verified",
        }
        self._row = AdaptiveRow()
        self._assemble()
        self._connect(bridge)
        self.hide()  # or it would come with its parent
        self._update()

    @property
    def text(self) -> str:
        """What it says; `""` when it is not there."""
        return self._text.text()

    @property
    def loss_text(self) -> str:
        """What it says of the loss; `""` when there is no trial."""
        return " ".join(filter(None, (self._values.text(), self._delta.text())))

    def _button(self, text: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setToolTip(tip)
        button.setAccessibleName(text or tip)
        button.setAccessibleDescription(tip)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    def _assemble(self) -> None:
        row = self._row
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        for label in (self._values, self._delta):
            label.setFont(fixed_font(self.font()))
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._loss.setProperty("quiet", True)
        self._loss.setContentsMargins(self.fontMetrics().averageCharWidth(), 0, 0, 0)
        for button in (self.before_button, self.difference_button):
            button.setCheckable(True)
        row.add(self._icon)
        row.add(self._text)
        row.add(self._loss, drop=2)
        row.add(self._values, drop=3)
        row.add(self._delta, drop=1)
        row.add_stretch()
        row.add(self.before_button, shrink=5)
        row.add(self.difference_button, shrink=6)
        row.add(self.try_button, shrink=7, drop=4)
        row.add(self.off_button, shrink=8)
        row.add(self.remove_button, shrink=9)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 2, 4, 2)
        layout.addWidget(row)

    def _connect(self, bridge: SessionBridge) -> None:
        for signal in (
            bridge.state_changed,
            bridge.model_loaded,
            bridge.interventions_changed,
            bridge.step_finished,
            bridge.stopped,
            bridge.continued,
            bridge.at_hand_changed,
            self._current.comparison.changed,
        ):
            signal.connect(self._update)
        bridge.trial_finished.connect(self._note_trial)
        self.before_button.clicked.connect(self._toggle_before)
        self.difference_button.clicked.connect(self._toggle_difference)
        self.try_button.clicked.connect(self.try_requested)
        self.off_button.clicked.connect(self.off_requested)
        self.remove_button.clicked.connect(self.removal_requested)

    @Slot()
    def follow_list(self) -> None:
        """Show that the list of interventions is another one; the debuggee tells of it later or not at all."""
        if not self._on():
            self._current.comparison.set_mode(CompareMode.AFTER)  # nothing would be left to turn it back with
        self._update()

    def _on(self) -> tuple[Intervention, ...]:
        return tuple(one for one in self._session.interventions if one.enabled)

    @Slot()
    def _update(self) -> None:
        session, row = self._session, self._row
        changes = word_changes(session.interventions, session.intervention_errors, session.intervention_statuses, _tr)
        text = " · ".join(filter(None, (changes, word_edited(len(session.edited), _tr))))
        if not text and self.isHidden():  # as in every step of a run that nobody changes anything of
            return
        self._text.setText(text)
        self.setAccessibleName(text)
        self._show_loss(is_shown=bool(changes))
        mode, can_run = self._current.comparison.mode, session.state is SessionState.IDLE or session.is_trying
        self.before_button.setChecked(mode is CompareMode.BEFORE)
        self.difference_button.setChecked(mode is CompareMode.DIFFERENCE)
        for button in (self.before_button, self.difference_button):
            button.setEnabled(session.trial is not None)
        for button in (self.try_button, self.remove_button):
            button.setEnabled(can_run)
        for button in self._icons:
            row.want(button, bool(changes))
        self._tint()
        row.adapt()
        self.setVisible(bool(text))

    def _show_loss(self, *, is_shown: bool) -> None:
        trial = self._session.trial
        is_there = is_shown and trial is not None
        if is_there and trial is not None:
            words = word_loss(trial.loss_before, trial.loss_after, _tr)
            is_product = bool(self._session.history) and self._session.history[-1].loss_choice.is_gradient
            name = self.tr("output × gradient") if is_product else self.tr("loss")
            self._loss.setText(name)
            is_old = not self._session.is_trying and self._tried != self._on()
            self._direction = Direction.SAME if is_old else words.direction
            self._values.setText(words.values)
            self._delta.setText(words.delta)
            tip = self.tr("The changes are others since; press “Try now”.") if is_old else ""
            for label in (self._values, self._delta):
                label.setToolTip(tip or f"{name} {words.values}  {words.delta}")
        else:
            self._values.clear()
            self._delta.clear()
        for label in (self._loss, self._values, self._delta):
            self._row.want(label, is_there and bool(label.text()))

    @Slot()
    def _note_trial(self) -> None:
        self._tried = self._on()
        self._update()

    @Slot()
    def _toggle_before(self) -> None:
        self._current.toggle_comparison(CompareMode.BEFORE)
        self._update()

    @Slot()
    def _toggle_difference(self) -> None:
        self._current.toggle_comparison(CompareMode.DIFFERENCE)
        self._update()

    def _tint(self) -> None:
        theme, side = theme_of(self.palette()), self.fontMetrics().height()
        is_refused = any(one.id in self._session.intervention_errors for one in self._on())
        color = theme.trouble if is_refused else theme.at_hand
        name = "msc.wand" if self._on() else "msc.pencil"
        self._icon.setPixmap(icon(name, color).pixmap(QSize(side, side)))
        self._delta.setStyleSheet(f"color: {getattr(theme, _LOSS_COLORS[self._direction])};")
        for button, button_icon in self._icons.items():
            button.setIcon(icon(button_icon))

    def changeEvent(self, event: QEvent) -> None:
        """Tint the icons again when the theme has changed."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._tint()


def _tr(english: str) -> str:
    return QCoreApplication.translate("trials", english)
