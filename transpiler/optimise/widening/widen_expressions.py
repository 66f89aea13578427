"""The expressions of a kernel for a tile of programs instead of one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.values import copied, is_float, operands
from transpiler.ir import nodes as ir
from transpiler.ir.types import I32, DType, Scalar, Tensor, TupleType
from transpiler.ir.visit import walk_expression
from transpiler.ops.model import (
    Effect,
    ShapeGiven,
    ShapeInterval,
    ShapeOf,
    ShapeOfLastAxis,
    ShapeReduced,
)
from transpiler.ops.signature import Form
from transpiler.optimise.build import Build, broadcast, dtype_of, shape_of, with_argument
from transpiler.optimise.grid import is_program
from transpiler.optimise.lanewise import lanewise_binary, lanewise_type
from transpiler.optimise.refusals import refuse
from transpiler.optimise.widening.widen_atomics import Atomics
from transpiler.optimise.widening.widen_lanes import OwnLanes
from transpiler.optimise.widening.widen_memory import Accesses, is_by_pointers

if TYPE_CHECKING:
    from transpiler.optimise.widening.broadcasts import Broadcasts
    from transpiler.optimise.widening.predication import Predicate
    from transpiler.optimise.widening.widen_frame import Frame


class ExpressionWidener:
    """Widens the expressions of one kernel; whoever widens its statements says what names are read as."""

    def __init__(self, frame: Frame, broadcasts: Broadcasts, predicate: Predicate) -> None:
        self._frame = frame
        self._broadcasts = broadcasts
        self._predicate = predicate
        self._lanes = OwnLanes(frame, broadcasts)
        self._accesses = Accesses(frame, broadcasts, predicate)
        self._atomics = Atomics(frame, broadcasts, self._accesses)
        self._replaced: dict[ir.Symbol, ir.Expression] = {}

    # --- Names ------------------------------------------------------------------------------------

    def read_as(self, symbol: ir.Symbol, value: ir.Expression) -> None:
        """From now on a name is read as a value, widened."""
        self._replaced[symbol] = value

    def symbol(self, symbol: ir.Symbol) -> ir.Symbol:
        """The variable in the place of one of the kernel's."""
        read = self._replaced.get(symbol)
        return read.symbol if isinstance(read, ir.Read) else symbol

    # --- Expressions ------------------------------------------------------------------------------

    def expression(self, node: ir.Expression) -> ir.Expression:
        """An expression, widened.

        Raises:
            RefusedError: it has no form for a tile of programs.
        """
        match node:
            case ir.Literal():
                return node
            case ir.Read(symbol=symbol):
                known = self._replaced.get(symbol)
                return node if known is None else replace(known, span=node.span)
            case ir.Unary(operand=operand) | ir.Cast(operand=operand):
                inside = self.expression(operand)
                return replace(node, operand=inside, type=lanewise_type(node, inside.type))
            case ir.Binary():
                return self._binary(node)
            case ir.OffsetPointer():
                pointer, offsets = self.expression(node.pointer), self.expression(node.offsets)
                return Build(node.span).pointer(pointer, offsets)
            case ir.TupleElement(operand=operand, index=index):
                inside = self.expression(operand)
                if not isinstance(inside.type, TupleType):
                    raise TypeError("a tuple has elements")
                return replace(node, operand=inside, type=inside.type.elements[index])
            case ir.OpCall():
                return self._call(node)
            case ir.Conditional(
                then_value=ir.BlockValue(statements=(), value=then),
                else_value=ir.BlockValue(statements=(), value=otherwise),
            ):
                condition = self.expression(node.condition)
                if self._frame.varies(condition.type):
                    return self._chosen(node, condition, then, otherwise)
                return self._either(node, condition, then, otherwise)
            case _:
                return self._kept(node)

    def _chosen(
        self,
        node: ir.Conditional,
        condition: ir.Expression,
        then: ir.Expression,
        otherwise: ir.Expression,
    ) -> ir.Expression:
        """One of two values for each program, both computed."""
        for arm in (then, otherwise):
            self._predicate.require_safe(arm)
            if any(
                isinstance(it, ir.OpCall) and it.op.effect is not Effect.PURE
                for it in walk_expression(arm)
            ):
                refuse("some programs read memory here", arm.span)
        value, other = self.expression(then), self.expression(otherwise)
        if not isinstance(value.type, Scalar | Tensor):
            refuse("some programs choose this", node.span)
        if not shape_of(value.type):
            value = self._broadcasts.to(self._frame.shape(1, is_varying=False), value)
        shape = broadcast(condition.type, value.type, other.type)
        chosen = Build(node.span).select(condition, value, other)
        return replace(chosen, type=Tensor(dtype=dtype_of(value), shape=shape))

    def _either(
        self,
        node: ir.Conditional,
        condition: ir.Expression,
        then: ir.Expression,
        otherwise: ir.Expression,
    ) -> ir.Expression:
        """One of two values, the same one for all programs: the arms are of one shape, as they were."""
        if shape_of(condition.type):
            refuse("a branch is decided by lanes", node.span)
        values = self.expression(then), self.expression(otherwise)
        shape = broadcast(*(it.type for it in values))
        arms = [
            ir.BlockValue(span=it.span, type=it.type, statements=(), value=it)
            for it in (self._broadcasts.to(shape, each) for each in values)
        ]
        return replace(
            node, condition=condition, type=arms[0].type, then_value=arms[0], else_value=arms[1]
        )

    def _kept(self, node: ir.Expression) -> ir.Expression:
        """What is computed by branches or functions, of numbers that are the same for all programs."""
        for each in walk_expression(node):
            if (
                not isinstance(each.type, Scalar)
                or (isinstance(each, ir.Read) and each.symbol in self._replaced)
                or is_program(each, self._frame.member)
                or (isinstance(each, ir.Call) and each.function.effects)
            ):
                refuse("this is computed by a function or by branches", node.span)
        return node

    def _binary(self, node: ir.Binary) -> ir.Expression:
        left, right = self.expression(node.left), self.expression(node.right)
        operator = node.operator
        if operator is ir.BinaryOperator.ADD:
            # The one lane of `T::arange(0, 1)` is no lane here.
            for zero, other in ((left, right), (right, left)):
                if _is_zero(zero) and not _is_zero(other):
                    return other
        if operator.is_division and self._frame.varies(right.type) and not is_float(node):
            refuse("the divisor differs from program to program", node.span)
        return lanewise_binary(node, left, right)

    # --- Operations -------------------------------------------------------------------------------

    def _call(self, node: ir.OpCall) -> ir.Expression:
        op = node.op
        if op.is_program_id:
            is_along = is_program(node, self._frame.member)
            return Build(node.span).read(self._frame.programs) if is_along else node
        match op.effect:
            case Effect.READS:
                return self._load(node)
            case Effect.WRITES:
                return self._store(node)
            case Effect.ATOMIC | Effect.OBSERVES:
                refuse(f"`{op.name}` {op.effect.value}", node.span)
            case Effect.PURE:
                pass
        match op.shape:
            case ShapeInterval():
                return self._interval(node)
            case ShapeReduced():
                return self._reduced(node, op.shape)
            case ShapeGiven() if op.copies or op.value is not None:
                return self._given(node)
            case (ShapeOf(axis=str() as axis) | ShapeOfLastAxis(axis=axis)) as rule:
                return self._scanned(node, rule, axis)
            case _:
                return self._lanewise(node)

    def _lanewise(self, node: ir.OpCall) -> ir.Expression:
        op = node.op
        if any(
            isinstance(it, ir.EnumArgument) and (it.enum, it.member) == (_AXIS, self._frame.member)
            for it in node.arguments
        ):
            refuse("the kernel asks how many programs there are", node.span)
        arguments = self._with_arguments(node).arguments
        inside = [it.type for it in arguments if not isinstance(it, ir.PLAIN_ARGUMENTS)]
        if all(isinstance(it, Scalar) for it in (node.type, *inside)):
            return replace(node, arguments=arguments)
        if not op.is_lanewise and (op.value is None or not isinstance(op.shape, ShapeOf)):
            refuse(f"`{op.name}` does not work lane by lane", node.span)
        source = copied(node) if op.copies else None
        if source is not None and any(
            isinstance(it, ir.ListArgument) and it.elements for it in node.arguments
        ):
            # What it says of dimensions is said of others.
            return self.expression(source)
        for parameter, argument in zip(op.parsed.parameters, arguments, strict=True):
            if (
                parameter.kind.form is Form.SCALAR
                and not isinstance(argument, ir.PLAIN_ARGUMENTS)
                and shape_of(argument.type)
            ):
                refuse(f"`{op.name}` is of numbers, not of tiles", node.span)
        return replace(node, arguments=arguments, type=lanewise_type(node, *inside))

    def _with_arguments(self, node: ir.OpCall) -> ir.OpCall:
        return replace(node, arguments=tuple(map(self._argument, node.arguments)))

    def _argument(self, argument: ir.Argument) -> ir.Argument:
        match argument:
            case ir.ListArgument(elements=elements):
                return replace(argument, elements=tuple(map(self.expression, elements)))
            case (
                ir.AbsentArgument()
                | ir.EnumArgument()
                | ir.FlagArgument()
                | ir.TextArgument()
                | ir.FunctionArgument()
            ):
                return argument
            case _:
                return self.expression(argument)

    def _interval(self, node: ir.OpCall) -> ir.Expression:
        if node.type == _ONE_LANE:
            return self.expression(operands(node)[0])
        return Build(node.span).along(node, self._frame.own, self._frame.rank)

    def _given(self, node: ir.OpCall) -> ir.Expression:
        """A tile of one value: what it is in each program, where that differs."""
        rule, own = node.op.shape, shape_of(node.type)
        if not isinstance(rule, ShapeGiven) or len(own) > 1:
            refuse(f"`{node.op.name}` makes a tile of several dimensions", node.span)
        extent = own[0] if own else 1
        source = copied(node) if node.op.copies else None
        value = None if source is None else self.expression(source)
        if value is not None and shape_of(value.type):
            # Broadcasting does the rest wherever it is used.
            return value
        shape = self._frame.shape(extent, is_varying=False)
        elements = self._broadcasts.extents(shape, node)
        listed = ir.ListArgument(span=node.span, elements=elements)
        made = with_argument(node, rule.parameter, listed)
        if value is not None:
            made = with_argument(made, node.op.copies, value)
        return replace(made, type=Tensor(dtype=dtype_of(node), shape=shape))

    # --- Lanes that are combined ------------------------------------------------------------------

    def _reduced(self, node: ir.OpCall, rule: ShapeReduced) -> ir.Expression:
        source = operands(node)[0]
        return self._lanes.reduced(node, rule, self.expression(source), source)

    def _scanned(
        self, node: ir.OpCall, rule: ShapeOf | ShapeOfLastAxis, axis: str
    ) -> ir.Expression:
        if isinstance(rule, ShapeOfLastAxis) and self._frame.own != self._frame.rank - 1:
            refuse(f"`{node.op.name}` works along the last dimension alone", node.span)
        source, *others = operands(node)
        value = self._lanes.whole(self.expression(source), source)
        if any(shape_of(self.expression(it).type) for it in others):
            refuse(f"`{node.op.name}` does not work lane by lane", node.span)
        return self._lanes.scanned(node, rule, axis, value)

    # --- Memory -----------------------------------------------------------------------------------

    def _load(self, node: ir.OpCall) -> ir.Expression:
        if is_by_pointers(node):
            return self._accesses.load(self._with_arguments(node))
        if any(shape_of(self.expression(it).type) for it in operands(node)):
            refuse(f"`{node.op.name}` reads memory in another way", node.span)
        return node

    def _store(self, node: ir.OpCall) -> ir.Expression:
        if not is_by_pointers(node):
            refuse("a tile is stored by its shape and strides", node.span)
        return self._accesses.store(self._with_arguments(node), node)

    def updated(self, node: ir.OpCall) -> ir.Expression:
        """An atomic update whose result nobody reads.

        Raises:
            RefusedError: it has no form for a tile of programs.
        """
        if not is_by_pointers(node):
            refuse(f"`{node.op.name}` {node.op.effect.value}", node.span)
        return self._atomics.update(self._with_arguments(node))


_AXIS = "Axis"
_ONE_LANE = Tensor(dtype=DType.I32, shape=(1,))


def _is_zero(node: ir.Expression) -> bool:
    return isinstance(node, ir.Literal) and node.type == I32 and node.value == 0
