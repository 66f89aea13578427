"""Names in the cases of Rust's types and functions, as the macro of the language makes a struct's of a kernel's."""

from __future__ import annotations

import re

_WORD_END = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+")


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case: those of `BatchNorm2dStats` are `batch`, `norm2d` and `stats`."""
    return tuple(word.lower() for word in _WORD_END.split(name.removeprefix("r#")) if word)


def struct_name(kernel: str) -> str:
    """The name of the Rust struct that stands for a kernel: `scale_rows` gives `ScaleRows`."""
    return "".join(f"{word[:1].upper()}{word[1:]}" for word in words_of(kernel))


def snake_case(name: str) -> str:
    """`ScaleRows` as `scale_rows`."""
    return "_".join(words_of(name))
