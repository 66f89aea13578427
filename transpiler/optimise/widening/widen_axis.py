"""Along which axis of the grid a kernel may be widened, how its tiles lie then, and whether it pays.

Programs are unordered and nothing keeps them apart, so what several of them do in step is what they may do anyway. What
a kernel relies on is that one program sees what it stores itself. A program of threads sees that without waiting
where a thread loads what it stored: memory that is written is loaded at the very offsets at which it is stored,
or the kernel stays as it is. Reductions and scans combine the kernel's own lanes only: so nothing a program computes
comes to depend on its neighbours in a tile, on those that are there to fill it up, or on how many there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.flow import Counted
from transpiler.analysis.polynomial import (
    LaneAtom,
    OpaqueAtom,
    Polynomial,
    ProgramAtom,
    VariableAtom,
    constant,
)
from transpiler.ir.types import Descriptor, NamedDimension, PointerTensor, Tensor
from transpiler.optimise.grid import AXIS_MEMBERS, is_program
from transpiler.optimise.refusals import RefusedError, refuse
from transpiler.optimise.widening.widen_frame import Order, Varying
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.analysis.facts import Facts
    from transpiler.analysis.flow import Site
    from transpiler.ir import nodes as ir
    from transpiler.ir.types import Dimension


class Choice(NamedTuple):
    """An axis of the grid along which a kernel may be widened, and how its tiles lie then."""

    varying: Varying
    order: Order


class Reached(NamedTuple):
    """A load or a store: `offsets` from the parameter `root`."""

    site: Site
    root: ir.Symbol
    offsets: Polynomial
    is_store: bool


def members(kernel: ir.Kernel) -> tuple[str, ...]:
    """The axes of the grid along which a kernel asks for its place."""
    expressions = list(kernel.body.contents.expressions)
    return tuple(
        member for member in AXIS_MEMBERS if any(is_program(node, member) for node in expressions)
    )


def choices(kernel: ir.Kernel, facts: Facts, own: tuple[Dimension, ...]) -> Iterator[Choice]:
    """The axes along which a kernel may be widened, the best one first; `own` are the extents of its tiles.

    Raises:
        RefusedError: there is none.
    """
    accesses = reached(facts)
    found: list[Choice] = []
    refused: list[RefusedError] = []
    for member in members(kernel):
        varying = Varying(kernel, member)
        try:
            found.append(Choice(varying, order_of(facts, varying, accesses, own)))
        except RefusedError as refusal:
            refused.append(refusal)
    if not found and refused:
        raise refused[0]
    if not found:
        refuse("there is one program", kernel.name_span)
    for order in Order:
        yield from (it for it in found if it.order is order)


def extents(kernel: ir.Kernel) -> tuple[Dimension, ...]:
    """The extents of a kernel's tiles, which have one dimension.

    Raises:
        RefusedError: some have more.
    """
    found: dict[Dimension, None] = {}
    for node in kernel.body.contents.expressions:
        match node.type:
            case Tensor(shape=shape) | PointerTensor(shape=shape):
                pass
            case Descriptor():
                refuse("tiles are given by descriptors", node.span)
            case _:
                continue
        if len(shape) > 1:
            refuse("tiles have several dimensions", node.span)
        for dimension in shape:
            if not isinstance(dimension, int | NamedDimension):
                refuse("the extent of a tile is computed", node.span)
            if dimension != 1:
                found[dimension] = None
    return tuple(found)


def reached(facts: Facts) -> tuple[Reached, ...]:
    """What a kernel loads and stores; nothing of it may be what it updates atomically, which passes nothing on then.

    Raises:
        RefusedError: it cannot be known, or programs that run in step may not see what they stored themselves.
    """
    flow = facts.flow
    updated = {it.root for it in _known(facts, flow.atomics, is_store=True)}
    found = [
        *_known(facts, flow.loads, is_store=False),
        *_known(facts, flow.stores, is_store=True),
    ]
    places = _Places(facts)
    stored: dict[ir.Symbol, set[Polynomial]] = {}
    for it in found:
        if it.is_store:
            stored.setdefault(it.root, set()).add(places.of(it))
    for it in found:
        if it.root in updated:
            call = it.site.call
            refuse(f"what is behind `{it.root.name}` is updated atomically besides", call.span)
        if it.root in stored and places.of(it) not in stored[it.root]:
            call = it.site.call
            refuse(f"it loads `{it.root.name}` elsewhere than where it stores to it", call.span)
    return tuple(found)


def _known(facts: Facts, sites: list[Site], *, is_store: bool) -> Iterator[Reached]:
    for site in sites:
        address = facts.address(site)
        if address is None:
            refuse("the address is not known", site.call.span)
        yield Reached(site, address.root, address.offsets, is_store)


class _Places:
    """Offsets in which loops that run through the same numbers are taken for one."""

    def __init__(self, facts: Facts) -> None:
        self._values = facts.values
        self._counted: dict[tuple[Polynomial, ...], int] = {}

    def of(self, it: Reached) -> Polynomial:
        """Where an access goes."""
        names: dict[int, int] = {}
        for index in it.offsets.atoms:
            match self._values.atoms[index]:
                case VariableAtom(definition=Counted(loop=loop)):
                    bounds = (loop.start, loop.stop, loop.step)
                    key = tuple(map(self._values.polynomial, bounds))
                    names[index] = self._counted.setdefault(key, index)
                case _:
                    pass
        return self._values.renamed(it.offsets, names)


def order_of(
    facts: Facts, varying: Varying, accesses: tuple[Reached, ...], own: tuple[Dimension, ...]
) -> Order:
    """How tiles of programs along an axis lie; `own` are the extents of the kernel's tiles.

    Raises:
        RefusedError: it does not pay.
    """
    one = constant(1)
    program = facts.values.atom(ProgramAtom(varying.member))
    scores = dict.fromkeys(Order, 0)
    following = 0
    for it in accesses:
        across = it.offsets.coefficient(program)
        lane = _lane(facts, it.offsets)
        if lane is None:
            scores[Order.ALONE] += across == one
        elif it.offsets.coefficient(lane) == one:
            scores[Order.OWN] += 1
            following += _follows(facts, varying, it.offsets, lane)
        else:
            scores[Order.PROGRAMS] += across == one
    span = facts.routine.name_span
    if following and following == scores[Order.OWN]:
        refuse("tiles are already parts of longer ones, as long as they are asked for", span)
    if scores[Order.PROGRAMS] > scores[Order.OWN]:
        return Order.PROGRAMS
    if scores[Order.OWN]:
        return Order.OWN
    if scores[Order.ALONE] and not own:
        return Order.ALONE
    return refuse("no addresses are contiguous", span)


def _lane(facts: Facts, offsets: Polynomial) -> int | None:
    """The lanes of the kernel's own in offsets."""
    return next(
        (it for it in offsets.atoms if isinstance(facts.values.atoms[it], LaneAtom)),
        None,
    )


def _follows(facts: Facts, varying: Varying, offsets: Polynomial, lane: int) -> bool:
    """Whether the tile of some program goes on where that of another one ends: something in programs counts tiles."""
    atom = facts.values.atoms[lane]
    if not isinstance(atom, LaneAtom) or len(atom.extent.terms) != 1:
        return False
    ((extent, count),) = atom.extent.terms
    for product, factor in offsets.terms:
        rest = list(product)
        for index in extent:
            if index not in rest:
                break
            rest.remove(index)
        else:
            if factor == count and any(_varies(facts, varying, index) for index in rest):
                return True
    return False


def _varies(facts: Facts, varying: Varying, index: int) -> bool:
    match facts.values.atoms[index]:
        case ProgramAtom(axis=axis):
            return axis == varying.member
        case OpaqueAtom(key=key):
            return varying.of(facts.values.expressions[key])
        case _:
            return False
