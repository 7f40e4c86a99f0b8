"""The channels of one sample side by side."""

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QSpinBox

from hookscope.gui.panels.base import Subject
from hookscope.gui.panels.mosaic_view import MosaicView, set_suffix
from hookscope.protocol.events import ViewReady
from hookscope.protocol.views import GridRequest, Tiles

_BATCHED_RANK = 4


class GridView(MosaicView):
    """One tile a channel; boxes choose the sample of the batch and the page."""

    def add_controls(self) -> None:
        """Put the box for the sample first."""
        self._sample = QSpinBox()
        self._sample.setPrefix(self.tr("sample "))
        self._sample.setWrapping(True)
        self._sample.setAccessibleName(self.tr("Sample of the batch"))
        self._sample.setToolTip(self.tr("Which sample of the batch is shown"))
        self._sample.valueChanged.connect(self._announce)
        self.range_bar.add(self._sample)

    def aim(self, subject: Subject) -> None:
        """Offer the samples; the chosen one stays chosen from tensor to tensor."""
        self.start_over(subject.ref)
        shape = subject.spec.shape
        samples = shape[-_BATCHED_RANK] if len(shape) >= _BATCHED_RANK else 1
        with QSignalBlocker(self._sample):
            self._sample.setMaximum(max(samples - 1, 0))
        self.range_bar.want(self._sample, samples > 1)

    def request(self) -> GridRequest:
        """Ask for a page of the chosen sample."""
        return GridRequest(sample=self._sample.value(), page=self.page)

    def draw(self, answer: ViewReady) -> None:
        """Draw `Tiles`, and say how many samples there are."""
        if isinstance(answer.result, Tiles):
            set_suffix(self._sample, self.tr(" of {samples}").format(samples=answer.result.samples))
        super().draw(answer)

    def name_tile(self, label: tuple[int, ...]) -> str:
        """Name a channel."""
        return self.tr("channel {channel}").format(channel=label[0])
