"""Checks a generated module before anybody sees it: it compiles, and every name it reads is bound."""

from __future__ import annotations

from types import CodeType
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
        unknown = names - known - names_bound(function)
        if unknown:
            raise EmissionError(
                f"the generated function {function.name!r} reads {', '.join(sorted(unknown))},"
                " which nothing binds"
            )


def compile_module(text: str, name: str) -> dict[str, int]:
    """Compile the module `text` and tell where its functions start.

    Returns:
        For each function of the module the line of its first decorator.

    Raises:
        EmissionError: the text does not compile.
    """
    try:
        code = compile(text, name, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise EmissionError(f"the generated module does not compile: {error}") from error
    return {
        constant.co_name: constant.co_firstlineno
        for constant in code.co_consts
        if isinstance(constant, CodeType)
    }
