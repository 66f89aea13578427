"""What to write instead of names that mean nothing: operations, methods and constants under other names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import UNIT, DType, DtypeVariable, LiteralKind, Scalar, Type
from transpiler.ops.scalar_methods import method_names
from transpiler.ops.table import OPS
from transpiler.passes.associated import mathematical_constants
from transpiler.passes.elaboration import near_match
from transpiler.syntax import nodes as syntax

if TYPE_CHECKING:
    from transpiler.passes.elaboration import Elaboration

_NO_TAIL = "take the `;` after the last value away: with it, the block gives nothing"
_HEAP = frozenset({"Arc", "Box", "HashMap", "Rc", "RefCell", "String", "Vec"})
_DTYPES = {dtype.value: dtype for dtype in DType}
_BOUNDS = ("BITS", "EPSILON", "INFINITY", "MAX", "MIN", "MIN_POSITIVE", "NAN", "NEG_INFINITY")


def unknown_value(state: Elaboration, names: tuple[str, ...]) -> str | None:
    """What to write instead of a path that names no value."""
    *owners, name = names
    owner = owners[-1] if owners else ""
    if not owner:
        if name == state.hardware or name in state.dtype_parameters:
            return f"`{name}` is a type: what belongs to it is written `{name}::…`"
        return None
    if name in mathematical_constants() and owner != "consts":
        return f"write `core::{owner if owner in _DTYPES else 'f32'}::consts::{name}`"
    if owner in state.dtype_parameters:
        return near_match(name, ("ZERO", "ONE")) or (
            f"`{owner}` has `ZERO` and `ONE`; other values are `{owner}::from_f64(…)`"
        )
    known = mathematical_constants() if owner == "consts" else _BOUNDS
    return near_match(name, known)


def unknown_function(state: Elaboration, names: tuple[str, ...]) -> str | None:
    """What to write instead of the path of a function that is not there."""
    *owners, name = names
    is_method = name in method_names(DType.I32) or name in method_names(DType.F32)
    if name in OPS and is_method and not owners:
        return f"write `{state.hardware}::{name}(…)` for tiles, `x.{name}(…)` for numbers"
    if name in OPS and (not owners or owners[-1] in {"Triton", "tl", "triton", "T"}):
        return f"write `{state.hardware}::{name}(…)`"
    if owners:
        if owners[-1] in _HEAP:
            return "a kernel has no heap: its values are scalars and tiles"
        return "a kernel calls the functions of its file, and those of numbers"
    if is_method:
        return f"it is a method of numbers: `x.{name}(…)`"
    return near_match(name, state.items.names())


def unknown_method(state: Elaboration, method: str, known: tuple[str, ...]) -> str | None:
    """What to write instead of a method that a value does not have."""
    if method in {"rev", "step_by"}:
        return f"put the range in parentheses: `(a..b).{method}(…)`"
    if method in OPS:
        return f"it is an operation: `{state.hardware}::{method}(…)`"
    return near_match(method, known) or (
        f"the methods are {', '.join(f'`{name}`' for name in known)}" if known else None
    )


def conversion_help(wanted: Type, found: Type) -> str | None:
    """How a scalar of one type becomes one of another."""
    if not isinstance(wanted, Scalar) or not isinstance(found, Scalar):
        return None
    match wanted.dtype, found.dtype:
        case DType(is_float=True) as dtype, DtypeVariable(kind=LiteralKind.INTEGER):
            return f"write the literal with a point, as in `1.0_{dtype.value}`"
        case DType(is_integer=True), DtypeVariable(kind=LiteralKind.FLOAT):
            return "write the literal without a point"
        case DtypeVariable(kind=LiteralKind.INTEGER), DType(is_float=True) as dtype:
            return f"write the literal with a point, as in `1.0_{dtype.value}`"
        case DType() as dtype, _ if dtype is not DType.BOOL:
            return f"convert it: `… as {dtype.value}`"
        case _:
            return None


def without_value(state: Elaboration, node: syntax.Expression) -> None:
    """Report an expression that gives nothing to bind."""
    blocks: list[syntax.Block] = []
    match node:
        case syntax.Block():
            blocks = [node]
        case syntax.If():
            blocks = [node.then_block]
        case syntax.Match():
            blocks = [arm.body for arm in node.arms if isinstance(arm.body, syntax.Block)]
        case _:
            pass
    advice = "make it a statement of its own, without the `let`"
    if any(
        block.tail is None
        and block.statements
        and isinstance(block.statements[-1], syntax.ExpressionStatement)
        for block in blocks
    ):
        advice = _NO_TAIL
    state.sink.emit("E0404", "this gives no value to bind", node.span, help=advice)


def without_tail(*blocks: ir.BlockValue) -> str | None:
    """What to do about a block that gives nothing, where its last statement has a value."""
    for block in blocks:
        match block.statements[-1:]:
            case (ir.Evaluate(value=value),) if block.type == UNIT != value.type:
                return _NO_TAIL
            case _:
                pass
    return None
