"""The built-in examples, one small file each. `hookscope.protocol.examples` has what a person reads about them."""

from collections.abc import Callable

from hookscope.engine.workloads.examples import (
    broken_dead,
    broken_detached,
    broken_exploding,
    broken_nan,
    cnn,
    containers,
    conv_relu,
    deep,
    digits,
    leaf_gradient,
    non_leaf,
    not_scalar,
    one_layer,
)
from hookscope.engine.workloads.workload import Workload

BUILDERS: dict[str, Callable[[], Workload]] = {
    "digits": digits.build,
    "leaf_gradient": leaf_gradient.build,
    "one_layer": one_layer.build,
    "non_leaf": non_leaf.build,
    "conv_relu": conv_relu.build,
    "cnn": cnn.build,
    "deep": deep.build,
    "not_scalar": not_scalar.build,
    "containers": containers.build,
    "broken_exploding": broken_exploding.build,
    "broken_nan": broken_nan.build,
    "broken_dead": broken_dead.build,
    "broken_detached": broken_detached.build,
}
"""Name of an example -> what makes it, the same each time and without touching the global random state."""
