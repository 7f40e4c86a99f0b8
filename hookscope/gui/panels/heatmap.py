"""The last two dims of a tensor as a picture."""

from hookscope.gui.panels.base import Subject
from hookscope.gui.panels.image_view import Picture
from hookscope.gui.panels.index_bar import IndexBar
from hookscope.gui.panels.picture_view import PictureView, mask_of
from hookscope.protocol.events import ViewReady
from hookscope.protocol.views import HeatmapRequest, Image


class HeatmapView(PictureView):
    """Rows and columns with their indices; spin boxes pick one entry of each leading dim."""

    def __init__(self) -> None:
        super().__init__(with_axes=True)
        self._index = IndexBar()
        self._result: Image | None = None
        self.range_bar.add(self._index)
        self.range_bar.finish()
        self._index.index_changed.connect(self.request_changed)

    def aim(self, subject: Subject) -> None:
        """Offer the leading dims."""
        leading = subject.spec.shape[:-2]
        self._index.set_sizes(leading)
        self.range_bar.want(self._index, bool(leading))

    def request(self) -> HeatmapRequest:
        """Ask for the chosen entry."""
        return HeatmapRequest(index=self._index.index)

    def draw(self, answer: ViewReady) -> None:
        """Draw an `Image`."""
        image = answer.result
        assert isinstance(image, Image)
        self._result = image
        picture = Picture(
            image.pixels.to_numpy().astype("float32", copy=False),
            mask_of(image.mask.to_numpy()) if image.mask is not None else None,
            (image.rows, image.columns),
            is_spatial=bool(image.leading),
        )
        self.show_picture(answer, picture, image.low, image.high)

    def name_place(self, row: int, column: int) -> str:
        """Name an element by its full index."""
        result = self._result
        assert result is not None
        row, column = (
            row // result.row_stride * result.row_stride,
            column // result.column_stride * result.column_stride,
        )
        return f"[{', '.join(map(str, (*result.index, row, column)))}]"

    def remarks(self) -> str:
        """Say also when only every n-th row or column is shown."""
        texts = [super().remarks()]
        if self._result is not None and max(self._result.row_stride, self._result.column_stride) > 1:
            text = self.tr("every {rows}. row, every {columns}. column of {all_rows} × {all_columns}")
            texts.append(
                text.format(
                    rows=self._result.row_stride,
                    columns=self._result.column_stride,
                    all_rows=self._result.rows,
                    all_columns=self._result.columns,
                )
            )
        return " · ".join(filter(None, texts))
