"""What is followed over the steps, as the window sees it: named, added to, and kept."""

from collections.abc import Collection, Iterable

from PySide6.QtCore import QCoreApplication, QObject, Signal

from hookscope.client.series_text import series_from_json, series_to_json
from hookscope.client.state import ALLOWED
from hookscope.figures.series_words import word_kind, word_tensor
from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.hooks import OperationRef
from hookscope.protocol.identity import LOCAL_PREFIX, TensorRef
from hookscope.protocol.series import Series, SeriesKind


class Following(QObject):
    """Changes the set of series for every part of the window, and says so.

    Signals:
        changed: The set is another one.
        added: A series (`Series`) is followed that a person wants to see; it may have been followed before.
        checked: A module or an operation was checked (`str`, its name), because a person follows something of it.
    """

    changed = Signal()
    added = Signal(object)
    checked = Signal(str)

    def __init__(self, bridge: SessionBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = bridge.session

    @property
    def series(self) -> tuple[Series, ...]:
        """All of them, in the order in which they were added."""
        return self._session.series

    @property
    def root_name(self) -> str:
        """What the root module is called."""
        tree = self._session.tree
        return tree.modules[0].name if tree is not None and tree.modules else self.tr("the root")

    def tensor_of(self, series: Series) -> str:
        """Name the tensor of a series."""
        return word_tensor(series.ref, self.root_name)

    def kind_of(self, series: Series) -> str:
        """Name its numbers."""
        return word_kind(series.kind, translate)

    def title_of(self, series: Series) -> str:
        """Name both."""
        return f"{self.tensor_of(series)} {self.kind_of(series)}"

    def follow(self, ref: TensorRef, kind: SeriesKind) -> Series | None:
        """Follow a number of a tensor and have it captured; return its series, which may be there already.

        A local variable cannot be followed: it is there only while a step is stopped.
        """
        if ref.operation.startswith(LOCAL_PREFIX):
            return None
        known = next((one for one in self.series if (one.ref, one.kind) == (ref, kind)), None)
        series = known or Series(self._session.next_series_id(), ref, kind)
        for name in self._check([series]):
            self.checked.emit(name)
        if known is None:
            self._set((*self.series, series))
        self.added.emit(series)
        return series

    def remove(self, ids: Collection[int]) -> None:
        """Follow some no more."""
        self._set(tuple(one for one in self.series if one.id not in ids))

    def clear(self) -> None:
        """Follow nothing."""
        self._set(())

    def to_json(self) -> str:
        """Return the set as a text."""
        return series_to_json(self.series)

    def start_over(self, text: str) -> None:
        """Follow what was kept for another model; what cannot be read is nothing."""
        try:
            kept = series_from_json(text) if text else ()
        except ValueError:
            kept = ()
        self._check(kept)
        self._set(tuple(Series(self._session.next_series_id(), one.ref, one.kind) for one in kept))

    def _set(self, series: tuple[Series, ...]) -> None:
        self._session.set_series(series)
        self.changed.emit()

    def _check(self, series: Iterable[Series]) -> list[str]:
        """Have the tensors captured, or there is nothing to follow; return what was not captured before."""
        session = self._session
        if session.tree is None or session.state not in ALLOWED["check"]:
            return []
        there = {module.path for module in session.tree.modules}
        refs = [one.ref for one in series if one.ref.path in there]
        paths = dict.fromkeys(ref.path for ref in refs if not ref.operation)
        operations = dict.fromkeys(_operation_of(ref) for ref in refs if ref.operation)
        new_paths = [path for path in paths if path not in session.checked]
        new_operations = [ref for ref in operations if ref not in session.checked_operations]
        if new_paths:
            session.check((*session.checked, *new_paths))
        if new_operations:
            session.check_operations((*session.checked_operations, *new_operations))
        return [*(path or self.root_name for path in new_paths), *(ref.text for ref in new_operations)]


def translate(english: str) -> str:
    """Return words of series in the person's language."""
    return QCoreApplication.translate("series", english)


def _operation_of(ref: TensorRef) -> OperationRef:
    name, _, number = ref.operation.rpartition(":")
    return OperationRef(ref.path, name, int(number) if number.isdecimal() else 0)
