"""The trait bounds of type parameters, from the generics and the `where` clause together."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from transpiler.syntax.nodes import Function, TypeParameter

if TYPE_CHECKING:
    from collections.abc import Iterator

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
