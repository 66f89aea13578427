"""How the tiles of a kernel lie that is widened over an axis of the grid, and what varies along it.

Tiles have two dimensions here: that of the lanes the kernel has itself, and that of programs. What is the same for all
programs has extent 1 along the second, or is the number it was; what is one number for each program has extent 1 along
the first.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import NamedDimension
from transpiler.ir.visit import statement_blocks, walk_expression
from transpiler.optimise.build import shape_of
from transpiler.optimise.grid import is_program
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.ir.types import Dimension, Shape, Type


class Order(Enum):
    """Which neighbours of a lane are its neighbours in memory; most is gained by those that come first."""

    PROGRAMS = "programs, the kernel's own lanes being far apart"
    OWN = "the kernel's own lanes"
    ALONE = "programs, there being no other lanes"


class Frame(NamedTuple):
    """How tiles lie: programs along dimension `place` of `rank`, `tile` of them, their numbers `programs`.

    `member` is what the axis of the grid is called, `exists` the mask of the programs there are.
    """

    member: str
    place: int
    rank: int
    tile: ir.Symbol
    programs: ir.Symbol
    exists: ir.Symbol

    @property
    def own(self) -> int:
        """The dimension of the kernel's own lanes; -1 where it has none."""
        return 1 - self.place if self.rank > 1 else -1

    def shape(self, extent: Dimension, *, is_varying: bool) -> Shape:
        """A tile of `extent` lanes of the kernel's own."""
        count: Dimension = NamedDimension(name=self.tile.name) if is_varying else 1
        shape = [count] * self.rank
        if self.own >= 0:
            shape[self.own] = extent
        return tuple(shape)

    def varies(self, type_: Type) -> bool:
        """Whether a tile has a lane for each program."""
        shape = shape_of(type_)
        return bool(shape) and shape[self.place] != 1

    def lanes(self, type_: Type) -> Dimension:
        """The extent along the kernel's own lanes."""
        shape = shape_of(type_)
        return shape[self.own] if shape and self.own >= 0 else 1


class Varying:
    """Which names of a kernel have another value in each program along an axis of the grid."""

    def __init__(self, kernel: ir.Kernel, member: str) -> None:
        self.member = member
        self.symbols: set[ir.Symbol] = set()
        self.assigned: set[ir.Symbol] = set()
        self.chosen: set[ir.Symbol] = set()
        """What some programs assign and others do not."""
        statements = kernel.body.contents.statements
        before = -1
        while before != len(self.symbols):
            before = len(self.symbols)
            for statement in statements:
                match statement:
                    case ir.Let() | ir.Assign() if self.of(statement.value):
                        self.symbols.add(statement.symbol)
                    case ir.LetTuple() if self.of(statement.value):
                        self.symbols.update(it for it in statement.symbols if it is not None)
                    case ir.If() if self.of(statement.condition):
                        self.chosen.update(_assigned_around(statement))
                        self.symbols |= self.chosen
                    case _:
                        pass
        for statement in statements:
            if isinstance(statement, ir.Assign | ir.Declare):
                self.assigned.add(statement.symbol)

    def of(self, node: ir.Expression) -> bool:
        """Whether an expression has."""
        return any(
            each.symbol in self.symbols
            if isinstance(each, ir.Read)
            else isinstance(each, ir.OpCall) and is_program(each, self.member)
            for each in walk_expression(node)
        )


def _assigned_around(branch: ir.If) -> Iterator[ir.Symbol]:
    """What a branch assigns of what was there before it."""
    for block in statement_blocks(branch):
        statements = block.contents.statements
        inner = {it.symbol for it in statements if isinstance(it, ir.Let | ir.Declare)}
        for each in statements:
            if isinstance(each, ir.Assign) and each.symbol not in inner:
                yield each.symbol
