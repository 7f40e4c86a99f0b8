"""Python expressions, as conditions and as changes: checked when they are typed, evaluated when a hook fires.

The checks are there so that a wrong expression is refused at once, in words that help. They are no sandbox: the
expression is the user's own, and runs with the user's rights in the user's model. How long it runs is up to the user
too: nothing ends a loop within it that does not end.
"""

import ast
import math
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import CodeType

import torch

from hookscope.protocol.patterns import nearest


@dataclass(frozen=True)
class Purpose:
    """What an expression is for.

    Attributes:
        names: What differs from one evaluation to the next.
        manner: What such an expression does instead of changing something.
        instead: What to write in place of `=`.
    """

    names: tuple[str, ...]
    manner: str
    instead: str

    @property
    def statements(self) -> dict[type[ast.stmt], str]:
        """What to tell people who take the field for a line of a program."""
        stores = f"{self.manner}; this stores a value"
        imports = "nothing can be imported; `torch` and `math` are there already"
        return {
            ast.Assign: f"`=` stores a value; {self.instead}",
            ast.AugAssign: stores,
            ast.AnnAssign: stores,
            ast.Import: imports,
            ast.ImportFrom: imports,
        }


CONDITION = Purpose(("tensor", "module", "path", "call", "step"), "a condition only looks", "write `==` to compare")
NEW_VALUE = Purpose(
    ("x", "module", "path", "call", "step"), "an expression gives a new value", "write the new value alone"
)

NAMES = CONDITION.names
"""The names of a condition."""

_THE_TENSOR = {CONDITION.names[0], NEW_VALUE.names[0]}
"""What the tensor is called in the one or the other."""

_BUILTINS = (abs, all, any, bool, float, int, isinstance, len, max, min, round, str, sum)
_ALWAYS: dict[str, object] = {"torch": torch, "math": math, **{function.__name__: function for function in _BUILTINS}}


