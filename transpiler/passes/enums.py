"""The enums of a file as types: a number for each variant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import DType, Enumeration
from transpiler.ops.enums import ENUMS
from transpiler.passes.integer import integer_range
from transpiler.syntax import nodes as syntax

if TYPE_CHECKING:
    from transpiler.passes.elaboration import Elaboration
    from transpiler.source import Span

_INTEGERS = {dtype.value: dtype for dtype in DType if dtype.is_integer}


def enumeration_type(state: Elaboration, item: syntax.Enumeration) -> Enumeration | None:
    """The type an enum is; None, reported, where a number is written as anything but a literal."""
    variants: list[tuple[str, int]] = []
    following = 0
    for variant in item.variants:
        number = following if variant.value is None else _number(variant.value)
        if number is None:
            state.unsupported(
                "a variant whose number is no literal", variant.span, instead="write the number"
            )
            return None
        variants.append((variant.name, number))
        following = number + 1
    dtype = _representation(item)
    if dtype is None:
        fits = all(number in integer_range(DType.I32) for _, number in variants)
        dtype = DType.I32 if fits else DType.I64
    return Enumeration(name=item.name, variants=tuple(variants), dtype=dtype)


def enum_variant(state: Elaboration, path: syntax.Path, span: Span) -> ir.Expression | None:
    """The value a path to a variant is; None where it leads elsewhere."""
    found = state.items.variant(path.names)
    if found is not None:
        item, name = found
        type_ = enumeration_type(state, item)
        if type_ is None:
            return state.poison(span)
        return ir.Literal(span=span, type=type_, value=dict(type_.variants)[name])
    if len(path.segments) > 1:
        *_, enum, member = (*state.items.imported(path.names[0]), *path.names[1:])
        if member in ENUMS.get(enum, {}):
            return state.unsupported(
                f"`{enum}::{member}` as a value",
                span,
                instead=f"write it where the operation takes it: `…({enum}::{member})`",
            )
    return None


def _number(node: syntax.Expression) -> int | None:
    match node:
        case syntax.IntegerLiteral(value=value):
            return value
        case syntax.Unary(operator=syntax.UnaryOperator.NEGATE, operand=operand):
            number = _number(operand)
            return None if number is None else -number
        case syntax.Parenthesized(inner=inner):
            return _number(inner)
        case _:
            return None


def _representation(item: syntax.Enumeration) -> DType | None:
    """The integer that `#[repr(…)]` names."""
    for attribute in item.head.attributes:
        if attribute.name == "repr" and attribute.meta is not None:
            for part in attribute.meta.items or ():
                name = None if part.path is None else part.path.identifier
                if name in _INTEGERS:
                    return _INTEGERS[name]
    return None
