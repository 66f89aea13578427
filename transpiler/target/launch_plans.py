"""The host functions that say what is launched in the place of a kernel."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, assert_never

from transpiler.ir.extent import (
    Division,
    Extreme,
    Named,
    Number,
    Parameter,
    PowerOfTwo,
    Product,
    Programs,
    Sum,
)
from transpiler.ir.launch_plan import GRID_NAMES
from transpiler.ir.types import DType, DtypeParameter, DtypeVariable
from transpiler.target import model
from transpiler.target.dtypes import TRITON_DTYPES
from transpiler.target.extents import POWER_OF_TWO, ExtentSpelling
from transpiler.target.model import Name, Operator
from transpiler.target.names import python_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypeAlias

    from transpiler.ir.extent import AtLeast, Extent
    from transpiler.ir.launch_plan import LaunchPlan, Stage, Tile, Variant
    from transpiler.ir.types import ElementType
    from transpiler.target.lower import LoweredKernel
    from transpiler.target.model import Expression, Statement

    Stages: TypeAlias = Sequence[tuple[Stage, LoweredKernel]]

STAGE, SCRATCH = "_Stage", "_Scratch"
"""The classes of a launch, and of memory between launches, in a generated module."""

PLAN_NAMES = frozenset({"max", "min", "torch", POWER_OF_TWO, SCRATCH, STAGE})
"""What these functions read of a module, beside kernels."""

META = "meta"
"""What a grid that depends on tiles calls the constants of its kernel."""

_GRID = "grid"


def lower_plan(
    plan: LaunchPlan,
    kernel: LoweredKernel,
    stages: Sequence[Sequence[LoweredKernel]],
    name: str,
    module_names: frozenset[str],
    tuned: Mapping[str, str],
) -> model.Function:
    """The function of a plan, called `name`.

    `kernel` is that of the plan, `stages` are those of its variants, `tuned` has the names of their tuned forms by
    their own, and `module_names` are what no local may hide.

    The function takes the extents of the grid, the run-time and the compile-time parameters of the kernel in their
    order, and by its name each dtype parameter that pointers carry: the torch dtype of arithmetic. It looks at integers
    and constants alone; what it is given for others, it passes on.
    """
    names = _Names(module_names | PLAN_NAMES | {"triton", _GRID, META})
    source = plan.kernel
    passed = [
        it
        for it in source.dtype_parameters
        if kernel.names.dtypes[it.name] in kernel.dtype_parameters
    ]
    carried = [it.name for it in source.dtype_parameters if it not in passed]
    for dtype in carried:
        names.keep(dtype)
    values = [symbol.name for symbol in (*source.parameters, *source.const_generics)]
    parameters = [names.bind(it) for it in (*values, *(dtype.name for dtype in passed))]
    writer = _Writer(names, values, tuned)
    statements: list[Statement] = []
    nothing = model.Return(value=Name("None"))
    if plan.requires:
        failed = writer.any_fails(plan.requires)
        statements.append(model.If(condition=failed, body=model.Suite(statements=(nothing,))))
    for variant, lowered in zip(plan.variants, stages, strict=True):
        body = writer.variant(variant, list(zip(variant.stages, lowered, strict=True)))
        if not variant.conditions:
            statements += body
            break
        condition = writer.all_hold(variant.conditions)
        statements.append(model.If(condition=condition, body=model.Suite(statements=tuple(body))))
    else:
        statements.append(nothing)
    given = [_GRID, *parameters, *(["*", *carried] if carried else [])]
    return model.Function(
        name=name,
        parameters=tuple(model.Parameter(name=it) for it in given),
        docs=(
            f"The launches in the place of `{kernel.function.name}`; None for the kernel itself.",
        ),
        body=model.Suite(statements=tuple(statements)),
    )


class _Names:
    """The Python names of what a plan calls by name; each of them is `bound` once a statement gives it a value."""

    def __init__(self, forbidden: frozenset[str]) -> None:
        self._taken = set(forbidden)
        self._bound: dict[str, Expression] = {
            name: model.Subscript(Name(_GRID), model.Number(str(axis)))
            for axis, name in enumerate(GRID_NAMES)
        }

    def keep(self, name: str) -> None:
        """Take a name as it is."""
        self._taken.add(name)
        self._bound[name] = Name(name)

    def bind(self, name: str) -> str:
        """A Python name for a name of the plan."""
        chosen = python_name(name, self._taken, frozenset())
        self._taken.add(chosen)
        self._bound[name] = Name(chosen)
        return chosen

    def __contains__(self, name: str) -> bool:
        return name in self._bound

    def __getitem__(self, name: str) -> Expression:
        return self._bound[name]

    def copy(self) -> _Names:
        """The same names, to which others may be added."""
        copied = _Names(frozenset(self._taken))
        copied._bound = dict(self._bound)
        return copied


class _Writer:
    """Writes conditions, and the statements of variants."""

    def __init__(self, names: _Names, values: Sequence[str], tuned: Mapping[str, str]) -> None:
        """`values` are the names of the kernel's parameters and const generics, by their places."""
        self._names = names
        self._values = values
        self._tuned = tuned

    def any_fails(self, conditions: Sequence[AtLeast]) -> Expression:
        """Whether a condition does not hold."""
        spelling = self._spelling(self._names)
        return _chain(Operator.OR, [spelling.condition(it, negated=True) for it in conditions])

    def all_hold(self, conditions: Sequence[AtLeast]) -> Expression:
        """Whether all conditions hold."""
        spelling = self._spelling(self._names)
        return _chain(Operator.AND, [spelling.condition(it) for it in conditions])

    def _spelling(
        self, names: _Names, own: Mapping[str, Expression] | None = None
    ) -> ExtentSpelling:
        """How extents are spelled where `names` are bound, and `own` before these."""
        known = own or {}
        return ExtentSpelling(
            parameter=lambda place: names[self._values[place]],
            programs=lambda axis: names[GRID_NAMES[axis]],
            named=lambda name: known[name] if name in known else names[name],
        )

    def variant(self, variant: Variant, stages: Stages) -> list[Statement]:
        """The numbers of a variant, its memory, and its launches."""
        names = self._names.copy()
        spelling = self._spelling(names)
        statements: list[Statement] = []
        tiles: dict[str, Tile] = {}
        for tile in (it for stage in variant.stages for it in stage.tiles):
            tiles.setdefault(tile.name, tile)

        def assign(name: str, value: Expression) -> None:
            statements.append(model.Assignment(targets=(names.bind(name),), value=value))

        def need(*needed: str) -> None:
            """Assign the tiles among these, which other numbers depend on."""
            for name in needed:
                if name not in names and name in tiles:
                    need(*_named(tiles[name].default))
                    assign(name, spelling.extent(tiles[name].default))

        for quantity in variant.quantities:
            need(*_named(quantity.value))
            assign(quantity.name, spelling.extent(quantity.value))
        for scratch in variant.scratch:
            need(*_named(scratch.count))
            dtype, count = _torch_dtype(scratch.dtype, names), spelling.extent(scratch.count)
            assign(scratch.name, model.Call(Name(SCRATCH), (dtype, count)))
        for stage in variant.stages:
            own = {symbol.name for symbol in stage.kernel.const_generics}
            need(*(name for tile in stage.tiles for name in _named(tile.default)))
            need(*(name for extent in stage.grid for name in _named(extent) if name not in own))
            need(*(symbol.name for symbol in stage.kernel.parameters))
        launches = tuple(self._launch(*it, names, tiles) for it in stages)
        return [*statements, model.Return(value=model.List(launches))]

    def _launch(
        self, stage: Stage, kernel: LoweredKernel, names: _Names, tiles: Mapping[str, Tile]
    ) -> Expression:
        """A launch; what is computed of its own tiles is a function of the constants."""
        spelling = self._spelling(names)
        source = stage.kernel
        own: dict[str, Expression] = {}
        values: dict[str, Expression] = {}
        for tile in stage.tiles:
            if tile.name in names and tiles[tile.name].default == tile.default:
                continue
            values[tile.name] = spelling.extent(tile.default)
        constants: list[model.Keyword] = []
        for symbol in source.const_generics:
            name = kernel.names.symbols[symbol]
            if symbol.name in values:
                own[symbol.name] = model.Subscript(Name(META), model.Text(name))
                value = values[symbol.name]
            else:
                value = names[symbol.name]
            constants.append(model.Keyword(name, value))
        constants += [
            model.Keyword(kernel.names.dtypes[dtype.name], names[dtype.name])
            for dtype in source.dtype_parameters
            if kernel.names.dtypes[dtype.name] in kernel.dtype_parameters
        ]
        of_tiles = self._spelling(names, own)
        grid: Expression = model.Tuple(tuple(map(of_tiles.extent, stage.grid)))
        if any(name in own for extent in stage.grid for name in _named(extent)):
            grid = model.Lambda((META,), grid)
        arguments = (names[symbol.name] for symbol in source.parameters)
        function = kernel.function.name
        options = (
            model.Keyword("num_warps", model.Number(str(stage.warps))),
            model.Keyword("tuned", Name(self._tuned[function])),
        )
        return model.Call(Name(STAGE), (Name(function), grid, *arguments), (*constants, *options))


