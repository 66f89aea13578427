"""The values options take, and the callbacks that read and refuse them."""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, TypeVar

import click

from transpiler.diagnostics.model import Severity
from transpiler.ir.types import DType

if TYPE_CHECKING:
    from collections.abc import Iterable

_SEPARATORS = r"[,\s]+"
_IDENTIFIER = r"(r#)?[^\W\d]\w*"
_TARGET = r"sm_\d{2,3}[af]?|gfx[0-9a-f]{3,4}"
_I32 = range(-(2**31), 2**31)
_TRUTH_VALUES = {"true": 1, "false": 0}

_Value = TypeVar("_Value")


class Emit(Enum):
    """`--emit`."""

    TRITON = "triton"
    AST = "ast"
    IR = "ir"
    JSON = "json"
    TTIR = "ttir"
    PTX = "ptx"
    CUBIN = "cubin"

    @property
    def is_compiled(self) -> bool:
        """Whether Triton makes it, one artefact a specialisation."""
        return self in {Emit.TTIR, Emit.PTX, Emit.CUBIN}

    @property
    def suffix(self) -> str:
        """What files of it are called; those of compiled artefacts depend on the target."""
        return ".py" if self is Emit.TRITON else f".{self.value}"


class MessageFormat(Enum):
    """`--message-format`."""

    FULL = "full"
    CONCISE = "concise"
    JSON = "json"
    SARIF = "sarif"

    @property
    def is_data(self) -> bool:
        """Whether it is for programs, and therefore goes to stdout."""
        return self in {MessageFormat.JSON, MessageFormat.SARIF}


Block = tuple[str, tuple[int, ...]]


def read_names(
    _context: click.Context, _parameter: click.Parameter, texts: tuple[str, ...]
) -> tuple[str, ...]:
    """Names with commas or spaces between them, from every time the option was given."""
    names = _split(texts)
    if texts and not names:
        raise click.BadParameter("there is no name in it")
    return unique(names)


def read_dtypes(
    _context: click.Context, _parameter: click.Parameter, texts: tuple[str, ...]
) -> tuple[DType, ...] | None:
    """Dtypes by their Rust names; None where the option was not given."""
    if not texts:
        return None
    known = {dtype.value: dtype for dtype in DType}
    chosen = []
    for name in _split(texts):
        if name not in known:
            raise click.BadParameter(f"no dtype is called {name!r}; there are {', '.join(known)}")
        chosen.append(known[name])
    if not chosen:
        raise click.BadParameter("there is no dtype in it")
    return unique(chosen)


def read_namespace(_context: click.Context, _parameter: click.Parameter, text: str) -> str:
    """A namespace of torch operators."""
    if not (text.isascii() and text.isidentifier()):
        raise click.BadParameter(f"{text!r} is no name: letters, digits and underscores")
    return text


def read_blocks(
    _context: click.Context, _parameter: click.Parameter, texts: tuple[str, ...]
) -> tuple[Block, ...]:
    """`NAME=1,2`: the values of const generics; a name given twice takes both lists."""
    blocks: dict[str, tuple[int, ...]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        name = name.strip()
        if not equals or not re.fullmatch(_IDENTIFIER, name):
            raise click.BadParameter(f"{text!r} is not written NAME=VALUE,VALUE: BLOCK_N=128,256")
        numbers = tuple(_number(value.strip()) for value in values.split(","))
        blocks[name] = unique((*blocks.get(name, ()), *numbers))
    return tuple(blocks.items())


def read_warnings(
    _context: click.Context, _parameter: click.Parameter, texts: tuple[str, ...]
) -> tuple[str, ...]:
    """Codes of warnings, or their beginnings."""
    if not texts:
        return ()
    from transpiler.diagnostics.codes import CODES  # noqa: PLC0415 - for this option alone

    warnings = [code for code, entry in CODES.items() if entry.severity is Severity.WARNING]
    chosen = _split(texts)
    for beginning in chosen:
        if not any(code.startswith(beginning) for code in warnings):
            raise click.BadParameter(f"no warning is called {beginning!r}; W0601 is one")
    if not chosen:
        raise click.BadParameter("there is no code in it")
    return unique(chosen)


def read_target(
    _context: click.Context, _parameter: click.Parameter, text: str | None
) -> str | None:
    """A GPU architecture by its maker's name; whether Triton knows it, Triton says."""
    if text is not None and not re.fullmatch(_TARGET, text):
        raise click.BadParameter(f"{text!r} is not written like sm_90 or gfx942")
    return text


def unique(values: Iterable[_Value]) -> tuple[_Value, ...]:
    """The values in order, each once."""
    return tuple(dict.fromkeys(values))


def _split(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(name for text in texts for name in re.split(_SEPARATORS, text) if name)


def _number(text: str) -> int:
    if text in _TRUTH_VALUES:
        return _TRUTH_VALUES[text]
    try:
        number = int(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is no integer") from None
    if number not in _I32:
        raise click.BadParameter(f"{text} does not fit i32")
    return number
