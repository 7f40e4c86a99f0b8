"""Attention maps, a tile a head: recomputed where the fused operation never made them."""

from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QSignalBlocker
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QSpinBox, QToolButton

from hookscope.figures.grid import Mosaic
from hookscope.figures.scenes import MosaicScene, Scene
from hookscope.gui.panels.choice_row import TensorCombo
from hookscope.gui.panels.computed import apart, share_memory, with_shape
from hookscope.gui.panels.mosaic_view import MosaicView
from hookscope.gui.panels.picker import Ask
from hookscope.gui.panels.subject import Subject
from hookscope.gui.panels.tensor_memory import TensorMemory
from hookscope.protocol.events import ViewReady
from hookscope.protocol.views import AttentionRequest, Tiles

if TYPE_CHECKING:
    from hookscope.gui.panels.long_question import LongQuestion
    from hookscope.protocol.identity import TensorRef

_KIND = "attention"
_MOST_HEADS = 1024
_USUAL_FEATURES = (64, 128, 32)
"""Features that a head usually has: the first of these that divides those of the tensor is guessed."""


class AttentionView(MosaicView):
    """The tensor is the query; the key is chosen among its neighbours, and the number of heads where it is not told."""

    def add_controls(self) -> None:
        """Put key, heads and sample first."""
        self._of: tuple[TensorRef, int, int] | None = None
        self.key = TensorCombo()
        self.key.setAccessibleName(self.tr("Key"))
        self.key.setToolTip(self.tr("The tensor that is the key; this one is the query"))
        self.key.activated.connect(self.request_changed)
        self.heads = self._new_box(self.tr("heads "), self.tr("How many heads the last dim holds"))
        self.heads.setRange(1, _MOST_HEADS)
        self.sample = self._new_box(self.tr("sample "), self.tr("Which sample of the batch is shown"))
        self.causal = self._new_choice(self.tr("Causal"), self.tr("Let no query see a later key, as a language model"))
        tip = self.tr("The shape is (T, B, E), as nn.MultiheadAttention takes it unless it is made with batch_first")
        self.batch_second = self._new_choice(self.tr("Batch is the second dim"), tip)
        label = QLabel(self.tr("key"))
        label.setProperty("quiet", True)
        causal = QToolButton()
        causal.setDefaultAction(self.causal)
        self.range_bar.add(label, drop=20)
        self.range_bar.add(self.key, drop=1)
        self.range_bar.add(self.heads, drop=5)
        self.range_bar.add(self.sample, drop=6)
        self.range_bar.add(causal, drop=11)
        self.range_bar.menu.addSeparator()
        self.range_bar.menu.addActions([self.causal, self.batch_second])

    def use(self, memory: TensorMemory, ask: Ask) -> None:
        """Share the choices of a window; what the debuggee knows of the tensor is nothing that is drawn here."""
        del ask
        share_memory(self, memory)

    def count_with(self, counter: "LongQuestion") -> None:
        """Take nothing: the debuggee would count the tensor, and not what is drawn here."""

    def aim(self, subject: Subject) -> None:
        """Offer the keys, and guess the heads; without any other tensor it is its own key."""
        super().aim(apart(subject, _KIND))
        keys = subject.keys or (subject.ref,)
        self.key.offer(keys, subject.ref)
        shape = subject.spec.shape or (1,)
        has_heads = len(shape) == 4
        self.heads.setEnabled(not has_heads)
        with QSignalBlocker(self.heads), QSignalBlocker(self.sample):
            if (subject.ref, shape[-1], len(shape)) != self._of:
                self._of = subject.ref, shape[-1], len(shape)
                self.heads.setValue(guess_heads(shape[-1]) if not has_heads else shape[1])
                self.sample.setValue(0)
            samples = 1 if len(shape) < 3 else shape[1 if self._is_batch_second(shape) else 0]
            self.sample.setMaximum(max(samples - 1, 0))

    def request(self) -> AttentionRequest:
        """Ask for the maps of a page of heads."""
        key = self.key.ref
        assert key is not None
        return AttentionRequest(
            key,
            heads=self.heads.value(),
            causal=self.causal.isChecked(),
            batch_first=not self.batch_second.isChecked(),
            sample=self.sample.value(),
            page=self.page,
        )

    def draw(self, answer: ViewReady) -> None:
        """Draw `Tiles`."""
        assert isinstance(answer.result, Tiles)
        assert self._subject is not None
        self._subject = with_shape(self._subject, answer.result.shape)
        super().draw(msgspec.structs.replace(answer, spec=self._subject.spec))

    def scene_of(self, tiles: Tiles, mosaic: Mosaic) -> Scene:
        """Return what is where in a mosaic."""
        return MosaicScene(tiles.axes, mosaic)

    def dim_names(self) -> tuple[str, ...]:
        """Return the names of the dims of the weights."""
        return self.tr("sample"), self.tr("head"), self.tr("query"), self.tr("key")

    def reveal(self, index: tuple[int, ...]) -> None:
        """Show the sample and the page that an element is in."""
        with QSignalBlocker(self.sample):
            self.sample.setValue(index[0])
        self.set_page(index[1] // self.request().max_tiles)
        self.request_changed.emit()

    def remarks(self) -> str:
        """Say what the maps are, for they are not what the model used when it masks or drops out."""
        text = self.tr("recomputed from query and key, without masks, dropout and rotations")
        return " · ".join(filter(None, (text, super().remarks())))

    def _is_batch_second(self, shape: tuple[int, ...]) -> bool:
        return self.batch_second.isChecked() and len(shape) == 3

    def _new_box(self, prefix: str, tip: str) -> QSpinBox:
        box = QSpinBox()
        box.setPrefix(prefix)
        box.setToolTip(tip)
        box.setAccessibleName(tip)
        box.valueChanged.connect(self.request_changed)
        return box

    def _new_choice(self, text: str, tip: str) -> QAction:
        action = QAction(text, self)
        action.setCheckable(True)
        action.setToolTip(tip)
        action.triggered.connect(self.request_changed)
        return action


def guess_heads(features: int) -> int:
    """Return how many heads a last dim of so many features probably holds."""
    usual = next((size for size in _USUAL_FEATURES if features > size and features % size == 0), features)
    return features // usual if usual else 1
