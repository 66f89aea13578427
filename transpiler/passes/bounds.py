"""The trait bounds of type parameters, from the generics and the `where` clause together."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from transpiler.ir.types import Bound, DType, DtypeParameter
from transpiler.passes.elaboration import near_match
from transpiler.syntax.nodes import Function, TypeParameter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from transpiler.diagnostics.sink import Sink

HARDWARE_BOUND = "Triton"
_NUMBERS = frozenset(dtype.value for dtype in DType)
_BOUNDS = {bound.value: bound for bound in Bound}

_LAST_NAME = re.compile(r"(\w+)\s*(?:<.*>)?\s*$", re.DOTALL)
_PREDICATE = re.compile(r"\s*(\w+)\s*:(?!:)(.*)", re.DOTALL)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def parameter_bounds(function: Function) -> dict[str, tuple[str, ...]]:
    """For each type parameter the last names of its bounds: `Float` for `teeny_core::dtype::Float`."""
    result = {
        parameter.name: [bound.segments[-1].name for bound in parameter.bounds]
        for parameter in function.generics
        if isinstance(parameter, TypeParameter)
    }
    for predicate in _split(_COMMENT.sub(" ", function.where_clause or ""), ","):
        found = _PREDICATE.fullmatch(predicate)
        if found is not None and found.group(1) in result:
            for bound in _split(found.group(2), "+"):
                name = _LAST_NAME.search(bound)
                if name is not None:
                    result[found.group(1)].append(name.group(1))
    return {name: tuple(bounds) for name, bounds in result.items()}


def admitted_by(bounds: tuple[str, ...]) -> tuple[list[Bound], set[DType]]:
    """The dtype traits among bounds, and the dtypes that one of them admits."""
    known = [_BOUNDS[bound] for bound in bounds if bound in _BOUNDS]
    return known, {dtype for bound in known for dtype in bound.dtypes}


def unbounded(bounds: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
    """The type parameters that no dtype trait bounds."""
    return frozenset(name for name in bounds if _BOUNDS.keys().isdisjoint(bounds[name]))


def dtype_parameters_of(
    function: Function, hardware: str, bounds: Mapping[str, tuple[str, ...]], sink: Sink
) -> dict[str, DtypeParameter]:
    """The dtype parameters of a function by name; one that no dtype trait bounds is reported."""
    result: dict[str, DtypeParameter] = {}
    for parameter in function.generics:
        if not isinstance(parameter, TypeParameter) or parameter.name == hardware:
            continue
        written = bounds[parameter.name]
        known = [_BOUNDS[name] for name in written if name in _BOUNDS]
        if not known and HARDWARE_BOUND not in written:
            advice = next(filter(None, (near_match(name, _BOUNDS) for name in written)), None)
            if any(name in _NUMBERS for name in written):
                advice = (
                    f"a number known when the kernel is compiled is `const {parameter.name}: i32`"
                )
            sink.emit(
                "E0702",
                f"`{parameter.name}` is not bounded by a dtype trait",
                parameter.span,
                help=advice or f"bound it by one of {', '.join(f'`{name}`' for name in _BOUNDS)}",
            )
        # The narrowest bound decides where several are written.
        bound = min(known, key=lambda bound: len(bound.dtypes), default=Bound.DTYPE)
        result[parameter.name] = DtypeParameter(name=parameter.name, bound=bound)
    return result


def _split(text: str, separator: str) -> Iterator[str]:
    """The parts of `text` between separators outside brackets."""
    depth = start = 0
    for index, character in enumerate(text):
        if character in "<([{":
            depth += 1
        elif character in ")]}" or (character == ">" and text[index - 1 : index] != "-"):
            depth -= 1
        elif character == separator and depth == 0:
            yield text[start:index]
            start = index + 1
    yield text[start:]
