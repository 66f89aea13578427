"""The launch plan of one kernel: which transforms apply, one after the other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir.extent import Named, Number
from transpiler.ir.launch_plan import GRID_NAMES, LaunchPlan, Stage, Variant
from transpiler.optimise import shapes
from transpiler.optimise.account import Account, Note
from transpiler.optimise.classic.context import ClassicContext
from transpiler.optimise.flags import (
    BLOCK_AXIS,
    EVICTION,
    HINTS,
    SPLIT_INDEX,
    SPLIT_KERNEL,
    SPLIT_REDUCTION,
    VECTORISE_LOOP,
)
from transpiler.optimise.launches.alternatives import Alternatives
from transpiler.optimise.launches.split_index import split_index
from transpiler.optimise.launches.split_program import split_programs
from transpiler.optimise.launches.variants import VariantMaker
from transpiler.optimise.lifting.calls import written_out
from transpiler.optimise.lifting.lift_guarded import lift_guarded
from transpiler.optimise.lifting.tuples import taken_apart
from transpiler.optimise.nests.dependence import reorderable
from transpiler.optimise.nests.extents import at_least, extent_of, length_of
from transpiler.optimise.nests.nest import Loop, Store, walk_items
from transpiler.optimise.nests.work import indices_of, loops
from transpiler.optimise.refusals import RefusedError
from transpiler.optimise.remarks import Remarks
from transpiler.optimise.stage_passes import finished
from transpiler.optimise.symbols import Symbols
from transpiler.optimise.trace import Trace
from transpiler.optimise.widening.widen import widen
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from transpiler.ir import nodes as ir
    from transpiler.ir.extent import AtLeast, Extent
    from transpiler.optimise.flags import OptimiseOptions
    from transpiler.optimise.nests.nest import Item, Nest

_PAYS_ALONE = frozenset({HINTS, EVICTION})
"""The classic transforms that change what the backend makes of a kernel that stays as it is otherwise."""


class _Outcome(NamedTuple):
    """A plan, if there is one, and where the classic transforms say what they made of its kernels."""

    plan: LaunchPlan | None
    context: ClassicContext


class Planner:
    """Plans one kernel."""

    def __init__(
        self,
        kernel: ir.Kernel,
        functions: Mapping[ir.FunctionSymbol, ir.Function],
        options: OptimiseOptions,
        remarks: Remarks,
        observe: Callable[[str, str], None] | None,
    ) -> None:
        self._kernel = kernel
        self._functions = functions
        self._options = options
        self._remarks = remarks
        self._symbols = Symbols(kernel)
        self._whole = taken_apart(written_out(kernel, functions, self._symbols), self._symbols)
        """The kernel with all that it does in it."""
        self._account = Account(kernel, options, remarks)
        self._trace = Trace(kernel, observe)
        self._notes: list[Note] = []
        """What was done, which is so once there is a plan."""

    def plan(self) -> LaunchPlan | None:
        """The plan; None where the kernel stays as it is."""
        try:
            outcome = self._restructured() or self._improved()
        except RefusedError as refusal:
            # The kernel is no nest: what is left to do is to widen it.
            self._account.is_no_nest(refusal)
            outcome = self._widened(refusal) or self._improved()
        for remark in outcome.context.remarks.remarks:
            self._remarks.add(remark)
        return outcome.plan

    def _classics(self) -> ClassicContext:
        """What the classic transforms are given; what they say counts if their kernels are launched."""
        return ClassicContext(
            name=self._kernel.name,
            options=self._options,
            remarks=Remarks(),
            functions=self._functions,
        )

    # --- Kernels that are no nests ----------------------------------------------------------------

    def _improved(self) -> _Outcome:
        """The kernel as it is launched, where a classic transform that pays alone changes it."""
        context = self._classics()
        stage = Stage(
            kernel=self._kernel,
            grid=tuple(map(Named, GRID_NAMES)),
            tiles=(),
            warps=Number(shapes.WARPS),
        )
        stage = finished(stage, context, self._trace)
        applied = {it.transform for it in context.remarks.remarks if it.is_applied}
        if applied.isdisjoint(_PAYS_ALONE):
            context.remarks.give_up(f"alone it does not pay in `{self._kernel.name}`")
            return _Outcome(None, context)
        flags = "_".join(sorted(it.flag for it in applied & _PAYS_ALONE))
        name = f"{self._kernel.name}__{flags}"
        kernel = replace(stage.kernel, name=name, backward=None, backward_span=None)
        stage = replace(stage, kernel=kernel)
        variant = Variant(conditions=(), quantities=(), scratch=(), stages=(stage,))
        plan = LaunchPlan(kernel=self._kernel, requires=(), variants=(variant,))
        return _Outcome(plan, context)

    def _widened(self, not_a_nest: RefusedError) -> _Outcome | None:
        """A tile of programs at a time."""
        if not self._options.has(BLOCK_AXIS):
            return None
        name = f"{self._kernel.name}__tiled"
        try:
            found = widen(self._whole, self._functions, self._symbols, name)
        except RefusedError as refusal:
            for each in (not_a_nest, refusal):
                self._account.missed(BLOCK_AXIS, each.reason, each.span)
            return None
        message = f"{found.tile} indices of `{found.axis}` in `{name}`"
        self._account.applied((Note(BLOCK_AXIS, message, found.span),))
        otherwise = self._improved()
        context = self._classics() if otherwise.plan is None else otherwise.context
        (stage,) = found.variant.stages
        self._trace.kernel(BLOCK_AXIS, stage.kernel)
        stage = finished(stage, context, self._trace)
        variants = (
            replace(found.variant, stages=(stage,)),
            *(() if otherwise.plan is None else otherwise.plan.variants),
        )
        plan = LaunchPlan(kernel=self._kernel, requires=(), variants=variants)
        return _Outcome(plan, context)

    # --- Nests ------------------------------------------------------------------------------------

    def _restructured(self) -> _Outcome | None:
        """The launches that a nest is taken apart into.

        Raises:
            RefusedError: the kernel is no nest, or cannot be taken apart.
        """
        nest = lift_guarded(self._whole, self._functions, self._symbols)
        self._trace.nest("lift", nest)
        nest = self._with_split_loops(nest)
        self._trace.nest(SPLIT_INDEX.flag, nest)
        nest = _in_any_order(nest)
        reason = self._why_whole(nest)
        context = self._classics()
        variants: tuple[Variant, ...] = ()
        if reason is None:
            maker = VariantMaker(context, self._trace)
            variants = tuple(self._variants(nest, maker))
            if not variants and (split := self._with_split_grid(nest)) is not None:
                nest = split
                variants = tuple(self._variants(nest, maker))
        if not variants:
            self._account.missed_all(reason or self._why_no_lanes(), self._kernel.name_span)
            return None
        self._account.applied(self._notes)
        self._account.finish(nest)
        requires = (*dict.fromkeys(_required(nest)), *nest.checks, *_unused_axes(nest))
        plan = LaunchPlan(kernel=self._kernel, requires=requires, variants=variants)
        return _Outcome(plan, context)

    def _why_whole(self, nest: Nest) -> str | None:
        """Why a nest is not taken apart, if that is so whatever its axes are."""
        top = [item for item in nest.items if isinstance(item, Loop)]
        if not any(isinstance(it, Store) for it in walk_items(nest.items)):
            return "nothing is stored"
        if not nest.programs and not top:
            return "there is one index of everything"
        if any(loop.reductions for loop in top) and not self._options.has(SPLIT_REDUCTION):
            return f"a loop reduces, and `{SPLIT_REDUCTION.flag}` is off"
        if len(top) > 1 and not self._options.has(SPLIT_KERNEL):
            return f"there are several loops, and `{SPLIT_KERNEL.flag}` is off"
        return None

    def _why_no_lanes(self) -> str:
        """Why no way to launch a nest has tiles."""
        off = [f"`{it.flag}`" for it in (BLOCK_AXIS, VECTORISE_LOOP) if not self._options.has(it)]
        if off:
            return f"no axis that may be lanes without {' and '.join(off)} is contiguous in memory"
        return "no axis is contiguous in memory"

    def _variants(self, nest: Nest, maker: VariantMaker) -> Iterator[Variant]:
        """The variants that have a form for tiles.

        Raises:
            RefusedError: none has.
        """
        refused: RefusedError | None = None
        is_made = False
        for alternative in Alternatives(nest, self._symbols, self._options, self._trace):
            try:
                made = maker.made(nest, alternative)
            except RefusedError as refusal:
                refused = refused or refusal
                continue
            is_made = True
            self._notes += made.notes
            yield made.variant
        if refused is not None and not is_made:
            raise refused

    def _with_split_loops(self, nest: Nest) -> Nest:
        """The nest with the indices of its loops taken apart, where these are divided."""
        indices = indices_of(nest.items)
        items: list[Item] = []
        positive = nest.positive
        for item in nest.items:
            items.append(item)
            if not isinstance(item, Loop):
                continue
            try:
                found = split_index(item, indices, self._symbols)
            except RefusedError as refusal:
                self._account.missed(SPLIT_INDEX, refusal.reason, refusal.span)
                continue
            if not self._options.has(SPLIT_INDEX):
                continue
            items[-1] = found.loop
            positive |= found.positive
            high, low = (it.axis.symbol.name for it in loops((found.loop,)))
            name = item.axis.symbol.name
            message = f"`{name}` is taken apart into `{high}` and `{low}` below {found.divisor}"
            self._notes.append(Note(SPLIT_INDEX, message, item.span))
        return replace(nest, items=tuple(items), positive=positive)

    def _with_split_grid(self, nest: Nest) -> Nest | None:
        """The nest with its programs' indices taken apart, where these are divided."""
        if nest.ends or not self._options.has(SPLIT_INDEX):
            return None
        found = split_programs(nest, self._symbols)
        if found is None:
            return None
        self._trace.nest(SPLIT_INDEX.flag, found)
        for old in nest.programs:
            made = [it.symbol.name for it in found.programs if it.place == old.place]
            if len(made) > 1:
                digits = " and ".join(f"`{it}`" for it in reversed(made))
                message = f"`{old.symbol.name}` of the grid is taken apart into {digits}"
                self._notes.append(Note(SPLIT_INDEX, message, old.span))
        return _in_any_order(found)


