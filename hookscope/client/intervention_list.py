"""The list of interventions that a person edits: order, on and off, undo, and a text to keep it in."""

import json
from collections import deque
from collections.abc import Iterable

import msgspec

from hookscope.client.session import DebugSession
from hookscope.protocol.interventions import Intervention

_FORMAT = "hookscope interventions"
_VERSION = 1
_MAX_UNDO = 500

_Entries = tuple[Intervention, ...]


class _Saved(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: str
    version: int
    interventions: _Entries


class InterventionList:
    """Every change of the list is one `set_interventions` of the session, and one step of undo.

    Belongs to the thread of the session. While it is in use, nobody else changes the session's interventions for good.

    Args:
        session: Whose interventions they are; the list begins with those that it has.
    """

    def __init__(self, session: DebugSession) -> None:
        self._session = session
        self._entries = session.interventions
        self._undo: deque[_Entries] = deque(maxlen=_MAX_UNDO)
        self._redo: list[_Entries] = []
        self._merging: int | None = None

    @property
    def entries(self) -> tuple[Intervention, ...]:
        """The interventions in the order in which they act."""
        return self._entries

    @property
    def can_undo(self) -> bool:
        """Whether there is a change to take back."""
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        """Whether a change was taken back, and none was made since."""
        return bool(self._redo)

    def get(self, intervention_id: int) -> Intervention | None:
        """Return the intervention with an id."""
        return next((entry for entry in self._entries if entry.id == intervention_id), None)

    def put(self, intervention: Intervention, *, merge: bool = False) -> None:
        """Put an intervention in the place of the one with its id, or at the end.

        Args:
            intervention: What is put.
            merge: Whether one undo takes this back together with the puts of the same id just before that were merged
                too: a slider that is dragged puts many.
        """
        if self.get(intervention.id) is None:
            changed = (*self._entries, intervention)
        else:
            changed = tuple(intervention if entry.id == intervention.id else entry for entry in self._entries)
        self._change(changed, merging=intervention.id if merge else None)

    def end_merging(self) -> None:
        """Let the next put be taken back by itself, though it is merged: the slider was let go."""
        self._merging = None

    def remove(self, ids: Iterable[int]) -> None:
        """Remove interventions; ids that are not in the list are passed over."""
        gone = set(ids)
        self._change(tuple(entry for entry in self._entries if entry.id not in gone))

    def move(self, intervention_id: int, offset: int) -> None:
        """Move an intervention towards the end, or for a negative offset towards the beginning, as far as it goes.

        Raises:
            KeyError: There is none with this id.
        """
        moved = self.get(intervention_id)
        if moved is None:
            raise KeyError(intervention_id)
        others = [entry for entry in self._entries if entry is not moved]
        others.insert(max(0, self._entries.index(moved) + offset), moved)
        self._change(tuple(others))

    def enable(self, ids: Iterable[int], *, enabled: bool) -> None:
        """Turn interventions on or off."""
        chosen = set(ids)
        self._change(
            tuple(
                msgspec.structs.replace(entry, enabled=enabled) if entry.id in chosen else entry
                for entry in self._entries
            )
        )

    def clear(self) -> None:
        """Remove all."""
        self._change(())

    def undo(self) -> None:
        """Take the newest change back; without one, nothing happens."""
        if self._undo:
            self._redo.append(self._entries)
            self._set(self._undo.pop())

    def redo(self) -> None:
        """Make the change again that was taken back last; without one, nothing happens."""
        if self._redo:
            self._undo.append(self._entries)
            self._set(self._redo.pop())

    def to_json(self) -> str:
        """Return the list as a text that `load_json` reads back, arrays included."""
        saved = msgspec.to_builtins(_Saved(_FORMAT, _VERSION, self._entries))
        return json.dumps(_with_words(saved), indent=2, allow_nan=False, ensure_ascii=False) + "\n"

    def load_json(self, text: str) -> None:
        """Let the list be what `to_json` has written, with ids of this session; one undo brings the former one back.

        Raises:
            ValueError: The text is no such list, or of another version; the former list stays.
        """
        loaded = _read(text)
        next_id = self._session.next_intervention_id
        self._change(tuple(msgspec.structs.replace(entry, id=next_id()) for entry in loaded))

    def _change(self, entries: _Entries, *, merging: int | None = None) -> None:
        if entries == self._entries:
            return
        former, is_merged = self._entries, merging is not None and merging == self._merging
        self._set(entries)
        if not is_merged:
            self._undo.append(former)
        self._redo.clear()
        self._merging = merging

    def _set(self, entries: _Entries) -> None:
        self._session.set_interventions(entries)
        self._entries = entries
        self._merging = None


def _read(text: str) -> _Entries:
    try:
        read = json.loads(text)
    except ValueError as error:
        raise ValueError(f"This is no JSON: {error}.") from error
    if not isinstance(read, dict) or read.get("format") != _FORMAT:
        raise ValueError(f'This is no list of interventions: it does not say "format": "{_FORMAT}".')
    if read.get("version") != _VERSION:
        raise ValueError(f"This list is of version {read.get('version')!r}, and only version {_VERSION} can be read.")
    try:
        entries = msgspec.convert(read, _Saved, strict=False).interventions  # not strict: see _with_words
        for entry in entries:
            _check_arrays(entry.change)
    except ValueError as error:
        raise ValueError(f"This list of interventions is damaged: {error}.") from error
    return entries


def _check_arrays(change: object) -> None:
    inner = getattr(change, "change", change)
    array = getattr(inner, "tensor", None)
    if array is not None:
        array.to_numpy()


def _with_words(value: object) -> object:
    """Return plain data with words in place of the floats that JSON does not have: `nan`, `inf`, `-inf`."""
    match value:
        case float() if value != value or abs(value) == float("inf"):  # noqa: PLR0124
            return str(value)
        case dict():
            return {key: _with_words(item) for key, item in value.items()}
        case list() | tuple():
            return [_with_words(item) for item in value]
    return value
