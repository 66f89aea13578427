"""Values of `const` items: computed where they are declared, read as literals."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.passes.advice import conversion_help
from transpiler.passes.annotations import check_annotation, resolve_type
from transpiler.passes.elaboration import Elaboration, is_poison
from transpiler.passes.fold import fold_expression
from transpiler.passes.settle import settle_expression

if TYPE_CHECKING:
    from collections.abc import Callable

    from transpiler.passes.items import Namespace
    from transpiler.source import Span
    from transpiler.syntax import nodes as syntax


def const_value(
    state: Elaboration,
    const: syntax.Const,
    home: Namespace,
    span: Span,
    evaluate: Callable[[Elaboration, syntax.Expression], ir.Expression],
) -> ir.Expression:
    """The literal that a constant is where it is read at `span`; `evaluate` elaborates its expression.

    A value that cannot be computed is reported at the constant.
    """
    if const.span.start in state.callers:
        state.sink.emit("E0601", f"the constant `{const.name}` is defined by itself", const.span)
        return state.poison(span)
    if const.value is None or not const.keyword.startswith("const"):
        return state.unsupported(
            f"`{const.keyword} {const.name}`", span, instead="write a `const` of a number or a bool"
        )
    inner = Elaboration(
        sink=state.sink,
        hardware=state.hardware,
        dtype_parameters={},
        items=home,
        features=state.features,
        callers=(*state.callers, const.span.start),
        functions=state.functions,
    )
    annotation = resolve_type(inner, const.type)
    value = evaluate(inner, const.value)
    if is_poison(value):
        return state.poison(span)
    if not check_annotation(inner, annotation, inner.type_of(value)):
        state.sink.emit(
            "E0401",
            f"mismatched types: expected `{inner.text(annotation)}`, found `{inner.text(value.type)}`",
            const.value.span,
            help=conversion_help(annotation, inner.type_of(value)),
        )
        return state.poison(span)
    errors_before = state.sink.error_count
    folded = fold_expression(settle_expression(value, inner.solver, state.sink), state.sink)
    if state.sink.error_count > errors_before:
        return state.poison(span)
    if not isinstance(folded, ir.Literal):
        state.sink.emit(
            "E0501",
            f"the value of the constant `{const.name}` is not known",
            const.value.span,
            help="a constant is computed from literals and other constants",
        )
        return state.poison(span)
    return replace(folded, span=span)
