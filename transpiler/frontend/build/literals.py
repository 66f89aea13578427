"""Literals: their values and suffixes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from transpiler.frontend.build.base import BuilderBase, span_of, spanning
from transpiler.frontend.faults import Fault
from transpiler.source import Span
from transpiler.syntax.nodes import (
    BooleanLiteral,
    FloatLiteral,
    IntegerLiteral,
    TextLiteral,
    Unary,
    UnaryOperator,
)

if TYPE_CHECKING:
    from transpiler.frontend.lexer import Lexeme

INTEGER_SUFFIXES = frozenset(
    ["i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize"]
)
FLOAT_SUFFIXES = frozenset(["f16", "f32", "f64", "f128"])
_BASES = {"0x": 16, "0o": 8, "0b": 2}
_DIGITS = {16: "0123456789abcdefABCDEF", 8: "01234567", 2: "01"}
_BASE_NAMES = {16: "hexadecimal", 8: "octal", 2: "binary"}
_SHOWN_DIGITS = {16: "0 to 9 and a to f", 8: "0 to 7", 2: "0 and 1"}
_BASED = r"(0x[\da-fA-F_]+|0o[0-7_]+|0b[01_]+)(\w*)"
_DECIMAL = r"(\d[\d_]*)([^\W\d]\w*)?"
_FLOAT = re.compile(r"(\d[\d_]*(?:\.(?:\d[\d_]*)?)?(?:[eE][+-]?[\d_]+)?)(\w*)")


class LiteralBuilder(BuilderBase):
    """Numbers, texts, booleans."""

    def integer(self, token: Lexeme) -> IntegerLiteral | FloatLiteral:
        """`1`, `0xff_u8`, and `1f32`, which is a float."""
        value: str = token.value
        span = Span(token.start_pos, token.end_pos)
        if value.isdecimal() and value.isascii():
            return IntegerLiteral(span=span, value=int(value), text=value)
        base = _BASES.get(value[:2], 10)
        found = re.fullmatch(_DECIMAL if base == 10 else _BASED, value)
        suffix = found.group(2) or None if found else None
        digits = found.group(1).replace("_", "") if found else ""
        if not digits.removeprefix(value[:2] if base != 10 else "") or (
            base != 10 and suffix is not None and suffix not in INTEGER_SUFFIXES
        ):
            raise _bad_digits(value, span, base)
        if base == 10 and suffix in FLOAT_SUFFIXES:
            return FloatLiteral(span=span, digits=digits, text=value, suffix=suffix)
        if suffix is not None and suffix not in INTEGER_SUFFIXES:
            raise _bad_number(value, span, f"`{suffix}` is no type of a number")
        return IntegerLiteral(span=span, value=int(digits, base), text=value, suffix=suffix)

    def float_(self, token: Lexeme) -> FloatLiteral:
        """`1.5e-3_f32`."""
        value: str = token.value
        span = Span(token.start_pos, token.end_pos)
        found = _FLOAT.fullmatch(value)
        suffix = found.group(2) or None if found else None
        if found is None or (suffix is not None and suffix not in FLOAT_SUFFIXES):
            raise _bad_number(value, span, f"`{suffix}` is no type of a number with a fraction")
        digits = found.group(1).replace("_", "")
        return FloatLiteral(span=span, digits=digits, text=value, suffix=suffix)

    def boolean(self, token: Lexeme) -> BooleanLiteral:
        """`true`, `false`."""
        return BooleanLiteral(span=span_of(token), value=token.value == "true")

    def text_(self, token: Lexeme) -> TextLiteral:
        """A string or a character of any kind."""
        return TextLiteral(span=span_of(token), text=token.value)

    def negative_literal(self, minus: Lexeme, number: Lexeme) -> Unary:
        """`-1` in a pattern or among generic arguments."""
        operand = self.integer(number) if number.type == "INT" else self.float_(number)
        return Unary(span=spanning(minus, operand), operator=UnaryOperator.NEGATE, operand=operand)


def _bad_digits(value: str, span: Span, base: int) -> Fault:
    """What is wrong with a number of another base than ten: a digit, if it is not the suffix."""
    digits = _DIGITS.get(base, "0123456789")
    rest = value[2:].lstrip(digits + "_") if base in _DIGITS else value
    is_digit = rest[:1].isalnum() and (base == 16 or rest[:1].isdigit())
    if not is_digit or rest[:1] in "iu":
        label = f"`{rest}` is no type of a number" if rest else "it has no digits"
        return _bad_number(value, span, label)
    return Fault(
        code="E0114",
        message=f"`{value}` is not a valid number",
        span=span,
        label=f"`{rest[0]}` is no {_BASE_NAMES[base]} digit",
        help=f"the digits of `{value[:2]}` are {_SHOWN_DIGITS[base]}",
    )


def _bad_number(value: str, span: Span, label: str) -> Fault:
    return Fault(
        code="E0114",
        message=f"`{value}` is not a valid number",
        span=span,
        label=label,
        help="a suffix is one of i8 … i128, u8 … u128, isize, usize, f32, f64",
    )
