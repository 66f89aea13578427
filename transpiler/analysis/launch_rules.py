"""What follows from a kernel's accesses for who launches it: which tensors are alike, and which constants are free."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.polynomial import Polynomial
from transpiler.analysis.quantities import Variable
from transpiler.ir import nodes as ir
from transpiler.ir.visit import child_expressions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.analysis.accesses import Access
    from transpiler.analysis.kernel_accesses import KernelAccesses


class LaunchRules:
    """The rules of one kernel that went through all passes."""

    def __init__(self, kernel: ir.Kernel, accesses: KernelAccesses) -> None:
        self._kernel = kernel
        self._quantities = accesses.quantities
        self._loads = accesses.loads
        self._writes = accesses.writes
        self._is_known = accesses.is_whole

    def mirrors(self, written: ir.Symbol, read: ir.Symbol) -> bool:
        """Whether each element that is written behind one pointer is at an offset that is read behind the other.

        Where it is, the tensors are alike: the kernel takes an index for the same in both.
        """
        if not self._is_known or None in self._writes:
            return False
        of_written, of_read = map(self._kernel.parameters.index, (written, read))
        writes = [it for it in self._writes if it is not None and it.root == of_written]
        reads = {
            (it.offsets, frozenset(it.conditions))
            for it in self._loads
            if it is not None and it.root == of_read
        }
        return bool(writes) and all(
            (it.offsets, frozenset(it.conditions)) in reads for it in writes
        )

    def stores_one_each(self, written: ir.Symbol) -> bool:
        """Whether each program stores the element of its number along x, whatever else it does."""
        place = self._kernel.parameters.index(written)
        leaves = (ir.Return, ir.Break, ir.Continue)
        if not self._is_known or any(
            isinstance(it, leaves) for it in self._kernel.body.contents.statements
        ):
            return False
        return any(
            access is not None
            and access.root == place
            and access.is_certain
            and not (access.conditions or access.demands or access.divisions)
            and self._is_number(access.offsets)
            for access in self._writes
        )

    def _is_number(self, offsets: Polynomial) -> bool:
        match offsets.terms:
            case (((index,), 1),):
                quantity = self._quantities.all[index]
                return isinstance(quantity, Variable) and quantity.name == ("program", 0)
            case _:
                return False

    def is_free(self, constant: ir.Symbol) -> bool:
        """Whether a const generic is the extent of blocks that follow one another up to a bound, or nothing at all.

        Any extent then gives the same result: each access in such a block is under a condition on the place in the
        block and the blocks before it, and no value is made of the extent.
        """
        expressions = self._kernel.body.contents.expressions
        if not any(isinstance(it, ir.Read) and it.symbol == constant for it in expressions):
            return True
        if not self._is_known or None in self._writes or None in self._loads:
            return False
        if any(isinstance(it, ir.Cast) and _reads(it.operand, constant) for it in expressions):
            return False
        own = self._quantities.given(constant)
        accesses = [it for it in (*self._loads, *self._writes) if it is not None]
        lanes = {
            index
            for access in accesses
            for index in self._quantities.variables(access.offsets)
            if self._is_lane(index, own)
        }
        return bool(lanes) and all(self._is_blocked(it, lanes, own) for it in accesses)

    def axes(self, constant: ir.Symbol) -> bool:
        """Whether programs, and not just iterations, take the blocks of a const generic."""
        own = self._quantities.given(constant)
        return any(
            self._is_step(product, own.terms[0][0][0], of_programs=True)
            for access in (*self._loads, *self._writes)
            if access is not None
            for condition in (access.offsets, *access.conditions)
            for product, _ in condition.terms
        )

    def _is_lane(self, index: int, extent: Polynomial) -> bool:
        match self._quantities.all[index]:
            case Variable(name=("lane", _), extent=found):
                return found == extent
            case _:
                return False

    def _is_blocked(self, access: Access, lanes: set[int], own: Polynomial) -> bool:
        """Whether all lanes of an access are under such a condition, and the constant counts blocks alone."""
        constant = own.terms[0][0][0]
        used = self._quantities.variables(access.offsets) & lanes
        return all(
            any(self._bounds(condition, lane, constant) for condition in access.conditions)
            for lane in used
        ) and all(
            self._is_step(product, constant)
            for product, _ in access.offsets.terms
            if constant in product
        )

    def _bounds(self, condition: Polynomial, lane: int, constant: int) -> bool:
        """Whether a condition bounds a lane and the blocks before its own."""
        terms = dict(condition.terms)
        return terms.get((lane,)) == 1 and any(
            factor == 1 and self._is_step(product, constant) for product, factor in terms.items()
        )

    def _is_step(
        self, product: tuple[int, ...], constant: int, *, of_programs: bool = False
    ) -> bool:
        """Whether it is the constant times a program, an iteration or what is made of these."""
        return constant in product and any(
            self._steps(index, of_programs=of_programs) for index in product if index != constant
        )

    def _steps(self, index: int, *, of_programs: bool) -> bool:
        return any(
            isinstance(quantity, Variable)
            and quantity.name[0] in ({"program"} if of_programs else {"program", "iteration"})
            for quantity in self._inside(index)
        )

    def _inside(self, index: int) -> Iterator[object]:
        single = Polynomial((((index,), 1),))
        for each in self._quantities.variables(single):
            yield self._quantities.all[each]


def _reads(node: ir.Expression, symbol: ir.Symbol) -> bool:
    return (isinstance(node, ir.Read) and node.symbol == symbol) or any(
        _reads(each, symbol) for each in child_expressions(node)
    )
