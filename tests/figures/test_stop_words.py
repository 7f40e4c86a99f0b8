import pytest

from hookscope.figures.stop_words import MET, REASONS, word_place, word_reason, word_stop
from hookscope.protocol.stops import EventKind, StepEvent, StopKind, StopReason


def event(kind: EventKind, path: str = "features.3", leaf: str = "out") -> StepEvent:
    return StepEvent(31, kind, path, 0, 2, 0.1, leaf)


@pytest.mark.parametrize("kind", StopKind)
def test_that_every_reason_is_worded_with_and_without_its_values(kind: StopKind) -> None:
    values = {"breakpoint": "1", "hits": "2", "what": "norm_above", "value": "12", "limit": "10", "error": "NameError"}
    assert REASONS[kind]
    for given in (values, {}):
        text = word_reason(event(EventKind.FORWARD_LEAVE), StopReason(kind, given))
        assert "{" not in text
        assert not text.endswith((":", ",", " "))
    assert word_reason(event(EventKind.FORWARD_LEAVE), StopReason(kind, values))


@pytest.mark.parametrize("kind", EventKind)
def test_that_every_event_has_a_place(kind: EventKind) -> None:
    assert word_place(event(kind), "Net")


def test_that_a_breakpoint_says_what_it_has_found_in_a_gradient() -> None:
    values = {"breakpoint": "3", "hits": "2", "what": "norm_above", "value": "1234", "limit": "1000"}
    text = word_stop(event(EventKind.BACKWARD_ENTER, "layer3.0.conv1"), StopReason(StopKind.BREAKPOINT, values), "Net")
    assert text.where == "backward, layer3.0.conv1 grad_output"
    assert text.why == "grad norm 1234 > 1000, hit 2"


@pytest.mark.parametrize("what", MET)
def test_that_every_condition_says_what_it_has_found(what: str) -> None:
    values = {"what": what, "value": "VALUE", "limit": "LIMIT", "hits": "1"}
    text = word_reason(event(EventKind.FORWARD_LEAVE), StopReason(StopKind.BREAKPOINT, values))
    assert text.endswith(", hit 1")
    assert "VALUE" in text or "LIMIT" in text


def test_that_the_root_goes_by_its_class_and_the_loss_by_nothing() -> None:
    assert word_place(event(EventKind.FORWARD_ENTER, "", "args.0"), "Net") == "forward, Net input 0"
    assert word_place(event(EventKind.LOSS, ""), "Net") == "loss"


def test_that_non_finite_counts_are_told() -> None:
    reason = StopReason(StopKind.NON_FINITE, {"what": "non_finite 3 NaN, 1 +Inf"})
    assert word_reason(event(EventKind.FORWARD_LEAVE), reason) == "3 NaN, 1 +Inf"


def test_that_words_are_translated_before_they_are_filled() -> None:
    reason = StopReason(StopKind.CONDITION_FAILED, {"error": "NameError: y"})
    german = {REASONS[StopKind.CONDITION_FAILED]: "Bedingung: {error}"}
    assert word_reason(event(EventKind.FORWARD_LEAVE), reason, german.__getitem__) == "Bedingung: NameError: y"
