"""A tensor in numbers: what it is first, then its values, of very many those of a sample unless all were counted."""

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Slot
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QVBoxLayout

from hookscope.figures.text import format_bytes, format_number, format_shape
from hookscope.gui.panels.base import TensorView, fixed_font
from hookscope.gui.panels.sample_banner import SampleBanner, note_sample
from hookscope.gui.panels.subject import Subject
from hookscope.gui.panels.whole_count import WholeCount
from hookscope.gui.theme import Theme, theme_of
from hookscope.protocol.events import ViewReady
from hookscope.protocol.tensors import TensorSpec
from hookscope.protocol.views import Statistics, StatisticsRequest, is_sample

if TYPE_CHECKING:
    from hookscope.gui.panels.long_question import LongQuestion

_NAMES, _VALUES = 0, 1
_NOTHING = "–"


class StatisticsView(TensorView):
    """Two columns, names and numbers. What the tensor is stays readable when its values are not to be had."""

    def __init__(self) -> None:
        super().__init__()
        self._texts: dict[str, str] = {}
        self._subject: Subject | None = None
        self._banner = SampleBanner()
        self._whole = WholeCount(self._banner, self)
        self._banner.count_requested.connect(self._count_all)
        self._whole.counted.connect(self._show_whole)
        self._table = _CopyableTable(0, 2)
        self._table.setAccessibleName(self.tr("Statistics"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self._banner)
        layout.addWidget(self._table)
        self.apply_theme(theme_of(self.palette()))

    @property
    def banner(self) -> SampleBanner:
        """The line that says so when the numbers are of a sample."""
        return self._banner

    def count_with(self, counter: "LongQuestion") -> None:
        """Take what asks for all elements to be counted."""
        self._whole.use(counter)

    def request(self) -> StatisticsRequest:
        """Ask for a sample, which is all of a tensor that is not very large."""
        return StatisticsRequest(sampled=True)

    def aim(self, subject: Subject) -> None:
        """Show what the spec says at once; the values are those of the former tensor no more."""
        if subject == self._subject:
            return
        self._subject = subject
        self._whole.start_over()
        self._show(self._spec_rows(subject.spec, []))

    def draw(self, answer: ViewReady) -> None:
        """Show `Statistics`, in place of a sample those of all elements once they are counted."""
        assert isinstance(answer.result, Statistics)
        note = note_sample(answer.result.seen, answer.result.count) if is_sample(answer.result) else None
        self._whole.note(answer, note)
        self._show_numbers(self._whole.answer or answer)

    @Slot()
    def _count_all(self) -> None:
        self._whole.ask(StatisticsRequest())

    @Slot()
    def _show_whole(self) -> None:
        if self._whole.answer is not None:
            self._show_numbers(self._whole.answer)

    def _show_numbers(self, answer: ViewReady) -> None:
        result = answer.result
        assert isinstance(result, Statistics)
        of_sample = is_sample(result)
        about = self.tr("about {number}") if of_sample else "{number}"
        counted = self.tr("{number} in the sample") if of_sample else "{number}"
        seen = result.seen or result.count
        norm = result.norm
        if of_sample and norm is not None:
            norm *= math.sqrt(result.count / seen)
        measures = {
            self.tr("min"): result.minimum,
            self.tr("max"): result.maximum,
            self.tr("mean"): result.mean,
            self.tr("std"): result.std,
            self.tr("norm"): norm,
        }
        counts = {
            self.tr("negatives"): result.negative,
            self.tr("positives"): result.positive,
            "NaN": result.nan,
            "+Inf": result.pos_inf,
            "-Inf": result.neg_inf,
        }
        zeros = about.format(number=f"{100 * result.zero / seen:.1f} %") if seen else _NOTHING
        values = [
            *(
                (name, _NOTHING if value is None else about.format(number=_number(value)))
                for name, value in measures.items()
            ),
            (self.tr("zeros"), zeros),
            *((name, counted.format(number=f"{count:,}")) for name, count in counts.items()),
        ]
        step = (self.tr("step"), f"{answer.step:,}" if answer.step else _NOTHING)
        rows = [*values, step] if answer.spec is None else [*self._spec_rows(answer.spec, values), step]
        self._show(rows, troubled={"NaN": result.nan, "+Inf": result.pos_inf, "-Inf": result.neg_inf})

    def summary(self) -> str:
        """Return all of it in one line."""
        return ", ".join(f"{name} {value}" for name, value in self._texts.items())

    def apply_theme(self, theme: Theme) -> None:
        """Draw the names in the quiet colour."""
        self._table.colors = theme
        self._table.tint()

    def _spec_rows(self, spec: TensorSpec, values: list[tuple[str, str]]) -> list[tuple[str, str]]:
        rows = [
            (self.tr("shape"), format_shape(spec.shape)),
            (self.tr("dtype"), spec.dtype),
            *values,
            *([] if -1 in spec.shape else [(self.tr("elements"), f"{spec.count:,}")]),
            (self.tr("bytes"), format_bytes(spec.size_bytes)),
            (self.tr("device"), spec.device),
        ]
        return rows if spec.layout == "strided" else [*rows, (self.tr("layout"), spec.layout)]

    def _show(self, rows: list[tuple[str, str]], troubled: dict[str, int] | None = None) -> None:
        self._texts = dict(rows)
        self._table.troubled = {name for name, count in (troubled or {}).items() if count}
        self._table.show_rows(rows)


class _CopyableTable(QTableWidget):
    """Rows of texts whose items are reused; Ctrl+C copies the selected rows, or all of them when none is selected."""

    def __init__(self, rows: int, columns: int) -> None:
        super().__init__(rows, columns)
        self.colors: Theme = theme_of(self.palette())
        self.troubled: set[str] = set()
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(_NAMES, QHeaderView.ResizeMode.ResizeToContents)
        self.horizontalHeader().setSectionResizeMode(_VALUES, QHeaderView.ResizeMode.Stretch)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 6)
        self.setTabKeyNavigation(False)
        self.setStyleSheet("QTableView::item { padding: 0 6px; }")

    def show_rows(self, rows: list[tuple[str, str]]) -> None:
        """Show names and values."""
        if self.rowCount() != len(rows):
            self.setRowCount(len(rows))
        for row, texts in enumerate(rows):
            for column, text in enumerate(texts):
                item = self.item(row, column) or self._new_item(row, column)
                if item.text() != text:
                    item.setText(text)
        self.tint()

    def tint(self) -> None:
        """Colour every row."""
        for row in range(self.rowCount()):
            name, value = self.item(row, _NAMES), self.item(row, _VALUES)
            if name is not None and value is not None:
                name.setForeground(QColor(self.colors.quiet))
                value.setForeground(QColor(self.colors.trouble if name.text() in self.troubled else self.colors.text))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy on Ctrl+C."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_rows()
            event.accept()
            return
        super().keyPressEvent(event)

    @Slot()
    def copy_rows(self) -> None:
        """Put the selected rows, or all of them, on the clipboard as lines with a tab."""
        chosen = sorted({index.row() for index in self.selectedIndexes()}) or range(self.rowCount())
        lines = [f"{self._text(row, _NAMES)}\t{self._text(row, _VALUES)}" for row in chosen]
        QGuiApplication.clipboard().setText("\n".join(lines))

    def event(self, event: QEvent) -> bool:
        """Keep Ctrl+C for this table also where a window has a shortcut for it."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.matches(QKeySequence.StandardKey.Copy)
        ):
            event.accept()
            return True
        return super().event(event)

    def _text(self, row: int, column: int) -> str:
        item = self.item(row, column)
        return item.text() if item is not None else ""

    def _new_item(self, row: int, column: int) -> QTableWidgetItem:
        item = QTableWidgetItem()
        if column == _VALUES:
            item.setFont(fixed_font())
        item.setTextAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.setItem(row, column, item)
        return item


def _number(value: float) -> str:
    return format_number(float(value))
