"""From a kernel as written to a nest: tiles and masks are taken apart into one index at a time.

A loop that moves a tile of `E` lanes along by `E` has one axis, whose index is the lane plus the loop's variable, as
long as lane and variable occur in this sum alone. Its axis ends where the loop ends, if in the lanes beyond nothing
happens: stores are masked there, and what accumulates adds the identity. What a tile accumulates lane by lane and a
reduction makes one number of behind the loop is one number from the start, reassociated.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from transpiler.analysis.facts import Facts
from transpiler.analysis.padding import Paddings
from transpiler.analysis.values import copied, is_integer, named_argument, named_value, operands
from transpiler.ir import nodes as ir
from transpiler.ir.types import I32, Scalar, Tensor
from transpiler.ir.visit import Rewriter, walk_expression
from transpiler.ops.model import Effect, ShapeExpanded, ShapeInterval
from transpiler.ops.table import OPS
from transpiler.optimise.indices import Indices
from transpiler.optimise.nest import (
    Accumulate,
    Axis,
    AxisKind,
    Combine,
    Item,
    Loop,
    Nest,
    Reduction,
    Store,
    item_expressions,
    walk_items,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from transpiler.optimise.symbols import Symbols
    from transpiler.source import Span

_GRID_PLACES = {"X": 0, "Y": 1, "Z": 2}


class NotLiftedError(Exception):
    """A kernel that is no nest: `reason` says what stands against it, at `span`."""

    def __init__(self, reason: str, span: Span) -> None:
        super().__init__(reason)
        self.reason = reason
        self.span = span


def lift(
    kernel: ir.Kernel,
    functions: Mapping[ir.FunctionSymbol, ir.Function],
    symbols: Symbols,
) -> Nest:
    """The kernel as a nest.

    Raises:
        NotLiftedError: it is none, or nothing here can tell.
    """
    return _Lifter(kernel, Facts(kernel, functions), symbols).nest()


def combines() -> Iterator[Combine]:
    """What the rows of reductions say two elements are combined by."""
    for op in OPS.values():
        if op.combines is not None and op.identity is not None:
            pairwise = OPS[op.combines] if isinstance(op.combines, str) else None
            yield Combine(identity=op.identity, reduce=op, pairwise=pairwise)


class _Tiles:
    """The lanes of the loop that is being lifted: `lane` and `start` make `index` where they are added."""

    def __init__(
        self,
        loop: ir.For,
        lane: ir.Symbol,
        index: ir.Symbol,
        extent: ir.Symbol,
        stop: ir.Expression,
    ) -> None:
        self.loop = loop
        self.lane = lane
        self.index = index
        self.extent = extent
        self.stop = stop


class _Lifter(Rewriter):
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
        self._reductions: dict[ir.Symbol, Reduction] = {}
        self._open: set[ir.Symbol] = set()
        """The reductions whose loop is being lifted."""
        self._names: dict[ir.Symbol, str] = {}
        self._combines: dict[object, Combine] = {
            it.pairwise or it.reduce.combines: it for it in combines()
        }
        self._tiles: list[_Tiles] = []

    def nest(self) -> Nest:
        """The whole kernel."""
        items = self._items(self._kernel.body)
        self._refuse_lanes(items)
        programs = tuple(self._named(axis) for _, axis in sorted(self._programs.items()))
        return Nest(kernel=self._kernel, programs=programs, items=self._renamed(items))

    # --- Statements -------------------------------------------------------------------------------

    def _items(self, block: ir.Block) -> tuple[Item, ...]:
        items: list[Item] = []
        for statement in block.statements:
            items += self._item(statement)
        return tuple(items)

    def _item(self, node: ir.Statement) -> Iterator[Item]:
        match node:
            case ir.Let():
                yield from self._let(node)
            case ir.Evaluate(value=ir.OpCall() as call) if call.op.effect is Effect.WRITES:
                yield self._store(node, call)
            case ir.For():
                yield self._loop(node)
            case ir.Assign():
                yield self._accumulate(node)
            case ir.Evaluate(value=ir.OpCall(op=op)):
                _refuse(f"`{op.name}` {op.effect.value}", node.span)
            case ir.If():
                _refuse("a branch decides what is done", node.span)
            case ir.While():
                _refuse("how often the loop runs is not known before it", node.span)
            case _:
                _refuse("this statement is outside of what is analysed", node.span)

    def _let(self, node: ir.Let) -> Iterator[ir.Let]:
        if node.symbol.is_mutable:
            self._started[node.symbol] = self.expression(node.value)
            return
        value = self.expression(node.value)
        match value:
            case ir.Read(symbol=symbol):
                self._values[node.symbol] = value
                # An axis is called as the kernel calls its index first, a reduction as it calls the result.
                self._names.setdefault(symbol, node.symbol.name)
            case ir.Literal():
                self._values[node.symbol] = value
            case _:
                self._definitions[node.symbol] = value
                yield replace(node, value=value)

    def _named(self, axis: Axis) -> Axis:
        """The axis with the name the kernel has for its index."""
        name = self._names.get(axis.symbol, axis.symbol.name)
        return replace(axis, symbol=replace(axis.symbol, name=name))

    def _reduced(self, node: ir.OpCall) -> ir.Expression:
        """What a reduction across lanes makes of an accumulator: the number that it is in a nest."""
        operand = operands(node)[0]
        if not isinstance(operand, ir.Read) or operand.symbol not in self._reductions:
            _refuse(f"`{node.op.name}` reduces what no loop accumulates", node.span)
        reduction = self._reductions[operand.symbol]
        if operand.symbol in self._open:
            _refuse(f"`{operand.symbol.name}` is used while it accumulates", node.span)
        if reduction.combine.reduce is not node.op:
            _refuse(
                f"`{node.op.name}` is not what `{operand.symbol.name}` accumulates by", node.span
            )
        return ir.Read(span=node.span, type=node.type, symbol=operand.symbol)

    def _store(self, node: ir.Evaluate, call: ir.OpCall) -> Store:
        if named_argument(call, "strides") is not None:
            _refuse("a tile is stored by its shape and strides", node.span)
        lifted = self.expression(call)
        if not isinstance(lifted, ir.OpCall):
            raise TypeError("a call is lifted to a call")
        self._require_guard(call, "a store")
        return Store(call=lifted, span=node.span, layout=node.layout)

    # --- Loops ------------------------------------------------------------------------------------

    def _loop(self, node: ir.For) -> Loop:
        start, stop, step = map(self.expression, (node.start, node.stop, node.step))
        tiles = None
        match step:
            case ir.Literal(value=1):
                index = self._symbols.new(node.symbol.name, I32, node.symbol.span)
                self._values[node.symbol] = _read(index, node.span)
            case ir.Read(symbol=extent) if extent.kind is ir.SymbolKind.CONST_GENERIC:
                index = self._symbols.new(node.symbol.name, I32, node.symbol.span)
                tiles = _Tiles(node, self._lane(extent, node.span), index, extent, stop)
                self._tiles.append(tiles)
            case _:
                _refuse("the step of the loop is neither 1 nor the extent of its tiles", node.span)
        mutable = [
            statement.symbol
            for statement in node.body.contents.statements
            if isinstance(statement, ir.Assign) and statement.symbol in self._started
        ]
        begun = [it for it in dict.fromkeys(mutable) if self._begin(it, node)]
        self._open.update(begun)
        items = self._items(node.body)
        self._open.difference_update(begun)
        if tiles is not None:
            self._tiles.pop()
            self._refuse_reads(items, node.symbol, "the loop's variable is used apart from lanes")
        return Loop(
            axis=Axis(
                symbol=replace(index, name=self._names.get(index, index.name)),
                kind=AxisKind.LOOP,
                start=start,
                stop=stop,
                span=node.span,
                tile=None if tiles is None else tiles.extent,
            ),
            items=items,
            reductions=tuple(self._reductions[it] for it in begun),
            span=node.span,
            layout=node.layout,
        )

    def _begin(self, symbol: ir.Symbol, loop: ir.For) -> bool:
        """Make a variable a reduction, and say whether this loop, no outer one, is where it begins."""
        if symbol in self._reductions:
            if symbol not in self._open:
                _refuse(f"`{symbol.name}` is accumulated by more than one loop", loop.span)
            return False
        combine = self._combine_of(symbol, loop)
        started = self._started[symbol]
        initial: ir.Expression | None = started
        if isinstance(started, ir.Literal) and started.value == combine.identity:
            initial = None
        elif combine.identity in {0.0, 1.0}:
            _refuse(
                f"`{symbol.name}` starts from something else than {combine.identity:g}", loop.span
            )
        self._reductions[symbol] = Reduction(
            symbol=symbol, combine=combine, initial=initial, name=symbol.name, span=symbol.span
        )
        return True

    def _combine_of(self, symbol: ir.Symbol, loop: ir.For) -> Combine:
        found = {
            self._combined(statement)[0]
            for statement in loop.body.contents.statements
            if isinstance(statement, ir.Assign) and statement.symbol == symbol
        }
        if len(found) != 1:
            _refuse(f"`{symbol.name}` is combined in more than one way", loop.span)
        return found.pop()

    def _combined(self, node: ir.Assign) -> tuple[Combine, ir.Expression]:
        """What an assignment combines into its variable, and by what."""
        how: object = node.operator
        term = node.value
        if node.operator is None:
            match node.value:
                case ir.Binary(operator=operator, left=left, right=right):
                    how, sides = operator, (left, right)
                case ir.OpCall() as call if len(operands(call)) == len(call.arguments) == 2:
                    how, sides = call.op, (operands(call)[0], operands(call)[1])
                case _:
                    how, sides = None, (node.value, node.value)
            if _is_read(sides[0], node.symbol):
                term = sides[1]
            elif _is_read(sides[1], node.symbol):
                term = sides[0]
            else:
                how = None
        combine = self._combines.get(how)
        if combine is None or any(
            isinstance(it, ir.Read) and it.symbol == node.symbol for it in walk_expression(term)
        ):
            _refuse(f"`{node.symbol.name}` is carried from iteration to iteration", node.span)
        return combine, term

    def _accumulate(self, node: ir.Assign) -> Accumulate:
        if node.symbol not in self._reductions:
            _refuse(f"`{node.symbol.name}` is assigned", node.span)
        combine, term = self._combined(node)
        inner = term
        if isinstance(term, ir.OpCall) and term.op.combines is not None:
            # The lanes are summed in each iteration: that is one sum over all of them.
            if term.op is not combine.reduce:
                _refuse(f"`{term.op.name}` is combined in another way", node.span)
            inner = operands(term)[0]
        lifted = self.expression(inner)
        for tiles in self._tiles:
            self._require_identity(tiles, node, inner, combine, is_reduced=inner is not term)
        return Accumulate(symbol=node.symbol, term=lifted, span=node.span, layout=node.layout)

    # --- What lanes beyond the end of a loop do ---------------------------------------------------

    def _require_guard(self, call: ir.OpCall, what: str) -> None:
        """Refuse an effect that happens in lanes beyond the end of a loop."""
        for tiles in self._tiles:
            mask = named_value(call, "mask")
            if mask is None or not any(True for _ in self._guards(mask, tiles)):
                _refuse(f"{what} is not masked where its loop ends", call.span)

    def _guards(self, mask: ir.Expression, tiles: _Tiles) -> Iterator[ir.Expression]:
        """The conditions of a mask that say the index of a loop is below its end."""
        for term in self._facts.masks.terms(mask):
            if self._says_end(self.expression(term.source), tiles):
                yield term.source

    def _says_end(self, condition: ir.Expression, tiles: _Tiles) -> bool:
        match condition:
            case ir.Binary(operator=ir.BinaryOperator.LESS, left=left, right=right):
                pass
            case ir.OpCall(op=op) if op.operator is ir.BinaryOperator.LESS:
                left, right = operands(condition)
            case ir.OpCall(op=op) if op.operator is ir.BinaryOperator.GREATER:
                right, left = operands(condition)
            case _:
                return False
        indices = self._indices
        return indices.polynomial(left) == indices.of(tiles.index) and indices.polynomial(
            right
        ) == indices.polynomial(tiles.stop)

    def _require_identity(
        self,
        tiles: _Tiles,
        node: ir.Assign,
        term: ir.Expression,
        combine: Combine,
        *,
        is_reduced: bool,
    ) -> None:
        if not is_reduced and not _has_lanes(node.symbol):
            _refuse(f"`{node.symbol.name}` counts tiles", node.span)
        facts = self._facts
        loads = (site.call for site in facts.flow.loads if tiles.loop in site.loops)
        for load in loads:
            mask = named_value(load, "mask")
            for each in () if mask is None else facts.masks.terms(mask):
                if self._says_end(self.expression(each.source), tiles):
                    padding = Paddings(facts.values, facts.masks, each.condition, -1)
                    held = padding.padding(term).constant
                    if held == combine.identity:
                        return
                    _refuse(
                        f"where the mask is off, what `{node.symbol.name}` combines is not "
                        f"{combine.identity:g}",
                        node.span,
                    )
        _refuse(f"nothing masks what `{node.symbol.name}` combines where its loop ends", node.span)

    # --- Expressions ------------------------------------------------------------------------------

    def expression(self, node: ir.Expression) -> ir.Expression:
        """An expression for one index of each axis."""
        match node:
            case ir.Read(symbol=symbol):
                return self._read(node, symbol)
            case ir.OpCall():
                return self._call(node)
            case ir.Binary(operator=ir.BinaryOperator.ADD):
                return self._sum(node)
            case (
                ir.Call() | ir.Conditional() | ir.BlockValue() | ir.TupleValue() | ir.TupleElement()
            ):
                _refuse("this is computed by a function or by branches", node.span)
            case _:
                pass
        return self.expression_parts(node)

    def _read(self, node: ir.Read, symbol: ir.Symbol) -> ir.Expression:
        known = self._values.get(symbol)
        if known is not None:
            return known
        if symbol in self._reductions:
            if symbol in self._open:
                _refuse(f"`{symbol.name}` is used while it accumulates", node.span)
            if _has_lanes(symbol):
                _refuse(f"the lanes of `{symbol.name}` are used one by one", node.span)
            return node
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
            _refuse("the kernel asks how many programs there are", node.span)
        if op.copies and not op.is_lanewise:
            return self._copied(node)
        if op.value is not None and not operands(node):
            return _literal(op.value(), node)
        if not op.is_lanewise or not isinstance(node.type, Tensor | Scalar):
            _refuse(f"`{op.name}` does not work lane by lane", node.span)
        return self.expression_parts(node)

    def _copied(self, node: ir.OpCall) -> ir.Expression:
        source = copied(node)
        if source is None or isinstance(node.op.shape, ShapeExpanded):
            _refuse(f"`{node.op.name}` makes tiles of other dimensions", node.span)
        lifted = self.expression(source)
        if isinstance(lifted, ir.Literal):
            return _literal(lifted.value, node)
        if node.op.shape is not None and not isinstance(source.type, Tensor):
            # A number of Rust's own becomes one of a tile: of exactly this dtype.
            return ir.Cast(
                span=node.span, type=node.type, operand=lifted, kind=ir.CastKind.MATERIALISE
            )
        return lifted

    def _program(self, node: ir.OpCall) -> ir.Expression:
        axis = node.arguments[0]
        if not isinstance(axis, ir.EnumArgument):
            _refuse("the axis of the grid is not known", node.span)
        place = _GRID_PLACES[axis.member]
        known = self._programs.get(place)
        if known is None:
            extent = self._symbols.grid(place, node.span)
            known = self._programs[place] = Axis(
                symbol=self._symbols.new(f"pid_{axis.member.lower()}", I32, node.span),
                kind=AxisKind.PROGRAM,
                start=_number(0, node.span),
                stop=_read(extent, node.span),
                span=node.span,
                place=place,
            )
        return _read(known.symbol, node.span)

    def _interval(self, node: ir.OpCall) -> ir.Expression:
        start, end = (self.expression(it) for it in operands(node))
        extent = self._indices.polynomial(end) - self._indices.polynomial(start)
        if extent.constant == 1:
            return start
        if not isinstance(end, ir.Read) or self._indices.polynomial(start).terms:
            _refuse("the lanes are none that a loop moves along", node.span)
        return _read(self._lane(end.symbol, node.span), node.span)

    def _lane(self, extent: ir.Symbol, span: Span) -> ir.Symbol:
        lane = self._lanes.get(extent)
        if lane is None:
            lane = self._lanes[extent] = self._symbols.new(f"lane_{extent.name}", I32, span)
        return lane

    def _sum(self, node: ir.Binary) -> ir.Expression:
        """A sum, in which a lane and the start of its tile are the index of their axis."""
        parts = list(_terms(node))
        terms = [self.expression(it) for it in parts]
        for tiles in self._tiles:
            lanes = [it for it in terms if _is_read(it, tiles.lane)]
            starts = [it for it in terms if _is_read(it, tiles.loop.symbol)]
            if lanes and starts:
                place = min(terms.index(lanes[0]), terms.index(starts[0]))
                terms.remove(lanes[0])
                terms.remove(starts[0])
                terms.insert(place, _read(tiles.index, node.span))
        zeros = [it for it in terms if isinstance(it, ir.Literal) and it.value == 0]
        if is_integer(node):
            terms = [it for it in terms if it not in zeros] or [zeros[0]]
        if len(terms) == len(parts):
            return self.expression_parts(node)
        total = terms[0]
        for term in terms[1:]:
            total = replace(node, left=total, right=term)
        return total

    def _load(self, node: ir.OpCall) -> ir.Expression:
        if node.op.name != OPS["load"].name:
            _refuse(f"`{node.op.name}` reads memory in another way", node.span)
        return self._without_guards(node)

    def _without_guards(self, node: ir.OpCall) -> ir.OpCall:
        """A load or a store whose mask no longer says that loops end."""
        lifted = self.expression_parts(node)
        if not isinstance(lifted, ir.OpCall):
            raise TypeError("a call is lifted to a call")
        mask = named_value(node, "mask")
        if mask is None:
            return lifted
        kept = [
            condition
            for term in self._facts.masks.terms(mask)
            for condition in [self.expression(term.source)]
            if not any(self._says_end(condition, tiles) for tiles in self._tiles)
        ]
        return with_argument(lifted, "mask", all_of(kept, node.span))

    # --- Checks at the end ------------------------------------------------------------------------

    def _refuse_lanes(self, items: tuple[Item, ...]) -> None:
        for extent, lane in self._lanes.items():
            self._refuse_reads(
                items,
                lane,
                f"lanes of {extent.name} are used outside of a loop that moves along them",
            )

    def _refuse_reads(self, items: tuple[Item, ...], symbol: ir.Symbol, reason: str) -> None:
        for item in walk_items(items):
            for expression in item_expressions(item):
                for each in walk_expression(expression):
                    if isinstance(each, ir.Read) and each.symbol == symbol:
                        _refuse(reason, each.span)

    def _renamed(self, items: tuple[Item, ...]) -> tuple[Item, ...]:
        """The items with reductions under the names the kernel has for their results."""
        return tuple(
            replace(
                item,
                items=self._renamed(item.items),
                reductions=tuple(
                    replace(it, name=self._names.get(it.symbol, it.name)) for it in item.reductions
                ),
            )
            if isinstance(item, Loop)
            else item
            for item in items
        )


# --- Pieces of expressions ------------------------------------------------------------------------


def with_argument(call: ir.OpCall, name: str, value: ir.Argument) -> ir.OpCall:
    """The call with another argument of this name."""
    arguments = tuple(
        value if parameter.name == name else argument
        for parameter, argument in zip(call.op.parsed.parameters, call.arguments, strict=True)
    )
    return replace(call, arguments=arguments)


def all_of(conditions: list[ir.Expression], span: Span) -> ir.Argument:
    """A mask of conditions; none where there are none."""
    if not conditions:
        return ir.AbsentArgument(span=span)
    total = conditions[0]
    for condition in conditions[1:]:
        total = ir.Binary(
            span=span,
            type=total.type,
            operator=ir.BinaryOperator.BIT_AND,
            left=total,
            right=condition,
        )
    return total


def _terms(node: ir.Expression) -> Iterator[ir.Expression]:
    match node:
        case ir.Binary(operator=ir.BinaryOperator.ADD, left=left, right=right):
            yield from _terms(left)
            yield from _terms(right)
        case _:
            yield node


def _is_read(node: ir.Expression, symbol: ir.Symbol) -> bool:
    return isinstance(node, ir.Read) and node.symbol == symbol


def _has_lanes(symbol: ir.Symbol) -> bool:
    return isinstance(symbol.type, Tensor) and any(extent != 1 for extent in symbol.type.shape)


def _read(symbol: ir.Symbol, span: Span) -> ir.Read:
    return ir.Read(span=span, type=symbol.type, symbol=symbol)


def _number(value: int, span: Span) -> ir.Literal:
    return ir.Literal(span=span, type=I32, value=value)


def _literal(value: float, node: ir.Expression) -> ir.Literal:
    if not isinstance(node.type, Tensor | Scalar):
        raise TypeError("a number has a dtype")
    return ir.Literal(span=node.span, type=Scalar(dtype=node.type.dtype), value=value)


def _refuse(reason: str, span: Span) -> NoReturn:
    raise NotLiftedError(reason, span)
