"""The expressions of a kernel for one index of every axis."""

from __future__ import annotations

import struct
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.values import copied, is_integer, named_value, operands
from transpiler.ir import nodes as ir
from transpiler.ir.types import I32, DType, DtypeParameter, Scalar, Tensor
from transpiler.ir.visit import Rewriter
from transpiler.ops.model import Effect, ShapeExpanded, ShapeInterval
from transpiler.ops.table import OPS
from transpiler.optimise.build import Build, conjunction, dtype_of, with_argument
from transpiler.optimise.lifting.loop_ends import LoopEnds
from transpiler.optimise.nests.combining import combines
from transpiler.optimise.nests.indices import Indices
from transpiler.optimise.nests.nest import (
    Axis,
    AxisKind,
    Combine,
    Reduction,
)
from transpiler.optimise.refusals import refuse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.analysis.facts import Facts
    from transpiler.ir.types import ElementType
    from transpiler.optimise.symbols import Symbols
    from transpiler.source import Span

_GRID_PLACES = {"X": 0, "Y": 1, "Z": 2}


class ExpressionLifter(Rewriter):
    """Lifts the expressions of one kernel; what it meets of the grid becomes axes."""

    def __init__(self, kernel: ir.Kernel, facts: Facts, symbols: Symbols) -> None:
        self._kernel = kernel
        self._facts = facts
        self._symbols = symbols
        self._values: dict[ir.Symbol, ir.Expression] = {}
        """Names that are read as what they stand for: axes, lanes, and other names."""
        self._definitions: dict[ir.Symbol, ir.Expression] = {}
        self._indices = Indices(self._definitions)
        self._programs: dict[int, Axis] = {}
        self._lanes: dict[ir.Symbol, ir.Symbol] = {}
        self._started: dict[ir.Symbol, ir.Expression] = {}
        """What mutable variables start from."""
        self._layouts: dict[ir.Symbol, ir.Layout] = {}
        """How the statements that declare them look."""
        self._reductions: dict[ir.Symbol, Reduction] = {}
        self._beside: dict[ir.Symbol, ir.Expression] = {}
        """What the result of a reduction is combined with behind its loop: what its variable starts from."""
        self._open: set[ir.Symbol] = set()
        """The reductions whose loop is being lifted."""
        self._names: dict[ir.Symbol, str] = {}
        self._naming: dict[ir.Symbol, ir.Symbol] = {}
        """What gave axes and reductions their names."""
        self._result_layouts: dict[ir.Symbol, ir.Layout] = {}
        """How the statements look that name the results of reductions."""
        self._combines: dict[object, Combine] = {
            it.pairwise or it.reduce.combines: it for it in combines()
        }
        self._ends = LoopEnds(facts, self._indices, self.expression)
        self._lifted: dict[int, tuple[ir.Expression, ir.Expression]] | None = None
        """The parts of the expression that is being lifted, with what was made of each."""

    def _reduced(self, node: ir.OpCall) -> ir.Expression:
        """What a reduction across lanes makes of an accumulator: the number that it is in a nest."""
        operand = operands(node)[0]
        if not isinstance(operand, ir.Read) or operand.symbol not in self._reductions:
            refuse(f"`{node.op.name}` reduces what no loop accumulates", node.span)
        reduction = self._reductions[operand.symbol]
        if operand.symbol in self._open:
            refuse(f"`{operand.symbol.name}` is used while it accumulates", node.span)
        if reduction.combine.reduce is not node.op:
            refuse(
                f"`{node.op.name}` is not what `{operand.symbol.name}` accumulates by", node.span
            )
        return self._result(ir.Read(span=node.span, type=node.type, symbol=operand.symbol))

    def _result(self, node: ir.Read) -> ir.Expression:
        """What a reduction has made of its variable."""
        start = self._beside.get(node.symbol)
        operator = self._reductions[node.symbol].combine.reduce.combines
        if start is None or not isinstance(operator, ir.BinaryOperator):
            return node
        return ir.Binary(span=node.span, type=node.type, operator=operator, left=start, right=node)

    def expression(self, node: ir.Expression) -> ir.Expression:
        """An expression for one index of each axis."""
        if self._lifted is None:
            self._lifted = {}
            try:
                return self._expression(node)
            finally:
                self._lifted = None
        # Sums and selections ask for their parts twice: nested in each other, that would be a power of two.
        known = self._lifted.get(id(node))
        if known is None:
            known = self._lifted[id(node)] = (node, self._expression(node))
        return known[1]

    def _expression(self, node: ir.Expression) -> ir.Expression:
        match node:
            case ir.Read(symbol=symbol):
                return self._read(node, symbol)
            case ir.OpCall():
                return self._call(node)
            case ir.Binary(operator=ir.BinaryOperator.ADD):
                return self._sum(node)
            case ir.Binary(operator=ir.BinaryOperator.MULTIPLY) if is_integer(node):
                return self._product(node)
            case (
                ir.Call() | ir.Conditional() | ir.BlockValue() | ir.TupleValue() | ir.TupleElement()
            ):
                refuse("this is computed by a function or by branches", node.span)
            case _:
                pass
        return self.expression_parts(node)

    def _read(self, node: ir.Read, symbol: ir.Symbol) -> ir.Expression:
        known = self._values.get(symbol)
        if known is not None:
            return known
        if symbol in self._reductions:
            if symbol in self._open:
                refuse(f"`{symbol.name}` is used while it accumulates", node.span)
            if has_lanes(symbol):
                refuse(f"the lanes of `{symbol.name}` are used one by one", node.span)
            return self._result(node)
        if symbol in self._started:
            return self._started[symbol]
        return node

    def _call(self, node: ir.OpCall) -> ir.Expression:
        op = node.op
        if op.is_program_id:
            return self._program(node)
        if isinstance(op.shape, ShapeInterval):
            return self._interval(node)
        if op.effect is Effect.READS:
            return self._load(node)
        if op.effect is Effect.WRITES:
            return self._without_guards(node)
        if op.combines is not None:
            return self._reduced(node)
        if op.name == OPS["num_programs"].name:
            refuse("the kernel asks how many programs there are", node.span)
        if op.copies and not op.is_lanewise:
            return self._copied(node)
        if op.selects is not None:
            return self._selection(node, op.selects)
        if op.value is not None and not operands(node):
            return _literal(op.value(), node)
        if not op.is_lanewise or not isinstance(node.type, Tensor | Scalar):
            refuse(f"`{op.name}` does not work lane by lane", node.span)
        return self._converted(node) or self.expression_parts(node)

    def _converted(self, node: ir.OpCall) -> ir.Expression | None:
        """What converts a tile of one of Rust's integers converts that; None for any other call."""
        source = copied(node)
        if source is None or not all(map(_is_left_out, node.arguments[1:])):
            return None
        match self.expression(source):
            case ir.Cast(kind=ir.CastKind.MATERIALISE, operand=operand) if is_integer(operand):
                return ir.Cast(
                    span=node.span, type=node.type, operand=operand, kind=ir.CastKind.RUST_AS
                )
            case ir.Literal() as literal:
                value = _converted_value(literal, dtype_of(node))
                if value is not None:
                    return replace(literal, type=Scalar(dtype=dtype_of(node)), value=value)
                # What Python has no name for is converted as a value of Triton.
                made = ir.Cast(
                    span=node.span,
                    type=Tensor(dtype=dtype_of(literal), shape=()),
                    operand=literal,
                    kind=ir.CastKind.MATERIALISE,
                )
                return replace(node, arguments=(made, *node.arguments[1:]))
            case _:
                return None

    def _copied(self, node: ir.OpCall) -> ir.Expression:
        source = copied(node)
        if source is None or isinstance(node.op.shape, ShapeExpanded):
            refuse(f"`{node.op.name}` makes tiles of other dimensions", node.span)
        lifted = self.expression(source)
        if isinstance(lifted, ir.Literal):
            return _literal(lifted.value, node)
        if node.op.shape is not None and not isinstance(source.type, Tensor):
            # A number of Rust's own becomes one of a tile: of exactly this dtype.
            if isinstance(lifted, ir.Cast):
                return replace(lifted, type=node.type)
            return ir.Cast(
                span=node.span, type=node.type, operand=lifted, kind=ir.CastKind.MATERIALISE
            )
        return lifted

    def _program(self, node: ir.OpCall) -> ir.Expression:
        axis = node.arguments[0]
        if not isinstance(axis, ir.EnumArgument):
            refuse("the axis of the grid is not known", node.span)
        place = _GRID_PLACES[axis.member]
        known = self._programs.get(place)
        if known is None:
            extent = self._symbols.grid(place, node.span)
            known = self._programs[place] = Axis(
                symbol=self._symbols.new(f"pid_{axis.member.lower()}", I32, node.span),
                kind=AxisKind.PROGRAM,
                start=Build(node.span).number(0),
                stop=Build(node.span).read(extent),
                span=node.span,
                place=place,
            )
        return Build(node.span).read(known.symbol)

    def _interval(self, node: ir.OpCall) -> ir.Expression:
        start, end = (self.expression(it) for it in operands(node))
        extent = self._indices.polynomial(end) - self._indices.polynomial(start)
        if extent.constant == 1:
            return start
        if not isinstance(end, ir.Read) or self._indices.polynomial(start).terms:
            refuse("the lanes are none that a loop moves along", node.span)
        return Build(node.span).read(self._lane(end.symbol, node.span))

    def _lane(self, extent: ir.Symbol, span: Span) -> ir.Symbol:
        lane = self._lanes.get(extent)
        if lane is None:
            lane = self._lanes[extent] = self._symbols.new(f"lane_{extent.name}", I32, span)
        return lane

    def _sum(self, node: ir.Binary) -> ir.Expression:
        """A sum, in which a lane and the start of its tile are the index of their axis."""
        parts = list(_terms(node))
        terms = [self.expression(it) for it in parts]
        for tiles in self._ends.open:
            lanes = [it for it in terms if is_read(it, tiles.lane)]
            starts = [it for it in terms if is_read(it, tiles.loop.symbol)]
            if lanes and starts:
                place = min(terms.index(lanes[0]), terms.index(starts[0]))
                terms.remove(lanes[0])
                terms.remove(starts[0])
                terms.insert(place, Build(node.span).read(tiles.index))
        zeros = [it for it in terms if isinstance(it, ir.Literal) and it.value == 0]
        if is_integer(node):
            terms = [it for it in terms if it not in zeros] or [zeros[0]]
        if len(terms) == len(parts):
            return self.expression_parts(node)
        total = terms[0]
        for term in terms[1:]:
            total = replace(node, left=total, right=term)
        return total

    def _product(self, node: ir.Binary) -> ir.Expression:
        """A product; `lanes * 0`, which gives a number the shape of lanes, is 0."""
        lifted = self.expression_parts(node)
        parts = (lifted.left, lifted.right) if isinstance(lifted, ir.Binary) else ()
        zeros = (it for it in parts if isinstance(it, ir.Literal) and it.value == 0)
        return next(zeros, lifted)

    def _load(self, node: ir.OpCall) -> ir.Expression:
        if node.op.name != OPS["load"].name:
            refuse(f"`{node.op.name}` reads memory in another way", node.span)
        return self._without_guards(node)

    def _without_guards(self, node: ir.OpCall) -> ir.OpCall:
        """A load or a store whose mask no longer says that loops end."""
        lifted = self.expression_parts(node)
        if not isinstance(lifted, ir.OpCall):
            raise TypeError("a call is lifted to a call")
        mask = named_value(node, "mask")
        if mask is None:
            return lifted
        left = conjunction(self._ends.beside(mask), Build(node.span))
        return with_argument(lifted, "mask", left or ir.AbsentArgument(span=node.span))

    def _selection(self, node: ir.OpCall, names: tuple[str, str, str]) -> ir.Expression:
        """A selection without the conditions that loops end; what it selects where there are no others."""
        condition, then, _ = (named_value(node, name) for name in names)
        lifted = self.expression_parts(node)
        if condition is None or then is None or not isinstance(lifted, ir.OpCall):
            return lifted
        kept = self._ends.beside(condition)
        if len(kept) == len(self._facts.masks.terms(condition)):
            return lifted
        left = conjunction(kept, Build(node.span))
        return self.expression(then) if left is None else with_argument(lifted, names[0], left)


