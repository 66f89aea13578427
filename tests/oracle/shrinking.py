"""Makes a program that shows a difference smaller, as long as it shows one of the same kind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.oracle import rustc
from tests.oracle.comparing import differences
from tests.oracle.rustc import RustError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.oracle.comparing import Difference, Interpreter
    from tests.oracle.programs import Program

_CHANGING = re.compile(r"[\d\W_]+")


def shrunk(
    difference: Difference, interpreter: Interpreter, folder: Path, *, attempts: int = 400
) -> Difference:
    """The smallest difference found in so many attempts."""
    tried: set[str] = {difference.program.text}
    is_smaller = True
    while is_smaller and attempts > 0:
        is_smaller = False
        for variant in difference.program.variants():
            if variant.text in tried or attempts <= 0:
                continue
            tried.add(variant.text)
            attempts -= 1
            smaller = _same_difference(difference, variant, interpreter, folder)
            if smaller is not None:
                difference, is_smaller = smaller, True
                break
    return difference


def _same_difference(
    difference: Difference, variant: Program, interpreter: Interpreter, folder: Path
) -> Difference | None:
    try:
        found = differences([variant], interpreter, folder)
        if found and found[0].kind == "compiler":
            rustc_takes(variant, folder)
    except RustError:
        return None
    return next((each for each in found if _kind(each) == _kind(difference)), None)


def rustc_takes(program: Program, folder: Path) -> None:
    """Asks rustc whether it takes the program.

    Raises:
        RustError: it does not.
    """
    rustc.run([program], folder)


def _kind(difference: Difference) -> str:
    """What a difference is alike in with a smaller one: not in names, numbers and places."""
    if difference.kind == "value":
        return difference.kind
    return difference.kind + _CHANGING.sub(" ", str(difference.found))[:60]
