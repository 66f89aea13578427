"""Launch plans as stable text, for `--emit ir` and for tests: what is launched when, and then the stages' kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from transpiler.ir.dump import dump_routine
from transpiler.ir.extent import (
    Division,
    Extreme,
    ItemSize,
    Named,
    Number,
    Parameter,
    PowerOfTwo,
    Product,
    Programs,
    Sum,
)
from transpiler.ir.launch_plan import GRID_NAMES
from transpiler.ir.types import dtype_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from transpiler.ir.extent import AtLeast, Extent
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
        self._names = _argument_names(plan.kernel)

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
            yield f"launch {stage.kernel.name}[{grid}] with {stage.warps} warps"
            for tile in stage.tiles:
                choices = f" of {', '.join(map(str, tile.choices))}" if tile.choices else ""
                limit = "" if tile.limit is None else f" up to {self._text(tile.limit)}"
                yield f"  tile {tile.name} = {self._text(tile.default)}{choices}{limit}"

    def _conditions(self, word: str, conditions: Sequence[AtLeast]) -> str:
        if not conditions:
            return ""
        texts = (f"{self._text(it.value)} >= {self._text(it.bound)}" for it in conditions)
        return f" {word} {' and '.join(texts)}"

    def _text(self, extent: Extent) -> str:
        match extent:
            case Number(value=value):
                return str(value)
            case Parameter(place=place):
                return self._names[place]
            case Programs(axis=axis):
                return GRID_NAMES[axis]
            case Named(name=name):
                return name
            case ItemSize(dtype=dtype):
                return f"item_size({dtype})"
            case PowerOfTwo(value=value):
                return f"power_of_two({self._text(value)})"
            case Sum(added=added, subtracted=subtracted):
                terms = " + ".join(map(self._operand, added)) or "0"
                return terms + "".join(f" - {self._operand(it)}" for it in subtracted)
            case Product(factors=factors):
                return " * ".join(map(self._operand, factors))
            case Division(dividend=dividend, divisor=divisor, is_up=True):
                return f"cdiv({self._text(dividend)}, {self._text(divisor)})"
            case Division(dividend=dividend, divisor=divisor):
                return f"{self._operand(dividend)} / {self._operand(divisor)}"
            case Extreme(parts=parts, is_least=is_least):
                return f"{'min' if is_least else 'max'}({', '.join(map(self._text, parts))})"
            case _:
                assert_never(extent)

    def _operand(self, extent: Extent) -> str:
        text = self._text(extent)
        is_compound = isinstance(extent, Sum | Product) or (
            isinstance(extent, Division) and not extent.is_up
        )
        return f"({text})" if is_compound else text


def _argument_names(kernel: Kernel) -> tuple[str, ...]:
    return tuple(it.name for it in (*kernel.parameters, *kernel.const_generics))
