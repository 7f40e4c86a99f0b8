"""What is on the model and in it: nothing while no intervention is on, and nothing when a step is over."""

import copy
import gc
import io
import weakref

import pytest
import torch
from torch import nn

from hookscope.engine.capture import hooks
from hookscope.engine.capture.hooks import ModuleHooks
from hookscope.protocol.hooks import OperationRef
from hookscope.protocol.identity import Slot
from hookscope.protocol.interventions import Intervention
from hookscope.protocol.tensor_changes import Scale
from tests.engine.intervening.running import HOOK_DICTS, Session, gradients, hooks_on, same
from tests.engine.operating import no_trace_on

EVERYWHERE = (
    *(
        Intervention(number, "0", slot, Scale(3), leaf="weight" if "parameter" in slot.value else "")
        for number, slot in enumerate(Slot, 1)
    ),
    Intervention(9, "2", Slot.OUTPUT, Scale(2), operation="linear:0"),
)


def model_and_input():
    """Whole numbers: their sums have every bit in whichever order a busy machine adds them up."""
    numbers = torch.Generator().manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(inplace=True), nn.Linear(8, 2))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randint(-3, 4, parameter.shape, generator=numbers))
    return model, torch.randint(-3, 4, (3, 4), generator=numbers).float().requires_grad_()


def loss_and_gradients(model, x):
    x.grad = None
    model.zero_grad()
    loss = model(x * 1).square().sum()
    loss.backward()
    return {"loss": loss.detach(), "x": x.grad, **gradients(model)}


def off(*interventions):
    return [Intervention(i.id, i.path, i.slot, i.change, i.leaf, enabled=False) for i in interventions]


@pytest.mark.parametrize("how", ["off", "removed", "suspended"])
def test_that_with_nothing_on_the_model_is_the_same_to_the_bit_and_has_no_hook(how):
    model, x = model_and_input()
    plain = loss_and_gradients(model, x)
    session = Session(model, *EVERYWHERE, paths=())
    assert session.intervener.is_active
    with session.step():
        assert not same(loss_and_gradients(model, x), plain)
    if how == "off":
        session.intervener.set(off(*EVERYWHERE), session.modules)
    if how == "removed":
        session.intervener.set((), session.modules)

    def check():
        assert not session.intervener.is_active
        assert hooks_on(model) == 0
        with session.step():
            assert same(loss_and_gradients(model, x), plain)
            assert hooks_on(model) == 0
        assert session.intervener.statuses() == ()

    if how == "suspended":
        with session.intervener.suspended():
            check()
        assert session.intervener.is_active
        with session.step():
            assert not same(loss_and_gradients(model, x), plain)
        assert all(status.applied for status in session.intervener.statuses())
    else:
        check()
    assert no_trace_on(model) or how == "suspended"


def test_that_between_steps_nothing_acts():
    model, x = model_and_input()
    plain = loss_and_gradients(model, x)
    Session(model, *EVERYWHERE, paths=())
    assert same(loss_and_gradients(model, x), plain)


def test_that_hooks_of_ours_follow_the_interveners_and_users_go_before():
    model, _ = model_and_input()
    user = model[0].register_forward_hook(lambda *_: None)
    checked = [OperationRef("0", "linear", 0)]
    session = Session(model, operations=checked)
    session.intervener.set((Intervention(1, "0", Slot.OUTPUT, Scale(3)),), session.modules)
    before, after = (
        [type(hook).__name__ for hook in on_module.values()]
        for on_module in (model[0]._forward_pre_hooks, model[0]._forward_hooks)
    )
    assert before == ["_EnterReplacing", "_Enter", "_Enter"]
    assert after == ["function", "_LeaveReplacing", "_Leave", "_Leave"]
    user.remove()
    session.close()
    assert hooks_on(model) == 0


def test_that_the_last_changing_hooks_can_follow_the_others():
    class Tracing:
        def replaced(self, path, args, kwargs):
            return (args[0] + 1, *args[1:]), kwargs

        def returned(self, path, output):
            return None if path else output * 2

        def hook(self, path, module):
            return hooks.hook_changing(path, module, self)

    model = nn.Sequential(nn.Identity())
    session = Session(model, Intervention(1, "0", Slot.INPUT, Scale(10)))
    modules = ModuleHooks()
    tracing = Tracing()
    modules.set(session.modules, dict.fromkeys(session.modules, tracing))
    with session.step():
        assert model(torch.ones(1)).item() == ((1 + 1) * 10 + 1) * 2
    assert session.value("0", Slot.INPUT, "args.0") == [20]
    modules.set({})
    session.close()
    assert hooks_on(model) == 0


def test_that_a_copy_of_the_model_is_inert():
    model, x = model_and_input()
    plain = loss_and_gradients(model, x)
    session = Session(model, *EVERYWHERE, paths=())
    saved = io.BytesIO()
    torch.save(model, saved)
    saved.seek(0)
    twins = [copy.deepcopy(model), torch.load(saved, weights_only=False)]
    with session.step():
        for twin in twins:
            assert same(loss_and_gradients(twin, x), plain)


def test_that_a_step_keeps_nothing_of_the_model_alive():
    model, x = model_and_input()
    session = Session(model, *EVERYWHERE, paths=())
    outputs = []
    model[0].register_forward_hook(lambda _m, _a, out: outputs.append(weakref.ref(out)))
    session.run(lambda m: m(x * 1).sum())
    assert outputs
    assert outputs[0]() is None
    watched = weakref.ref(model)
    session.close()
    session.model = session.modules = None
    del model
    gc.collect()
    assert watched() is None


def test_that_a_step_that_raises_puts_parameters_back():
    model, x = model_and_input()
    before = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    session = Session(model, *EVERYWHERE)
    for error in (RuntimeError, KeyboardInterrupt):

        def raising(_module, _args, error=error):
            raise error

        handle = model[2].register_forward_pre_hook(raising)
        with pytest.raises(error):
            session.run(lambda m: m(x * 1).sum())
        handle.remove()
        assert same({name: parameter.detach() for name, parameter in model.named_parameters()}, before)
    session.close()
    assert hooks_on(model) == 0
    assert no_trace_on(model)
    assert all(not getattr(module, name) for module in model.modules() for name in HOOK_DICTS)


def test_that_a_change_of_the_list_within_a_step_holds_from_the_next_call_on():
    model = nn.Sequential(nn.Identity())
    session = Session(model, Intervention(1, "0", Slot.OUTPUT, Scale(2)))
    with session.step():
        assert model(torch.ones(1)).item() == 2
        session.intervener.set((Intervention(2, "0", Slot.OUTPUT, Scale(3)),), session.modules)
        assert model(torch.ones(1)).item() == 3
        session.intervener.set((), session.modules)
        assert model(torch.ones(1)).item() == 1
