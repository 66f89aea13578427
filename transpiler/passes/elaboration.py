"""What the elaboration of one kernel carries along."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.ir import nodes as ir
from transpiler.ir.types import (
    POISON,
    Descriptor,
    DType,
    Pointer,
    PointerTensor,
    Poison,
    Scalar,
    Tensor,
)
from transpiler.ir.types import type_text as settled_type_text
from transpiler.passes.cfg import Features
from transpiler.passes.function_table import FunctionTable
from transpiler.passes.items import Namespace
from transpiler.passes.scope import Scopes
from transpiler.passes.unify import DtypeSolver

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from transpiler.diagnostics.sink import Sink
    from transpiler.ir.types import ElementType, Type
    from transpiler.source import Span


# Python's stack holds 1,000 calls, of which a walk takes about five a level, more where arguments
# are bound; and Python reads
# no more than 100 levels of indentation, of which a block takes one.
_DEEPEST = 160
BLOCK_LEVELS = 3
CALL_LEVELS = 3


class TooDeepError(Exception):
    """A kernel nests too deeply at `span`."""

    def __init__(self, span: Span) -> None:
        super().__init__(span)
        self.span = span


@dataclass(slots=True, kw_only=True)
class OpenLoop:
    """A loop or labelled block around the place being elaborated.

    `type` is what its breaks give so far, None where none gives a value; `takes_values` tells whether they may.
    """

    id: int
    label: str | None
    takes_values: bool
    is_block: bool
    type: Type | None = None
    has_break: bool = False


@dataclass(slots=True, kw_only=True)
class OpenFunction:
    """The function being elaborated, where it is no kernel.

    `declared` is the type its values have by its signature, `type` what those it has returned so far have in common;
    `exit` is the labelled block that a `return` before its end leaves.
    """

    name: str
    declared: Type
    exit: OpenLoop
    type: Type | None = None


@dataclass(slots=True, kw_only=True)
class Elaboration:
    """The state while one kernel's syntax becomes typed IR.

    `hardware` is the name of the `Triton` parameter (`T`), `dtype_parameters` the dtype parameters by name. `constants`
    holds the symbols whose value is known at compile time: const generics and immutable locals computed from them.
    `loops` are those around this place, `deferred` the variables declared without a value and the types written for
    them, `conversions` the `.into()` with what they convert and to which type. `items` are the constants and functions
    of the file as they are named here, `callers` where those that are being elaborated start, `functions` those that
    have been. `function` is the one this is, None in a kernel. `unbounded` names the dtype parameters whose bound is at
    fault, so that nothing is concluded from it.
    """

    sink: Sink
    hardware: str
    dtype_parameters: Mapping[str, ElementType]
    items: Namespace = field(default_factory=Namespace)
    features: Features = field(default_factory=lambda: Features(frozenset(), default_features=True))
    callers: tuple[int, ...] = ()
    functions: FunctionTable = field(default_factory=FunctionTable)
    function: OpenFunction | None = None
    solver: DtypeSolver = field(default_factory=DtypeSolver)
    scopes: Scopes = field(default_factory=Scopes)
    constants: dict[ir.Symbol, ir.Expression | None] = field(default_factory=dict)
    unbounded: frozenset[str] = frozenset()
    symbol_count: int = 0
    loops: list[OpenLoop] = field(default_factory=list)
    loop_count: int = 0
    deferred: dict[ir.Symbol, Type | None] = field(default_factory=dict)
    refused_structs: set[str] = field(default_factory=set)
    conversions: list[tuple[ir.Expression, Scalar, Span]] = field(default_factory=list)
    depth: int = 0

    def enter(self, span: Span, *, levels: int = 1) -> None:
        """Go down by `levels`; `leave` comes back.

        Raises:
            TooDeepError: nothing that walks the tree could go that deep.
        """
        self.depth += levels
        if self.depth > _DEEPEST:
            raise TooDeepError(span)

    def leave(self, *, levels: int = 1) -> None:
        """Come back up by `levels`."""
        self.depth -= levels

    def symbol(
        self, name: str, kind: ir.SymbolKind, type_: Type, span: Span, *, is_mutable: bool = False
    ) -> ir.Symbol:
        """A new symbol, not yet in scope."""
        self.symbol_count += 1
        return ir.Symbol(
            id=self.symbol_count, name=name, kind=kind, type=type_, span=span, is_mutable=is_mutable
        )

    def poison(self, span: Span) -> ir.Expression:
        """An expression that stands where an error was reported."""
        return ir.Literal(span=span, type=POISON, value=0)

    def type_of(self, node: ir.Expression) -> Type:
        """The type of an expression as far as it is known."""
        return self.solver.resolve_type(node.type)

    def text(self, type_: Type) -> str:
        """A type for a message."""
        return settled_type_text(self.solver.resolve_type(type_))

    def unify_dtype(self, expression: ir.Expression, dtype: ElementType, *, what: str) -> bool:
        """Make the expression's elements `dtype`, or report that they are something else."""
        found = element_type(self.type_of(expression))
        if found is None or self.solver.unify(found, dtype):
            return True
        expected = self.text(Scalar(dtype=dtype))
        self.sink.emit(
            "E0401",
            f"{what} has elements of type `{self.text(Scalar(dtype=found))}`, expected `{expected}`",
            expression.span,
            label=f"this is `{self.text(expression.type)}`",
            help=_conversion_help(expression, expected, self.hardware),
        )
        return False

    def unsupported(
        self, construct: str, span: Span, *, instead: str | None = None
    ) -> ir.Expression:
        """Report Rust that is outside the supported subset, by its name."""
        self.sink.emit("E0601", f"{construct} is not supported in a kernel", span, help=instead)
        return self.poison(span)


def _conversion_help(expression: ir.Expression, expected: str, hardware: str) -> str | None:
    match expression.type:
        case Tensor():
            return f"convert it: `{hardware}::cast::<_, {expected}>(…, None, false)`"
        case Scalar():
            if expected in {dtype.value for dtype in DType}:
                return f"convert it with `as {expected}`"
            return f"a value of a generic dtype is made by `{expected}::from_f64(…)`"
        case _:
            return None


def element_type(type_: Type) -> ElementType | None:
    """The dtype of the elements, None where there is none to speak of."""
    match type_:
        case Scalar() | Tensor() | Pointer() | PointerTensor() | Descriptor():
            return type_.dtype
        case _:
            return None


def is_poison(*expressions: ir.Expression) -> bool:
    """Whether an error was reported in one of them."""
    for expression in expressions:  # noqa: SIM110 - asked of every operand
        if isinstance(expression.type, Poison):
            return True
    return False


def unknown_name(
    state: Elaboration, name: str, context: int, others: Iterable[str] = ()
) -> str | None:
    """What to do about a name that means nothing here; `others` are known besides the variables."""
    if state.scopes.is_hidden(name, context):
        return f"a macro does not see the variables of its caller: give it `{name}` as an argument"
    return near_match(name, (*state.scopes.names(), *others))


def near_match(name: str, known: Iterable[str]) -> str | None:
    """The known name `name` was probably meant to be."""
    from difflib import get_close_matches  # noqa: PLC0415 - for mistakes alone

    known = list(known)
    found = [each for each in known if each.lower() == name.lower()]
    found = found or get_close_matches(name, known, n=1, cutoff=0.6)
    return f"did you mean `{found[0]}`?" if found else None
