"""The built-in examples: their names and what a person reads about them. The engine builds them."""

import msgspec


class ExampleInfo(msgspec.Struct, frozen=True):
    """One row of the welcome page and of `--list-examples`."""

    name: str
    title: str
    summary: str


EXAMPLES: tuple[ExampleInfo, ...] = (
    ExampleInfo("digits", "Handwritten digits", "A small CNN, trained on real scans, shown test images it never saw."),
    ExampleInfo("one_layer", "A hook on one layer", "Linear(5, 1) and an L1 loss: every number fits in the head."),
    ExampleInfo("conv_relu", "Convolution before an in-place ReLU", "Where PyTorch's own full hook fails."),
    ExampleInfo(
        "leaf_gradient", "Gradients of intermediate tensors", "y = (w + x)(w + 1): see what PyTorch frees at w + x."
    ),
    ExampleInfo("non_leaf", "The gradient of a non-leaf tensor", "o = sum((a + b) d): look at c = a + b and e = c d."),
    ExampleInfo(
        "not_scalar", "Backward from two numbers", "y = x + 2 needs a loss: sum starts from a gradient of ones."
    ),
    ExampleInfo("cnn", "Kernels, feature maps, gradients", "A two-layer CNN on one RGB image, cross entropy loss."),
    ExampleInfo("deep", "One layer of a deep network", "A VGG-like network: check one layer, then take it away."),
    ExampleInfo(
        "containers", "Modules and containers", "Nested blocks, a shared layer, and a ModuleList never called."
    ),
    ExampleInfo("broken_exploding", "Fault 1: the loss leaps up", "Gradients grow from layer to layer. From where?"),
    ExampleInfo("broken_nan", "Fault 2: NaN after one step", "The first loss is fine. Where is the first NaN born?"),
    ExampleInfo("broken_dead", "Fault 3: nothing is learned", "The loss stays where it is. Which layer is silent?"),
    ExampleInfo("broken_detached", "Fault 4: a part never learns", "The loss falls, yet one branch gets no gradient."),
)
