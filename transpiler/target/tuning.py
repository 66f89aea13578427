"""The tuned forms of the kernels of stages: `triton.autotune` over the tiles and the warps they may have."""

from __future__ import annotations

import math
from functools import reduce
from itertools import product
from typing import TYPE_CHECKING

from transpiler.ir.extent import Number
from transpiler.ir.types import DType, Scalar
from transpiler.target import model
from transpiler.target.extents import ExtentSpelling
from transpiler.target.model import Name, Operator, Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from transpiler.ir.description import LaunchFacts
    from transpiler.ir.extent import Extent
    from transpiler.ir.launch_plan import LaunchPlan, Stage
    from transpiler.ir.nodes import Symbol
    from transpiler.target.lower import LoweredKernel
    from transpiler.target.model import Expression

SUFFIX = "_tuned"
"""What stands behind the name of a kernel in that of its tuned form."""

FITTING = "_fitting"
"""The function of a generated module that leaves out tiles larger than what they cover."""

_LANES = (128, 1024)
"""The elements of a tile that a warp has, at least and at most: 4 to 32 a thread."""

_ALL_WARPS = {1, 2, 4, 8, 16}
_WARPS = "num_warps"


def tuned(
    plan: LaunchPlan,
    stages: Sequence[Stage],
    kernel: LoweredKernel,
    facts: LaunchFacts,
    kept: frozenset[str],
) -> Expression:
    """The tuned form of a kernel.

    `stages` are those that launch it, `facts` what it does, and `kept` the tiles that other numbers depend on.

    It is keyed on integers and constants; dtypes Triton adds. What it changes in place it changes once: the arguments
    that it reads and writes get their values back after each trial.
    """
    source = stages[0].kernel
    names = {
        it.name: kernel.names.symbols[it] for it in (*source.parameters, *source.const_generics)
    }
    tiles: dict[str, list[int]] = {}
    limits: dict[str, Extent | None] = {}
    for tile in (tile for stage in stages for tile in stage.tiles):
        if tile.choices and tile.name not in kept and tile.name in names:
            known = tiles.setdefault(names[tile.name], [])
            known += [it for it in tile.choices if it not in known]
            limits[names[tile.name]] = tile.limit
    constants = [kernel.names.symbols[it] for it in source.const_generics]
    integers = [kernel.names.symbols[it] for it in source.parameters if _is_integer(it)]
    key = [*integers, *(it for it in constants if it not in tiles)]
    updated = [
        names[it.name]
        for it in source.parameters
        if it.name in facts.atomics or (it.name in facts.writes and it.name in facts.reads)
    ]
    keywords = {
        "configs": _configurations(tiles, _warps(it.warps for it in stages)),
        "key": _texts(key),
        "restore_value": _texts(updated) if updated else None,
        "prune_configs_by": _pruning(plan, limits, dict.fromkeys(integers), names),
        "cache_results": Name("True"),
    }
    decorator = model.Call(
        model.dotted("triton.autotune"),
        (),
        tuple(model.Keyword(name, it) for name, it in keywords.items() if it is not None),
    )
    return model.Call(decorator, (Name(kernel.function.name),))


def _is_integer(symbol: Symbol) -> bool:
    return (
        isinstance(symbol.type, Scalar)
        and isinstance(symbol.type.dtype, DType)
        and symbol.type.dtype.is_integer
    )


def _texts(names: Sequence[str]) -> Expression:
    return model.List(tuple(map(Text, names)))


def _numbers(values: Sequence[int]) -> Expression:
    return model.Tuple(tuple(model.Number(str(it)) for it in sorted(values)))


def _warps(usual: Iterable[Extent]) -> set[int]:
    """The warps to try: as many as is usual, half of that and twice; where that depends on something, all."""
    found: set[int] = set()
    for extent in usual:
        if not isinstance(extent, Number):
            return _ALL_WARPS
        found |= {extent.value // 2, extent.value, extent.value * 2} & _ALL_WARPS
    return found


def _configurations(tiles: Mapping[str, Sequence[int]], warps: set[int]) -> Expression:
    """Every tile with these warps.

    Of several extents, those are tried that give a thread as many elements as loads and registers are for.
    """
    config = model.Call(
        model.dotted("triton.Config"),
        (model.Dict(tuple((Text(name), Name(name)) for name in tiles)),),
        (model.Keyword(_WARPS, Name(_WARPS)),),
    )
    some = any(
        _is_tried(math.prod(extents), each)
        for extents in product(*tiles.values())
        for each in warps
    )
    tried: tuple[Expression, ...] = ()
    if len(tiles) > 1 and some:
        extents: list[Expression] = [Name(it) for it in tiles]
        lanes = reduce(_times, extents)
        of_warps = (_times(model.Number(str(it)), Name(_WARPS)) for it in _LANES)
        least, most = of_warps
        tried = (
            model.Binary(Operator.LESS_EQUAL, least, lanes),
            model.Binary(Operator.LESS_EQUAL, lanes, most),
        )
    clauses = [model.Clause(name, _numbers(choices)) for name, choices in tiles.items()]
    clauses.append(model.Clause(_WARPS, _numbers(tuple(warps)), tried))
    return model.Comprehension(config, tuple(clauses), is_list=True)


def _is_tried(lanes: int, warps: int) -> bool:
    least, most = _LANES
    return least * warps <= lanes <= most * warps


def _times(left: Expression, right: Expression) -> Expression:
    return model.Binary(Operator.MULTIPLY, left, right)


def _pruning(
    plan: LaunchPlan,
    limits: Mapping[str, Extent | None],
    integers: Mapping[str, None],
    names: Mapping[str, str],
) -> Expression | None:
    """What leaves out tiles that are too large, where the kernel is given what they cover."""
    values = (*plan.kernel.parameters, *plan.kernel.const_generics)

    def given(rust: str) -> Expression:
        name = names[rust]
        if name not in integers:
            raise KeyError(name)
        return model.Subscript(Name("given"), Text(name))

    def programs(axis: int) -> Expression:
        raise KeyError(axis)

    spelling = ExtentSpelling(
        parameter=lambda place: given(values[place].name), programs=programs, named=given
    )
    known: list[model.Keyword] = []
    for name, limit in limits.items():
        if limit is not None:
            try:
                known.append(model.Keyword(name, spelling.of(limit)))
            except KeyError:
                continue
    if not known:
        return None
    fitting = model.Call(Name(FITTING), (Name("configs"),), tuple(known))
    return model.Dict(
        ((Text("early_config_prune"), model.Lambda(("configs", "given", "**_"), fitting)),)
    )
