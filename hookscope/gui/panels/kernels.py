"""The kernels of a convolution: a row an output channel, a column an input channel."""

from hookscope.gui.panels.base import Subject
from hookscope.gui.panels.mosaic_view import MosaicView
from hookscope.protocol.views import KernelRequest


class KernelView(MosaicView):
    """One tile a kernel, in the order of the weight."""

    def aim(self, subject: Subject) -> None:
        """Go back to the first page when another weight comes."""
        self.start_over(subject.ref)

    def request(self) -> KernelRequest:
        """Ask for a page."""
        return KernelRequest(page=self.page)

    def name_tile(self, label: tuple[int, ...]) -> str:
        """Name a kernel."""
        return self.tr("output {output}, input {input}").format(output=label[0], input=label[-1])
