from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from hookscope.gui.interventions.change_form import ChangeForm
from hookscope.gui.interventions.draft import Draft
from hookscope.gui.interventions.fields import LineField, NumberField, ValueField
from hookscope.gui.interventions.selection_form import SelectionForm
from hookscope.gui.interventions.source_fields import ArrayField, FileField
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import Channels, Heads, Index, MagnitudeAbove, Selection, Span
from hookscope.protocol.tensor_changes import (
    Change,
    Clamp,
    ClipNorm,
    Expression,
    FromFile,
    FromStep,
    PlainChange,
    Replace,
    Scale,
    StopGradient,
    StraightThrough,
    Zero,
)
from hookscope.protocol.tensors import Array

LEFT = Qt.MouseButton.LeftButton
OTHERS: dict[type, Change] = {
    Replace: Replace(Array.of([[1.0, 2.0], [3.0, 4.0]])),
    FromFile: FromFile("some.npy"),
    FromStep: FromStep(7, TensorRef("features.0", Slot.OUTPUT, "out")),
    Expression: Expression("x * 0.5"),
}
"""Examples of kinds whose defaults are no example."""


@pytest.fixture
def form(qtbot: QtBot) -> Iterator[ChangeForm]:
    form = ChangeForm()
    qtbot.addWidget(form)
    form.show()
    yield form
    form.close()


def choose_kind(form: ChangeForm | SelectionForm, title: str) -> None:
    """Choose a kind as a person does."""
    form.kind.setCurrentIndex(form.kind.findText(title))
    form.kind.activated.emit(form.kind.currentIndex())


def type_into(field: ValueField, text: str, qtbot: QtBot) -> None:
    assert isinstance(field, LineField)
    field.select()
    qtbot.keyClicks(field.line, text)
    qtbot.keyClick(field.line, Qt.Key.Key_Return)


@pytest.mark.parametrize("kind", get_args(PlainChange))
def test_that_every_kind_of_change_is_shown_and_read_back(form: ChangeForm, kind: type) -> None:
    change = OTHERS.get(kind) or kind()
    form.set_change(change)
    assert form.change() == change
    assert form.fields_of(kind).keys() == set(kind.__struct_fields__)
    assert all(field.isVisible() for field in form.fields_of(kind).values())
    form.set_change(StraightThrough(change))
    assert form.change() == StraightThrough(change)


def test_that_a_kind_that_is_chosen_has_its_defaults(form: ChangeForm, qtbot: QtBot) -> None:
    form.set_change(Zero())
    with qtbot.waitSignal(form.edited):
        choose_kind(form, "Clip norm")
    assert form.change() == ClipNorm()


def test_that_a_number_is_typed_or_dragged(form: ChangeForm, qtbot: QtBot) -> None:
    form.set_change(Scale())
    field = form.fields_of(Scale)["factor"]
    assert isinstance(field, NumberField)
    assert field.slider is not None
    type_into(field, "0.25", qtbot)
    assert form.change() == Scale(0.25)
    assert field.slider.value() == 325
    field.slider.setValue(150)
    assert form.change() == Scale(-1.5)
    assert field.line.text() == "-1.5"
    type_into(field, "100", qtbot)
    assert field.slider.value() == field.slider.maximum()
    assert form.change() == Scale(100.0), "the slider's end is not the field's"


def test_that_what_is_no_number_is_told_beside_the_field(form: ChangeForm, qtbot: QtBot) -> None:
    form.set_change(ClipNorm())
    field = form.fields_of(ClipNorm)["limit"]
    for typed, told in (("abc", "“abc”"), ("", "needed"), ("0", "above 0"), ("-1", "above 0")):
        type_into(field, typed, qtbot) if typed else field.line.clear()  # type: ignore[attr-defined]
        with pytest.raises(ValueError, match=told):
            form.change()
        assert told in field.error
    type_into(field, "2", qtbot)
    assert form.change() == ClipNorm(2.0)
    assert field.error == ""


def test_that_an_end_may_be_left_out(form: ChangeForm, qtbot: QtBot) -> None:
    form.set_change(Clamp(-1.0, 1.0))
    field = form.fields_of(Clamp)["low"]
    field.select()
    qtbot.keyClick(field.line, Qt.Key.Key_Delete)  # type: ignore[attr-defined]
    assert form.change() == Clamp(None, 1.0)


def test_that_typing_counts_when_it_rests_or_ends(form: ChangeForm, qtbot: QtBot) -> None:
    form.set_change(Expression("x"))
    field = form.fields_of(Expression)["text"]
    assert isinstance(field, LineField)
    heard: list[str] = []
    form.edited.connect(lambda: heard.append(field.line.text()))
    field.select()
    qtbot.keyClicks(field.line, "x*2")
    assert heard == []
    qtbot.keyClick(field.line, Qt.Key.Key_Return)
    assert heard == ["x*2"]
    qtbot.keyClicks(field.line, "+1")
    qtbot.waitUntil(lambda: heard == ["x*2", "x*2+1"])


