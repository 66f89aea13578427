"""The lints, in order."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from transpiler.analysis.facts import Facts
from transpiler.ir.nodes import Kernel
from transpiler.lints.cancelling_variance import cancelling_variance
from transpiler.lints.lint import Lint, Subject
from transpiler.lints.padded_reduction import padded_reduction
from transpiler.lints.shared_address import shared_address
from transpiler.lints.tile_extent import tile_extent
from transpiler.lints.unmasked_store import unmasked_store
from transpiler.lints.unused import unused
from transpiler.lints.wrapping_offset import wrapping_offset

if TYPE_CHECKING:
    from transpiler.diagnostics.sink import Sink
    from transpiler.ir.nodes import Module
    from transpiler.source import SourceFile

LINTS: tuple[Lint, ...] = (
    unused,
    padded_reduction,
    unmasked_store,
    tile_extent,
    cancelling_variance,
    wrapping_offset,
)
KERNEL_LINTS: tuple[Lint, ...] = (shared_address,)
"""Those that have to know where the parameters come from: callers may pass a function anything."""


def run_lints(module: Module, source: SourceFile, sink: Sink) -> None:
    """Look at every kernel and function of a module as its author wrote it; none of them has errors."""
    functions = {function.symbol: function for function in module.functions}
    for routine in module.routines:
        subject = Subject(facts=Facts(routine, functions), source=source, sink=sink)
        for lint in (*LINTS, *KERNEL_LINTS) if isinstance(routine, Kernel) else LINTS:
            # Values are followed by recursion, which Python bounds: a chain of hundreds of variables is passed over.
            with suppress(RecursionError):
                lint(subject)
        with suppress(RecursionError):
            subject.facts.flow.close()
