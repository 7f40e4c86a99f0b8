"""The built-in examples: their names and what a person reads about them. The engine builds them."""

import msgspec


class ExampleInfo(msgspec.Struct, frozen=True):
    """One row of the welcome page and of `--list-examples`.

    Attributes:
        name: What is written after `example:`.
        title: What it is called.
        summary: What it is, in one line.
        is_fault: Whether it has a planted fault to find.
    """

    name: str
    title: str
    summary: str
    is_fault: bool = False


EXAMPLES: tuple[ExampleInfo, ...] = (
    ExampleInfo("digits", "Handwritten digits", "A small CNN, trained on real scans, shown test images it never saw."),
    ExampleInfo(
        "leaf_gradient", "Gradients of intermediate tensors", "y = (w + x)(w + 1): see what PyTorch frees at w + x."
    ),
    ExampleInfo("one_layer", "A hook on one layer", "Linear(5, 1) and an L1 loss: every number fits in the head."),
    ExampleInfo("non_leaf", "The gradient of a non-leaf tensor", "o = sum((a + b) d): look at c = a + b and e = c d."),
    ExampleInfo("conv_relu", "Convolution before an in-place ReLU", "Where PyTorch's own full hook fails."),
    ExampleInfo("cnn", "Kernels, feature maps, gradients", "A two-layer CNN on one RGB image, cross entropy loss."),
    ExampleInfo("deep", "One layer of a deep network", "A VGG-like network: check one layer, then take it away."),
    ExampleInfo("not_scalar", "Backward from two numbers", "y = x + 2 is no loss: sum it, or start from a gradient."),
    ExampleInfo(
        "containers", "Modules and containers", "Nested blocks, a shared layer, and a ModuleList never called."
    ),
    ExampleInfo(
        "broken_exploding",
        "Fault 1: the loss leaps up",
        "Gradients grow from layer to layer. From where?",
        is_fault=True,
    ),
    ExampleInfo(
        "broken_nan",
        "Fault 2: NaN after one step",
        "The first loss is fine. Where is the first NaN born?",
        is_fault=True,
    ),
    ExampleInfo(
        "broken_dead",
        "Fault 3: nothing is learned",
        "The loss stays where it is. Which layer is silent?",
        is_fault=True,
    ),
    ExampleInfo(
        "broken_detached",
        "Fault 4: a part never learns",
        "The loss falls, yet one branch gets no gradient.",
        is_fault=True,
    ),
)
"""One to look around in, the lessons in their order, and the faults."""
