"""The value of a Rust string literal."""

from __future__ import annotations

import re

_RAW = re.compile(r'r(#*)"(.*)"\1', re.DOTALL)
_PLAIN = re.compile(r'"(.*)"', re.DOTALL)
_ESCAPE = re.compile(r"\\(x[0-7][0-9a-fA-F]|u\{[0-9a-fA-F_]+\}|\r?\n\s*|.)", re.DOTALL)
_SIMPLE = {"n": "\n", "r": "\r", "t": "\t", "0": "\0", "\\": "\\", "'": "'", '"': '"'}


def text_value(literal: str) -> str | None:
    """What a string or raw string literal stands for; None for other literals (bytes, characters)."""
    raw = _RAW.fullmatch(literal)
    if raw is not None:
        return raw.group(2)
    plain = _PLAIN.fullmatch(literal)
    return None if plain is None else _ESCAPE.sub(_unescape, plain.group(1))


def _unescape(match: re.Match[str]) -> str:
    escape = match.group(1)
    if escape[0] == "x":
        return chr(int(escape[1:], 16))
    if escape[0] == "u":
        return chr(int(escape[2:-1].replace("_", ""), 16))
    return _SIMPLE.get(escape, "")
