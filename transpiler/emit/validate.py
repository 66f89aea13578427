"""Checks a generated module before anybody sees it: it compiles, and every name it reads is bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.target.read_names import names_bound

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.target.model import Function

_BUILTINS = frozenset({"False", "None", "True", "float", "int", "range"})


class EmissionError(Exception):
    """The emitter made a module that does not work: a fault of the compiler, not of its input."""


def check_names(
    reads: Iterable[tuple[Function, frozenset[str]]], module_names: frozenset[str]
) -> None:
    """Check that every name a function reads is its own, the module's, or a builtin.

    `reads` has each function with the names it reads.

    Raises:
        EmissionError: nothing binds a name.
    """
    known = module_names | _BUILTINS
    for function, names in reads:
        unknown = names - known
        if unknown and (unknown := unknown - names_bound(function)):
            raise EmissionError(
                f"the generated function {function.name!r} reads {', '.join(sorted(unknown))},"
                " which nothing binds"
            )


def compile_module(
    text: str,
    name: str,
    *,
    parts: Iterable[tuple[str, str | None]] = (),
    fixed: Iterable[str] = (),
) -> list[int]:
    """Compile the module `text`, part by part, which takes Python less time and memory than all at once.

    `parts` stand in it in this order, each with what has to be compiled of it. What is `fixed` is the same in all
    modules, and not compiled again for each.

    Returns:
        For each of the parts the line that it begins at.

    Raises:
        EmissionError: the text does not compile.
    """
    starts, around = list[int](), list[str]()
    position, line = 0, 1
    for part, unproved in parts:
        start = text.index(part, position)
        line += text.count("\n", position, start)
        starts.append(line)
        around.append(text[position:start])
        if unproved is not None:
            _compile(unproved, name)
        line += part.count("\n")
        position = start + len(part)
    rest = "".join((*around, text[position:]))
    for each in fixed:
        rest = rest.replace(each, "", 1)
    _compile(rest, name)
    return starts


def _compile(text: str, name: str) -> None:
    try:
        compile(text, name, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise EmissionError(f"the generated module does not compile: {error}") from error
