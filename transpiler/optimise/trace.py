"""Shows what each transform makes of one kernel, as text, to whoever asked for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir.dump import dump_routine
from transpiler.optimise.nests.nest import Nest, dump_nest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from transpiler.ir import nodes as ir
    from transpiler.optimise.flags import Transform
    from transpiler.optimise.nests.work import Work


class Trace:
    """The IR after the transforms of one kernel; `observe` is given their names and the text, if there is one."""

    def __init__(self, kernel: ir.Kernel, observe: Callable[[str, str], None] | None) -> None:
        self._kernel = kernel
        self._observe = observe

    def nest(self, step: str, nest: Nest) -> None:
        """A nest as a step leaves it."""
        if self._observe is not None:
            self._observe(step, dump_nest(nest))

    def works(self, transform: Transform, works: Iterable[Work]) -> None:
        """What launches are to compute."""
        for work in works:
            nest = Nest(kernel=self._kernel, programs=work.programs, items=work.items)
            self.nest(transform.flag, nest)

    def kernel(self, transform: Transform, kernel: ir.Kernel) -> None:
        """The kernel of a launch."""
        if self._observe is not None:
            self._observe(transform.flag, dump_routine(kernel))