def _terms(node: ir.Expression) -> Iterator[ir.Expression]:
    match node:
        case ir.Binary(operator=ir.BinaryOperator.ADD, left=left, right=right):
            yield from _terms(left)
            yield from _terms(right)
        case _:
            yield node


def is_read(node: ir.Expression, symbol: ir.Symbol) -> bool:
    """Whether an expression is the value of a symbol."""
    return isinstance(node, ir.Read) and node.symbol == symbol


def _is_left_out(argument: ir.Argument) -> bool:
    match argument:
        case ir.AbsentArgument() | ir.FlagArgument(value=False):
            return True
        case _:
            return False


def has_lanes(symbol: ir.Symbol) -> bool:
    """Whether a variable holds a tile of more than one lane."""
    return isinstance(symbol.type, Tensor) and any(extent != 1 for extent in symbol.type.shape)


def _converted_value(literal: ir.Literal, target: ElementType) -> float | None:
    """What a literal is as a float of another dtype; None where that is not known of it."""
    source, value = dtype_of(literal), literal.value
    if isinstance(value, bool) or not _is_float(target):
        return None
    if isinstance(value, int):
        return float(value) if abs(value) <= _EXACT else None
    if source is DType.F32:
        with suppress(OverflowError):
            (value,) = struct.unpack("f", struct.pack("f", value))
    return None if source in {DType.F16, DType.BF16} else value


_EXACT = 1 << 8
"""Up to here every float has all integers."""


def _is_float(dtype: ElementType) -> bool:
    return isinstance(dtype, DType | DtypeParameter) and dtype.is_float


def _literal(value: float, node: ir.Expression) -> ir.Literal:
    if not isinstance(node.type, Tensor | Scalar):
        raise TypeError("a number has a dtype")
    dtype = node.type.dtype
    if isinstance(dtype, DType) and dtype.is_integer:
        value = int(value)
    return ir.Literal(span=node.span, type=Scalar(dtype=dtype), value=value)
