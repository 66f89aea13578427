"""The places of a program: the digits that its id is made of, the first one the fastest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import I32
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from transpiler.ir.extent import Extent
    from transpiler.optimise.build import Build
    from transpiler.optimise.symbols import Symbols


class Digit(NamedTuple):
    """A number that counts up to `limit`, which is `extent` at a launch.

    Where the limit is no argument, it gets the name `limit_name`.
    """

    symbol: ir.Symbol
    limit: ir.Expression
    extent: Extent
    limit_name: str = "limit"


class Decoded(NamedTuple):
    """The statements that take the program's id apart, and the limits of all digits but the last as they are read."""

    statements: tuple[ir.Statement, ...]
    limits: tuple[ir.Expression, ...]


def decoded(digits: Sequence[Digit], symbols: Symbols, build: Build) -> Decoded:
    """The digits of the program's id."""
    if len(digits) < 2:
        value = build.program_id()
        lets = [ir.Let(span=build.span, symbol=digit.symbol, value=value) for digit in digits]
        return Decoded(tuple(lets), ())
    pid = symbols.new("pid", I32, build.span)
    first = ir.Let(span=build.span, symbol=pid, value=build.program_id())
    counts: list[ir.Let] = []
    limits: list[ir.Expression] = []
    for digit in digits[:-1]:
        limit = digit.limit
        if not isinstance(limit, ir.Read):
            count = symbols.new(digit.limit_name, I32, build.span)
            counts.append(ir.Let(span=build.span, symbol=count, value=limit))
            limit = build.read(count)
        limits.append(limit)
    values = _values(build.read(pid), limits, build)
    lets = [
        ir.Let(span=build.span, symbol=digit.symbol, value=value)
        for digit, value in zip(digits, values, strict=True)
    ]
    return Decoded((first, *counts, *lets), tuple(limits))


def _values(
    number: ir.Expression, limits: Sequence[ir.Expression], build: Build
) -> Iterator[ir.Expression]:
    below: ir.Expression = build.number(1)
    for limit in limits:
        yield build.remainder(build.divide(number, below), limit)
        below = build.multiply(below, limit)
    yield build.divide(number, below)
