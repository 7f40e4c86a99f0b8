"""The dock of interventions: the list and its form, or while a tensor is at hand what is changed of it."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Signal, Slot
from PySide6.QtWidgets import QDockWidget, QStackedWidget, QVBoxLayout, QWidget

from hookscope.figures.trial_words import word_proof
from hookscope.gui.current import Current
from hookscope.gui.interventions.book import InterventionBook
from hookscope.gui.interventions.hand_book import HandBook
from hookscope.gui.interventions.hand_page import HandPage
from hookscope.gui.interventions.list_page import ListPage
from hookscope.gui.interventions.live import LiveTrials
from hookscope.gui.session_bridge import SessionBridge

if TYPE_CHECKING:
    from hookscope.protocol.events import UnchangedProved


class InterventionsDock(QDockWidget):
    """Shows one of the two lists, and above it what has come of the last wish.

    Args:
        bridge: The session.
        book: The interventions.
        hand: The changes by hand.
        live: Whether edits are tried at once.
        current: What the window is looking at.
        parent: The main window.

    Signals:
        keep_requested: A change by hand (`HandChange`) should become an intervention.
    """

    keep_requested = Signal(object)

    def __init__(
        self,
        bridge: SessionBridge,
        book: InterventionBook,
        hand: HandBook,
        live: LiveTrials,
        current: Current,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._hand = hand
        self.setObjectName("interventions")
        self.setWindowTitle(self.tr("Interventions"))
        content = QWidget()
        self.page = ListPage(bridge, book, live, current, content)
        self._hand_page: HandPage | None = None
        self._pages = QStackedWidget()
        self._pages.addWidget(self.page)
        gap = self.fontMetrics().height() // 2
        rows = QVBoxLayout(content)
        rows.setContentsMargins(gap, 0, gap, gap)
        rows.setSpacing(gap // 2)
        rows.addWidget(self._pages, 1)
        self.setWidget(content)
        book.checked.connect(self._tell_checked)
        book.edited.connect(self._forget)
        bridge.unchanged_proved.connect(self._tell_proof)
        hand.changed.connect(self._follow_stop)
        self.page.at_hand_requested.connect(self.show_hand)
        self._follow_stop()

    @property
    def hand_page(self) -> HandPage:
        """The page with the changes by hand; made when it is first wanted."""
        if self._hand_page is None:
            page = self._hand_page = HandPage(self._hand, self._pages)
            self._pages.addWidget(page)
            page.back_requested.connect(self.show_list)
            page.keep_requested.connect(self.keep_requested)
        return self._hand_page

    @property
    def message(self) -> str:
        """What is said above the list."""
        return self.page.message.text()

    @property
    def is_at_hand(self) -> bool:
        """Whether the changes by hand are shown."""
        return self._pages.currentWidget() is self._hand_page

    def tell(self, text: str) -> None:
        """Say something above the list."""
        self.page.message.tell(text)

    @Slot()
    def show_list(self) -> None:
        """Show the interventions."""
        self._pages.setCurrentWidget(self.page)

    @Slot()
    def show_hand(self) -> None:
        """Show what is changed of the tensor at hand."""
        if self._hand.can_change:
            self._pages.setCurrentWidget(self.hand_page)

    def edit(self, id_: int) -> None:
        """Show an intervention in its form."""
        self.show_list()
        self.page.edit(id_)

    @Slot()
    def _follow_stop(self) -> None:
        self.page.tools.want(self.page.at_hand_button, self._hand.can_change)
        if not self._hand.can_change:
            self.show_list()

    @Slot()
    def _forget(self) -> None:
        """Take away what was said of something before."""
        if not self.page.message.is_trouble:
            self.tell("")

    @Slot(str)
    def _tell_checked(self, name: str) -> None:
        self.tell(self.tr("{name} is checked now, so that its values can be compared.").format(name=name))

    @Slot(object)
    def _tell_proof(self, proof: "UnchangedProved") -> None:
        self.tell(word_proof(proof, _translate))


def _translate(english: str) -> str:
    return QCoreApplication.translate("trials", english)
