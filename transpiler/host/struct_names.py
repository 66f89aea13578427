"""The names of the structs that the macro of the language makes of kernels."""

from __future__ import annotations

import re

_WORD_END = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+")


def struct_name(kernel: str) -> str:
    """The name of the Rust struct that stands for a kernel: `scale_rows` gives `ScaleRows`."""
    words = _WORD_END.split(kernel.removeprefix("r#"))
    return "".join(f"{word[:1].upper()}{word[1:].lower()}" for word in words)
