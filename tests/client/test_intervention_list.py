"""The list that a person edits: each change is one set and one step of undo, and it can be kept as a text."""

import json
import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from hookscope.client.intervention_list import InterventionList
from hookscope.client.session import DebugSession
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import Channels, Heads, Index, Intervention, MagnitudeAbove, Selection, Span
from hookscope.protocol.tensor_changes import (
    Add,
    Change,
    Clamp,
    Constant,
    FromStep,
    Noise,
    Replace,
    StraightThrough,
    Zero,
)
from hookscope.protocol.tensors import Array


@pytest.fixture
def session() -> Iterator[DebugSession]:
    with DebugSession() as session:
        yield session


def a(session: DebugSession, change: Change | None = None, where: Selection | None = None) -> Intervention:
    return Intervention(session.next_intervention_id(), "layer", Slot.OUTPUT, change or Zero(), where=where)


def filled(session: DebugSession) -> tuple[InterventionList, list[int]]:
    listed = InterventionList(session)
    for change in (Add(1.0), Add(2.0), Add(3.0)):
        listed.put(a(session, change))
    return listed, [entry.id for entry in listed.entries]


def test_that_each_change_is_set_and_can_be_taken_back_and_made_again(session: DebugSession) -> None:
    listed, (first, second, third) = filled(session)
    seen = [listed.entries]
    changes: list[Callable[[], None]] = [
        lambda: listed.put(Intervention(second, "other", Slot.INPUT, Zero())),
        lambda: listed.move(first, 1),
        lambda: listed.enable([second, third], enabled=False),
        lambda: listed.remove([first, 99]),
        listed.clear,
    ]
    for change in changes:
        change()
        assert session.interventions == listed.entries != seen[-1]
        seen.append(listed.entries)
    assert [entry.id for entry in seen[2]] == [second, first, third]
    assert [entry.enabled for entry in seen[3]] == [False, True, False]
    for former in reversed(seen[:-1]):
        listed.undo()
        assert session.interventions == listed.entries == former
    for later in seen[1:]:
        assert listed.can_redo
        listed.redo()
        assert session.interventions == listed.entries == later
    assert not listed.can_redo
    listed.redo()
    assert listed.entries == ()


def test_that_a_change_that_changes_nothing_is_none(session: DebugSession) -> None:
    listed, (first, _, third) = filled(session)
    for _ in range(3):
        listed.undo()
    assert not listed.can_undo
    listed.undo()
    for _ in range(3):
        listed.redo()
    listed.put(listed.entries[0])
    listed.move(first, -1)
    listed.move(third, 5)
    listed.enable([first], enabled=True)
    listed.remove([99])
    assert listed.can_undo
    listed.undo()
    assert len(listed.entries) == 2
    with pytest.raises(KeyError):
        listed.move(99, 1)


def test_that_a_new_change_ends_what_could_be_made_again(session: DebugSession) -> None:
    listed, _ = filled(session)
    listed.undo()
    listed.put(a(session))
    assert not listed.can_redo


def test_that_a_dragged_slider_is_taken_back_at_once(session: DebugSession) -> None:
    listed, (first, second, _) = filled(session)
    for value in (4.0, 5.0, 6.0):
        listed.put(Intervention(first, "layer", Slot.OUTPUT, Add(value)), merge=True)
        assert session.interventions[0].change == Add(value)
    listed.put(Intervention(second, "layer", Slot.OUTPUT, Add(7.0)), merge=True)
    listed.undo()
    assert [entry.change for entry in listed.entries] == [Add(6.0), Add(2.0), Add(3.0)]
    listed.put(Intervention(first, "layer", Slot.OUTPUT, Add(8.0)), merge=True)  # after an undo: not the former drag
    listed.undo()
    listed.undo()
    assert [entry.change for entry in listed.entries] == [Add(1.0), Add(2.0), Add(3.0)]


def test_that_the_list_begins_with_what_the_session_has(session: DebugSession) -> None:
    filled(session)
    assert InterventionList(session).entries == session.interventions


EVERY_KIND: list[tuple[Change, Selection | None]] = [
    (Replace(Array.of(np.arange(6.0, dtype=np.float32).reshape(2, 3))), Index((0, Span(1, None, 2)))),
    (StraightThrough(Clamp(None, 1.5)), Channels((0, 2))),
    (FromStep(3, TensorRef("x", Slot.INPUT, "args.0", 1)), Heads((1,), 4)),
    (Noise(0.5, 3), MagnitudeAbove(2.0)),
    (Constant(math.inf), None),
    (Constant(-math.inf), None),
]


def test_that_a_list_is_read_back_as_it_was_written(session: DebugSession) -> None:
    listed = InterventionList(session)
    for change, where in EVERY_KIND:
        listed.put(a(session, change, where))
    first = listed.entries[0]
    note = Intervention(first.id, "a.b", Slot.GRAD_OUTPUT, first.change, "out.1", 2, "add:1", first.where, False, "né")
    listed.put(note)
    text = listed.to_json()
    assert "né" in text
    former = listed.entries
    listed.load_json(text)
    loaded = listed.entries
    assert not {entry.id for entry in loaded} & {entry.id for entry in former}
    again = [Intervention(old.id, *list_of(new)[1:]) for old, new in zip(former, loaded, strict=True)]
    assert again == list(former)
    assert session.interventions == loaded
    listed.undo()
    assert session.interventions == former


def list_of(intervention: Intervention) -> list[object]:
    return [getattr(intervention, field) for field in intervention.__struct_fields__]


def test_that_a_value_that_is_no_number_is_kept(session: DebugSession) -> None:
    listed = InterventionList(session)
    listed.put(a(session, Constant(math.nan)))
    listed.load_json(listed.to_json())
    change = listed.entries[0].change
    assert isinstance(change, Constant)
    assert math.isnan(change.value)


def written(**changed: object) -> str:
    entry = {"id": 1, "path": "a", "slot": "output", "change": {"type": "scale", "factor": 2.0}}
    good = {"format": "hookscope interventions", "version": 1, "interventions": [entry]}
    return json.dumps(good | changed)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no JSON"),
        ("{", "no JSON"),
        ("[]", "no list of interventions"),
        (written(format="notebook"), "no list of interventions"),
        (written(version=2), "version 2"),
        (written(version=None), "version None"),
        (written(interventions=3), "damaged.*interventions"),
        (written(interventions=[{"id": 1, "path": "a", "slot": "middle", "change": {"type": "zero"}}]), "middle"),
        (written(interventions=[{"id": 1, "path": "a", "slot": "output", "change": {"type": "warm"}}]), "warm"),
        (written(interventions=[{"id": 1, "path": "a", "slot": "output"}]), "change"),
        (
            written(interventions=[{"id": 1, "path": "a", "slot": "output", "change": {"type": "add", "value": "x"}}]),
            "float",
        ),
        (
            written(
                interventions=[
                    {
                        "id": 1,
                        "path": "a",
                        "slot": "output",
                        "change": {"type": "replace", "tensor": {"dtype": "<f4", "shape": [3], "data": "AAAA"}},
                    }
                ]
            ),
            "damaged",
        ),
    ],
)
def test_that_a_text_that_is_no_list_is_refused_and_the_former_stays(
    session: DebugSession, text: str, message: str
) -> None:
    listed, _ = filled(session)
    former = listed.entries
    with pytest.raises(ValueError, match=message):
        listed.load_json(text)
    assert session.interventions == listed.entries == former
    listed.load_json(written())
    assert len(listed.entries) == 1
