"""What a kernel needs behind its pointers, as a function of its grid, its parameters and its constants."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from transpiler.ir.extent import Number, Parameter
from transpiler.target.document import INDENT
from transpiler.target.expression_printer import LINE_WIDTH, print_expression
from transpiler.target.extents import ExtentSpelling
from transpiler.target.model import (
    Binary,
    Call,
    Choice,
    Dict,
    Expression,
    Name,
    Operator,
    Subscript,
    Text,
)
from transpiler.target.model import Number as Numeral

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.ir.extent import AtLeast, Footprint
    from transpiler.ir.nodes import Symbol

_USED = frozenset({"max", "min"})
"""What a number is computed with, and a kernel's parameter may be called as well."""


def elements(
    footprints: Mapping[Symbol, Footprint], names: Mapping[Symbol, str], level: int
) -> list[str]:
    """The lines of `elements=lambda …` in a call at `level`; `names` are parameters, then constants."""
    text = _Text(names)
    entries: list[tuple[Expression, Expression]] = []
    read: set[str] = set()
    for pointer, footprint in footprints.items():
        text.read.clear()
        value = text.value(footprint)
        if text.read.isdisjoint(_USED):
            read |= text.read
            entries.append((Text(names[pointer]), value))
    grid = "grid" if "grid" in read else "_grid"
    parameters = ", ".join([grid, *(name for name in names.values() if name in read), "**_"])
    *above, before = wrap(
        f"elements=lambda {parameters}: ",
        LINE_WIDTH - 1,
        initial_indent=INDENT * level,
        subsequent_indent=INDENT * (level + 1),
        break_long_words=False,
    )
    lines = print_expression(Dict(tuple(entries)), before=f"{before} ", behind=",", level=level)
    return [*above, *lines]


class _Text:
    """Writes footprints and notes the names that are `read`."""

    def __init__(self, names: Mapping[Symbol, str]) -> None:
        self.read: set[str] = set()
        self._names = list(names.values())
        self._spelling = ExtentSpelling(
            parameter=self._parameter,
            programs=self._programs,
        )

    def _parameter(self, place: int) -> Expression:
        name = self._names[place]
        self.read.add(name)
        return Name(name)

    def _programs(self, axis: int) -> Expression:
        self.read.add("grid")
        return Subscript(Name("grid"), Numeral(str(axis)))

    def value(self, footprint: Footprint) -> Expression:
        """The number of elements, 0 where a condition of it does not hold."""
        count = self._spelling.of(footprint.count)
        positive = [it for it in footprint.conditions if _is_positive(it)]
        conditions = [self._spelling.condition(it) for it in footprint.conditions]
        if len(positive) > 1:
            values = tuple(self._spelling.of(it.value) for it in positive)
            least = Call(Name("min"), values)
            conditions = [
                Binary(Operator.GREATER_EQUAL, least, Numeral("1")),
                *(
                    self._spelling.condition(it)
                    for it in footprint.conditions
                    if not _is_positive(it)
                ),
            ]
        if not conditions:
            return count
        condition, *others = conditions
        for other in others:
            condition = Binary(Operator.AND, condition, other)
        return Choice(condition, count, Numeral("0"))


def _is_positive(condition: AtLeast) -> bool:
    """Whether it asks of a parameter to be 1 or more."""
    return isinstance(condition.value, Parameter) and condition.bound == Number(1)
