"""All tensors of the current module as cards in a row; the current one is outlined."""

from collections import OrderedDict
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPixmap, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QSizePolicy, QWidget

from hookscope.gui.panels.slot_card import SlotCard
from hookscope.gui.panels.subject import Subject
from hookscope.gui.panels.target import is_parameter, records_at
from hookscope.gui.panels.tensor_memory import TensorKey, TensorMemory, key_of
from hookscope.gui.panels.thumbnail_queue import MOST_KEPT, ThumbnailQueue, Wish
from hookscope.gui.panels.thumbnails import SIZE, draw_thumbnail, thumbnail_request
from hookscope.gui.theme import theme_of
from hookscope.gui.trials.comparison import Aim
from hookscope.protocol.tensors import Record

if TYPE_CHECKING:
    from hookscope.gui.current import Current
    from hookscope.gui.session_bridge import SessionBridge
    from hookscope.protocol.events import ViewReady
    from hookscope.protocol.identity import TensorRef
    from hookscope.protocol.tree import ModuleTree


class SlotStrip(QScrollArea):
    """The cards of the current module; a click looks at that tensor. Cards are kept and reused.

    Signals:
        opened: A tensor (`TensorRef`) is to be shown in a panel of its own.
    """

    opened = Signal(object)

    def __init__(self, bridge: "SessionBridge", current: "Current", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._current = current
        self._memory = TensorMemory.of(bridge)
        self._cards: list[SlotCard] = []
        self._wishes: dict[TensorRef, tuple[Wish, Subject]] = {}
        self._drawn: OrderedDict[TensorRef, tuple[ViewReady, Subject, QPixmap]] = OrderedDict()
        self._named: tuple[ModuleTree | None, str | None, str] = (None, None, "")
        self._shown_place: tuple[TensorRef | None, QRect] = (None, QRect())
        self._has_pictures = True
        self._asked_for = QSize()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Tensors of the current module"))
        self._inside = QWidget()
        self._row = QHBoxLayout(self._inside)
        self._row.setContentsMargins(2, 4, 2, 4)
        self._row.setSpacing(6)
        self._row.addStretch(1)
        self.setWidget(self._inside)
        self.viewport().setAutoFillBackground(False)
        self._inside.setAutoFillBackground(False)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._queue = ThumbnailQueue(bridge, self)
        self._queue.arrived.connect(self._show_picture)
        current.changed.connect(self._refresh)
        current.comparison.changed.connect(self._refresh)
        bridge.records_changed.connect(self._note_records)
        bridge.model_loaded.connect(self._refresh)
        self._memory.range_changed.connect(self._note_range)
        self._refresh()

    @property
    def cards(self) -> tuple[SlotCard, ...]:
        """The cards in use."""
        return tuple(card for card in self._cards if not card.isHidden())

    @property
    def is_waiting(self) -> bool:
        """Whether the strip is seen and a picture of it is not the newest that can be had."""
        return self._has_pictures and self._queue.is_waiting

    def set_pictures(self, has_pictures: bool) -> None:
        """Choose whether the cards have pictures: there is no room for them in a low window."""
        if has_pictures != self._has_pictures:
            self._has_pictures = has_pictures
            self._refresh()

    def sizeHint(self) -> QSize:
        """Return the height of the cards, and of the scroll bar when they do not fit."""
        height = self._inside.sizeHint().height()
        overflows = self._inside.sizeHint().width() > self.width()
        return QSize(0, height + (self.horizontalScrollBar().sizeHint().height() if overflows else 0))

    def minimumSizeHint(self) -> QSize:
        """Return the same height."""
        return self.sizeHint()

    def resizeEvent(self, event: object) -> None:
        """Ask for room for the scroll bar when it comes."""
        super().resizeEvent(event)  # type: ignore[arg-type]
        self.updateGeometry()

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for what was not asked for while hidden."""
        super().showEvent(event)
        self._queue.pump_soon()

    def changeEvent(self, event: QEvent) -> None:
        """Draw the pictures again in the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._drawn.clear()
            self._show_pictures()

    @Slot(object)
    def _note_records(self, paths: frozenset[str]) -> None:
        if self._current.path in paths:
            self._refresh()

    @Slot()
    def _refresh(self) -> None:
        path, ref = self._current.path, self._current.ref
        records = records_at(self._bridge.session, path) if path is not None else ()
        call = ref.call if ref is not None else 0
        shown = [record for record in records if record.ref.call == call or is_parameter(record.ref)]
        shown.sort(key=_is_no_tensor)  # what has pictures stays together
        while len(self._cards) < len(shown):
            self._add_card()
        for number, card in enumerate(self._cards):
            card.setVisible(number < len(shown))
            if number < len(shown):
                card.set_room(SIZE if self._has_pictures else QSize(0, 0))
                card.show_record(shown[number], is_current=shown[number].ref == ref)
        self.setVisible(bool(shown))
        self._want(shown if self._has_pictures else [])
        if self.sizeHint() != self._asked_for:  # else the whole window would be laid out again in every step
            self._asked_for = self.sizeHint()
            self.updateGeometry()
        wanted = self._inside.sizeHint().width()
        if wanted > self._inside.width():
            self._inside.resize(wanted, self._inside.height())  # now: what is scrolled to must have its place
        self._row.activate()
        current = next((card for card in self.cards if card.isChecked()), None)
        place = current.geometry() if current is not None else QRect()
        if (ref, place) != self._shown_place:  # another one is current, or others have come before it
            self._shown_place = ref, place
            if current is not None:
                self.ensureWidgetVisible(current)

    def _add_card(self) -> None:
        card = SlotCard(self._inside)
        card.chosen.connect(self._current.select_ref)
        card.opened.connect(self.opened)
        self._row.insertWidget(len(self._cards), card)
        self._cards.append(card)

    def _want(self, shown: list[Record]) -> None:
        step = self._current.step
        aim = Aim(step) if step is not None else self._current.comparison.aim
        class_name = self._class_name()
        self._wishes = {}
        for record in shown:
            if record.spec is None:
                continue
            subject = Subject(record.ref, record.spec, aim.is_difference, class_name)
            request = thumbnail_request(subject)
            if request is not None:
                newest = (record.step, record.order) if aim.step is None else None
                self._wishes[record.ref] = Wish(record.ref, request, aim, newest), subject
        self._show_pictures()
        self._queue.want(wish for wish, _ in self._wishes.values())

    def _class_name(self) -> str:
        tree, path = self._bridge.session.tree, self._current.path
        if tree is not self._named[0] or path != self._named[1]:
            found = (module.class_name for module in (tree.modules if tree is not None else ()) if module.path == path)
            self._named = tree, path, next(found, "")
        return self._named[2]

    def _show_pictures(self) -> None:
        for card in self.cards:
            self._draw(card)

    def _draw(self, card: SlotCard) -> None:
        wish, subject = self._wishes.get(card.record.ref, (None, None)) if card.record is not None else (None, None)
        answer = self._queue.answer(wish) if wish is not None else None
        if answer is None or subject is None:
            card.set_picture(QPixmap())
        else:
            card.set_picture(self._picture(answer, subject))

    def _picture(self, answer: "ViewReady", subject: Subject) -> QPixmap:
        """Return the small picture of an answer; kept, since one often goes back and forth between modules."""
        kept = self._drawn.get(subject.ref)
        if kept is not None and kept[0] is answer and kept[1] == subject:
            return kept[2]
        theme = theme_of(self.palette())
        picture = draw_thumbnail(answer.result, subject, self._memory, theme, self.devicePixelRatioF())
        self._drawn[subject.ref] = answer, subject, picture
        self._drawn.move_to_end(subject.ref)
        while len(self._drawn) > MOST_KEPT:
            self._drawn.popitem(last=False)
        return picture

    @Slot(object)
    def _show_picture(self, ref: "TensorRef") -> None:
        for card in self.cards:
            if card.record is not None and card.record.ref == ref:
                self._draw(card)

    @Slot(object)
    def _note_range(self, key: TensorKey) -> None:
        for ref, (_, subject) in self._wishes.items():
            if key_of(subject) == key:
                self._drawn.clear()
                self._show_picture(ref)


def _is_no_tensor(record: Record) -> bool:
    return bool(record.instead)
