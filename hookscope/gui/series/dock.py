"""The dock with the numbers that are followed over the steps."""

import time

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QMoveEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QLabel, QMenu, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from hookscope.client.series_book import SeriesColumns
from hookscope.figures.series_words import word_left, word_tensor
from hookscope.gui.assets import icon
from hookscope.gui.current import Current
from hookscope.gui.elided_label import ElidedLabel
from hookscope.gui.panels.feed import is_seen
from hookscope.gui.panels.pacer import Pacer
from hookscope.gui.series.follow_menu import FollowMenu
from hookscope.gui.series.following import Following, translate
from hookscope.gui.series.plot_grid import PlotGrid
from hookscope.gui.series.series_plot import SeriesPlot
from hookscope.gui.series.step_span import StepSpan
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.timeline.shown_step import steps_of
from hookscope.protocol.identity import LOCAL_PREFIX, TensorRef
from hookscope.protocol.series import Series, SeriesKind

_NAME_CHARS = 40
_TURN = "series {number}"
_INTERVAL_MS = 33
_DRAWS_PER_PAUSE = 3
_LONGEST_PAUSE_MS = 250
"""When drawing takes long, it is done less often, so that the window stays free for most of the time."""


class SeriesDock(QDockWidget):
    """Draws what is followed, at most 30 times a second and only what is seen.

    Args:
        bridge: The session.
        following: The series.
        current: What the window is looking at; a step that is clicked becomes it.
        parent: The main window.

    Signals:
        export_requested: A table of these series is wanted; their ids (`tuple[int, ...]`).
    """

    export_requested = Signal(object)

    def __init__(
        self, bridge: SessionBridge, following: Following, current: Current, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._following = following
        self._current = current
        self._span = StepSpan()
        self._plots: list[SeriesPlot] = []
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_INTERVAL_MS)
        self._timer.timeout.connect(self._draw)
        self._pacer = Pacer.of(bridge)
        self._due: set[str] = set()
        self._spent_ms = 0.0
        self._newest: int | None = None
        self.menu = FollowMenu(self)
        self.follow_button, self._whole, self._more = QToolButton(), QToolButton(), QToolButton()
        self._remark = ElidedLabel()
        self._message = QLabel()
        self._grid = PlotGrid()
        self._stack = QStackedWidget()
        self._assemble()
        for signal in (bridge.series_changed, bridge.step_finished, current.changed):
            signal.connect(self._note)
        current.changed.connect(self._offer)
        bridge.records_changed.connect(self._offer)
        bridge.model_loaded.connect(self._fill)
        following.changed.connect(self._fill)
        following.added.connect(self._show_series)
        self.menu.chosen.connect(self._follow)
        self._grid.verticalScrollBar().valueChanged.connect(self._note)
        self.visibilityChanged.connect(self._note)
        self._fill()
        self._offer()

    @property
    def plots(self) -> tuple[SeriesPlot, ...]:
        """The plots that are in use, in their order."""
        return tuple(self._plots[: len(self._following.series)])

    @property
    def is_waiting(self) -> bool:
        """Whether the dock is seen and something is about to be drawn."""
        return is_seen(self) and (self._timer.isActive() or bool(self._due))

    @property
    def remark(self) -> str:
        """What is not shown: steps that are kept no more."""
        return self._remark.text()

    def open_menu(self) -> None:
        """Let a person choose what of the current tensor is followed."""
        if self.follow_button.isEnabled():
            self.menu.popup(self.follow_button.mapToGlobal(QPoint(0, self.follow_button.height())))
            self.menu.setActiveAction(self.menu.actions()[0])

    def _assemble(self) -> None:
        self.setObjectName("series")
        self.setWindowTitle(self.tr("Over steps"))
        beside = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        self.follow_button.setMenu(self.menu)
        self.follow_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.follow_button.setToolButtonStyle(beside)
        self._whole.setText(self.tr("All steps"))
        self._whole.setToolTip(
            self.tr("Show all steps again, and more as they come. A double click in a plot does too.")
        )
        self._whole.clicked.connect(self._show_whole)
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._more.setAccessibleName(self.tr("What can be done with all series"))
        self._more.setMenu(self._menu_of_all())
        self._remark.setProperty("quiet", True)
        self._message.setProperty("quiet", True)
        self._message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._message.setWordWrap(True)
        self._stack.addWidget(self._message)
        self._stack.addWidget(self._grid)
        gap = self.fontMetrics().height() // 2
        above = QHBoxLayout()
        above.addWidget(self.follow_button)
        above.addWidget(self._remark, 1)
        above.addWidget(self._whole)
        above.addWidget(self._more)
        content = QWidget()
        rows = QVBoxLayout(content)
        rows.setContentsMargins(gap, 0, gap, gap // 2)
        rows.setSpacing(gap // 2)
        rows.addLayout(above)
        rows.addWidget(self._stack, 1)
        self.setWidget(content)
        self._tint()

    def _menu_of_all(self) -> QMenu:
        menu = QMenu(self)
        menu.addAction(self.tr("&Export all as CSV…")).triggered.connect(self._export_all)
        menu.addAction(self.tr("&Remove all")).triggered.connect(self._following.clear)
        return menu

    @Slot()
    def _fill(self) -> None:
        """Show a plot for each series, and words when there is none."""
        series = self._following.series
        while len(self._plots) < len(series):
            self._plots.append(self._new_plot())
        for plot, one in zip(self._plots, series, strict=False):
            plot.aim(one, self._following.tensor_of(one), self._following.kind_of(one))
        self._grid.show_widgets(self._plots[: len(series)])
        self._message.setText(self._why_nothing())
        self._stack.setCurrentWidget(self._grid if series else self._message)
        self._more.setVisible(bool(series))
        if not series:
            self._span.show_whole()
        self._note()

    def _new_plot(self) -> SeriesPlot:
        plot = SeriesPlot(self)
        plot.step_chosen.connect(self._go_to)
        plot.zoomed.connect(self._zoom)
        plot.whole_requested.connect(self._show_whole)
        plot.tensor_requested.connect(self._current.select_ref)
        plot.export_requested.connect(self._export)
        plot.removal_requested.connect(self._remove)
        return plot

    @Slot()
    def _note(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    @Slot()
    def _draw(self) -> None:
        if not is_seen(self):
            return
        self._timer.setInterval(round(min(max(_DRAWS_PER_PAUSE * self._spent_ms, _INTERVAL_MS), _LONGEST_PAUSE_MS)))
        self._spent_ms = 0.0
        columns = [self._session.series_book.columns(one.id) for one in self._following.series]
        self._span.note(columns)
        self._newest = max((int(one.steps[-1]) for one in columns if len(one.steps)), default=None)
        for number, plot in enumerate(self.plots):
            if plot.is_in_sight:
                self._due.add(_TURN.format(number=number))
                self._pacer.ask_turn(_TURN.format(number=number), self._take_turn)
        self._remark.setText(_remark_on(columns))
        self._whole.setVisible(not self._span.is_whole)

    def _take_turn(self, name: str) -> None:
        """Draw one plot; the window answers before the next one."""
        self._due.discard(name)
        plot = next((plot for number, plot in enumerate(self.plots) if name == _TURN.format(number=number)), None)
        if plot is None or plot.series is None:
            return
        started = time.monotonic()
        first, last = self._span.ends
        gone_to = self._current.step
        columns = self._session.series_book.columns(plot.series.id)
        step = gone_to if gone_to is not None else self._newest
        plot.draw(columns, first, last, step, is_past=gone_to is not None)
        self._spent_ms += 1000 * (time.monotonic() - started)

    @Slot()
    def _offer(self) -> None:
        """Offer to follow the tensor that the window looks at."""
        ref = self._current.ref
        record = self._session.records.get(ref) if ref is not None else None
        is_tensor = record is None or not record.instead
        can_follow = ref is not None and is_tensor and not ref.operation.startswith(LOCAL_PREFIX)
        self.follow_button.setEnabled(can_follow)
        if ref is None or not can_follow:
            self.follow_button.setText(self.tr("Follow…"))
            self.follow_button.setToolTip(self.tr("Select a module, and run a step: then its tensors can be followed."))
            return
        self.menu.aim(ref, record.spec.shape if record is not None and record.spec is not None else None)
        name = word_tensor(ref, self._following.root_name)
        width = _NAME_CHARS * self.fontMetrics().averageCharWidth()
        short = self.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, width)
        self.follow_button.setText(self.tr("Follow {tensor}").format(tensor=short))
        self.follow_button.setToolTip(self.tr("Have a number of {tensor} told after every step.").format(tensor=name))

    def _why_nothing(self) -> str:
        if self._session.tree is None:
            return self.tr("Open a model, and follow what is of interest in it over its steps.")
        return self.tr(
            "Select a tensor and press “Follow”: its norm, its distribution, one of its elements or, of a parameter, "
            "how fast it changes is plotted over the steps."
        )

    @Slot(object, object)
    def _follow(self, ref: TensorRef, kind: SeriesKind) -> None:
        self._following.follow(ref, kind)

    @Slot(object)
    def _show_series(self, series: Series) -> None:
        """Scroll to a series that was just asked for."""
        plot = next((plot for plot in self.plots if plot.series == series), None)
        if plot is not None:
            self._grid.show_widget(plot)
            self._note()

    @Slot(int)
    def _go_to(self, step: int) -> None:
        known = steps_of(self._session)
        if known.first <= step <= known.last:
            self._current.show_step(step)

    @Slot(float, float)
    def _zoom(self, first: float, last: float) -> None:
        self._span.choose(first, last)
        self._note()

    @Slot()
    def _show_whole(self) -> None:
        self._span.show_whole()
        self._note()

    @Slot(int)
    def _remove(self, id_: int) -> None:
        self._following.remove({id_})

    @Slot(int)
    def _export(self, id_: int) -> None:
        self.export_requested.emit((id_,))

    @Slot()
    def _export_all(self) -> None:
        self.export_requested.emit(tuple(one.id for one in self._following.series))

    def _tint(self) -> None:
        self.follow_button.setIcon(icon("msc.add"))
        self._more.setIcon(icon("msc.ellipsis"))

    def changeEvent(self, event: QEvent) -> None:
        """Tint the icons again when the theme has changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._tint()
            self._note()

    def showEvent(self, event: QShowEvent) -> None:
        """Draw what was left out while hidden."""
        super().showEvent(event)
        self._note()

    def moveEvent(self, event: QMoveEvent) -> None:
        """Notice that the dock came out from behind another one."""
        super().moveEvent(event)
        self._note()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw for another width."""
        super().resizeEvent(event)
        self._note()


def _remark_on(columns: list[SeriesColumns]) -> str:
    """Say what is not there any more, of the series of which most steps have left."""
    most = max(columns, key=_left, default=None)
    return word_left(len(most.steps), most.left, translate) if most is not None else ""


def _left(columns: SeriesColumns) -> int:
    return columns.left
