"""The Python target: a small tree of the expressions and statements that generated modules are made of.

Nothing here knows Triton or Rust; `transpiler.target.printer` writes the tree as text.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from transpiler.source import Span


# --- Expressions ----------------------------------------------------------------------------------


class Operator(Enum):
    """Operators by their Python spelling."""

    OR = "or"
    AND = "and"
    NOT = "not"
    LESS = "<"
    LESS_EQUAL = "<="
    GREATER = ">"
    GREATER_EQUAL = ">="
    EQUAL = "=="
    NOT_EQUAL = "!="
    IS = "is"
    IS_NOT = "is not"
    IN = "in"
    BIT_OR = "|"
    BIT_XOR = "^"
    BIT_AND = "&"
    SHIFT_LEFT = "<<"
    SHIFT_RIGHT = ">>"
    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    FLOOR_DIVIDE = "//"
    REMAINDER = "%"
    NEGATE = "unary -"
    INVERT = "~"


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier, `None`, `True` or `False`."""

    text: str


@dataclass(frozen=True, slots=True)
class Number:
    """A numeral; never negative."""

    text: str


@dataclass(frozen=True, slots=True)
class Text:
    """A string."""

    value: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """`value.name`."""

    value: Expression
    name: str


@dataclass(frozen=True, slots=True)
class Keyword:
    """`name=value` in a call."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Call:
    """`function(arguments, keywords)`."""

    function: Expression
    arguments: tuple[Expression, ...] = ()
    keywords: tuple[Keyword, ...] = ()


@dataclass(frozen=True, slots=True)
class Subscript:
    """`value[index]`."""

    value: Expression
    index: Expression


@dataclass(frozen=True, slots=True)
class Unary:
    """`-x`, `~x`, `not x`."""

    operator: Operator
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary:
    """`left operator right`: arithmetic, comparison or logic."""

    operator: Operator
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Choice:
    """`value if condition else other`."""

    condition: Expression
    value: Expression
    other: Expression


@dataclass(frozen=True, slots=True)
class List:
    """`[a, b]`."""

    elements: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Tuple:
    """`(a, b)`."""

    elements: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Dict:
    """`{key: value}`."""

    entries: tuple[tuple[Expression, Expression], ...]


@dataclass(frozen=True, slots=True)
class Slice:
    """`start:stop:step`, the index of a `Subscript`."""

    start: Expression | None = None
    stop: Expression | None = None
    step: Expression | None = None


@dataclass(frozen=True, slots=True)
class Starred:
    """`*value`, among elements or arguments."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Clause:
    """`for target in iterable if condition`."""

    target: str
    iterable: Expression
    conditions: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Comprehension:
    """`element for …`: a list, or a generator."""

    element: Expression
    clauses: tuple[Clause, ...]
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Lambda:
    """`lambda parameters: body`."""

    parameters: tuple[str, ...]
    body: Expression


@dataclass(frozen=True, slots=True)
class Row:
    """An element that has a line to itself, with the comments above it and behind it."""

    value: Expression
    comments: tuple[str, ...] = ()
    trailing: str | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Rows:
    """A tuple that is written a row a line where it is the value of a `return`."""

    rows: tuple[Row, ...]


Expression: TypeAlias = (
    Name
    | Number
    | Text
    | Attribute
    | Call
    | Subscript
    | Unary
    | Binary
    | Choice
    | List
    | Tuple
    | Dict
    | Slice
    | Starred
    | Comprehension
    | Lambda
    | Rows
)


def dotted(path: str) -> Name | Attribute:
    """`tl.float32` as a tree."""
    first, *rest = path.split(".")
    value: Name | Attribute = Name(first)
    for name in rest:
        value = Attribute(value, name)
    return value


# --- Statements -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementNode:
    """What all statements have: the place in the Rust text, and what stands around them.

    `comments` are the lines above without `# `, `trailing` the comment at the end of the line.
    """

    span: Span | None = None
    comments: tuple[str, ...] = ()
    trailing: str | None = None
    blank_before: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment(StatementNode):
    """`a, b = value`, `name: annotation = value` or, with an operator, `name += value`."""

    targets: tuple[str, ...]
    value: Expression
    annotation: Expression | None = None
    operator: Operator | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation(StatementNode):
    """An expression as a statement."""

    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class If(StatementNode):
    """`if condition: …`, with `else` or `elif` where `other` is given."""

    condition: Expression
    body: Suite
    other: Suite | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class While(StatementNode):
    """`while condition: …`."""

    condition: Expression
    body: Suite


@dataclass(frozen=True, slots=True, kw_only=True)
class For(StatementNode):
    """`for target in iterable: …`."""

    target: str
    iterable: Expression
    body: Suite


@dataclass(frozen=True, slots=True, kw_only=True)
class Return(StatementNode):
    """`return` or `return value`."""

    value: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Raise(StatementNode):
    """`raise value`."""

    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Break(StatementNode):
    """`break`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Continue(StatementNode):
    """`continue`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition(StatementNode):
    """A function within a function."""

    function: Function


Statement: TypeAlias = (
    Assignment | Evaluation | If | While | For | Return | Raise | Break | Continue | Definition
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """The statements of a block and the comments after the last one; without statements it prints `pass`."""

    statements: tuple[Statement, ...]
    closing_comments: tuple[str, ...] = ()


# --- Functions ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """`name` or `name: annotation`."""

    name: str
    annotation: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function; `docs` are the lines of its docstring, `comment` the line above its decorator or itself.

    A method has no decorator and a parameter `self`. `is_spread` asks for one parameter a line however few there are.
    """

    name: str
    decorator: Expression | None = None
    parameters: tuple[Parameter, ...]
    docs: tuple[str, ...]
    body: Suite
    returns: Expression | None = None
    span: Span | None = None
    comment: str | None = None
    is_spread: bool = False
