"""What `#[kernel(…)]` says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.ir.types import DType
from transpiler.passes.elaboration import near_match
from transpiler.syntax import nodes as syntax

if TYPE_CHECKING:
    from transpiler.diagnostics.sink import Sink
    from transpiler.source import Span

_DTYPES = {dtype.value: dtype for dtype in DType}
_ARGUMENTS = ("backward", "dtypes")


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelAttributes:
    """The arguments of the attribute: the dtypes it offers (empty: what the bound admits) and the backward struct."""

    dtypes: tuple[DType, ...] = ()
    backward: str | None = None
    backward_span: Span | None = None


def kernel_attributes(function: syntax.Function, sink: Sink) -> KernelAttributes:
    """The arguments of the function's `#[kernel]`; what is not understood is reported."""
    dtypes: tuple[DType, ...] = ()
    backward: syntax.Path | None = None
    for attribute in function.head.attributes:
        if attribute.name != "kernel":
            continue
        if attribute.meta is None:
            sink.emit("E0703", "the arguments of `#[kernel(…)]` are not understood", attribute.span)
            continue
        for item in attribute.meta.items or ():
            name = item.path.identifier if item.path is not None else None
            if name == "dtypes":
                dtypes = _dtypes(item, sink)
            elif name == "backward":
                backward = _backward(item, sink)
            else:
                shown = "this" if name is None else f"`{name}`"
                sink.emit(
                    "E0703",
                    f"{shown} is not an argument of `#[kernel(…)]`",
                    item.span,
                    help=(near_match(name, _ARGUMENTS) if name else None)
                    or "the arguments are `backward = Name` and `dtypes = [f32, f64]`",
                )
    if backward is None:
        return KernelAttributes(dtypes=dtypes)
    return KernelAttributes(dtypes=dtypes, backward=backward.names[-1], backward_span=backward.span)


def _dtypes(item: syntax.MetaItem, sink: Sink) -> tuple[DType, ...]:
    result: list[DType] = []
    elements = item.value.elements if isinstance(item.value, syntax.Array) else None
    if not elements:
        sink.emit(
            "E0703", "`dtypes` is a list of dtypes", item.span, help="write `dtypes = [f32, f64]`"
        )
        return ()
    for element in elements:
        name = element.path.names[-1] if isinstance(element, syntax.PathExpression) else ""
        if name in _DTYPES:
            result.append(_DTYPES[name])
        else:
            sink.emit(
                "E0703",
                f"`{name}` is not a dtype" if name else "this is not a dtype",
                element.span,
                help=near_match(name, _DTYPES) or f"the dtypes are {', '.join(_DTYPES)}",
            )
    return tuple(result)


def _backward(item: syntax.MetaItem, sink: Sink) -> syntax.Path | None:
    if isinstance(item.value, syntax.PathExpression):
        return item.value.path
    sink.emit(
        "E0703", "`backward` names a struct", item.span, help="write `backward = ScaleBackward`"
    )
    return None
