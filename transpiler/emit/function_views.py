"""Functions as the templates print them. What several have in common is printed once, and compiled once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.emit.views import FunctionView
from transpiler.target.document import INDENT
from transpiler.target.printer import print_body, print_head

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from transpiler.target.lower import LoweredKernel
    from transpiler.target.model import Function
    from transpiler.target.printer import Line


def views_of(kernel: LoweredKernel) -> Iterator[FunctionView]:
    """A kernel, and below it its form with indices in 64 bits."""
    form = kernel.own_form
    return alike(kernel.function, *(() if form is None else (form,)))


def alike(*functions: Function) -> Iterator[FunctionView]:
    """Functions that may have statements in common, such as the specialisations of a kernel."""
    known: dict[int, tuple[Line, ...]] = {}
    signatures = set[int]()
    for function in functions:
        common = {id(it) for it in function.body.statements} & known.keys()
        head, body = print_head(function), print_body(function, known)
        lines = (*head, *body)
        text = _text(lines)
        unproved: str | None = text
        if common:
            # Whatever compiles in one function does so in the others: as deep, and with nothing around it.
            own = [
                line
                for statement in function.body.statements
                if id(statement) not in common
                for line in known[id(statement)]
            ]
            if own or id(function.parameters) not in signatures:
                unproved = f"{_text((*head, *own))}\n{INDENT}pass"
            else:
                unproved = None
        signatures.add(id(function.parameters))
        yield FunctionView(name=function.name, lines=lines, text=text, unproved=unproved)


def _text(lines: Iterable[Line]) -> str:
    return "\n".join([line.text for line in lines])
