"""The middle of the window: strips for failures, loading and a notice, and below the page that fits the state."""

from enum import IntEnum

from PySide6.QtCore import QSize, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from hookscope.client.state import SessionState
from hookscope.gui.failure_card import FailureCard
from hookscope.gui.loading_view import LoadingView
from hookscope.gui.notice import Notice
from hookscope.gui.origin_card import OriginCard
from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.failures import Failure

_IN_LAUNCH = frozenset({SessionState.LAUNCHING, SessionState.LOADING})


class Page(IntEnum):
    """Pages of the middle, by their index."""

    WELCOME = 0
    LOADING = 1
    READY = 2
    PANELS = 3


class CentralArea(QWidget):
    """Shows the welcome page without a model, the loading page for the first one, and panels from the first step on.

    While another model is being loaded the present one stays, with the loading shown in the strip above.

    Args:
        bridge: The session.
        parent: The main window.

    Signals:
        cancel_requested: Cancel was pressed while loading.
    """

    cancel_requested = Signal()

    def __init__(self, bridge: SessionBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._has_results = False
        self.failure_card = FailureCard(self)
        self.failure_card.dismissed.connect(self._dismiss)
        self._strip = LoadingView(self._session, self)
        self._strip.cancel_requested.connect(self.cancel_requested)
        self._strip.hide()
        self.notice = Notice(bridge, self)
        self.origin_card = OriginCard(bridge, self)
        self._pages = QStackedWidget(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.failure_card)
        layout.addWidget(self._strip)
        layout.addWidget(self.origin_card)
        layout.addWidget(self.notice)
        layout.addWidget(self._pages, 1)
        bridge.state_changed.connect(self._update)
        bridge.model_loaded.connect(self._follow_model)
        bridge.records_changed.connect(self._follow_records)
        bridge.step_finished.connect(self._forget_old_failure)
        bridge.settings_changed.connect(self._forget_old_failure)
        bridge.failure_raised.connect(self.show_failure)

    @property
    def page(self) -> Page:
        """The page that is shown."""
        return Page(self._pages.currentIndex())

    def set_pages(self, welcome: QWidget, ready: QWidget) -> None:
        """Take the pages that need nothing drawn; called once."""
        for page in (welcome, self._loading_page(), ready):
            self._pages.addWidget(page)
        self._update()

    def set_panels(self, panels: QWidget) -> None:
        """Take the page with the panels; called once, after `set_pages` and before a model is loaded."""
        self._pages.addWidget(panels)
        self._update()

    def add_strip(self, strip: QWidget) -> None:
        """Take a strip that stands above whatever page is shown, below those that are there."""
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(layout.count() - 1, strip)

    @Slot(object)
    def show_failure(self, failure: Failure) -> None:
        """Show a failure above the page; what the page shows stays."""
        self.failure_card.show_failure(failure)
        self._update()

    @Slot()
    def show_panels(self) -> None:
        """Show the panels although there is nothing to see in them yet."""
        self._has_results = True
        self._update()

    def sizeHint(self) -> QSize:
        """Ask for little, or a page that would like much makes every dock smaller when it comes into sight."""
        return self.minimumSizeHint()

    def _loading_page(self) -> QWidget:
        page = QWidget(self)
        view = LoadingView(self._session, page)
        view.cancel_requested.connect(self.cancel_requested)
        view.setMinimumWidth(self.fontMetrics().averageCharWidth() * 64)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(view)
        row.addStretch(1)
        layout = QVBoxLayout(page)
        layout.addStretch(2)
        layout.addLayout(row)
        layout.addStretch(3)
        return page

    @Slot()
    def _update(self) -> None:
        is_launching = self._session.state in _IN_LAUNCH
        has_model = self._session.tree is not None
        self._strip.setVisible(is_launching and has_model)
        # What a person does about a failure is to be seen, not the failure; it is back if nothing came of that.
        self.failure_card.setVisible(self.failure_card.failure is not None and not is_launching)
        self._pages.setCurrentIndex(self._wanted_page(has_model, is_launching))

    def _wanted_page(self, has_model: bool, is_launching: bool) -> Page:
        if not has_model:
            return Page.LOADING if is_launching else Page.WELCOME
        return Page.PANELS if self._has_results else Page.READY

    @Slot()
    def _follow_model(self) -> None:
        self._forget_old_failure()
        self._has_results = bool(self._session.records.step)
        self._update()

    @Slot()
    def _follow_records(self) -> None:
        if not self._has_results:
            self.show_panels()

    @Slot()
    def _forget_old_failure(self) -> None:
        """Close the card when the session says that its failure is over."""
        if self._session.failure is None and self.failure_card.failure is not None:
            self.failure_card.dismiss()

    @Slot()
    def _dismiss(self) -> None:
        self._session.dismiss_failure()
