"""The functions of written scripts that put hooks on a model, as texts.

Where `@` stands before a word, a script differs from others, see `script_helpers.helper_text`.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Helper:
    """A function or class of a script.

    Attributes:
        text: Its source.
        imports: What it imports, one statement each.
        needs: Names of other helpers.
    """

    text: str
    imports: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


HOOKS: dict[str, Helper] = {
    "entries": Helper(
        '''
def entries(value):
    """Return the keys and values of a container; nothing else has any."""
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, (list, tuple)):
        return list(enumerate(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
    return []
''',
        ("import dataclasses", "from collections.abc import Mapping"),
    ),
    "tensors": Helper(
        '''
def tensors(value, path=""):
    """Return the tensors of a nested value by their paths, such as `kwargs.mask` or `out.0`."""
    if isinstance(value, torch.Tensor):
        return {path: value}
    found = {}
    for key, entry in entries(value):
        found |= tensors(entry, f"{path}.{key}" if path else str(key))
    return found
''',
        needs=("entries",),
    ),
    "with_entry": Helper(
        '''
def with_entry(container, key, entry):
    """Return a copy of a container with another entry."""
    if isinstance(container, tuple):
        made = [*container[:key], entry, *container[key + 1 :]]
        return container._make(made) if hasattr(container, "_make") else type(container)(made)
    made = copy.copy(container)
    if isinstance(container, (list, MutableMapping)):
        made[key] = entry
    else:
        object.__setattr__(made, key, entry)
    return made
''',
        ("import copy", "from collections.abc import MutableMapping"),
    ),
    "with_leaf": Helper(
        '''
def with_leaf(value, leaf, change, path=""):
    """Return a nested value with one tensor changed; containers around it are copied."""
    if isinstance(value, torch.Tensor):
        return change(value) if path == leaf else value
    for key, entry in entries(value):
        changed = with_leaf(entry, leaf, change, f"{path}.{key}" if path else str(key))
        if changed is not entry:
            return with_entry(value, key, changed)
    return value
''',
        needs=("entries", "with_entry"),
    ),
    "change_leaf": Helper(
        '''
def change_leaf(value, leaf, change, of_gradient=False):
    """Change the tensor of a nested value that has a path; without a path, the only one there is."""
    found = tensors(value)
    named = [leaf] if leaf else list(found)
    if len(named) > 1 and of_gradient:
        named = [name for name in named if found[name].requires_grad] or named
    if len(named) != 1 or named[0] not in found:
        wanted = leaf or "a single tensor"
        warnings.warn(f"nothing is changed: {wanted} is not among {', '.join(found)}", stacklevel=2)
        return value
    return with_leaf(value, named[0], change)
''',
        ("import warnings",),
        ("tensors", "with_leaf"),
    ),
    "change_input": Helper(
        '''
def change_input(module, leaf, change, of_gradient=False@only_call):
    """Change what a module is called with; return the handle of the hook."""

    def hook(module, args, kwargs):
@unless_called        given = {"args": args, "kwargs": kwargs}
        changed = change_leaf(given, leaf, @change, of_gradient)
        return changed["args"], changed["kwargs"]

    return module.register_forward_pre_hook(hook, with_kwargs=True)
''',
        needs=("change_leaf",),
    ),
    "change_output": Helper(
        '''
def change_output(module, leaf, change, of_gradient=False@only_call):
    """Change what a module returns; return the handle of the hook."""

    def hook(module, args, output):
@unless_called        return change_leaf({"out": output}, leaf, @change, of_gradient)["out"]

    return module.register_forward_hook(hook)
''',
        needs=("change_leaf",),
    ),
    "on_gradient": Helper(
        '''
def on_gradient(change):
    """Return what leaves a tensor as it is and changes the gradient that comes back to it."""

    def watch(x@given_call):
        if not x.requires_grad:
            return x
        if x.is_leaf:  # a hook on it would stay for further steps
            x = x.view_as(x)
        x.register_hook(@of_call)
        return x

    return watch
''',
    ),
    "on_share": Helper(
        '''
def on_share(module, change):
    """Return what gives a module a view of its input, and changes the gradient that comes back to that view alone."""

    def watch(x@given_call):
        if not x.requires_grad:
            return x
        # A view that is written to would not get the gradient.
        own = x.clone() if getattr(module, "inplace", False) else x.view_as(x)
        own.register_hook(@of_call)
        return own

    return watch
''',
    ),
    "parameter_of": Helper(
        '''
def parameter_of(module, name):
    """Return a parameter of a module; without a name, the only one there is."""
    named = dict(module.named_parameters(recurse=False))
    if not name and len(named) == 1:
        (name,) = named
    return named[name]
''',
    ),
    "ChangedParameter": Helper(
        '''
class ChangedParameter:
    """Changes a parameter until `remove()`, which puts its values back: call that before an optimizer steps."""

    def __init__(self, parameter, change):
        self.parameter = parameter
        self.values = parameter.detach().clone()
        with torch.no_grad():
            parameter.copy_(change(parameter.detach().clone()@first_call))

    def remove(self):
        with torch.no_grad():
            self.parameter.copy_(self.values)
''',
    ),
    "innermost_module": Helper(
        '''
def innermost_module(frame):
    """Return the module whose call is the innermost one around a frame."""
    while frame is not None and frame.f_code is not torch.nn.Module._call_impl.__code__:
        frame = frame.f_back
    return frame and frame.f_locals["self"]
''',
    ),
    "ChangedOperations": Helper(
        '''
class ChangedOperations(TorchFunctionMode):
    """Changes what operations return in the own forward of a module, for instance its second `add`."""

    def __init__(self, module, changes):
        super().__init__()
        self.module = module
        self.changes = changes
        self.counts = Counter()

    def begin(self, module, args):
        self.counts.clear()
        self.__enter__()

    def end(self, module, args, output):
        self.__exit__(None, None, None)

    def __torch_function__(self, func, types, args=(), kwargs=None):
        name = @operation_name
        is_own = innermost_module(sys._getframe(1)) is self.module
        changes = self.changes.get((name, self.counts[name]), ()) if is_own else ()
@before_in_place        result = func(*args, **(kwargs or {}))
@in_place        if is_own and tensors(result):
            self.counts[name] += 1
            for leaf, change, of_gradient@in_calls in changes:
@bind_in_mode                result = change_leaf({"out": result}, leaf, change, of_gradient)["out"]
@after_in_place        return result
''',
        ("import sys", "from collections import Counter", "from torch.overrides import TorchFunctionMode"),
        ("innermost_module", "change_leaf"),
    ),
    "change_operations": Helper(
        '''
def change_operations(module, changes):
    """Change operations in the own forward of a module; return the handles of the hooks."""
    operations = ChangedOperations(module, changes)
    return [
        module.register_forward_pre_hook(operations.begin),
        module.register_forward_hook(operations.end, always_call=True),
    ]
''',
        needs=("ChangedOperations",),
    ),
    "Calls": Helper(
        '''
class Calls:
    """Numbers the calls of modules in a step, which begins when the whole model is called.

    A call that checkpointing repeats in backward has the number of the call that it repeats: the one with its inputs.
    """

    def __init__(self):
        self.step = 0
        self.inputs = defaultdict(list)
        self.repeated = Counter()
        self.newest = {}

    def watch(self, model, modules):
        return [
            model.register_forward_pre_hook(self.begin_step),
            *(module.register_forward_pre_hook(self.enter, with_kwargs=True) for module in modules),
        ]

    def begin_step(self, model, args):
        if torch._C._current_graph_task_id() == -1:  # else backward repeats the whole model
            self.step += 1
            self.inputs.clear()
            self.repeated.clear()

    def enter(self, module, args, kwargs):
        known = self.inputs[module]
        given = [(x.shape, x.detach().double().sum().item()) for x in tensors([args, kwargs]).values()]
        if known and torch._C._current_graph_task_id() != -1:
            same = [number for number, inputs in enumerate(known) if inputs == given] or range(len(known))
            number = min(same, key=lambda number: (self.repeated[module, number], -number))
            self.repeated[module, number] += 1
        else:
            number = len(known)
            known.append(given)
        self.newest[module] = number

    def number(self, module):
        return self.newest.get(module, 0)


calls = Calls()
''',
        ("from collections import Counter, defaultdict",),
        ("tensors",),
    ),
}
"""Name -> what is written, in the order in which they stand in a script."""

IN_PLACE = {
    "@before_in_place": """\
        is_written = bool(changes) and (name.endswith("_") or name == "setitem")
        if is_written:  # on a copy: what the operation gives may be needed for backward as it is
            target, args = args[0], (args[0].clone(), *args[1:])
""",
    "@in_place": """\
        if is_written:
            result = args[0]
""",
    "@after_in_place": """\
        if is_written:
            result = target.copy_(result)
""",
}
"""What is added to `ChangedOperations` for operations that write into their first argument."""

NAME = "OPERATORS.get(func.__name__, func.__name__)"
NAME_OF_ALL = f'func.__self__.__name__ if func.__name__ == "__get__" else {NAME}'
"""What `ChangedOperations` calls a function, when attributes are among the operations and when not."""
