"""The functions that the methods of operators call: those of the file, and those that stand for Rust's arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.host.body import Body
from transpiler.host.support import SUPPORT
from transpiler.target.names import HOST_NAMES, python_name

if TYPE_CHECKING:
    from transpiler.host.methods import Methods
    from transpiler.host.surroundings import Routine
    from transpiler.source import Span
    from transpiler.syntax import nodes as syntax
    from transpiler.target.model import Function


class Functions:
    """The functions that some operators of a file need."""

    def __init__(self) -> None:
        self._functions: dict[str, Function] = {}
        self._support: set[str] = set()
        self._names: dict[Span, str] = {}

    def name_of(self, function: syntax.Function) -> str:
        """The name in Python: two modules of the Rust may each have a function of one name."""
        found = self._names.get(function.name_span)
        if found is None:
            plain = f"_{function.name.removeprefix('r#')}"
            taken = HOST_NAMES.union(SUPPORT, self._names.values())
            found = self._names[function.name_span] = python_name(plain, taken, frozenset())
        return found

    def add(self, methods: Methods) -> None:
        """Take the functions that the methods of an operator need.

        Raises:
            HostError: one of them holds something that host code is not translated for.
        """
        found: dict[str, Function] = {}
        bodies = methods.bodies()
        support = set().union(*(it.support for it in bodies))
        pending: dict[str, Routine] = {}
        for body in bodies:
            pending |= body.functions_called
        while pending:
            name, routine = pending.popitem()
            if name in found or name in self._functions:
                continue
            body = Body(methods.owner, routine, has_self=False)
            found[name] = body.lower(name, methods.block(routine.function), ())
            support |= body.support
            pending |= body.functions_called
        self._functions |= found
        self._support |= support

    def all(self) -> tuple[Function, ...]:
        """The functions of the file, in the order of the Rust."""
        return tuple(
            sorted(self._functions.values(), key=lambda it: 0 if it.span is None else it.span.start)
        )

    def support(self) -> tuple[str, ...]:
        """The texts of the others."""
        return tuple(text for name, text in SUPPORT.items() if name in self._support)