def test_that_what_is_no_python_is_told(form: ChangeForm, qtbot: QtBot) -> None:
    form.set_change(Expression("x"))
    type_into(form.fields_of(Expression)["text"], "x +", qtbot)
    with pytest.raises(ValueError, match="column"):
        form.change()
    assert "column" in form.fields_of(Expression)["text"].error


def test_that_values_are_typed_or_read_from_a_file(form: ChangeForm, qtbot: QtBot, tmp_path: Path) -> None:
    form.set_change(OTHERS[Replace])
    field = form.fields_of(Replace)["tensor"]
    assert isinstance(field, ArrayField)
    assert field.line.text() == "[[1.0, 2.0], [3.0, 4.0]]"
    type_into(field, "[5, 6]", qtbot)
    assert form.change() == Replace(Array.of(np.array([5, 6], np.float32)))
    type_into(field, "[[5], [6, 7]]", qtbot)
    with pytest.raises(ValueError, match="numbers"):
        form.change()
    values = np.arange(200.0).reshape(2, 100)
    np.save(tmp_path / "values.npy", values)
    field.take(str(tmp_path / "values.npy"))
    assert form.change() == Replace(Array.of(values))
    assert field.line.text() == "2 × 100, float64"
    field.take(str(tmp_path / "missing.npy"))
    assert "missing.npy" in field.error
    assert form.change() == Replace(Array.of(values)), "the former values stay"


def test_that_a_file_is_chosen_with_a_dialog(form: ChangeForm, qtbot: QtBot, tmp_path: Path) -> None:
    form.set_change(FromFile("some.npy"))
    field = form.fields_of(FromFile)["file"]
    assert isinstance(field, FileField)
    np.save(tmp_path / "values.npy", np.zeros(3))
    field.line.setText(str(tmp_path / "x.npy"))
    qtbot.mouseClick(field.button, LEFT)
    picker = field.findChild(QFileDialog)
    assert picker is not None
    picker.fileSelected.emit(str(tmp_path / "values.npy"))
    picker.reject()
    assert form.change() == FromFile(str(tmp_path / "values.npy"))


def test_that_steps_and_tensors_to_take_from_are_offered(form: ChangeForm) -> None:
    ref = TensorRef("features.0", Slot.INPUT, "args.0")
    form.set_change(Zero())
    form.offer_sources([9, 8], [ref])
    choose_kind(form, "As in another step")
    assert form.change() == FromStep(9), "the newest one at first"
    fields = form.fields_of(FromStep)
    fields["step"].set_value(4)
    fields["ref"].set_value(ref)
    form.offer_sources([9, 8], [])
    assert form.change() == FromStep(4, ref), "what was chosen stays"


def test_that_the_forward_pass_alone_has_straight_through_and_stop(form: ChangeForm) -> None:
    form.set_change(StraightThrough(Scale()))
    form.set_forward(is_forward=False)
    assert form.change() == Scale()
    row = form.kind.findText("Stop the gradient")
    assert not form.kind.model().item(row).isEnabled()  # type: ignore[attr-defined]
    form.set_forward(is_forward=True)
    assert form.change() == StraightThrough(Scale())
    form.set_change(StopGradient())
    assert form.change() == StopGradient()


@pytest.mark.parametrize(
    "selection",
    [None, Index((Span(), 3)), Channels((3, 5), 2), Heads((0, 2), 8), MagnitudeAbove(2.5)],
)
def test_that_every_selection_is_shown_and_read_back(selection: Selection | None, qtbot: QtBot) -> None:
    form = SelectionForm()
    qtbot.addWidget(form)
    form.set_selection(selection)
    assert form.selection() == selection
    assert {type(None), *get_args(Selection)} >= {type(selection)}


def test_that_a_bad_selection_is_told_beside_its_field(qtbot: QtBot) -> None:
    form = SelectionForm()
    qtbot.addWidget(form)
    form.show()
    choose_kind(form, "Index")
    field = form.fields_of(Index)["parts"]
    type_into(field, "a, 3", qtbot)
    with pytest.raises(ValueError, match="“a”"):
        form.selection()
    assert "“a”" in field.error
    type_into(field, ":, 3", qtbot)
    assert form.selection() == Index((Span(), 3))
    assert field.error == ""
    form.close()


def test_that_a_refused_draft_gives_way_to_the_one_before() -> None:
    draft = Draft("a")
    for proposal in ("b", "c"):
        draft.propose(proposal)
    assert draft.refuse() == "b"
    assert draft.refuse() == "a"
    assert draft.refuse() is None
    assert draft.newest == "a"


def test_that_every_number_of_every_change_has_a_name() -> None:
    for kind in get_args(PlainChange):
        for info in msgspec.structs.fields(kind):
            assert info.name in {"tensor", "ref"} or "title=" in repr(info.type), f"{kind.__name__}.{info.name}"
