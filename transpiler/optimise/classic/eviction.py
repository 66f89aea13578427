"""Which data the cache should let go first, and which last, of what a kernel loads.

* Evicted first is what nobody reads again: no two programs, lanes and iterations have one offset, by the digits of
  `transpiler.analysis.injective`, and this is the last place of the kernel that reads there.
* Evicted last is what this program reads again at the same offsets, as a second loop over a row does; and what every
  program reads, whose offset has no program's place in it.

Both only where a kernel has data of both kinds, so that one takes the other's place: a kernel that streams all it reads
gains nothing by saying so, and the next kernel may well find its data in the cache.

All else stays at the default, which is what caches are made for: data that some programs share, windows that overlap,
rows whose distance is a stride of the launch, and so may overlap. Tiles of matrix products are fetched ahead, and left
alone. A policy that an author chose stays. It is a hint to the cache: no value depends on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.accesses import Access, access_of
from transpiler.analysis.facts import Facts
from transpiler.analysis.injective import is_injective
from transpiler.analysis.quantities import Grid, Quantities, Variable
from transpiler.analysis.values import named_argument
from transpiler.ir import nodes as ir
from transpiler.ir.types import Tensor
from transpiler.ir.visit import Rewriter
from transpiler.ops.enums import ENUMS
from transpiler.optimise.build import with_argument
from transpiler.optimise.flags import EVICTION
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.analysis.flow import Site
    from transpiler.optimise.classic.context import ClassicContext, Report

_POLICY = "eviction_policy"
_FIRST, _LAST = "EvictFirst", "EvictLast"
_UNKNOWN = "it is not known where some of the kernel's loads go"
_NO_TILE = "it loads no tile through a pointer, or says itself what the cache should keep"
_IN_CALLS = "a function that it calls goes to memory itself"
_PRODUCTS = "tiles of matrix products are fetched ahead"
_WRITTEN = "what is read here is written, too"
_AGAIN = "other programs or iterations may read the same elements"
_TWO_PLACES = "it is read at several places, which need not be the same elements"
_NO_STREAM = "every program reads this, but nothing streams past it"
_NO_OTHERS = "this is read once, but nothing else would stay in the cache for it"
_GOES_FIRST = "nobody reads this again: the cache lets it go first"
_GOES_LAST = "this program reads it again: the cache keeps it longest"
_IS_SHARED = "every program reads this: the cache keeps it longest"


def eviction(kernel: ir.Kernel, context: ClassicContext) -> ir.Kernel:
    """The kernel with policies for the loads of which something is known."""
    report = context.report(EVICTION)
    if not report.is_on:
        return kernel
    facts = Facts(kernel, context.functions)
    policies = _policies(kernel, facts, report)
    facts.flow.close()
    report.finish(_NO_TILE, kernel)
    return _Choosing(policies).kernel(kernel) if policies else kernel


class _Load(NamedTuple):
    """A load, where it goes, and whether its policy may be chosen; `root` is the place of the pointer."""

    site: Site
    root: int
    access: Access | None
    is_open: bool


def _policies(kernel: ir.Kernel, facts: Facts, report: Report) -> dict[int, str]:
    """The policies of calls by their identities."""
    flow = facts.flow
    if any(call.function.effects for call in flow.calls):
        report.missed(_IN_CALLS, kernel.name_span)
        return {}
    if flow.products:
        report.missed(_PRODUCTS, kernel.name_span)
        return {}
    quantities = Quantities(kernel)
    loads: dict[int, list[_Load]] = {}
    for site in flow.loads:
        address = facts.address(site)
        if address is None:
            report.missed(_UNKNOWN, site.call.span)
            return {}
        root = kernel.parameters.index(address.root)
        access = access_of(facts, quantities, site, narrows=False)
        loads.setdefault(root, []).append(_Load(site, root, access, _is_open(site.call)))
    written = {
        kernel.parameters.index(address.root)
        for site in (*flow.stores, *flow.atomics)
        if (address := facts.address(site)) is not None
    }
    return _Chooser(facts, quantities, report, written).policies(loads.values())


def _is_open(call: ir.OpCall) -> bool:
    """Whether nobody has said how the cache is to take it."""
    return (
        any(parameter.name == _POLICY for parameter in call.op.parsed.parameters)
        and all(named_argument(call, it) is None for it in (_POLICY, "cache_modifier"))
        and not _is_set(named_argument(call, "volatile"))
        and isinstance(call.type, Tensor)
        and bool(call.type.shape)
    )


def _is_set(argument: ir.Argument | None) -> bool:
    return isinstance(argument, ir.FlagArgument) and argument.value


class _Chooser:
    def __init__(
        self, facts: Facts, quantities: Quantities, report: Report, written: set[int]
    ) -> None:
        self._quantities = quantities
        self._report = report
        self._written = written
        axes = ENUMS["Axis"]
        self._programs = frozenset(
            index
            for call in facts.flow.programs
            for axis in call.arguments
            if isinstance(axis, ir.EnumArgument)
            for place in [axes[axis.member]]
            if isinstance(place, int)
            for index in quantities.single(
                Variable(("program", place), quantities.single(Grid(place)))
            ).atoms
        )

    def policies(self, groups: Iterable[list[_Load]]) -> dict[int, str]:
        """For each group of loads through one pointer."""
        once: list[_Load] = []
        again: list[_Load] = []
        shared: list[_Load] = []
        for group in groups:
            if not any(load.is_open for load in group):
                continue
            why = self._group(group, once, again, shared)
            if why is not None:
                for load in group:
                    self._report.missed(why, load.site.call.span)
        found: dict[int, str] = {}
        is_contested = bool(once and (again or shared))
        for loads, member, gain, lack in (
            (once, _FIRST, _GOES_FIRST, _NO_OTHERS),
            (again, _LAST, _GOES_LAST, _NO_STREAM),
            (shared, _LAST, _IS_SHARED, _NO_STREAM),
        ):
            for load in loads:
                span = load.site.call.span
                if not is_contested:
                    self._report.missed(lack, span)
                elif load.is_open:
                    found[id(load.site.call)] = member
                    self._report.applied(gain, span)
        return found

    def _group(
        self, group: list[_Load], once: list[_Load], again: list[_Load], shared: list[_Load]
    ) -> str | None:
        """Sort the loads through one pointer; why that is not possible, if it is not."""
        *earlier, last = group
        if last.root in self._written:
            return _WRITTEN
        if not earlier and self._is_of_all_programs(last):
            shared.append(last)
            return None
        if not all(map(self._is_read_once, group)):
            return _AGAIN
        if not all(self._is_same(load, last) for load in earlier):
            return _TWO_PLACES
        once.append(last)
        again.extend(earlier)
        return None

    def _is_of_all_programs(self, load: _Load) -> bool:
        if load.access is None or not self._programs:
            return False
        return not self._quantities.variables(load.access.offsets) & self._programs

    def _is_read_once(self, load: _Load) -> bool:
        """Whether no other program, lane or iteration has an offset of this place."""
        access, type_ = load.access, load.site.call.type
        if access is None or not isinstance(type_, Tensor):
            return False
        variables = set(self._programs)
        for loop in load.site.loops:
            variables |= self._quantities.trip(loop).atoms
        inside = self._quantities.variables(access.offsets)
        lanes = {
            index
            for index in inside
            if isinstance(it := self._quantities.all[index], Variable) and it.name[0] == "lane"
        }
        if len(lanes) < sum(extent != 1 for extent in type_.shape or ()):
            return False
        return is_injective(
            self._quantities, access.offsets, access.conditions, frozenset(variables | lanes)
        )

    def _is_same(self, load: _Load, other: _Load) -> bool:
        """Whether two places read the same elements, their loops counting alike."""
        mine, theirs = load.site.loops, other.site.loops
        if load.access is None or other.access is None or len(mine) != len(theirs):
            return False
        trips = {
            index: self._quantities.trip(second)
            for first, second in zip(mine, theirs, strict=True)
            for index in self._quantities.trip(first).atoms
        }
        replaced = self._quantities.replaced
        conditions = {replaced(it, trips) for it in load.access.conditions}
        return replaced(load.access.offsets, trips) == other.access.offsets and conditions == set(
            other.access.conditions
        )


class _Choosing(Rewriter):
    """Passes policies to loads."""

    def __init__(self, policies: dict[int, str]) -> None:
        self._policies = policies

    def expression(self, node: ir.Expression) -> ir.Expression:
        rewritten = self.expression_parts(node)
        member = self._policies.get(id(node))
        if member is None or not isinstance(rewritten, ir.OpCall):
            return rewritten
        policy = ir.EnumArgument(span=node.span, enum="EvictionPolicy", member=member)
        return with_argument(rewritten, _POLICY, policy)
