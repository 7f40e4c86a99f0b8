"""Where the tensors at hand cannot simply be replaced: what goes on in their place, or why nothing else can.

Each is an `at_hand.HandOn` once its first arguments are given.
"""

from collections.abc import Mapping

import torch

from hookscope.engine.stepping.traced_calls import TracedCall

_New = Mapping[str, torch.Tensor]


def loss_stays(_new: _New) -> None:
    """Refuse: nobody is handed the loss."""
    raise TypeError("expected a tensor of a module, given the loss: change what it is made of")


def nothing(_new: _New) -> None:
    """No tensor is at hand."""


def written(operation: str, _new: _New) -> None:
    """Refuse: the code that runs an operation for what it writes does not ask what it gives."""
    raise TypeError(f"expected an operation that gives a new tensor, given {operation}, which writes into one")


def passed_on(call: TracedCall, node: int | None, new: _New) -> dict[int, torch.Tensor]:
    """Return what a node is to pass on, by index, in place of a call's shares of its inputs' gradients.

    Args:
        call: The call.
        node: Number of the node that has yet to pass its shares on, among those of the call; `None` for none.
        new: The shares by the inputs' leaves.
    """
    found = {}
    for leaf, tensor in new.items():
        places = call.share_places[leaf]
        if len(places) > 1:
            raise TypeError(
                f"expected a gradient that goes on as one, given that of {leaf}, whose {len(places)} parts went on one "
                "by one"
            )
        passing, index = places[0]
        if passing != node:
            raise TypeError(f"expected a gradient that has not gone on, given that of {leaf}, which has")
        found[index] = tensor
    return found
