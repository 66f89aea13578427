"""What a load, a store or an atomic touches: the offsets from a pointer parameter, and the conditions of doing so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.addresses import mask_of
from transpiler.analysis.expansion import Expansion, UnknownQuantityError
from transpiler.analysis.flow import Bound, Carried, Counted, Given
from transpiler.analysis.polynomial import Polynomial, constant
from transpiler.analysis.quantities import ONE, Variable
from transpiler.analysis.values import (
    added_dimension,
    copied,
    is_integer,
    named_argument,
    named_value,
    operands,
)
from transpiler.ir import nodes as ir
from transpiler.ir.types import DType, Scalar, Tensor
from transpiler.ir.visit import child_expressions
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from transpiler.analysis.facts import Facts
    from transpiler.analysis.flow import Site
    from transpiler.analysis.quantities import Quantities
    from transpiler.ir.types import Type
    from transpiler.ops.model import Op


class Access(NamedTuple):
    """The elements at `offsets` from a parameter, for all variables for which each of `conditions` is below 0.

    `root` is the place of the parameter. None of `demands` may be negative, and `divisions` are the dividends and
    divisors in it: otherwise nothing is said.
    `is_certain` tells that nothing else decides whether these elements are touched.
    """

    root: int
    offsets: Polynomial
    conditions: tuple[Polynomial, ...]
    demands: tuple[Polynomial, ...]
    divisions: tuple[tuple[Polynomial, Polynomial], ...]
    is_certain: bool


def access_of(facts: Facts, quantities: Quantities, site: Site, *, narrows: bool) -> Access | None:
    """What a call touches; None where that is not known. `narrows` tells that integers of the kernel may wrap."""
    try:
        return _Reader(facts, quantities, site, narrows=narrows).access()
    except UnknownQuantityError:
        return None


class _Reader:
    def __init__(self, facts: Facts, quantities: Quantities, site: Site, *, narrows: bool) -> None:
        self._facts = facts
        self._narrows = narrows
        self._site = site
        self._expansion = Expansion(quantities, facts.values, site.loops)
        self._conditions: dict[Polynomial, None] = {}
        self._demands: list[Polynomial] = []
        self._required: set[tuple[int, bool, tuple[int, ...]]] = set()
        self._is_certain = True

    def access(self) -> Access | None:
        is_tile = _is_tile_access(self._site.call.op)
        pointers = named_value(self._site.call, "base", "ptr", "dest")
        if pointers is None or self._wraps(pointers) or (is_tile and self._narrows):
            return None
        root, offsets = self._address(pointers)
        moved = named_value(self._site.call, "offset")
        if moved is not None:
            offsets += self._expansion.of(moved)
        if is_tile:
            offsets += self._tile()
        mask = mask_of(self._site)
        if mask is not None:
            self._require(mask, holds=True)
        whiles = (loop for loop in self._site.loops if isinstance(loop, ir.While))
        for guard in self._site.guards:
            if guard.is_loop:
                self._keep_on(next(whiles), guard.condition)
            else:
                self._require(guard.condition, holds=guard.holds)
        for loop in self._site.loops:
            self._enter(loop)
        return Access(
            self._facts.routine.parameters.index(root),
            offsets,
            tuple(self._conditions),
            tuple(self._demands),
            tuple(self._expansion.divisions),
            self._is_certain,
        )

    # --- Addresses --------------------------------------------------------------------------------

    def _address(self, pointers: ir.Expression) -> tuple[ir.Symbol, Polynomial]:
        offsets = constant(0)
        node = self._facts.values.value(pointers)
        while True:
            match node:
                case ir.OffsetPointer():
                    offsets += self._expansion.of(node.offsets)
                    node = self._facts.values.value(node.pointer)
                case ir.Read():
                    definition = self._facts.flow.definition(node)
                    if isinstance(definition, Given):
                        return definition.symbol, offsets
                    if not isinstance(definition, Carried) or not isinstance(
                        definition.initial, Bound
                    ):
                        raise UnknownQuantityError
                    offsets += self._advance(definition)
                    node = self._facts.values.value(definition.initial.value)
                case _:
                    raise UnknownQuantityError

    def _advance(self, carried: Carried) -> Polynomial:
        """How far a pointer has moved that a loop moves by the same in each iteration."""
        steps: set[Polynomial] = set()
        for back in carried.backs:
            step = constant(0)
            node = back.value if isinstance(back, Bound) else None
            while node is not None:
                node = self._facts.values.value(node)
                match node:
                    case ir.OffsetPointer():
                        step += self._expansion.of(node.offsets)
                        node = node.pointer
                    case ir.Read() if self._facts.flow.definition(node) is carried:
                        break
                    case _:
                        node = None
            if node is None:
                raise UnknownQuantityError
            steps.add(step)
        if len(steps) != 1:
            raise UnknownQuantityError
        return self._expansion.over(carried.loop, steps.pop())

    def _tile(self) -> Polynomial:
        """The offsets of a tile that is given by shape, strides and offsets, which keeps within the shape."""
        shape, strides, starts, extents = (
            self._listed(name) for name in ("shape", "strides", "offsets", "block_shape")
        )
        checked = named_argument(self._site.call, "checked")
        mask = -1
        match checked:
            case None:
                pass
            case ir.Literal(value=int() as value):
                mask = value
            case _:
                self._is_certain = False
        total = constant(0)
        rank = len(shape)
        for axis in range(rank):
            lane = Variable(("lane", axis - rank), extents[axis])
            place = starts[axis] + self._expansion.quantities.single(lane)
            total += place.times(strides[axis])
            if mask >> axis & 1:
                self._conditions[place - shape[axis]] = None
                self._conditions[-place - ONE] = None
        return total

    def _listed(self, name: str) -> list[Polynomial]:
        argument = named_argument(self._site.call, name)
        if not isinstance(argument, ir.ListArgument):
            raise UnknownQuantityError
        return [self._expansion.of(element) for element in argument.elements]

    # --- Conditions -------------------------------------------------------------------------------

    def _enter(self, loop: ir.Statement) -> None:
        match loop:
            case ir.For():
                start, stop = self._expansion.of(loop.start), self._expansion.of(loop.stop)
                reached = start + self._expansion.of(loop.step).times(self._expansion.trip(loop))
                if isinstance(loop.step, ir.Literal) and loop.step.value < 0:
                    self._conditions[stop - reached] = None
                else:
                    self._conditions[reached - stop] = None
            case _:
                pass

    def _keep_on(self, loop: ir.While, condition: ir.Expression) -> None:
        """The condition of a loop holds in this iteration, and does in those before if it becomes no easier."""
        others, required = self._conditions, self._required
        self._conditions, self._required = {}, set()
        self._require(condition, holds=True)
        found, self._conditions = self._conditions, others
        self._required |= required
        quantities = self._expansion.quantities
        (trip,) = self._expansion.trip(loop).atoms
        for each in found:
            if any(
                trip in quantities.variables(Polynomial((((index,), 1),)))
                for index in each.atoms
                if index != trip
            ):
                self._is_certain = False
            self._demands.append(each.coefficient(trip))
        self._conditions.update(found)

    def _require(self, node: ir.Expression, *, holds: bool, moved: tuple[int, ...] = ()) -> None:
        """Add what follows from a condition, or from its opposite, in a tile that has dimensions more."""
        value = self._facts.values.value(node)
        seen = (id(value), holds, moved)
        if seen in self._required:
            return
        self._required.add(seen)
        match value:
            case ir.Unary(operator=ir.UnaryOperator.NOT, operand=operand):
                self._require(operand, holds=not holds, moved=moved)
            case ir.Cast(kind=ir.CastKind.MATERIALISE, operand=operand):
                self._require(operand, holds=holds, moved=moved)
            case ir.Literal(value=bool() as known) if known is holds:
                pass
            case ir.Binary(operator=operator, left=left, right=right):
                self._combined(operator, left, right, holds=holds, moved=moved)
            case ir.OpCall() if value.op.operator is not None and len(operands(value)) == 2:
                left, right = operands(value)
                self._combined(value.op.operator, left, right, holds=holds, moved=moved)
            case ir.OpCall() if value.op.copies:
                source, dimension = copied(value), added_dimension(value)
                if source is None:
                    self._is_certain = False
                else:
                    more = () if dimension is None else (dimension,)
                    self._require(source, holds=holds, moved=(*more, *moved))
            case _:
                self._is_certain = False

    def _combined(
        self,
        operator: ir.BinaryOperator,
        left: ir.Expression,
        right: ir.Expression,
        *,
        holds: bool,
        moved: tuple[int, ...],
    ) -> None:
        if operator in (_ALL if holds else _ANY):
            self._require(left, holds=holds, moved=moved)
            self._require(right, holds=holds, moved=moved)
            return
        if not holds and operator in ir.OPPOSITES:
            operator = ir.OPPOSITES[operator]
        if not is_integer(left) or self._wraps(left) or self._wraps(right):
            self._is_certain = False
            return
        try:
            difference = self._expansion.of(left) - self._expansion.of(right)
            for dimension in moved:
                difference = self._expansion.moved(difference, dimension)
        except UnknownQuantityError:
            self._is_certain = False
            return
        below, above = difference, -difference
        match operator:
            case ir.BinaryOperator.LESS:
                found: tuple[Polynomial, ...] = (below,)
            case ir.BinaryOperator.LESS_EQUAL:
                found = (below - ONE,)
            case ir.BinaryOperator.GREATER:
                found = (above,)
            case ir.BinaryOperator.GREATER_EQUAL:
                found = (above - ONE,)
            case ir.BinaryOperator.EQUAL:
                found = (below - ONE, above - ONE)
            case _:
                self._is_certain = False
                return
        self._conditions.update(dict.fromkeys(found))

    # --- Arithmetic that wraps --------------------------------------------------------------------

    def _wraps(self, node: ir.Expression) -> bool:
        """Whether an integer in it may be another one than unbounded arithmetic makes it."""
        if not self._narrows:
            return False
        seen: set[int] = set()
        pending = [node]
        while pending:
            node = self._facts.values.value(pending.pop())
            if id(node) in seen:
                continue
            seen.add(id(node))
            if is_narrow(node.type) or (
                isinstance(node, ir.Read)
                and not isinstance(self._facts.flow.definition(node), Given | Counted)
            ):
                return True
            if isinstance(node, ir.OpCall):
                pending.extend(operands(node))
            else:
                pending.extend(child_expressions(node))
        return False


def is_narrow(type_: Type) -> bool:
    """Whether it is that of integers of fewer than 32 bits, or of some without a sign."""
    dtype = type_.dtype if isinstance(type_, Scalar | Tensor) else None
    return (
        isinstance(dtype, DType)
        and dtype.is_integer
        and (dtype.bits < _WORD or not dtype.is_signed)
    )


_WORD = 32
_ALL = frozenset({ir.BinaryOperator.AND, ir.BinaryOperator.BIT_AND})
_ANY = frozenset({ir.BinaryOperator.OR, ir.BinaryOperator.BIT_OR})


def _is_tile_access(op: Op) -> bool:
    """Whether the operation is given a tile by its shape, strides and offsets."""
    return any(parameter.name == "strides" for parameter in op.parsed.parameters)
