"""Launch plans as stable text, for `--emit ir` and for tests: what is launched when, and then the stages' kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir.dump import dump_routine
from transpiler.ir.extent import AnyOf, AtLeast, Equal
from transpiler.ir.extent_fold import ExtentFold
from transpiler.ir.launch_plan import GRID_NAMES
from transpiler.ir.types import dtype_text
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from transpiler.ir.extent import Condition, Extent
    from transpiler.ir.launch_plan import LaunchPlan, Variant
    from transpiler.ir.nodes import Kernel


def dump_plan(plan: LaunchPlan) -> str:
    """The plan, and below it every kernel it launches, each once."""
    kernels = {
        stage.kernel.name: stage.kernel for variant in plan.variants for stage in variant.stages
    }
    text = "\n".join(_Plan(plan).lines()) + "\n"
    return "\n".join((text, *map(dump_routine, kernels.values())))


class _Plan:
    def __init__(self, plan: LaunchPlan) -> None:
        self._plan = plan
        self._terms = _Terms(_argument_names(plan.kernel))

    def lines(self) -> Iterator[str]:
        plan = self._plan
        yield f"plan {plan.kernel.name}{self._conditions('requires', plan.requires)} {{"
        for variant in plan.variants:
            yield f"  variant{self._conditions('where', variant.conditions)} {{"
            yield from (f"    {line}" for line in self._variant(variant))
            yield "  }"
        yield "}"

    def _variant(self, variant: Variant) -> Iterator[str]:
        for quantity in variant.quantities:
            yield f"let {quantity.name} = {self._text(quantity.value)}"
        for scratch in variant.scratch:
            yield f"scratch {scratch.name}: {dtype_text(scratch.dtype)}[{self._text(scratch.count)}]"
        for stage in variant.stages:
            grid = ", ".join(map(self._text, stage.grid))
            yield f"launch {stage.kernel.name}[{grid}] with {self._text(stage.warps)} warps"
            for tile in stage.tiles:
                choices = f" of {', '.join(map(str, tile.choices))}" if tile.choices else ""
                limit = "" if tile.limit is None else f" up to {self._text(tile.limit)}"
                yield f"  tile {tile.name} = {self._text(tile.default)}{choices}{limit}"

    def _conditions(self, word: str, conditions: Sequence[Condition]) -> str:
        return f" {word} {' and '.join(map(self._condition, conditions))}" if conditions else ""

    def _condition(self, condition: Condition) -> str:
        match condition:
            case AnyOf(conditions=conditions):
                return f"({' or '.join(map(self._condition, conditions))})"
            case Equal(left=left, right=right):
                return f"{self._text(left)} == {self._text(right)}"
            case AtLeast(value=value, bound=bound):
                return f"{self._text(value)} >= {self._text(bound)}"

    def _text(self, extent: Extent) -> str:
        return self._terms.of(extent).text


class _Term(NamedTuple):
    """The text of an extent; among operands one with operators needs parentheses."""

    text: str
    has_operators: bool = False

    @property
    def operand(self) -> str:
        """The text where it is an operand."""
        return f"({self.text})" if self.has_operators else self.text


class _Terms(ExtentFold[_Term]):
    def __init__(self, names: Sequence[str]) -> None:
        self._names = names

    def number(self, value: int) -> _Term:
        return _Term(str(value))

    def parameter(self, place: int) -> _Term:
        return _Term(self._names[place])

    def programs(self, axis: int) -> _Term:
        return _Term(GRID_NAMES[axis])

    def named(self, name: str) -> _Term:
        return _Term(name)

    def item_size(self, dtype: str) -> _Term:
        return _Term(f"item_size({dtype})")

    def lookup(self, key: _Term, values: tuple[tuple[int, int], ...]) -> _Term:
        listed = ", ".join(f"{each}: {value}" for each, value in values)
        return _Term(f"{{{listed}}}[{key.text}]")

    def power_of_two(self, value: _Term) -> _Term:
        return _Term(f"power_of_two({value.text})")

    def alignment(self, value: _Term, most: _Term) -> _Term:
        return _Term(f"alignment({value.text}, {most.text})")

    def sum(self, added: tuple[_Term, ...], subtracted: tuple[_Term, ...]) -> _Term:
        terms = " + ".join(it.operand for it in added)
        return _Term(" - ".join((terms, *(it.operand for it in subtracted))), has_operators=True)

    def product(self, factors: tuple[_Term, ...]) -> _Term:
        return _Term(" * ".join(it.operand for it in factors), has_operators=True)

    def quotient(self, dividend: _Term, divisor: _Term, *, is_up: bool) -> _Term:
        if is_up:
            return _Term(f"cdiv({dividend.text}, {divisor.text})")
        return _Term(f"{dividend.operand} / {divisor.operand}", has_operators=True)

    def extreme(self, parts: tuple[_Term, ...], *, is_least: bool) -> _Term:
        return _Term(f"{'min' if is_least else 'max'}({', '.join(it.text for it in parts)})")


def _argument_names(kernel: Kernel) -> tuple[str, ...]:
    return tuple(it.name for it in (*kernel.parameters, *kernel.const_generics))
