"""All that one kernel touches in memory, worked out once for everybody who asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.accesses import access_of, is_narrow
from transpiler.analysis.facts import Facts
from transpiler.analysis.quantities import Quantities
from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from transpiler.analysis.accesses import Access
    from transpiler.ir import nodes as ir


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelAccesses:
    """What a kernel loads, and what it stores or updates atomically; None for an access of which nothing is known.

    Attributes:
        quantities: what the accesses are counted in.
        loads: what it loads, in order.
        writes: what it stores, and then what it updates atomically.
        open_places: the places of the parameters behind which it may touch something else.
        is_whole: these are all accesses, of which something is known or not: it calls no functions, and its values can
            be followed.
    """

    quantities: Quantities
    loads: tuple[Access | None, ...]
    writes: tuple[Access | None, ...]
    open_places: frozenset[int]
    is_whole: bool

    @property
    def known(self) -> tuple[Access, ...]:
        """The accesses of which something is known, each once."""
        return tuple(dict.fromkeys(it for it in (*self.loads, *self.writes) if it is not None))


class Accesses:
    """What the kernels of one module touch, which went through all passes; each kernel is looked at once."""

    def __init__(self) -> None:
        self._found: dict[str, KernelAccesses] = {}

    def of(self, kernel: ir.Kernel) -> KernelAccesses:
        """What a kernel touches."""
        if kernel.name not in self._found:
            quantities = Quantities(kernel)
            try:
                found = _accesses(kernel, quantities)
            except RecursionError:  # values are followed by recursion, which Python bounds
                everything = frozenset(range(len(kernel.parameters)))
                found = KernelAccesses(
                    quantities=quantities,
                    loads=(),
                    writes=(),
                    open_places=everything,
                    is_whole=False,
                )
            self._found[kernel.name] = found
        return self._found[kernel.name]


def _accesses(kernel: ir.Kernel, quantities: Quantities) -> KernelAccesses:
    facts = Facts(kernel, {})
    flow = facts.flow
    types = {id(node.type): node.type for node in kernel.body.contents.expressions}
    narrows = any(map(is_narrow, types.values()))
    everywhere = range(len(kernel.parameters))
    open_places = set(everywhere) if flow.calls else set()
    found: list[Access | None] = []
    for site in (*flow.loads, *flow.stores, *flow.atomics):
        access = access_of(facts, quantities, site, narrows=narrows)
        found.append(access)
        if access is None:
            address = facts.address(site)
            open_places.update(
                everywhere if address is None else (kernel.parameters.index(address.root),)
            )
    flow.close()
    return KernelAccesses(
        quantities=quantities,
        loads=tuple(found[: len(flow.loads)]),
        writes=tuple(found[len(flow.loads) :]),
        open_places=frozenset(open_places),
        is_whole=not flow.calls,
    )
