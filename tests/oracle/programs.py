"""Random scalar programs: text that is plain Rust and the body of a kernel at once."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
FLOATS = ("f32", "f64")
DTYPES = (*INTEGERS, *FLOATS)

_METHODS = {
    "integer": ("max", "min", "wrapping_add", "wrapping_sub", "wrapping_mul", "saturating_add"),
    "float": ("max", "min", "copysign"),
}
_UNARY_METHODS = {
    "integer": ("count_ones", "leading_zeros", "trailing_zeros"),
    "float": ("abs", "floor", "ceil", "trunc", "round", "sqrt", "fract"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """The parameters `x0`, `x1` …, statements, the value they end in, and arguments to run it with."""

    parameters: tuple[str, ...]
    body: str
    result: str
    arguments: tuple[tuple[int | float, ...], ...]


def bits(dtype: str) -> int:
    """The width of a dtype."""
    return int(dtype[1:])


def value(rng: random.Random, dtype: str) -> int | float:
    """A number of the dtype, often one at an edge; floats are exact in it."""
    if dtype in FLOATS:
        edges = [0.0, -0.0, 1.0, -1.5, 0.1, 1e30, float("inf"), float("-inf"), float("nan")]
        number = rng.choice(edges) if rng.random() < 0.3 else rng.uniform(-1000, 1000)
        return rounded(number) if dtype == "f32" else number
    width = bits(dtype)
    least, most = (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
    if dtype[0] == "u":
        least, most = 0, 2**width - 1
    return rng.choice((least, most, 0, 1, 2, 3, most - 1, rng.randint(least, most)))


def rounded(number: float) -> float:
    """The number in single precision."""
    return float(struct.unpack("f", struct.pack("f", number))[0])


def literal(rng: random.Random, dtype: str) -> str:
    """A constant in Rust, with its suffix."""
    if dtype in FLOATS:
        return f"{rng.choice(('0.0', '1.0', '0.1', '2.5', '1e10', '3.25'))}_{dtype}"
    return f"{rng.randrange(min(128, 2 ** (bits(dtype) - 1)))}_{dtype}"


@dataclass(slots=True, kw_only=True)
class Generator:
    """Makes programs; the same `seed` makes the same."""

    seed: int
    _rng: random.Random = field(init=False)
    _scope: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Starts the sequence."""
        self._rng = random.Random(self.seed)  # noqa: S311 - no secret

    def program(self, argument_sets: int) -> Program:
        """The next program."""
        rng = self._rng
        parameters = tuple(rng.choice(DTYPES) for _ in range(rng.randint(2, 4)))
        self._scope = [(f"x{i}", dtype) for i, dtype in enumerate(parameters)]
        lines = [self._statement() for _ in range(rng.randint(1, 5))]
        result = rng.choice(DTYPES)
        lines.append(f"let q: {result} = {self._expression(result, 3)};")
        return Program(
            parameters=parameters,
            body="\n".join(lines),
            result=result,
            arguments=tuple(
                tuple(value(rng, dtype) for dtype in parameters) for _ in range(argument_sets)
            ),
        )

    # --- Statements -------------------------------------------------------------------------------

    def _statement(self) -> str:
        rng = self._rng
        dtype = rng.choice(DTYPES)
        name = rng.choice(("a", "b", "c", "d", f"x{rng.randrange(3)}"))
        initial = self._expression(dtype, 2)
        kind = rng.random()
        if kind < 0.5:
            text = f"let {name}: {dtype} = {initial};"
        elif kind < 0.75:
            change = self._inside(name, dtype, lambda: self._expression(dtype, 2))
            other = self._inside(name, dtype, lambda: self._expression(dtype, 1))
            condition = self._inside(name, dtype, lambda: self._condition(1))
            text = (
                f"let mut {name}: {dtype} = {initial};\nif {condition} {{\n{name} = {change};\n}} "
                f"else {{\n{name} = {other};\n}}"
            )
        elif kind < 0.9:
            change = self._inside(name, dtype, lambda: self._expression(dtype, 2))
            text = f"let mut {name}: {dtype} = {initial};\nfor _i in 0..{rng.randint(1, 4)} {{\n{name} = {change};\n}}"
        else:
            inner = self._inside("e", dtype, lambda: self._expression(dtype, 2))
            text = f"let {name}: {dtype} = {{\nlet e: {dtype} = {initial};\n{inner}\n}};"
        self._declare(name, dtype)
        return text

    def _declare(self, name: str, dtype: str) -> None:
        self._scope = [each for each in self._scope if each[0] != name] + [(name, dtype)]

    def _inside(self, name: str, dtype: str, make: Callable[[], str]) -> str:
        before = self._scope
        self._declare(name, dtype)
        text = make()
        self._scope = before
        return text

    # --- Expressions ------------------------------------------------------------------------------

    def _expression(self, dtype: str, depth: int) -> str:
        rng = self._rng
        if depth == 0 or rng.random() < 0.1:
            return self._leaf(dtype)
        kind = "float" if dtype in FLOATS else "integer"
        choice = rng.random()
        left = self._expression(dtype, depth - 1)
        if choice < 0.1:
            return f"(if {self._condition(depth - 1)} {{ {left} }} else {{ {self._expression(dtype, depth - 1)} }})"
        if choice < 0.2:
            source = rng.choice(DTYPES)
            return f"({self._expression(source, depth - 1)} as {dtype})"
        if choice < 0.25:
            return f"({self._condition(depth - 1)} as {dtype})" if kind == "integer" else left
        if choice < 0.35:
            if kind == "float" or dtype[0] == "i":
                return f"(-{left})"
            return f"(!{left})"
        if choice < 0.45:
            method = rng.choice(_METHODS[kind])
            call = f"{self._held(left, dtype)}.{method}({self._expression(dtype, depth - 1)})"
            # Which zero `max` and `min` give of two is open in Rust; the sum makes it the positive one.
            return f"({call} + 0.0)" if method in {"max", "min"} and kind == "float" else call
        if choice < 0.5:
            method = rng.choice(_UNARY_METHODS[kind])
            call = f"{self._held(left, dtype)}.{method}()"
            return call if kind == "float" else f"({call} as {dtype})"
        # A literal on the right only: no operation is constant, so that none is refused for overflow.
        is_literal = rng.random() < 0.3
        if kind == "integer" and rng.random() < 0.1:
            method = rng.choice(("rem_euclid", "div_euclid", "abs_diff", "pow"))
            return self._integer_method(left, method, dtype)
        right = literal(rng, dtype) if is_literal else self._expression(dtype, depth - 1)
        if kind == "float":
            return f"({left} {rng.choice('+-*/%')} {right})"
        operator = rng.choice(("+", "-", "*", "&", "|", "^", "/", "%", "<<", ">>"))
        if operator in {"/", "%"}:
            return f"({left} {operator} (({right} & 7) | 1))"
        if operator in {"<<", ">>"}:
            distance = rng.choice(INTEGERS)
            return f"({left} {operator} ({self._leaf(distance)} & 7))"
        return f"({left} {operator} {right})"

    def _integer_method(self, left: str, method: str, dtype: str) -> str:
        """A call that is defined whatever the operands are."""
        right = self._leaf(dtype)
        match method:
            case "pow":
                return f"{self._held(left, dtype)}.pow(({right} & 7) as u32)"
            case "abs_diff":
                return f"({self._held(left, dtype)}.abs_diff({right}) as {dtype})"
            case _:
                return f"{self._held(left, dtype)}.{method}(({right} & 7) | 1)"

    def _held(self, text: str, dtype: str) -> str:
        return f"({text} as {dtype})"

    def _leaf(self, dtype: str) -> str:
        rng = self._rng
        names = [name for name, its in self._scope if its == dtype]
        if names and rng.random() < 0.8:
            return rng.choice(names)
        name, source = rng.choice(self._scope)
        return f"({name} as {dtype})" if source != dtype else name

    def _condition(self, depth: int) -> str:
        rng = self._rng
        dtype = rng.choice(DTYPES)
        operator = rng.choice(("<", "<=", ">", ">=", "==", "!="))
        text = f"({self._expression(dtype, max(depth, 0))}) {operator} ({self._leaf(dtype)})"
        if depth > 0 and rng.random() < 0.3:
            return f"({text} {rng.choice(('&&', '||'))} {self._condition(0)})"
        return f"({text})"
