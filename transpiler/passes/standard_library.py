"""What paths lead to outside the file: constants and functions of the dtypes and of `std`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import BOOL, Scalar
from transpiler.passes.associated import associated_constant
from transpiler.passes.elaboration import is_poison
from transpiler.passes.operators import binary
from transpiler.passes.scalars import (
    bind_function,
    compare_function,
    gives_an_enum,
    instead_of_enum,
    primitive,
    read_twice,
)
from transpiler.syntax import nodes as syntax

if TYPE_CHECKING:
    from collections.abc import Callable

    from transpiler.passes.elaboration import Elaboration
    from transpiler.source import Span

_ORDERINGS = frozenset({("std", "cmp"), ("core", "cmp"), ("cmp",)})


def foreign_constant(state: Elaboration, path: syntax.Path, span: Span) -> ir.Literal | None:
    """A constant of a dtype, `f32::MAX`, or what `use` takes from `std`; None where it is none of these."""
    for names in state.items.elsewhere(path.names):
        constant = associated_constant(names, state.dtype_parameters)
        if constant is not None:
            dtype, value = constant
            return ir.Literal(span=span, type=Scalar(dtype=dtype), value=value)
    return None


def foreign_function(
    state: Elaboration,
    path: syntax.Path,
    node: syntax.Call,
    expression: Callable[[syntax.Expression], ir.Expression],
) -> ir.Expression | None:
    """A call of a function of a dtype, `f32::max(a, b)`, or of `std::cmp`; None where it is none of these."""
    for names in state.items.elsewhere(path.names):
        dtype = primitive(names[-2]) if len(names) >= 2 else None
        if names[:-1] in _ORDERINGS and names[-1] in {"max", "min"}:
            arguments = tuple(expression(argument) for argument in node.arguments)
            return compare_function(state, names[-1], arguments, node.span)
        if dtype is not None and (len(names) == 2 or names[0] in {"std", "core"}):
            arguments = tuple(expression(argument) for argument in node.arguments)
            return bind_function(state, dtype, names[-1], arguments, node.span)
    return None


def standard_method(
    state: Elaboration,
    node: syntax.MethodCall,
    expression: Callable[[syntax.Expression], ir.Expression],
) -> ir.Expression | None:
    """A method whose arguments are no values, or whose result is none; None where it is another."""
    if not gives_an_enum(node.method):
        return _range_contains(state, node, expression)
    receiver = expression(node.receiver)
    if not isinstance(receiver.type, Scalar):
        return receiver if is_poison(receiver) else None
    return state.unsupported(
        f"`{node.method}`, whose result is an enum,",
        node.span,
        instead=instead_of_enum(node.method),
    )


def _range_contains(
    state: Elaboration,
    node: syntax.MethodCall,
    expression: Callable[[syntax.Expression], ir.Expression],
) -> ir.Expression | None:
    """`(a..b).contains(&x)` as comparisons; None where the call is another."""
    bounds = node.receiver
    while isinstance(bounds, syntax.Parenthesized):
        bounds = bounds.inner
    if node.method != "contains" or not isinstance(bounds, syntax.Range):
        return None
    if len(node.arguments) != 1 or not isinstance(node.arguments[0], syntax.Reference):
        return None
    statements, (value,) = read_twice(state, (expression(node.arguments[0].operand),))
    last = ir.BinaryOperator.LESS_EQUAL if bounds.is_inclusive else ir.BinaryOperator.LESS
    result: ir.Expression | None = None
    for end, operator in (
        (bounds.start, ir.BinaryOperator.GREATER_EQUAL),
        (bounds.end, last),
    ):
        if end is not None:
            test = binary(state, operator, value, expression(end), node.span)
            both = ir.BinaryOperator.AND
            result = test if result is None else binary(state, both, result, test, node.span)
    if result is None:
        return ir.Literal(span=node.span, type=BOOL, value=True)
    if not statements:
        return result
    return ir.BlockValue(span=node.span, type=BOOL, statements=statements, value=result)
