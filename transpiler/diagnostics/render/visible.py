"""Text made safe to show: no character of a source file may steer a terminal or reorder a line."""

from __future__ import annotations

import unicodedata

_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "\u2421"}
_C1_CONTROLS = dict.fromkeys(range(0x80, 0xA0), "\ufffd")
# Line and paragraph separators, and what overrides the direction of text, which could show code
# that is not there.
_SEPARATORS_AND_DIRECTIONS = dict.fromkeys(
    (0x061C, 0x200E, 0x200F, 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A)),
    "\ufffd",
)
_REPLACEMENTS = _PICTURES | _C1_CONTROLS | _SEPARATORS_AND_DIRECTIONS
_SURROGATES = range(0xD800, 0xE000)


def visible(text: str) -> str:
    """`text` with each control character, tab and line end replaced by a visible one."""
    if text.isascii() and text.isprintable():
        return text
    shown = text.translate(_REPLACEMENTS)
    if any(ord(character) in _SURROGATES for character in shown):
        return "".join("\ufffd" if ord(each) in _SURROGATES else each for each in shown)
    return shown


def width(character: str) -> int:
    """The terminal cells it takes: 0 for combining marks, 2 for wide East Asian, else 1."""
    if character < "\u0300":
        return 1
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1
