"""How often, in what order and by whom modules are called."""

import threading

import torch
from torch import nn
from torch.nn import functional

from hookscope.protocol.identity import Slot
from hookscope.protocol.tensors import BadgeKind
from tests.engine.observing import linear, step

TWO = [[2.0, 0.0], [0.0, 2.0]]


def test_case_022_a_module_under_several_names_is_one():
    class Three(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = linear(TWO)
            self.b = self.a
            self.c = nn.ModuleList([self.a])

        def forward(self, x):
            return self.c[0](self.b(self.a(x)))

    seen = step(Three(), lambda m: m(torch.ones(1, 2)).sum())
    outputs = [(c.ref.path, c.ref.call) for c in seen.order if c.ref.slot is Slot.OUTPUT and c.ref.path and c.spec]
    assert outputs == [("a", 0), ("a", 1), ("a", 2)]


def test_case_023_modules_that_are_bypassed_say_so_and_whether_they_learn():
    class Bypassing(nn.Module):
        def __init__(self):
            super().__init__()
            self.forwarded = linear(TWO)
            self.weight_only = linear(TWO)
            self.idle = linear(TWO)
            self.items = nn.ModuleList([nn.Identity()])

        def forward(self, x):
            return functional.linear(self.forwarded.forward(x), self.weight_only.weight)

    seen = step(Bypassing(), lambda m: m(torch.ones(1, 2)).sum())
    for path in ("forwarded", "weight_only"):
        assert seen.badges(path, Slot.OUTPUT, "out") == [BadgeKind.NEVER_CALLED_WITH_GRADIENT]
    for path in ("idle", "items", "items.0"):
        assert seen.badges(path, Slot.OUTPUT, "out") == [BadgeKind.NEVER_CALLED]


def test_case_024_recursion_is_a_tree_of_calls():
    class Recursive(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = linear(TWO)

        def forward(self, x, depth):
            return self.layer(x) if depth == 0 else self(x, depth - 1) * 10

    model = Recursive()
    seen = step(model, lambda m: m(torch.ones(1, 2), 2).sum())
    assert [seen.value("", Slot.OUTPUT, "out", call) for call in range(3)] == [[[200, 200]], [[20, 20]], [[2, 2]]]
    assert [seen.value("", Slot.GRAD_OUTPUT, "out", call) for call in range(3)] == [[[1, 1]], [[10, 10]], [[100, 100]]]


def test_case_026_the_output_projection_of_attention_is_never_called_but_learns():
    model = nn.MultiheadAttention(8, 2, batch_first=True)
    x = torch.ones(1, 3, 8, requires_grad=True)
    seen = step(model, lambda m: m(x, x, x)[0].sum())
    assert seen.badges("out_proj", Slot.OUTPUT, "out") == [BadgeKind.NEVER_CALLED_WITH_GRADIENT]
    assert seen.tensor("out_proj", Slot.PARAMETER_GRAD, "weight") is not None


def test_case_027_an_encoder_layer_on_its_fast_path_computes_the_same():
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    x = torch.randn(2, 3, 8)
    with torch.no_grad():
        bare = layer(x)
    results = []

    def run(m):
        with torch.no_grad():
            results.append(m(x))
        return torch.ones(1, requires_grad=True).sum()

    seen = step(layer, run)
    assert torch.equal(results[0], bare)
    assert seen.tensor("linear1", Slot.OUTPUT, "out") is not None


def test_case_029_recurrent_layers_are_one_call():
    seen = step(nn.GRU(2, 3), lambda m: m(torch.ones(5, 1, 2))[0].sum())
    assert {c.ref.call for c in seen.order} == {0}
    assert "weight_ih_l0" in seen.leaves("", Slot.PARAMETER_GRAD)


def test_case_077_two_threads_in_one_module_do_not_mix_their_calls():
    barrier = threading.Barrier(2, timeout=20)

    class Meeting(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = linear(TWO)

        def forward(self, x):
            barrier.wait()
            y = self.layer(x)
            barrier.wait()
            return y

    model = Meeting()
    results = {}

    def run(m):
        def work(number):
            with torch.enable_grad():
                results[number] = m(torch.full((1, 2), float(number)))

        threads = [threading.Thread(target=work, args=(number,)) for number in (1, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return results[1].sum() + results[5].sum()

    seen = step(model, run)
    pairs = {
        (seen.value("", Slot.INPUT, "args.0", call)[0][0], seen.value("", Slot.OUTPUT, "out", call)[0][0])
        for call in (0, 1)
    }
    assert pairs == {(1, 2), (5, 10)}


def test_case_049_hooks_added_and_removed_within_a_call_do_no_harm():
    model = nn.Sequential(linear(TWO), linear(TWO))

    def run(m):
        handle = m[0].register_forward_hook(lambda *_: handle.remove())
        m[0].register_forward_hook(lambda module, args, output: None)
        return m(torch.ones(1, 2)).sum()

    assert step(model, run).value("", Slot.OUTPUT, "out") == [[4, 4]]


def test_case_050_our_hooks_are_the_last_and_see_what_the_caller_gets():
    model = nn.Sequential(linear(TWO))
    model[0].register_forward_hook(lambda module, args, output: output * 10)
    model[0].register_forward_pre_hook(lambda module, args: (args[0] + 1,))
    seen = step(model, lambda m: m(torch.ones(1, 2)).sum())
    assert seen.value("0", Slot.INPUT, "args.0") == [[2, 2]]
    assert seen.value("0", Slot.OUTPUT, "out") == [[40, 40]]


def test_case_021_the_weight_gradient_is_the_sum_over_the_calls():
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = linear(TWO)

        def forward(self, x):
            return self.layer(x) + self.layer(2 * x)

    seen = step(Twice(), lambda m: m(torch.ones(1, 2)).sum())
    assert seen.value("layer", Slot.PARAMETER_GRAD, "weight") == [[3, 3], [3, 3]]