class ExpressionError(ValueError):
    """An expression that cannot be used, or that raised.

    Attributes:
        message: What is wrong. Of an expression that raised, the exception's type and text.
        column: Character at which it is wrong, from 1, blanks before the expression not counted; `None` when the
            expression as a whole is.
        line: Line of that character, from 1.
    """

    def __init__(self, message: str, column: int | None = None, line: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.column = column
        self.line = line

    def __str__(self) -> str:
        if self.column is None:
            return self.message
        place = f"column {self.column}" if self.line == 1 else f"line {self.line}, column {self.column}"
        return f"{self.message} ({place})"


class CompiledExpression:
    """An expression that has passed the checks; `compile_expression` makes it.

    Attributes:
        text: The expression.
        names: Which of the names of its purpose it uses.
    """

    def __init__(self, text: str, code: CodeType, names: frozenset[str]) -> None:
        self.text = text
        self.names = names
        self._code = code

    def evaluate(self, **names: object) -> bool:
        """Say whether the expression is true; a tensor of one element counts as that element. On any thread.

        No graph is recorded and autocast is off meanwhile. On a CUDA device this waits for the values.

        Args:
            names: The values of the names, or of those that the expression uses.

        Raises:
            ExpressionError: The expression raised, or its result is neither true nor false.
        """
        with _telling(), _only_looking(names.get("tensor")):
            return _truth(self._run(names))

    def value(self, **names: object) -> object:
        """Return what the expression gives, recorded by autograd as any code that ran here would be. On any thread.

        Args:
            names: The values of the names, or of those that the expression uses.

        Raises:
            ExpressionError: The expression raised.
        """
        with _telling():
            return self._run(names)

    def _run(self, names: dict[str, object]) -> object:
        # All in one dict, the globals: inner scopes (a generator's, a lambda's) do not see the locals of an eval.
        return eval(self._code, {"__builtins__": {}, **_ALWAYS, **names})


def compile_expression(text: str, purpose: Purpose = CONDITION) -> CompiledExpression:
    """Check an expression and compile it.

    It may use the names of its purpose, `torch`, `math` and a few builtins: `abs`, `all`, `any`, `bool`, `float`,
    `int`, `isinstance`, `len`, `max`, `min`, `round`, `str`, `sum`.

    Raises:
        ExpressionError: It is no expression, uses an unknown name, or would change something.
    """
    source = text.strip()
    if not source:
        raise ExpressionError("the expression is empty")
    tree, code = _compile(source, purpose)
    nodes = list(ast.walk(tree))
    bound = {name for node in nodes for name in _binds(node)}
    for node in nodes:
        problem = _problem(node, bound, purpose)
        if problem and isinstance(node, ast.expr):
            raise ExpressionError(problem, _column(source, node), node.lineno)
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    return CompiledExpression(source, code, frozenset(used.intersection(purpose.names)))


def _compile(source: str, purpose: Purpose) -> tuple[ast.Expression, CodeType]:
    with warnings.catch_warnings():
        # What Python only warns of (`step is 3`) is a mistake for sure: it is refused as one.
        warnings.simplefilter("error", SyntaxWarning)
        warnings.simplefilter("error", DeprecationWarning)
        try:
            tree = ast.parse(source, "<expression>", "eval")
            return tree, compile(tree, "<expression>", "eval")
        except SyntaxError as error:
            raise _syntax_error(source, error, purpose) from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise ExpressionError(f"this cannot be read: {error}") from None


def _syntax_error(source: str, error: SyntaxError, purpose: Purpose) -> ExpressionError:
    message = purpose.statements.get(_statement(source), error.msg)
    return ExpressionError(message, max(1, error.offset or 1), error.lineno or 1)


def _statement(source: str) -> type[ast.stmt]:
    """Return what the text is if it is taken for a program; `Expr` when it is none either."""
    try:
        return type(ast.parse(source).body[0])
    except (SyntaxError, IndexError):
        return ast.Expr


def _binds(node: ast.AST) -> Iterator[str]:
    """Yield the names that a part of an expression brings in itself: loop variables and arguments."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg


def _problem(node: ast.AST, bound: set[str], purpose: Purpose) -> str:
    match node:
        case ast.Name(id=name) if not (name in bound or name in purpose.names or name in _ALWAYS):
            near = nearest(name, [*purpose.names, "torch", "math"])
            if name in _THE_TENSOR:
                near = [purpose.names[0]]
            known = ", ".join([*purpose.names, *_ALWAYS])
            return f"unknown name `{name}`; " + (f"did you mean `{near[0]}`?" if near else f"there are {known}")
        case ast.Attribute(attr=name) if name.startswith("__"):
            return f"`{name}` cannot be used; names with two underscores are Python's own"
        case ast.Call(func=ast.Attribute(attr=name)) if name.endswith("_") and not name.startswith("__"):
            return f"{purpose.manner}; `{name}` would change something"
        case ast.Call(keywords=keywords) if any(keyword.arg == "out" for keyword in keywords):
            return f"{purpose.manner}; `out=` would change something"
        case ast.NamedExpr():
            return f"{purpose.manner}; `:=` stores a value"
    return ""


def _column(source: str, node: ast.expr) -> int:
    """Return where a part begins, in characters: Python's own offset counts bytes."""
    line = source.splitlines()[node.lineno - 1]
    return len(line.encode()[: node.col_offset].decode()) + 1


@contextmanager
def _telling() -> Iterator[None]:
    """Turn what an expression raises into words."""
    try:
        yield
    except ExpressionError:
        raise
    except Exception as error:
        message = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise ExpressionError(message) from None


@contextmanager
def _only_looking(tensor: object) -> Iterator[None]:
    kinds = {"cpu", tensor.device.type} if isinstance(tensor, torch.Tensor) else {"cpu"}
    with ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        for kind in kinds:
            if torch.amp.is_autocast_available(kind) and torch.is_autocast_enabled(kind):
                stack.enter_context(torch.autocast(kind, enabled=False))
        yield


def _truth(result: object) -> bool:
    if isinstance(result, torch.Tensor) and result.numel() != 1:
        shape = tuple(result.shape)
        raise ExpressionError(f"the result is a tensor of shape {shape}, neither true nor false: say .any() or .all()")
    return bool(result)
