"""Which definition each read of a variable sees, and under which conditions each effect happens.

One walk over a kernel gives its variables the form other analyses ask questions of: every read has one definition,
static single assignment without rewriting anything. Where arms meet there is a `Merge`, where a loop starts a
`Carried`, one for each mutable variable that exists there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from transpiler.ir import nodes as ir
from transpiler.ir.types import DType, Scalar, Tensor
from transpiler.ops.model import Effect, ShapeInterval, ShapeMatrixProduct

if TYPE_CHECKING:
    from collections.abc import Iterable


# --- Definitions ----------------------------------------------------------------------------------
# Two definitions are the same only if they are one object. Plain classes: this module is imported in every run, and
# making data classes takes as long as all the rest of it.


class Given:
    """A parameter or a const generic."""

    __slots__ = ("symbol",)

    def __init__(self, symbol: ir.Symbol) -> None:
        self.symbol = symbol


class Bound:
    """The value of an expression."""

    __slots__ = ("value",)

    def __init__(self, value: ir.Expression) -> None:
        self.value = value


class Updated:
    """`previous operator value`."""

    __slots__ = ("operator", "previous", "statement", "value")

    def __init__(
        self,
        previous: Definition,
        operator: ir.BinaryOperator,
        value: ir.Expression,
        statement: ir.Assign,
    ) -> None:
        self.previous = previous
        self.operator = operator
        self.value = value
        self.statement = statement


class Element:
    """One element of a tuple."""

    __slots__ = ("index", "value")

    def __init__(self, value: ir.Expression, index: int) -> None:
        self.value = value
        self.index = index


class Counted:
    """The variable of a `for` loop."""

    __slots__ = ("loop",)

    def __init__(self, loop: ir.For) -> None:
        self.loop = loop


class Merge:
    """One of several, where arms or exits of a loop meet; `condition` decides between the arms."""

    __slots__ = ("condition", "inputs")

    def __init__(
        self, inputs: tuple[Definition, ...], condition: ir.Expression | None = None
    ) -> None:
        self.inputs = inputs
        self.condition = condition


class Carried:
    """What a variable is when an iteration of a loop begins: `initial`, or one of `backs` from the iteration before."""

    __slots__ = ("backs", "initial", "loop", "symbol")

    def __init__(self, symbol: ir.Symbol, loop: ir.Statement, initial: Definition) -> None:
        self.symbol = symbol
        self.loop = loop
        self.initial = initial
        self.backs: list[Definition] = []

    @property
    def is_invariant(self) -> bool:
        """Whether the loop leaves the variable as it was."""
        return all(back is self for back in self.backs)


class Unset:
    """A variable without a value yet."""


Definition: TypeAlias = Given | Bound | Updated | Element | Counted | Merge | Carried | Unset


# --- What the walk finds --------------------------------------------------------------------------


class Guard:
    """A condition that holds, or fails where `holds` is False, at a place; `is_loop` tells that of a `while`."""

    __slots__ = ("condition", "holds", "is_loop")

    def __init__(self, condition: ir.Expression, *, holds: bool, is_loop: bool = False) -> None:
        self.condition = condition
        self.holds = holds
        self.is_loop = is_loop


class Site:
    """A call with an effect, or of a reduction: `guards` are the conditions it is under, `loops` those around it."""

    __slots__ = ("call", "guards", "loops")

    def __init__(
        self, call: ir.OpCall, guards: tuple[Guard, ...], loops: tuple[ir.Statement, ...]
    ) -> None:
        self.call = call
        self.guards = guards
        self.loops = loops


class _Loop:
    __slots__ = ("backs", "exits", "number")

    def __init__(self, number: int) -> None:
        self.number = number
        self.exits: list[dict[ir.Symbol, Definition]] = []
        self.backs: list[dict[ir.Symbol, Definition]] = []


class Flow:
    """The flow of values through one kernel or function.

    `definitions` gives the definition of each immutable variable, `reaching` that of a read of a mutable one by the
    read's identity; `definition` asks the right one. `reads` counts the reads of each symbol; `lets` are the variables
    in order, `assigned` those that are assigned after their `let`.
    """

    def __init__(self, routine: ir.Routine) -> None:
        self.routine = routine
        self.definitions: dict[ir.Symbol, Definition] = {}
        self.reaching: dict[int, Definition] = {}
        self.reads: dict[ir.Symbol, int] = {}
        self.lets: list[ir.Symbol] = []
        self.assigned: set[ir.Symbol] = set()
        self.loads: list[Site] = []
        self.stores: list[Site] = []
        self.atomics: list[Site] = []
        self.reductions: list[Site] = []
        self.carried: list[Carried] = []
        self.subtractions: list[ir.Binary] = []
        self.products: list[ir.OpCall] = []
        self.programs: list[ir.OpCall] = []
        self.calls: list[ir.Call] = []
        self.intervals: list[ir.OpCall] = []
        self.widenings: list[ir.Cast | ir.OpCall] = []
        self._current: dict[ir.Symbol, Definition] = {}
        self._guards: tuple[Guard, ...] = ()
        self._loops: tuple[ir.Statement, ...] = ()
        self._targets: list[_Loop] = []
        self._is_dead = False
        for symbol in (*routine.parameters, *routine.const_generics):
            self._define(symbol, Given(symbol))
        self._statements(routine.body.statements)

    def definition(self, read: ir.Read) -> Definition:
        """What a read sees."""
        found = (
            self.reaching.get(id(read))
            if read.symbol.is_mutable
            else self.definitions.get(read.symbol)
        )
        while isinstance(found, Carried) and found.is_invariant:
            found = found.initial
        return _UNSET if found is None else found

    def close(self) -> None:
        """Take apart what refers to itself, since a run does without a search for cycles; nobody may ask after this."""
        for carried in self.carried:
            carried.backs.clear()

    def _define(self, symbol: ir.Symbol, definition: Definition) -> None:
        if symbol.is_mutable:
            self._current[symbol] = definition
        else:
            self.definitions[symbol] = definition

    # --- Statements -------------------------------------------------------------------------------

    def _statements(self, statements: Iterable[ir.Statement]) -> None:
        guards = self._guards
        for statement in statements:
            self._statement(statement)
        self._guards = guards

    def _statement(self, node: ir.Statement) -> None:
        match node:
            case ir.Let():
                self._expression(node.value)
                self.lets.append(node.symbol)
                self._define(node.symbol, Bound(node.value))
            case ir.Assign():
                self._assign(node)
            case ir.Evaluate():
                self._expression(node.value)
            case ir.LetTuple():
                self._expression(node.value)
                for index, symbol in enumerate(node.symbols):
                    if symbol is not None:
                        self.lets.append(symbol)
                        self._define(symbol, Element(node.value, index))
            case ir.Declare():
                self.lets.append(node.symbol)
                self._define(node.symbol, _UNSET)
            case ir.If():
                self._expression(node.condition)
                self._branch(
                    node.condition,
                    node.then_block.statements,
                    () if node.else_block is None else node.else_block.statements,
                )
            case ir.While():
                self._while(node)
            case ir.For():
                for bound in (node.start, node.stop, node.step):
                    self._expression(bound)
                self._define(node.symbol, Counted(node))
                self._loop(node, node.loop, node.body, None)
            case ir.Break() | ir.Continue() | ir.Return():
                self._end(node)

    def _end(self, node: ir.Break | ir.Continue | ir.Return) -> None:
        if not isinstance(node, ir.Continue) and node.value is not None:
            self._expression(node.value)
        if isinstance(node, ir.Return):
            self._is_dead = True
        else:
            self._jump(node.loop, is_exit=isinstance(node, ir.Break))

    def _assign(self, node: ir.Assign) -> None:
        self._expression(node.value)
        symbol = node.symbol
        self.assigned.add(symbol)
        previous = self._current.get(symbol)
        if node.operator is None or previous is None:
            # A `let` without a value, immutable, has its one definition here.
            merged = self.definitions.get(symbol)
            if not symbol.is_mutable and merged is not None and merged is not _UNSET:
                self._define(symbol, Merge((merged, Bound(node.value))))
            else:
                self._define(symbol, Bound(node.value))
        else:
            self._define(symbol, Updated(previous, node.operator, node.value, node))

    def _jump(self, loop: int, *, is_exit: bool) -> None:
        for target in reversed(self._targets):
            if target.number == loop:
                (target.exits if is_exit else target.backs).append(dict(self._current))
                break
        self._is_dead = True

    def _branch(
        self,
        condition: ir.Expression,
        then: Iterable[ir.Statement],
        otherwise: Iterable[ir.Statement],
    ) -> None:
        before, guards = dict(self._current), self._guards
        self._guards = (*guards, Guard(condition, holds=True))
        self._statements(then)
        after_then, then_is_dead = self._current, self._is_dead
        self._current, self._is_dead = before, False
        self._guards = (*guards, Guard(condition, holds=False))
        self._statements(otherwise)
        self._guards = guards
        if then_is_dead:
            self._guards = (*guards, Guard(condition, holds=False))
        elif self._is_dead:
            self._current, self._is_dead = after_then, False
            self._guards = (*guards, Guard(condition, holds=True))
        else:
            self._current = _merged([after_then, self._current], condition)
            return
        self._is_dead = self._is_dead and then_is_dead

    def _while(self, node: ir.While) -> None:
        if node.is_once:
            target = _Loop(node.loop)
            self._targets.append(target)
            self._statements(node.body.statements)
            self._targets.pop()
            self._leave([*([] if self._is_dead else [self._current]), *target.exits])
        else:
            self._loop(node, node.loop, node.body, node.condition)
        if node.result is not None:
            # Each `break` with a value assigns it.
            self.assigned.add(node.result)
            self._define(node.result, _UNSET)

    def _loop(
        self, node: ir.Statement, number: int, body: ir.Block, condition: ir.Expression | None
    ) -> None:
        carried = {
            symbol: Carried(symbol, node, definition)
            for symbol, definition in self._current.items()
        }
        self._current = dict(carried)
        target = _Loop(number)
        guards = self._guards
        if condition is not None:
            if isinstance(condition, ir.Cast):
                condition = (
                    condition.operand
                )  # what is made a value of Triton is the same condition
            self._expression(condition)
            self._guards = (*guards, Guard(condition, holds=True, is_loop=True))
        self._targets.append(target)
        self._loops = (*self._loops, node)
        self._statements(body.statements)
        self._loops = self._loops[:-1]
        self._targets.pop()
        self._guards = guards
        ends = [*([] if self._is_dead else [self._current]), *target.backs]
        for symbol, each in carried.items():
            each.backs = [end[symbol] for end in ends if symbol in end]
            if each.is_invariant:
                each.backs = []
            else:
                self.carried.append(each)
        self._leave([dict(carried), *target.exits])

    def _leave(self, ends: list[dict[ir.Symbol, Definition]]) -> None:
        self._is_dead = not ends
        if ends:
            self._current = _merged(ends)

    # --- Expressions ------------------------------------------------------------------------------

    def _expression(self, node: ir.Expression) -> None:
        # By class, not by pattern: this sees every expression of every kernel.
        kind = node.__class__
        if kind is ir.Read:
            symbol = node.symbol  # type: ignore[union-attr] # the class was asked
            self.reads[symbol] = self.reads.get(symbol, 0) + 1
            if symbol.is_mutable:
                definition = self._current.get(symbol)
                if definition is not None:
                    # Passes may let statements share an expression, which then reads one thing here, another there.
                    known = self.reaching.setdefault(id(node), definition)
                    if known is not definition:
                        self.reaching[id(node)] = Merge((known, definition))
            return
        if kind is ir.Literal:
            return
        if kind is ir.OpCall or kind is ir.Binary:
            self._operation(node)  # type: ignore[arg-type] # the class was asked
        else:
            self._rest(node)

    def _operation(self, node: ir.OpCall | ir.Binary) -> None:
        if isinstance(node, ir.Binary):
            self._expression(node.left)
            self._expression(node.right)
            if node.operator is ir.BinaryOperator.SUBTRACT:
                self.subtractions.append(node)
            return
        for argument in node.arguments:
            if isinstance(argument, ir.ListArgument):
                for element in argument.elements:
                    self._expression(element)
            elif not isinstance(argument, ir.PLAIN_ARGUMENTS):
                self._expression(argument)
        self._call(node)

    def _rest(self, node: ir.Expression) -> None:
        match node:
            case ir.OffsetPointer():
                self._expression(node.pointer)
                self._expression(node.offsets)
            case ir.Cast():
                self._expression(node.operand)
                if _is_wide(node):
                    self.widenings.append(node)
            case ir.Unary() | ir.TupleElement():
                self._expression(node.operand)
            case ir.TupleValue():
                for element in node.elements:
                    self._expression(element)
            case ir.Call():
                self.calls.append(node)
                for argument in (*node.arguments, *node.constants):
                    self._expression(argument)
            case ir.BlockValue():
                self._statements(node.statements)
                self._expression(node.value)
            case ir.Conditional():
                self._expression(node.condition)
                self._branch(
                    node.condition,
                    (*node.then_value.statements, _value(node.then_value)),
                    (*node.else_value.statements, _value(node.else_value)),
                )
            case _:
                pass

    def _call(self, node: ir.OpCall) -> None:
        op = node.op
        effect = op.effect
        if effect is Effect.PURE:
            if op.identity is not None:
                self.reductions.append(Site(node, self._guards, self._loops))
            elif isinstance(op.shape, ShapeMatrixProduct):
                self.products.append(node)
            elif op.is_program_id:
                self.programs.append(node)
            elif isinstance(op.shape, ShapeInterval):
                self.intervals.append(node)
            elif op.copies and _is_wide(node):
                self.widenings.append(node)
        elif effect is Effect.READS:
            self.loads.append(Site(node, self._guards, self._loops))
        elif effect is Effect.WRITES:
            self.stores.append(Site(node, self._guards, self._loops))
        elif effect is Effect.ATOMIC:
            self.atomics.append(Site(node, self._guards, self._loops))


def _value(node: ir.BlockValue) -> ir.Evaluate:
    return ir.Evaluate(span=node.value.span, value=node.value)


def _merged(
    ends: list[dict[ir.Symbol, Definition]], condition: ir.Expression | None = None
) -> dict[ir.Symbol, Definition]:
    """The definitions after places that control comes from; a variable some of them do not have is gone."""
    first = ends[0]
    if len(ends) == 1:
        return first
    result: dict[ir.Symbol, Definition] = {}
    for symbol, definition in first.items():
        found = dict.fromkeys([definition, *(end[symbol] for end in ends[1:] if symbol in end)])
        result[symbol] = definition if len(found) == 1 else Merge(tuple(found), condition)
    return result


def _is_wide(node: ir.Expression) -> bool:
    return isinstance(node.type, Scalar | Tensor) and node.type.dtype in _WIDE


_WIDE = frozenset({DType.I64, DType.U64})
_UNSET = Unset()
