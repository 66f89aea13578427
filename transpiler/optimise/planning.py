"""The launch plan of one kernel: which transforms apply, one after the other, and what they make of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir.dump import dump_routine
from transpiler.ir.extent import AtLeast, Named, Number
from transpiler.ir.launch_plan import GRID_NAMES, LaunchPlan, Quantity, Stage, Variant
from transpiler.optimise import shapes
from transpiler.optimise.classics import CLASSICS
from transpiler.optimise.collapse import collapse
from transpiler.optimise.context import ClassicContext
from transpiler.optimise.dependence import passes_memory_on, reorderable
from transpiler.optimise.extents import (
    at_least,
    extent_of,
    extent_of_axis,
    times,
)
from transpiler.optimise.flags import (
    BLOCK_AXIS,
    COLLAPSE_AXES,
    EVICTION,
    HINTS,
    SPLIT_INDEX,
    SPLIT_KERNEL,
    SPLIT_REDUCTION,
    SPREAD_LOOP,
    VECTORISE_LOOP,
)
from transpiler.optimise.indices import Indices
from transpiler.optimise.layout import Execution, layout
from transpiler.optimise.lift_guarded import lift_guarded
from transpiler.optimise.materialise import materialise
from transpiler.optimise.nest import AxisKind, Loop, Nest, Store, dump_nest, walk_items
from transpiler.optimise.outright import outright
from transpiler.optimise.refusals import RefusedError
from transpiler.optimise.remarks import Remarks
from transpiler.optimise.split_index import SplitLoop, split_index
from transpiler.optimise.split_program import split_programs
from transpiler.optimise.stages import Stages
from transpiler.optimise.symbols import Symbols
from transpiler.optimise.widen import widen
from transpiler.optimise.work import Role, Work, definitions, loops

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from transpiler.ir import nodes as ir
    from transpiler.ir.extent import Extent
    from transpiler.ir.launch_plan import Scratch
    from transpiler.optimise.flags import OptimiseOptions, Transform
    from transpiler.optimise.layout import Layout
    from transpiler.optimise.nest import Item
    from transpiler.source import Span

_LOOP_TRANSFORMS = (
    SPLIT_INDEX,
    SPLIT_KERNEL,
    SPLIT_REDUCTION,
    SPREAD_LOOP,
    VECTORISE_LOOP,
    BLOCK_AXIS,
    COLLAPSE_AXES,
)
_NOTHING_TO_DO = {
    SPLIT_INDEX: "no loop's index is taken apart by a division",
    SPLIT_KERNEL: "the kernel is one part",
    SPLIT_REDUCTION: "no loop reduces",
    SPREAD_LOOP: "no loop has independent iterations alone",
    VECTORISE_LOOP: "every loop runs over tiles",
    BLOCK_AXIS: "the lanes of tiles are those of loops",
    COLLAPSE_AXES: "no two axes are one contiguous piece of memory",
}
_PAYS_ALONE = frozenset({HINTS, EVICTION})
"""The classic transforms that change what the backend makes of a kernel that stays as it is otherwise."""


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
        self._observe = observe
        self._symbols = Symbols(kernel)
        self._told: set[Transform] = set()
        self._done: list[tuple[Transform, str, Span]] = []
        self._classic = Remarks()
        self._context = ClassicContext(
            name=kernel.name, options=options, remarks=self._classic, functions=functions
        )
        self._positive: set[ir.Symbol] = set()
        self._ends: tuple[Quantity, ...] = ()
        """How long axes are that are not those of the grid, but what these are cut to or taken apart into."""
        self._whole_ends: tuple[AtLeast, ...] = ()
        """What these take for granted."""
        self._names: set[str] = set()
        self._is_lifted = True

    def plan(self) -> LaunchPlan | None:
        """The plan; None where the kernel stays as it is."""
        plan = self._restructured() or self._widened() or self._improved()
        for remark in self._classic.remarks:
            self._remarks.add(remark)
        return plan

    def _improved(self) -> LaunchPlan | None:
        """The kernel as it is launched, where a classic transform that pays alone changes it."""
        self._classic.clear()
        kernel = self._with_classics(self._kernel)
        applied = {it.transform for it in self._classic.remarks if it.is_applied}
        if applied.isdisjoint(_PAYS_ALONE):
            self._classic.give_up(f"alone it does not pay in `{self._kernel.name}`")
            return None
        name = f"{self._kernel.name}__{'_'.join(sorted(it.flag for it in applied & _PAYS_ALONE))}"
        stage = Stage(
            kernel=replace(kernel, name=name, backward=None, backward_span=None),
            grid=tuple(map(Named, GRID_NAMES)),
            tiles=(),
            warps=shapes.WARPS,
        )
        variant = Variant(conditions=(), quantities=(), scratch=(), stages=(stage,))
        return LaunchPlan(kernel=self._kernel, requires=(), variants=(variant,))

    def _widened(self) -> LaunchPlan | None:
        """A tile of programs at a time of a kernel that is no nest."""
        if not self._options.has(BLOCK_AXIS) or self._is_lifted:
            return None
        name = f"{self._kernel.name}__tiled"
        try:
            found = widen(self._kernel, self._functions, self._symbols, name)
        except RefusedError as refusal:
            self._missed(BLOCK_AXIS, refusal.reason, refusal.span)
            return None
        what = f"{found.tile} indices of `{found.axis}` in `{name}`"
        self._remarks.applied(BLOCK_AXIS, self._kernel.name, what, found.span)
        otherwise = self._improved()
        if otherwise is None:
            self._classic.clear()
        stage = found.variant.stages[0]
        self._saw_kernel(BLOCK_AXIS.flag, stage.kernel)
        stage = replace(stage, kernel=self._with_classics(stage.kernel))
        variants: tuple[Variant, ...] = (replace(found.variant, stages=(stage,)),)
        if otherwise is not None:
            variants += otherwise.variants
        return LaunchPlan(kernel=self._kernel, requires=(), variants=variants)

    def _restructured(self) -> LaunchPlan | None:
        try:
            plan = self._planned()
        except RefusedError as refusal:
            self._not_lifted(refusal.reason, refusal.span)
            return None
        if plan is not None:
            for transform, message, span in self._done:
                self._told.add(transform)
                self._remarks.applied(transform, self._kernel.name, message, span)
        for transform in _LOOP_TRANSFORMS:
            if transform not in self._told:
                self._missed(transform, _NOTHING_TO_DO[transform], self._kernel.name_span)
        return plan

    # --- Remarks ----------------------------------------------------------------------------------

    def _applied(self, transform: Transform, message: str, span: Span) -> None:
        """Note what was done, which is so once there is a plan."""
        self._done.append((transform, message, span))

    def _missed(self, transform: Transform, message: str, span: Span) -> None:
        self._told.add(transform)
        if self._options.has(transform):
            self._remarks.missed(transform, self._kernel.name, message, span)

    def _missed_all(self, message: str, span: Span) -> None:
        for transform in _LOOP_TRANSFORMS:
            if transform not in self._told:
                self._missed(transform, message, span)

    def _not_lifted(self, message: str, span: Span) -> None:
        """The kernel is no nest: what is left to do is to widen it."""
        self._is_lifted = False
        self._told.add(BLOCK_AXIS)
        self._missed_all(message, span)

    def _saw(self, name: str, nest: Nest) -> None:
        if self._observe is not None:
            self._observe(name, dump_nest(nest))

    def _saw_works(self, name: str, works: list[Work]) -> None:
        """Show what launches are to compute."""
        for work in works:
            self._saw(name, Nest(kernel=self._kernel, programs=work.programs, items=work.items))

    def _saw_kernel(self, name: str, kernel: ir.Kernel) -> None:
        if self._observe is not None:
            self._observe(name, dump_routine(kernel))

    # --- Steps ------------------------------------------------------------------------------------

    def _planned(self) -> LaunchPlan | None:
        nest, self._ends, self._whole_ends = lift_guarded(
            self._kernel, self._functions, self._symbols
        )
        self._saw("lift", nest)
        indices = Indices(definitions(nest.items))
        nest = replace(nest, items=tuple(self._split(item, indices) for item in nest.items))
        self._saw(SPLIT_INDEX.flag, nest)
        self._require_order(nest)
        if not any(isinstance(it, Store) for it in walk_items(nest.items)):
            self._missed_all("nothing is stored", self._kernel.name_span)
            return None
        if not nest.programs and not any(loops(nest.items)):
            self._missed_all("there is one index of everything", self._kernel.name_span)
            return None
        if not self._may_take_apart(nest):
            return None
        variants = list(self._variants(nest))
        if not variants and (split := self._split_grid(nest)) is not None:
            nest = split
            variants = list(self._variants(nest))
        if not variants:
            self._missed_all("no axis is contiguous in memory", self._kernel.name_span)
            return None
        return LaunchPlan(
            kernel=self._kernel, requires=tuple(self._requirements(nest)), variants=tuple(variants)
        )

    def _split(self, item: Item, indices: Indices) -> Item:
        if not isinstance(item, Loop):
            return item
        found = split_index(item, indices, self._symbols)
        if not isinstance(found, SplitLoop):
            self._missed(SPLIT_INDEX, found, item.span)
            return item
        if not self._options.has(SPLIT_INDEX):
            return item
        high, low = (it.axis.symbol.name for it in loops((found.loop,)))
        self._applied(
            SPLIT_INDEX,
            f"`{item.axis.symbol.name}` is taken apart into `{high}` and `{low}` below {found.divisor}",
            item.span,
        )
        self._positive |= found.positive
        return found.loop

    def _require_order(self, nest: Nest) -> None:
        """Note what has to be positive for the iterations of loops to be independent."""
        indices = Indices(definitions(nest.items))
        for item in nest.items:
            if isinstance(item, Loop):
                self._positive |= reorderable(item, indices)

    def _split_grid(self, nest: Nest) -> Nest | None:
        """The nest with its programs' indices taken apart, where these are divided."""
        if self._ends or not self._options.has(SPLIT_INDEX):
            return None
        found = split_programs(nest, self._symbols)
        if found is None:
            return None
        self._saw(SPLIT_INDEX.flag, found.nest)
        self._require_order(found.nest)
        self._positive |= found.positive
        self._ends, self._whole_ends = found.quantities, found.conditions
        for old in nest.programs:
            made = [it.symbol.name for it in found.nest.programs if it.place == old.place]
            if len(made) > 1:
                digits = " and ".join(f"`{it}`" for it in reversed(made))
                message = f"`{old.symbol.name}` of the grid is taken apart into {digits}"
                self._applied(SPLIT_INDEX, message, old.span)
        return found.nest

    def _may_take_apart(self, nest: Nest) -> bool:
        """Whether the flags allow the launches that the nest is made of."""
        top = [item for item in nest.items if isinstance(item, Loop)]
        if any(loop.reductions for loop in top) and not self._options.has(SPLIT_REDUCTION):
            return False
        return len(top) < 2 or self._options.has(SPLIT_KERNEL)

    def _requirements(self, nest: Nest) -> list[AtLeast]:
        positive = sorted(self._positive, key=lambda symbol: symbol.id)
        conditions = [at_least(Named(symbol.name), 1) for symbol in positive]
        # What shares nothing out, there are no parts and no tiles of.
        conditions += [at_least(extent, 1) for extent in self._extents(nest)]
        conditions = [*dict.fromkeys(conditions), *self._whole_ends]
        used = {axis.place for axis in nest.programs}
        conditions += [
            AtLeast(value=Number(1), bound=Named(name))
            for place, name in enumerate(GRID_NAMES)
            if place not in used
        ]
        return conditions

    def _extents(self, nest: Nest) -> Iterator[Extent]:
        """The extents of the loops, where they are not known to be positive."""
        indices = Indices(definitions(nest.items))
        for loop in loops(nest.items):
            length = indices.polynomial(loop.axis.stop) - indices.polynomial(loop.axis.start)
            extent = extent_of(length, indices)
            if extent is not None and not (isinstance(extent, Number) and extent.value > 0):
                yield extent

    # --- Variants ---------------------------------------------------------------------------------

    def _variants(self, nest: Nest) -> Iterator[Variant]:
        """Those that there are; of one that comes to nothing, nothing is told."""
        for make in (self._flat, self._whole, self._tiled):
            before = len(self._done)
            variant = make(nest)
            if variant is None:
                del self._done[before:]
            else:
                yield variant

    def _flat(self, nest: Nest) -> Variant | None:
        """Launches in which two axes share the lanes of tiles."""
        if not self._options.has(COLLAPSE_AXES) or not self._options.has(SPREAD_LOOP):
            return None
        works = Stages(nest, self._symbols, spreads_inner=True).works()
        collapsed = [collapse(work, self._symbols) for work in works]
        found = [
            (work.role, it) for work, it in zip(works, collapsed, strict=True) if it is not None
        ]
        roles = {role for role, _ in found}
        first = next((it for role, it in found if role is not Role.FINAL), None)
        if first is None:
            # Partial results are few.
            return None
        self._saw_works(COLLAPSE_AXES.flag, [it.work for it in collapsed if it is not None])
        length = extent_of_axis(first.inner, Indices(definitions(nest.items)))
        conditions = [AtLeast(value=Number(shapes.FLAT_BELOW - 1), bound=length)]
        if Role.PARTIAL not in roles:
            # What reduces is as it is without sharing lanes.
            conditions += self._conditions(nest, works, [self._layout(work) for work in works])
        works = [work if it is None else it.work for work, it in zip(works, collapsed, strict=True)]
        variant = self._variant(
            works,
            [self._layout(work) for work in works],
            "flat",
            tuple(conditions),
        )
        if variant is not None:
            self._applied(
                COLLAPSE_AXES,
                f"`{first.outer.symbol.name}` and `{first.inner.symbol.name}` share lanes where "
                f"`{first.inner.symbol.name}` has fewer than {shapes.FLAT_BELOW} indices",
                first.inner.span,
            )
        return variant

    def _whole(self, nest: Nest) -> Variant | None:
        """One launch, where there are columns enough for all of its programs to reduce theirs alone."""
        top = [item for item in nest.items if isinstance(item, Loop)]
        if not any(loop.reductions for loop in top) or len(list(loops(nest.items))) > len(top):
            return None
        if passes_memory_on(nest.items, Indices(definitions(nest.items))):
            # Threads of a program do not wait for each other's stores as launches do.
            return None
        work = Work(
            role=Role.WHOLE,
            programs=nest.programs,
            items=nest.items,
            summary="All of it, for a tile of columns a program.",
        )
        chosen = self._layout(work)
        if chosen is None or chosen.columns.axis.kind is not AxisKind.PROGRAM:
            return None
        columns = AtLeast(value=chosen.columns.extent, bound=Number(shapes.WHOLE_COLUMNS))
        return self._variant([work], [chosen], "", (columns,))

    def _tiled(self, nest: Nest) -> Variant | None:
        works = Stages(nest, self._symbols).works()
        self._saw_works(SPLIT_KERNEL.flag, works)
        layouts = [self._layout(work) for work in works]
        return self._variant(works, layouts, "", self._conditions(nest, works, layouts))

    def _conditions(
        self, nest: Nest, works: list[Work], layouts: list[Layout | None]
    ) -> tuple[AtLeast, ...]:
        """Where the loops of a kernel run over contiguous tiles already, its programs have to be few to need others."""
        top = [item for item in nest.items if isinstance(item, Loop)]
        if not any(loop.reductions for loop in top):
            return ()
        for work, chosen in zip(works, layouts, strict=True):
            if chosen is None or (work.role is not Role.FINAL and chosen.columns.axis.tile is None):
                return ()
        programs = times(
            *(extent_of_axis(it, Indices(definitions(nest.items))) for it in nest.programs)
        )
        if programs == Number(1):
            return ()
        return (AtLeast(value=Number(shapes.SPLIT_BELOW - 1), bound=programs),)

    def _layout(self, work: Work) -> Layout | None:
        kernel = self._kernel
        taken = frozenset(it.name for it in (*kernel.parameters, *kernel.const_generics))
        return layout(work, self._options, taken)

    def _variant(
        self,
        works: list[Work],
        layouts: Sequence[Layout | None],
        prefix: str,
        conditions: tuple[AtLeast, ...],
    ) -> Variant | None:
        stages: list[Stage] = []
        quantities = list(self._ends)
        scratch: list[Scratch] = []
        for work, chosen in zip(works, layouts, strict=True):
            if chosen is None:
                return None
            name = self._stage_name(work, prefix, is_only=len(works) == 1)
            made = materialise(self._kernel, name, work, chosen, self._symbols)
            stages.append(self._finished(made.stage, work, (len(stages) + 1, len(works))))
            quantities += made.quantities
            scratch += work.scratch
            self._tell(work, chosen, name)
        if len(works) > 1 and self._options.has(SPLIT_KERNEL):
            self._applied(
                SPLIT_KERNEL,
                f"{len(works)} launches: {', '.join(stage.kernel.name for stage in stages)}",
                self._kernel.name_span,
            )
        ends = {it.name: it.value for it in self._ends}
        return Variant(
            conditions=tuple(outright(it, ends) for it in conditions),
            quantities=tuple(quantities),
            scratch=tuple(scratch),
            stages=tuple(stages),
        )

    def _finished(self, stage: Stage, work: Work, place: tuple[int, int]) -> Stage:
        """The stage with its documentation, and what the classic transforms make of it."""
        number, count = place
        which = f"Launch {number} of {count}" if count > 1 else "The one launch"
        documented = replace(
            stage.kernel,
            docs=(work.summary, "", f"{which} in the place of `{self._kernel.name}`."),
        )
        self._saw_kernel(BLOCK_AXIS.flag, documented)
        return replace(stage, kernel=self._with_classics(documented))

    def _with_classics(self, kernel: ir.Kernel) -> ir.Kernel:
        for transform, apply in CLASSICS:
            kernel = apply(kernel, self._context)
            self._saw_kernel(transform.flag, kernel)
        return kernel

    def _stage_name(self, work: Work, prefix: str, *, is_only: bool) -> str:
        words = [prefix] if prefix else []
        if not is_only or not prefix:
            words.append("tiled" if is_only and work.role is not Role.WHOLE else work.role.value)
        name = f"{self._kernel.name}__{'_'.join(words)}"
        number, free = 1, name
        while free in self._names:
            number += 1
            free = f"{name}_{number}"
        self._names.add(free)
        return free

    def _tell(self, work: Work, chosen: Layout, name: str) -> None:
        for lanes in chosen.lanes:
            axis = lanes.axis
            what = f"{lanes.block} indices of `{axis.symbol.name}` in `{name}`"
            if axis.kind is AxisKind.PROGRAM:
                self._applied(BLOCK_AXIS, what, axis.span)
            elif axis.tile is None and work.role is not Role.FINAL:
                self._applied(VECTORISE_LOOP, what, axis.span)
            is_spread = lanes.execution is Execution.PROGRAMS
            if axis.kind is AxisKind.LOOP and axis.symbol not in chosen.reduced and is_spread:
                self._applied(SPREAD_LOOP, f"a program for each tile of {what}", axis.span)
            if axis.symbol in chosen.reduced and lanes.execution is not Execution.LOOP:
                self._applied(
                    SPLIT_REDUCTION,
                    f"the loop over `{axis.symbol.name}` is shared out among programs",
                    axis.span,
                )