def depended_on(plan: LaunchPlan) -> frozenset[str]:
    """The names that numbers of a plan depend on, other than the grids of the stages whose tiles they are."""
    found: set[str] = set()
    for variant in plan.variants:
        values = [
            *(it.value for it in variant.quantities),
            *(it.count for it in variant.scratch),
            *(tile.default for stage in variant.stages for tile in stage.tiles),
        ]
        found.update(name for value in values for name in _named(value))
        for stage in variant.stages:
            own = {symbol.name for symbol in stage.kernel.const_generics}
            found.update(symbol.name for symbol in stage.kernel.parameters)
            found.update(name for it in stage.grid for name in _named(it) if name not in own)
    return frozenset(found)


def _chain(operator: Operator, parts: Sequence[Expression]) -> Expression:
    return reduce(lambda left, right: model.Binary(operator, left, right), parts)


def _torch_dtype(dtype: ElementType, names: _Names) -> Expression:
    """`torch.float32`, or what a dtype parameter stands for."""
    match dtype:
        case DType():
            name = "bool" if dtype is DType.BOOL else TRITON_DTYPES[dtype]
            return model.Attribute(Name("torch"), name)
        case DtypeParameter():
            return names[dtype.name]
        case DtypeVariable():
            raise ValueError(f"the dtype {dtype} is not settled")
    assert_never(dtype)


def _named(extent: Extent) -> Iterator[str]:
    """What an extent refers to by name."""
    match extent:
        case Named(name=name):
            yield name
        case Number() | Parameter() | Programs():
            pass
        case PowerOfTwo(value=value):
            yield from _named(value)
        case Sum(added=added, subtracted=subtracted):
            yield from (name for part in (*added, *subtracted) for name in _named(part))
        case Product(factors=parts) | Extreme(parts=parts):
            yield from (name for part in parts for name in _named(part))
        case Division(dividend=dividend, divisor=divisor):
            yield from (*_named(dividend), *_named(divisor))
        case _:
            assert_never(extent)
