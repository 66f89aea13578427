"""What paths lead to outside the file: constants and functions of the dtypes and of `std`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import Scalar
from transpiler.passes.associated import associated_constant
from transpiler.passes.scalars import bind_function, compare_function, primitive

if TYPE_CHECKING:
    from collections.abc import Callable

    from transpiler.passes.elaboration import Elaboration
    from transpiler.source import Span
    from transpiler.syntax import nodes as syntax

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
