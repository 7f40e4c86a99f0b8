"""Tries one number of an intervention at one value after the other, and plots what comes of it."""

import csv
import io
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QCoreApplication, Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from hookscope.client.state import SessionState
from hookscope.client.sweep import Sweep, SweepPoint
from hookscope.gui.current import Current
from hookscope.gui.interventions.book import InterventionBook
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.trials.sweep_form import SweepForm
from hookscope.gui.trials.sweep_plots import Series, SweepPlots

if TYPE_CHECKING:
    from hookscope.client.changes import Change

_SIZE_CHARS, _SIZE_LINES = 130, 32


class SweepDialog(QDialog):
    """Beside the window, which goes on as ever; closing it ends the sweep and hides it.

    Args:
        bridge: The session.
        book: The interventions.
        current: What the window is looking at.
        parent: The main window.

    Signals:
        copied: The table was put on the clipboard.
    """

    copied = Signal()

    def __init__(
        self, bridge: SessionBridge, book: InterventionBook, current: Current, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._sweep: Sweep | None = None
        self._titles: tuple[str, ...] = ()
        self._field_title = ""
        self._is_log = False
        self.form = SweepForm(book, current, self)
        self.plots = SweepPlots(self)
        self.progress = QProgressBar()
        self.note = QLabel()
        self.start_button = QPushButton(self.tr("Start"))
        self.cancel_button = QPushButton(self.tr("Cancel"))
        self.copy_button = QPushButton(self.tr("Copy table"))
        self._assemble()
        self.start_button.clicked.connect(self.start)
        self.cancel_button.clicked.connect(self.cancel)
        self.copy_button.clicked.connect(self.copy_table)
        self.form.changed.connect(self._update)
        bridge.drained.connect(self._note)
        bridge.state_changed.connect(self._update)
        self._update()

    @property
    def points(self) -> tuple[SweepPoint, ...]:
        """What came of the values so far."""
        return self._sweep.points if self._sweep is not None else ()

    @property
    def is_running(self) -> bool:
        """Whether a sweep goes on."""
        return self._sweep is not None and not self._sweep.is_done

    def _assemble(self) -> None:
        self.setWindowTitle(self.tr("Sweep"))
        self.setModal(False)
        metrics = self.fontMetrics()
        self.resize(metrics.averageCharWidth() * _SIZE_CHARS, metrics.lineSpacing() * _SIZE_LINES)
        self.start_button.setProperty("primary", True)
        self.start_button.setDefault(True)
        self.copy_button.setToolTip(self.tr("Put the values and what was measured on the clipboard, as CSV."))
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("Progress of the sweep"))
        self.note.setWordWrap(True)
        self.note.setProperty("quiet", True)
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.addWidget(self.form)
        splitter.addWidget(self.plots)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([metrics.averageCharWidth() * 52, metrics.averageCharWidth() * 78])
        splitter.setChildrenCollapsible(False)
        buttons = QHBoxLayout()
        buttons.addWidget(self.start_button)
        buttons.addWidget(self.cancel_button)
        buttons.addWidget(self.progress, 1)
        buttons.addWidget(self.copy_button)
        rows = QVBoxLayout(self)
        rows.addWidget(splitter, 1)
        rows.addWidget(self.note)
        rows.addLayout(buttons)

    @Slot()
    def start(self) -> None:
        """Begin a sweep of what is typed; what is wrong stands at its field."""
        chosen, field = self.form.chosen, self.form.chosen_field
        if chosen is None or field is None or self.is_running or self._session.state is not SessionState.IDLE:
            return
        try:
            values = self.form.values()
        except ValueError:
            return
        try:
            self._sweep = Sweep(self._session, chosen.id, field.name, values, self.form.measures)
        except ValueError as error:  # a value that is none of this number
            self.note.setText(str(error))
            return
        self._field_title = QCoreApplication.translate("interventions", field.title)
        self._titles, self._is_log = self.form.titles, self.form.is_log
        self._show_points()

    @Slot()
    def cancel(self) -> None:
        """End the sweep; what it has found stays."""
        if self._sweep is not None:
            self._sweep.cancel()
            self._show_points()

    @Slot()
    def copy_table(self) -> None:
        """Put the table on the clipboard."""
        QGuiApplication.clipboard().setText(self.table())
        self.copied.emit()

    def table(self) -> str:
        """Return the values and what was measured, as CSV."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([self._field_title, self.tr("loss"), *self._titles])
        for point in self.points:
            writer.writerow([point.value, point.loss, *point.measured])
        return text.getvalue()

    @Slot(object)
    def _note(self, changes: "list[Change]") -> None:
        sweep = self._sweep
        if sweep is None or sweep.is_done:
            return
        for change in changes:
            sweep.note(change)
        self._show_points()
        self._show_present(sweep)

    def _show_present(self, sweep: Sweep) -> None:
        """After the last value, let the window show again what the present one does."""
        is_complete = sweep.is_done and len(sweep.points) == len(sweep.values)
        if is_complete and self._session.state is SessionState.IDLE:
            self._session.try_interventions()

    def _show_points(self) -> None:
        points, sweep = self.points, self._sweep
        if sweep is not None:
            x = np.array([point.value for point in points], dtype=np.float64)
            rows = [[point.loss, *point.measured] for point in points]
            numbers = np.array([list(map(_number, row)) for row in rows]).reshape(len(rows), 1 + len(self._titles))
            series = tuple(map(Series, (self.tr("loss"), *self._titles), numbers.T))
            ends = (sweep.values[0], sweep.values[-1])
            self.plots.show_series(self._field_title, ends, x, series, log=self._is_log)
        self._update()

    @Slot()
    def _update(self) -> None:
        is_idle = self._session.state is SessionState.IDLE
        self.start_button.setEnabled(is_idle and not self.is_running and self.form.chosen is not None)
        self.cancel_button.setEnabled(self.is_running)
        self.copy_button.setEnabled(bool(self.points))
        self.form.setEnabled(not self.is_running)
        if self._sweep is not None:
            self.progress.setMaximum(len(self._sweep.values))
            self.progress.setValue(len(self.points))
        self.note.setText(self._remark())
        self.note.setVisible(bool(self.note.text()))

    def _remark(self) -> str:
        if self.form.chosen is None:
            return self.tr("A sweep varies a number of a change. Add one that has a number, such as “Scale”.")
        failed = [point for point in self.points if point.error]
        if failed:
            text = self.tr("{count} of {total} trials failed: {error}")
            return text.format(count=len(failed), total=len(self.points), error=failed[-1].error)
        if self._sweep is not None and self._sweep.is_done and len(self.points) < len(self._sweep.values):
            text = self.tr("Ended after {count} of {total} values.")
            return text.format(count=len(self.points), total=len(self._sweep.values))
        return ""

    def reject(self) -> None:
        """End the sweep and hide."""
        self.cancel()
        super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        """End the sweep."""
        self.cancel()
        super().closeEvent(event)


def _number(value: float | None) -> float:
    return np.nan if value is None else float(value)
