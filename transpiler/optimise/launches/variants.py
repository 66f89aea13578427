"""From a way to launch a nest to a variant of a plan: its kernels, with names, documentation and classic transforms."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir.launch_plan import Variant
from transpiler.optimise.account import Note
from transpiler.optimise.documentation import documentation, summary
from transpiler.optimise.flags import (
    BLOCK_AXIS,
    SPLIT_KERNEL,
    SPLIT_REDUCTION,
    SPREAD_LOOP,
    VECTORISE_LOOP,
)
from transpiler.optimise.launches.layout import Execution
from transpiler.optimise.launches.materialise import materialise
from transpiler.optimise.nests.nest import AxisKind
from transpiler.optimise.nests.outright import outright
from transpiler.optimise.nests.work import Role
from transpiler.optimise.same_numbers import without_doubles
from transpiler.optimise.stage_passes import finished
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.ir.launch_plan import Scratch, Stage
    from transpiler.optimise.classic.context import ClassicContext
    from transpiler.optimise.launches.alternatives import Alternative, Launch
    from transpiler.optimise.nests.nest import Nest
    from transpiler.optimise.nests.work import Work
    from transpiler.optimise.trace import Trace


class Made(NamedTuple):
    """A variant, and what was done for it."""

    variant: Variant
    notes: tuple[Note, ...]


class VariantMaker:
    """Makes the variants of one kernel's plan; each of their kernels has a name of its own."""

    def __init__(self, context: ClassicContext, trace: Trace) -> None:
        self._context = context
        self._trace = trace
        self._names: set[str] = set()

    def made(self, nest: Nest, alternative: Alternative) -> Made:
        """The variant that launches a nest in this way.

        Raises:
            RefusedError: something in it has no form for tiles.
        """
        stages: list[Stage] = []
        quantities = list(nest.ends)
        scratch: list[Scratch] = []
        notes: list[Note] = []
        count = len(alternative.launches)
        for number, launch in enumerate(alternative.launches, 1):
            name = self._name(nest, launch.work, alternative.prefix, is_only=count == 1)
            found = materialise(nest.kernel, name, launch.work, launch.layout, alternative.symbols)
            what = summary(launch.work, launch.layout)
            docs = documentation(what, nest.kernel.name, number, count)
            kernel = replace(found.stage.kernel, docs=docs)
            self._trace.kernel(BLOCK_AXIS, kernel)
            stage = replace(found.stage, kernel=kernel)
            stages.append(finished(stage, self._context, self._trace))
            quantities += (*launch.work.quantities, *found.quantities)
            scratch += launch.work.scratch
            notes += _notes(launch, name)
        if count > 1 and self._context.options.has(SPLIT_KERNEL):
            message = f"{count} launches: {', '.join(it.kernel.name for it in stages)}"
            notes.append(Note(SPLIT_KERNEL, message, nest.kernel.name_span))
        variant = Variant(
            conditions=tuple(outright(it, nest.ends) for it in alternative.pays),
            quantities=tuple(quantities),
            scratch=tuple(scratch),
            stages=tuple(stages),
            why=alternative.why,
        )
        return Made(without_doubles(variant), (*notes, *alternative.notes))

    def _name(self, nest: Nest, work: Work, prefix: str, *, is_only: bool) -> str:
        words = [prefix] if prefix else []
        if not is_only or not prefix:
            words.append("tiled" if is_only and work.role is not Role.WHOLE else work.role.value)
        name = f"{nest.kernel.name}__{'_'.join(words)}"
        number, free = 1, name
        while free in self._names:
            number += 1
            free = f"{name}_{number}"
        self._names.add(free)
        return free


def _notes(launch: Launch, name: str) -> Iterator[Note]:
    """What the layout of a launch called `name` makes of the axes."""
    chosen = launch.layout
    for lanes in chosen.lanes:
        axis = lanes.axis
        what = f"{lanes.block} indices of `{axis.symbol.name}` in `{name}`"
        if axis.kind is AxisKind.PROGRAM:
            yield Note(BLOCK_AXIS, what, axis.span)
        elif axis.tile is None and launch.work.role is not Role.FINAL:
            yield Note(VECTORISE_LOOP, what, axis.span)
        if axis.symbol in chosen.reduced:
            if lanes.execution is not Execution.LOOP:
                what = f"the loop over `{axis.symbol.name}` is shared out among programs"
                yield Note(SPLIT_REDUCTION, what, axis.span)
        elif axis.kind is AxisKind.LOOP and lanes.execution is Execution.PROGRAMS:
            yield Note(SPREAD_LOOP, f"a program for each tile of {what}", axis.span)
