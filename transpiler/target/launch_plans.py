"""The host functions that say what is launched in the place of a kernel."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, assert_never

from transpiler.ir.extent import Named, Number, Parameter, Programs
from transpiler.ir.extent_fold import names_in, walk_extent
from transpiler.ir.launch_plan import GRID_NAMES
from transpiler.ir.types import DType, DtypeParameter, DtypeVariable
from transpiler.target import model
from transpiler.target.dtypes import TRITON_DTYPES
from transpiler.target.extents import ALIGNMENT, POWER_OF_TWO, ExtentSpelling
from transpiler.target.model import Name, Operator
from transpiler.target.names import python_name
from transpiler.target.read_names import names_read

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from typing import TypeAlias

    from transpiler.ir.extent import AtLeast, Condition, Extent
    from transpiler.ir.launch_plan import LaunchPlan, Quantity, Stage, Tile, Variant
    from transpiler.ir.types import ElementType
    from transpiler.target.lower import LoweredKernel
    from transpiler.target.model import Expression, Statement

    Stages: TypeAlias = Sequence[tuple[Stage, LoweredKernel]]

STAGE, SCRATCH = "_Stage", "_Scratch"
"""The classes of a launch, and of memory between launches, in a generated module."""

ARITHMETIC = "_arithmetic"
"""The function of a generated module that gives the dtype of arithmetic for one of memory."""

PLAN_NAMES = frozenset(
    {
        *("getattr", "max", "min", "str", "tl", "torch"),
        *(ALIGNMENT, ARITHMETIC, POWER_OF_TWO, SCRATCH, STAGE),
    }
)
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
    order, and by its name each dtype parameter that pointers carry: the torch dtype of what is in memory. It looks at
    integers and constants alone; what it is given for others, it passes on.
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
    grid = tuple(map(names.bind, GRID_NAMES))
    writer = _Writer(names, values)
    statements: list[Statement] = []
    nothing = model.Return(value=Name("None"))
    if plan.requires:
        failed = writer.any_fails(plan.requires)
        statements.append(model.If(condition=failed, body=model.Suite(statements=(nothing,))))
    for variant, lowered in zip(plan.variants, stages, strict=True):
        launched = list(zip(variant.stages, lowered, strict=True))
        body = _VariantWriter(
            names.copy(), values, variant, launched, tuned, {it.name for it in passed}
        ).statements()
        if not variant.conditions:
            statements += [replace(body[0], blank_before=True), *body[1:]]
            break
        condition = writer.all_hold(variant.conditions)
        suite = model.Suite(statements=tuple(body))
        comments = _comments(variant.why)
        statements.append(
            model.If(condition=condition, body=suite, comments=comments, blank_before=True)
        )
    else:
        statements.append(nothing)
    if not names_read(model.Suite(statements=tuple(statements))).isdisjoint(grid):
        statements.insert(0, model.Assignment(targets=grid, value=Name(_GRID)))
    given = [_GRID, *parameters, *(["*", *carried] if carried else [])]
    return model.Function(
        name=name,
        parameters=tuple(model.Parameter(name=it) for it in given),
        docs=(f"What is launched in the place of `{kernel.function.name}`; None for itself.",),
        body=model.Suite(statements=tuple(statements)),
    )


class _Names:
    """The Python names of what a plan calls by name; each of them is `bound` once a statement gives it a value."""

    def __init__(self, forbidden: frozenset[str]) -> None:
        self._taken = set(forbidden)
        self._bound: dict[str, Expression] = {}

    def keep(self, name: str) -> None:
        """Take a name as it is."""
        self._taken.add(name)
        self._bound[name] = Name(name)

    def bind(self, name: str) -> str:
        """A Python name for a name of the plan."""
        chosen = self.free(name)
        self._bound[name] = Name(chosen)
        return chosen

    def bind_again(self, name: str) -> str:
        """The Python name of what may have one already, and is given another value."""
        match self._bound.get(name):
            case Name(text=known):
                return known
            case _:
                return self.bind(name)

    def alias(self, name: str, known: Expression) -> None:
        """Let a name of the plan stand for what has another name in Python."""
        self._bound[name] = known

    def free(self, name: str) -> str:
        """A Python name for what the plan has no name for."""
        chosen = python_name(name, self._taken, frozenset())
        self._taken.add(chosen)
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
    """Writes conditions and numbers; `values` are the names of the parameters and const generics by their places."""

    def __init__(self, names: _Names, values: Sequence[str]) -> None:
        self.names = names
        self.values = values

    def spelling(
        self, own: Mapping[str, Expression], known: Mapping[Extent, str] | None = None
    ) -> ExtentSpelling:
        """How extents are spelled where names stand for what they are bound to, but for `own` ones."""
        return ExtentSpelling(
            parameter=lambda place: self.names[self.values[place]],
            programs=lambda axis: self.names[GRID_NAMES[axis]],
            named=lambda name: own[name] if name in own else self.names[name],
            known=known,
        )

    def any_fails(self, conditions: Sequence[AtLeast]) -> Expression:
        """Whether a condition does not hold."""
        spelling = self.spelling({})
        return _chain(Operator.OR, [spelling.condition(it, negated=True) for it in conditions])

    def all_hold(self, conditions: Sequence[Condition]) -> Expression:
        """Whether all conditions hold."""
        spelling = self.spelling({})
        return _chain(Operator.AND, [spelling.holds(it) for it in conditions])


class _VariantWriter(_Writer):
    """Writes the statements of a variant; what has a name already is spelled by it."""

    def __init__(
        self,
        names: _Names,
        values: Sequence[str],
        variant: Variant,
        stages: Stages,
        tuned: Mapping[str, str],
        passed: AbstractSet[str],
    ) -> None:
        """`passed` are the dtype parameters that a caller passes."""
        super().__init__(names, values)
        self._passed = passed
        self._variant = variant
        self._stages = stages
        self._tuned = tuned
        self._statements: list[Statement] = []
        self._known: dict[Extent, str] = {}
        self._spellings: dict[str, Expression] = {}
        """How what names were given is spelled, by names that still stand for the same."""
        self._numbers: dict[Expression, Expression] = {}
        """The names of numbers by how these are spelled."""
        self._tiles: dict[str, Tile] = {}
        for tile in (it for stage in variant.stages for it in stage.tiles):
            self._tiles.setdefault(tile.name, tile)

    def statements(self) -> list[Statement]:
        """The numbers of the variant, its memory, and its launches.

        Raises:
            ValueError: two numbers have one name; a fault of what made the plan.
        """
        variant = self._variant
        counted = [
            *(it.value for it in variant.quantities),
            *(it.count for it in variant.scratch),
        ]
        shared = {part for extent in counted for part in walk_extent(extent)}
        quantities: dict[str, Extent] = {}
        for quantity in variant.quantities:
            self._share(shared)
            if quantities.setdefault(quantity.name, quantity.value) != quantity.value:
                raise ValueError(f"two numbers of a plan are called {quantity.name}")
            if quantity.name not in self.names:
                self._quantity(quantity)
        self._share(shared)
        for scratch in variant.scratch:
            self._need(names_in(scratch.count))
            memory = (self._torch_dtype(scratch.dtype), self._spelled(scratch.count))
            value = model.Call(Name(SCRATCH), memory)
            target = self.names.bind(scratch.name)
            self._statements.append(model.Assignment(targets=(target,), value=value))
        for stage in variant.stages:
            own = {symbol.name for symbol in stage.kernel.const_generics}
            self._need(name for tile in stage.tiles for name in names_in(tile.default))
            self._need(name for it in stage.grid for name in names_in(it) if name not in own)
            self._need(symbol.name for symbol in stage.kernel.parameters)
        launches = tuple(self._launches())
        return [*self._statements, model.Return(value=model.List(launches))]

    def _launches(self) -> Iterator[Expression]:
        """What launches each stage; of several, each has a name, and stands below its tiles."""
        for stage, kernel in self._stages:
            before = len(self._statements)
            for tile in stage.tiles:
                if not isinstance(tile.default, Number):
                    self._tile(tile)
            launch = self._launch(stage, kernel)
            if len(self._stages) == 1:
                yield launch
                continue
            name = self.names.free(f"{kernel.function.name.rpartition('__')[2]}_stage")
            self._statements.append(model.Assignment(targets=(name,), value=launch))
            if before:
                first = self._statements[before]
                self._statements[before] = replace(first, blank_before=True)
            yield Name(name)

    def _tile(self, tile: Tile) -> None:
        """Assign a tile, unless its name stands for the same extent already."""
        name, value = tile.name, tile.default
        if name in self.names:
            spelled = self._spelled(value)
            if spelled in (self.names[name], self._spellings.get(name)):
                return
        # What was said in terms of another tile of that name is so no more.
        self._known = {
            extent: known
            for extent, known in self._known.items()
            if known != name and name not in names_in(extent)
        }
        self._assign(name, value)

    def _share(self, shared: AbstractSet[Extent]) -> None:
        """Assign the tiles that numbers are computed of, as soon as what they are computed of is there."""
        for name, tile in self._tiles.items():
            if (
                name not in self.names
                and tile.default in shared
                and not tile.choices
                and not isinstance(tile.default, Number)
                and all(it in self.names for it in names_in(tile.default))
            ):
                self._assign(name, tile.default)

    def _need(self, needed: Iterable[str]) -> None:
        """Assign the tiles among these, which other numbers depend on."""
        for name in needed:
            if name not in self.names and name in self._tiles:
                self._assign(name, self._tiles[name].default)

    def _quantity(self, quantity: Quantity) -> None:
        """Assign a number, unless another one is the same by another name."""
        self._need(names_in(quantity.value))
        spelled = self._spelled(quantity.value)
        same = spelled if isinstance(spelled, Name) else self._numbers.get(spelled)
        if same is not None:
            self.names.alias(quantity.name, same)
            return
        self._assign(quantity.name, quantity.value, quantity.why)
        self._numbers[spelled] = self.names[quantity.name]

    def _assign(self, name: str, value: Extent, why: str | None = None) -> None:
        self._need(names_in(value))
        spelled = self._spelled(value)
        target = self.names.bind_again(name)
        self._spellings = {
            other: it for other, it in self._spellings.items() if target not in _names_of(it)
        }
        self._spellings[name] = spelled
        statement = model.Assignment(targets=(target,), value=spelled, comments=_comments(why))
        self._statements.append(statement)
        if not isinstance(value, Number | Parameter | Programs | Named):
            self._known.setdefault(value, name)

    def _spelled(self, extent: Extent, own: Mapping[str, Expression] | None = None) -> Expression:
        own = own or {}
        # A stage's own tile is another number than that of its name elsewhere.
        known = {
            it: name for it, name in self._known.items() if own.keys().isdisjoint(names_in(it))
        }
        return self.spelling(own, known).of(extent)

    def _torch_dtype(self, dtype: ElementType) -> Expression:
        """`torch.float32`, or what a dtype parameter stands for."""
        match dtype:
            case DType():
                name = "bool" if dtype is DType.BOOL else TRITON_DTYPES[dtype]
                return model.Attribute(Name("torch"), name)
            case DtypeParameter(name=name) if name in self._passed:
                # The caller gives the dtype of arithmetic on floats as Triton's.
                wide = model.dotted("tl.float64")
                is_wide = model.Binary(Operator.EQUAL, self.names[name], wide)
                double, single = model.dotted("torch.float64"), model.dotted("torch.float32")
                return model.Choice(is_wide, double, single)
            case DtypeParameter(name=name):
                return model.Call(Name(ARITHMETIC), (self.names[name],))
            case DtypeVariable():
                raise ValueError(f"the dtype {dtype} is not settled")
        assert_never(dtype)

    def _launch(self, stage: Stage, kernel: LoweredKernel) -> Expression:
        """A launch; where its tiles may be others than these, its grid is a function of the constants."""
        names, source = self.names, stage.kernel
        given = {symbol.name for symbol in source.const_generics}
        passed = [it for it in stage.tiles if it.name in given]
        numbers = {it.name: it.default for it in passed if isinstance(it.default, Number)}
        is_open = bool(numbers) or any(it.choices for it in passed)
        tiles = {it.name for it in passed if is_open}
        own: dict[str, Expression] = {}
        constants: list[model.Keyword] = []
        for symbol in source.const_generics:
            name = kernel.names.symbols[symbol]
            if symbol.name in tiles:
                own[symbol.name] = model.Subscript(Name(META), model.Text(name))
            number = numbers.get(symbol.name)
            value = names[symbol.name] if number is None else self._spelled(number)
            constants.append(model.Keyword(name, value))
        for dtype in source.dtype_parameters:
            name = kernel.names.dtypes[dtype.name]
            if name in kernel.dtype_parameters:
                known = names[dtype.name]
                if dtype.name not in self._passed:
                    known = _of_triton(model.Call(Name(ARITHMETIC), (known,)))
                constants.append(model.Keyword(name, known))
        extents = tuple(self._spelled(extent, own) for extent in stage.grid)
        grid: Expression = model.Tuple(extents)
        if any(name in own for extent in stage.grid for name in names_in(extent)):
            grid = model.Lambda((META,), grid)
        arguments = (names[symbol.name] for symbol in source.parameters)
        function = kernel.function.name
        options = [
            model.Keyword("num_warps", self._spelled(stage.warps)),
            model.Keyword("tuned", Name(self._tuned[function])),
        ]
        if kernel.index64 is not None:
            options.append(model.Keyword("index64", Name(kernel.index64.name)))
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
        found.update(name for value in values for name in names_in(value))
        for stage in variant.stages:
            own = {symbol.name for symbol in stage.kernel.const_generics}
            found.update(symbol.name for symbol in stage.kernel.parameters)
            found.update(name for it in stage.grid for name in names_in(it) if name not in own)
    return frozenset(found)


def _names_of(expression: Expression) -> frozenset[str]:
    return names_read(model.Suite(statements=(model.Evaluation(value=expression),)))


def _comments(why: str | None) -> tuple[str, ...]:
    return () if why is None else (why,)


def _chain(operator: Operator, parts: Sequence[Expression]) -> Expression:
    return reduce(lambda left, right: model.Binary(operator, left, right), parts)


def _of_triton(dtype: Expression) -> Expression:
    """Triton's dtype for one of torch."""
    text = model.Call(Name("str"), (dtype,))
    name = model.Call(model.Attribute(text, "removeprefix"), (model.Text("torch."),))
    return model.Call(Name("getattr"), (Name("tl"), name))
