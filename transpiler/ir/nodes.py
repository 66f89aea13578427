"""The typed IR: kernels and functions, symbols by identity, every expression with its type.

The passes from `settle` on keep these invariants, which `transpiler.ir.verify` checks: every type is settled, every
symbol is declared before it is read, and the two sides of an assignment have one type.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

from transpiler.frozen import dataclass
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.ir.types import Dimension, DType, DtypeParameter, ElementType, Type
    from transpiler.ops.model import Effect, Op
    from transpiler.source import Span


class SymbolKind(Enum):
    """Where a symbol comes from; that decides when its value is known."""

    PARAMETER = "parameter"
    CONST_GENERIC = "const generic"
    LOCAL = "local"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Symbol:
    """A value's name, told apart by `id` alone: shadowing gives a new symbol with the old name.

    `name` is the Rust name; Python names are given in `transpiler.target.names` only.
    """

    id: int
    name: str
    kind: SymbolKind
    type: Type
    span: Span
    is_mutable: bool = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Symbol) and other.id == self.id

    def __hash__(self) -> int:
        return self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """What all nodes have: the place in the Rust text."""

    span: Span


# --- Expressions ----------------------------------------------------------------------------------


class UnaryOperator(Enum):
    """Prefix operators on values."""

    NEGATE = "-"
    NOT = "!"


class BinaryOperator(Enum):
    """Infix operators, by their Rust spelling. Division and remainder of integers truncate, shifts are Rust's."""

    MULTIPLY = "*"
    DIVIDE = "/"
    REMAINDER = "%"
    ADD = "+"
    SUBTRACT = "-"
    SHIFT_LEFT = "<<"
    SHIFT_RIGHT = ">>"
    BIT_AND = "&"
    BIT_XOR = "^"
    BIT_OR = "|"
    EQUAL = "=="
    NOT_EQUAL = "!="
    LESS = "<"
    GREATER = ">"
    LESS_EQUAL = "<="
    GREATER_EQUAL = ">="
    AND = "&&"
    OR = "||"

    # As for dtypes.
    __hash__ = object.__hash__

    @property
    def is_comparison(self) -> bool:
        """Whether the result is a truth value of two compared operands."""
        return self in OPPOSITES

    @property
    def is_logical(self) -> bool:
        """Whether it is `&&` or `||`, which evaluate the right side only where needed."""
        return self is BinaryOperator.AND or self is BinaryOperator.OR

    @property
    def is_division(self) -> bool:
        """Whether it is a quotient or a remainder."""
        return self is BinaryOperator.DIVIDE or self is BinaryOperator.REMAINDER


OPPOSITES = {
    BinaryOperator.EQUAL: BinaryOperator.NOT_EQUAL,
    BinaryOperator.NOT_EQUAL: BinaryOperator.EQUAL,
    BinaryOperator.LESS: BinaryOperator.GREATER_EQUAL,
    BinaryOperator.GREATER_EQUAL: BinaryOperator.LESS,
    BinaryOperator.GREATER: BinaryOperator.LESS_EQUAL,
    BinaryOperator.LESS_EQUAL: BinaryOperator.GREATER,
}
"""The comparison that holds where another does not; NaN makes an exception of floats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedNode(Node):
    """An expression: it has a type."""

    type: Type


@dataclass(frozen=True, slots=True, kw_only=True)
class Literal(TypedNode):
    """A constant of scalar type.

    Once settled, `value` is exactly representable in a concrete dtype; in a dtype parameter it is the f64 that the
    parameter's instance rounds. `digits` is a float literal's text without underscores and suffix, None for values the
    compiler computed.
    """

    value: bool | int | float
    digits: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Read(TypedNode):
    """The value of a symbol."""

    symbol: Symbol


@dataclass(frozen=True, slots=True, kw_only=True)
class Unary(TypedNode):
    """`-x` or `!x`, on scalars and tensors alike."""

    operator: UnaryOperator
    operand: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Binary(TypedNode):
    """`left operator right`; tensors broadcast, a scalar joins a tensor of its dtype."""

    operator: BinaryOperator
    left: Expression
    right: Expression


class CastKind(Enum):
    """How a conversion treats what does not fit."""

    RUST_AS = "as"
    """Rust's `as`: float to integer saturates, NaN becomes 0, integers wrap, floats round to nearest."""
    FROM_F64 = "from_f64"
    """`D::from_f64(x)`: rounds to nearest."""
    WIDEN = "widen"
    """From the dtype memory holds to that in which its arithmetic runs."""
    NARROW = "narrow"
    """From the dtype in which arithmetic runs to that of memory: rounds to nearest."""
    MATERIALISE = "materialise"
    """A value Python or Triton may hold as a constant or in another precision becomes a value of exactly this dtype."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast(TypedNode):
    """`operand` converted to the dtype of `type`."""

    operand: Expression
    kind: CastKind


@dataclass(frozen=True, slots=True, kw_only=True)
class OpCall(TypedNode):
    """`T::op::<dtypes>(arguments)`: one argument a parameter of the row, one dtype a generic."""

    op: Op
    dtypes: tuple[ElementType, ...]
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FunctionSymbol:
    """A function that kernels call, told apart by `id` alone; `name` is its Rust name.

    `effects` are what calling it does besides computing its value, calls within it counted; `constants` the places of
    those parameters whose value it needs at compile time, `extents` those of the const generics that are extents of
    tiles.
    """

    id: int
    name: str
    effects: frozenset[Effect]
    constants: frozenset[int]
    extents: frozenset[int]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FunctionSymbol) and other.id == self.id

    def __hash__(self) -> int:
        return self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(TypedNode):
    """A call of a function of the file: a dtype for each of its dtype parameters, a value for each of its others."""

    function: FunctionSymbol
    dtypes: tuple[ElementType, ...]
    constants: tuple[Expression, ...]
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetPointer(TypedNode):
    """`pointer.add_offsets(offsets)`: a tensor of pointers, `offsets` counted in elements."""

    pointer: Expression
    offsets: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class TupleValue(TypedNode):
    """`(a, b)`."""

    elements: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TupleElement(TypedNode):
    """`tuple.0`."""

    operand: Expression
    index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditional(TypedNode):
    """`if condition { … } else { … }` as a value, or a block used as one where both arms are given by `BlockValue`."""

    condition: Expression
    then_value: BlockValue
    else_value: BlockValue


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockValue(TypedNode):
    """`{ statements; value }`."""

    statements: tuple[Statement, ...]
    value: Expression


Expression: TypeAlias = (
    Literal
    | Read
    | Unary
    | Binary
    | Cast
    | OpCall
    | Call
    | OffsetPointer
    | TupleValue
    | TupleElement
    | Conditional
    | BlockValue
)


# --- Arguments of operations that are not values --------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsentArgument(Node):
    """`None`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListArgument(Node):
    """`&[a, b]`."""

    elements: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EnumArgument(Node):
    """`Axis::X`: a member of one of the language's enums."""

    enum: str
    member: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagArgument(Node):
    """`true` or `false` where an operation takes a compile-time flag."""

    value: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TextArgument(Node):
    """A string, its escapes resolved."""

    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionArgument(Node):
    """The name of a function, by which an operation combines two values."""

    function: FunctionSymbol