def _in_any_order(nest: Nest) -> Nest:
    """The nest with what has to be positive for the iterations of its loops to be independent.

    Raises:
        RefusedError: they are not.
    """
    indices = indices_of(nest.items)
    needed = (reorderable(item, indices) for item in nest.items if isinstance(item, Loop))
    return replace(nest, positive=nest.positive.union(*needed))


def _required(nest: Nest) -> Iterator[AtLeast]:
    """What has to be positive: what shares nothing out, there are no parts and no tiles of."""
    for symbol in sorted(nest.positive, key=lambda it: it.id):
        yield at_least(Named(symbol.name), 1)
    for extent in _lengths(nest):
        yield at_least(extent, 1)


def _lengths(nest: Nest) -> Iterator[Extent]:
    """The extents of the loops, where they are not known to be positive."""
    indices = indices_of(nest.items)
    for loop in loops(nest.items):
        extent = extent_of(length_of(loop.axis, indices), indices)
        if extent is not None and not (isinstance(extent, Number) and extent.value > 0):
            yield extent


def _unused_axes(nest: Nest) -> Iterator[AtLeast]:
    """That the grid has one program along each axis that the kernel does not ask for."""
    used = {axis.place for axis in nest.programs}
    for place, name in enumerate(GRID_NAMES):
        if place not in used:
            yield at_least(Number(1), Named(name))
