"""What was looked at in a sample only, and in all elements once a person asks for that."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from hookscope.gui.panels.sample_banner import SampleBanner, SampleNote
from hookscope.protocol.events import ViewReady
from hookscope.protocol.views import NoPicture

if TYPE_CHECKING:
    from hookscope.gui.panels.long_question import LongQuestion
    from hookscope.protocol.views import ViewRequest


class WholeCount(QObject):
    """Belongs to one view: keeps its answer of all elements as long as the view shows the same values.

    Args:
        banner: Where the offer is made, and told how far it is; the view answers its `count_requested` with `ask`.
        parent: The view.

    Signals:
        counted: There is an `answer` now.
    """

    counted = Signal()

    def __init__(self, banner: SampleBanner, parent: QObject) -> None:
        super().__init__(parent)
        self._banner = banner
        self._counter: LongQuestion | None = None
        self._is_asking = False
        self._shown: ViewReady | None = None
        self._note: SampleNote | None = None
        self._answer: ViewReady | None = None
        banner.cancel_requested.connect(self._cancel)

    @property
    def answer(self) -> ViewReady | None:
        """The answer of all elements; `None` unless it was asked for and has come."""
        return self._answer

    def use(self, counter: "LongQuestion") -> None:
        """Take what asks, one view of a panel at a time; called once."""
        self._counter = counter
        counter.progressed.connect(self._show_progress)
        counter.answered.connect(self._take)
        counter.given_up.connect(self._note_given_up)

    def start_over(self) -> None:
        """Forget everything: something else is to be shown."""
        self._shown = self._note = None
        self._forget()
        self._show()

    def note(self, shown: ViewReady, note: SampleNote | None) -> None:
        """Note what is shown, and what there is to say of it; `None` when it is of all elements."""
        before, self._shown, self._note = self._shown, shown, note
        is_same = before is not None and shown.step and (before.ref, before.step) == (shown.ref, shown.step)
        if note is None or not is_same:  # other values
            self._forget()
        self._show()

    def ask(self, request: "ViewRequest") -> None:
        """Ask for a view of all elements of what is shown."""
        if self._counter is None or self._shown is None or self._note is None:
            return
        self._counter.ask(request, self._shown.step)
        self._is_asking = self._counter.is_asking
        if self._is_asking:
            self._banner.show_counting(self._note, 0, 1)

    def _forget(self) -> None:
        self._answer = None
        self._cancel()

    def _show(self) -> None:
        note = self._note
        if note is None or (self._answer is not None and not note.stays):
            self._banner.hide()
        elif not self._is_asking:
            can_count = note.can_count and self._counter is not None and self._answer is None
            self._banner.show_note(note, can_count=can_count)

    @Slot()
    def _cancel(self) -> None:
        if self._is_asking and self._counter is not None:
            self._counter.give_up()

    @Slot(object, object)
    def _show_progress(self, done: int, total: int) -> None:
        if self._is_asking and self._note is not None:
            self._banner.show_counting(self._note, done, total)

    @Slot(object)
    def _take(self, answer: ViewReady) -> None:
        if not self._is_asking:  # another view of the panel has asked
            return
        self._is_asking = False
        shown = self._shown
        is_of_shown = shown is not None and (answer.ref, answer.step) == (shown.ref, shown.step)
        if is_of_shown and not isinstance(answer.result, NoPicture):
            self._answer = answer
        self._show()
        if self._answer is not None:
            self.counted.emit()

    @Slot()
    def _note_given_up(self) -> None:
        if self._is_asking:
            self._is_asking = False
            self._show()