PlainArgument: TypeAlias = (
    AbsentArgument | ListArgument | EnumArgument | FlagArgument | TextArgument | FunctionArgument
)
Argument: TypeAlias = Expression | PlainArgument

PLAIN_ARGUMENTS = (
    AbsentArgument,
    ListArgument,
    EnumArgument,
    FlagArgument,
    TextArgument,
    FunctionArgument,
)
"""The arguments that are no values, for `isinstance`."""


# --- Statements -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What a reader saw around a statement.

    `comments` are the lines above it without `//`, an empty string for an empty line between them; `trailing` is the
    comment on its own line; `blank_before` an empty line above it all.
    """

    comments: tuple[str, ...] = ()
    trailing: str | None = None
    blank_before: bool = False


PLAIN = Layout()


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementNode(Node):
    """A statement: it has a layout."""

    layout: Layout = field(default=PLAIN, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Let(StatementNode):
    """`let symbol = value;`."""

    symbol: Symbol
    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class LetTuple(StatementNode):
    """`let (a, _, b) = value;`; None for `_`."""

    symbols: tuple[Symbol | None, ...]
    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Declare(StatementNode):
    """`symbol` exists from here on; each branch of what follows gives it its first value by `Assign`."""

    symbol: Symbol


@dataclass(frozen=True, slots=True, kw_only=True)
class Assign(StatementNode):
    """`symbol = value;`, or `symbol operator= value;`."""

    symbol: Symbol
    value: Expression
    operator: BinaryOperator | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluate(StatementNode):
    """An expression for its effect."""

    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class If(StatementNode):
    """`if condition { … } else { … }`; `else_block` is None where there is none."""

    condition: Expression
    then_block: Block
    else_block: Block | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class While(StatementNode):
    """`while condition { … }`; `loop` is one whose condition is true.

    `structure` takes out what the rest of the fields say. `loop` is what `break` and `continue` name it by; `result`
    is what `break value` gives. Where `is_once`, it is a labelled block, whose body runs once.
    """

    condition: Expression
    body: Block
    loop: int = 0
    result: Symbol | None = None
    is_once: bool = False


class RangeAdapter(Enum):
    """What a method makes of a range: `.rev()`, `.step_by(n)`."""

    REVERSE = "rev"
    STEP_BY = "step_by"


@dataclass(frozen=True, slots=True, kw_only=True)
class For(StatementNode):
    """`for symbol in start..stop` by `step`; `symbol` is not assigned in the body.

    `step` is positive, or a negative literal where the loop counts down. `structure` takes out what the rest of the
    fields say: `loop` is what `break` and `continue` name it by, `is_inclusive` tells `start..=stop`, and `adapters`
    are the methods applied to the range in turn, at most one of them a `step_by`, by `step`.

    `stages` is how many iterations the backend is asked to have loads of in flight; 0 leaves that to it. It is one
    where all const generics of an element of `units` are 1: each element of memory would be a copy of its own.
    """

    symbol: Symbol
    start: Expression
    stop: Expression
    step: Expression
    body: Block
    loop: int = 0
    is_inclusive: bool = False
    adapters: tuple[RangeAdapter, ...] = ()
    stages: int = 0
    units: tuple[tuple[Symbol, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Break(StatementNode):
    """`break 'loop value;`, up to `structure`."""

    loop: int
    value: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Continue(StatementNode):
    """`continue 'loop;`, up to `structure`."""

    loop: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Return(StatementNode):
    """`return;`, or `return value;` at the end of a function."""

    value: Expression | None = None


class Contents(NamedTuple):
    """All that is anywhere in a block, outer before inner, block values included."""

    statements: tuple[Statement, ...]
    expressions: tuple[Expression, ...]


@dataclass(frozen=True, kw_only=True)
class Block(Node):
    """Statements in a scope of their own; `closing_comments` stand after the last one."""

    statements: tuple[Statement, ...]
    closing_comments: tuple[str, ...] = field(default=(), compare=False)

    @cached_property
    def contents(self) -> Contents:
        """All that is in it, found once: many passes ask, few of them change anything."""
        from transpiler.ir.visit import contents_of  # noqa: PLC0415 - which knows the nodes

        return contents_of(self)


Statement: TypeAlias = (
    Let | LetTuple | Declare | Assign | Evaluate | If | While | For | Break | Continue | Return
)


# --- Kernels and functions ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class DtypeLimit(Node):
    """What a call of the operation `op` allows of dtype parameters: combinations of their dtypes, in their order."""

    op: str
    parameters: tuple[DtypeParameter, ...]
    instances: frozenset[tuple[DType, ...]]

    def admits(self, instance: Mapping[DtypeParameter, DType]) -> bool:
        """Whether the operation is defined where the parameters are these dtypes."""
        return tuple(instance[parameter] for parameter in self.parameters) in self.instances


@dataclass(frozen=True, slots=True, kw_only=True)
class Routine(Node):
    """What kernels and the functions they call have in common.

    `name_span` covers its name. `parameters` are the runtime parameters in Rust order,
    `const_generics` the compile-time ones; `docs` the doc comment a line each.
    """

    name: str
    name_span: Span
    docs: tuple[str, ...]
    dtype_parameters: tuple[DtypeParameter, ...]
    const_generics: tuple[Symbol, ...]
    parameters: tuple[Symbol, ...]
    body: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Function(Routine):
    """A function of the file for the shapes it is called with; the last statement of its body returns its value.

    A parameter whose value its body needs at compile time has the kind of a const generic. `given` are the dimensions
    its const generics are, as its shapes name them. `is_combine` tells that an operation calls it, with values of
    Triton alone.
    """

    symbol: FunctionSymbol
    result: Type
    given: tuple[Dimension, ...]
    is_combine: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel(Routine):
    """One `#[kernel]` function.

    `feature_gate` is the text of its `#[cfg(…)]` conditions or None; `named_dtypes` the dtypes its
    attribute names, if any; `backward` the struct its attribute names, and where; `limits` what its
    operations allow of the dtypes.
    """

    named_dtypes: tuple[DType, ...] = ()
    backward: str | None = None
    backward_span: Span | None = None
    feature_gate: str | None = None
    limits: tuple[DtypeLimit, ...] = ()

    @property
    def instances(self) -> tuple[tuple[DType, ...], ...]:
        """The combinations of dtypes it is offered for.

        Those its bounds admit, its attribute names if it names any, and all its operations have.
        """
        parameters = self.dtype_parameters
        choices = (
            [dtype for dtype in self.named_dtypes if dtype in parameter.bound.dtypes]
            if self.named_dtypes
            else parameter.bound.dtypes
            for parameter in parameters
        )
        return tuple(
            instance
            for instance in product(*choices)
            if all(
                limit.admits(dict(zip(parameters, instance, strict=True))) for limit in self.limits
            )
        )

    @property
    def dtypes(self) -> tuple[DType, ...]:
        """The dtypes its parameters are offered for, each once."""
        return tuple(dict.fromkeys(dtype for instance in self.instances for dtype in instance))


R = TypeVar("R", bound=Routine)


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """The kernels of one file, in its order, its `//!` lines, and the functions the kernels call, callees first."""

    docs: tuple[str, ...]
    kernels: tuple[Kernel, ...]
    functions: tuple[Function, ...] = ()

    @property
    def routines(self) -> tuple[Kernel | Function, ...]:
        """The functions and the kernels."""
        return (*self.functions, *self.kernels)

    def mapped(self, change: RoutineChange) -> Module:
        """The module with every kernel and function changed."""
        return Module(
            docs=self.docs,
            kernels=tuple([change(kernel) for kernel in self.kernels]),
            functions=tuple([change(function) for function in self.functions]),
        )


class RoutineChange(Protocol):
    """What makes another kernel of a kernel, and another function of a function."""

    def __call__(self, routine: R, /) -> R:
        """The changed routine."""
        ...
