"""The expressions of a kernel for a tile of programs instead of one.

What combines lanes, a reduction or a scan, does so along the kernel's own, so that no program's lane ever gets to see
another program's, nor one that is there to fill the tile up.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.values import copied, is_float, named_argument, named_value, operands
from transpiler.ir import nodes as ir
from transpiler.ir.types import (
    I32,
    DType,
    NamedDimension,
    Pointer,
    PointerTensor,
    Scalar,
    Tensor,
    TupleType,
)
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
from transpiler.ops.table import OPS
from transpiler.optimise.build import (
    Build,
    broadcast,
    conjunction,
    dtype_of,
    shape_of,
    with_argument,
)
from transpiler.optimise.lanewise import lanewise_binary, lanewise_type
from transpiler.optimise.nests.combining import combines
from transpiler.optimise.refusals import refuse
from transpiler.optimise.widening.widen_frame import is_program

if TYPE_CHECKING:
    from transpiler.analysis.effects import Failures
    from transpiler.ir.types import Dimension, Shape, Type
    from transpiler.optimise.nests.nest import Combine
    from transpiler.optimise.widening.widen_frame import Frame


class ExpressionWidener:
    """Widens the expressions of one kernel."""

    def __init__(self, kernel: ir.Kernel, frame: Frame, failures: Failures) -> None:
        self._frame = frame
        self._failures = failures
        self._extents = {it.name: it for it in kernel.const_generics}
        self._values: dict[ir.Symbol, ir.Expression] = {}
        """What is read in the place of names."""
        self._fills: dict[ir.Symbol, ir.OpCall] = {}
        """Names of tiles of one number, which are made anew where more of it is needed."""
        self._conditions: list[ir.Expression] = []
        """The masks of the programs that come to where we are, of those there are."""

    def _index(self, node: ir.Node) -> ir.Expression:
        return Build(node.span).read(self._frame.programs)

    def _filled(self, value: ir.Expression, shape: Shape) -> ir.Expression:
        """A value as a tile of a shape that it broadcasts to."""
        build = Build(value.span)
        if shape_of(value.type) == shape:
            return value
        extents = tuple(self._extent(it, value) for it in shape)
        listed = ir.ListArgument(span=value.span, elements=extents)
        if isinstance(value.type, Pointer | PointerTensor):
            return build.pointer(value, build.full(shape, extents, build.number(0)))
        made = self._fills.get(value.symbol) if isinstance(value, ir.Read) else value
        dtype = dtype_of(value)
        type_ = Tensor(dtype=dtype, shape=shape)
        if isinstance(made, ir.OpCall) and isinstance(made.op.shape, ShapeGiven) and is_fill(made):
            return replace(with_argument(made, made.op.shape.parameter, listed), type=type_)
        if not shape_of(value.type):
            return build.full(shape, extents, value)
        return build.call(OPS["broadcast_to"], (dtype,), type_, value, listed)

    def _extent(self, dimension: Dimension, node: ir.Node) -> ir.Expression:
        build = Build(node.span)
        match dimension:
            case int():
                return build.number(dimension)
            case NamedDimension(name=name) if name == self._frame.tile.name:
                return build.read(self._frame.tile)
            case NamedDimension(name=name) if name in self._extents:
                return build.read(self._extents[name])
            case _:
                return refuse("the extent of a tile is not known", node.span)

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
                known = self._values.get(symbol)
                return node if known is None else replace(known, span=node.span)
            case ir.Unary(operand=operand) | ir.Cast(operand=operand):
                inside = self.expression(operand)
                return replace(node, operand=inside, type=lanewise_type(node, inside.type))
            case ir.Binary():
                return self._binary(node)
            case ir.OffsetPointer():
                pointer, offsets = self.expression(node.pointer), self.expression(node.offsets)
                return replace(Build(node.span).pointer(pointer, offsets))
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
            ) if self._frame.varies((condition := self.expression(node.condition)).type):
                return self._chosen(node, condition, then, otherwise)
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
            self._require_safe(arm)
            if any(
                isinstance(it, ir.OpCall) and it.op.effect is not Effect.PURE
                for it in walk_expression(arm)
            ):
                refuse("some programs read memory here", arm.span)
        value, other = self.expression(then), self.expression(otherwise)
        if not isinstance(value.type, Scalar | Tensor):
            refuse("some programs choose this", node.span)
        if not shape_of(value.type):
            value = self._filled(value, self._frame.shape(1, is_varying=False))
        shape = broadcast(condition.type, value.type, other.type)
        chosen = Build(node.span).select(condition, value, other)
        return replace(chosen, type=Tensor(dtype=dtype_of(value), shape=shape))

    def _require_safe(self, node: ir.Expression) -> None:
        """Refuse what may fail in programs that never come to it."""
        failing = self._failures.first(node)
        if failing is not None:
            refuse("this may fail, and not all programs come to it", failing.span)

    def _kept(self, node: ir.Expression) -> ir.Expression:
        """What is computed by branches or functions, of numbers that are the same for all programs."""
        for each in walk_expression(node):
            if (
                not isinstance(each.type, Scalar)
                or (isinstance(each, ir.Read) and each.symbol in self._values)
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
        if operator in _DIVISIONS and self._frame.varies(right.type) and not is_float(node):
            refuse("the divisor differs from program to program", node.span)
        return lanewise_binary(node, left, right)

    # --- Operations -------------------------------------------------------------------------------

    def _call(self, node: ir.OpCall) -> ir.Expression:
        op = node.op
        if op.is_program_id:
            return self._index(node) if is_program(node, self._frame.member) else node
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
            case ShapeOf(axis=str() as axis) | ShapeOfLastAxis(axis=axis):
                return self._along(node, axis)
            case _:
                return self._lanewise(node)

    def _lanewise(self, node: ir.OpCall) -> ir.Expression:
        op = node.op
        if any(
            isinstance(it, ir.EnumArgument) and (it.enum, it.member) == (_AXIS, self._frame.member)
            for it in node.arguments
        ):
            refuse("the kernel asks how many programs there are", node.span)
        arguments = tuple(self._argument(it) for it in node.arguments)
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
        shape = shape_of(node.type)
        if shape == (1,) and node.type == _ONE_LANE:
            return self.expression(operands(node)[0])
        tile: ir.Expression = node
        for axis in range(self._frame.rank):
            if axis != self._frame.own:
                shape = (*shape[:axis], 1, *shape[axis:])
                build = Build(node.span)
                type_ = Tensor(dtype=dtype_of(node), shape=shape)
                number = build.number(axis)
                tile = build.call(OPS["expand_dims"], (dtype_of(node),), type_, tile, number)
        return tile

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
        elements = tuple(self._extent(it, node) for it in shape)
        listed = ir.ListArgument(span=node.span, elements=elements)
        made = with_argument(node, rule.parameter, listed)
        if value is not None:
            made = with_argument(made, node.op.copies, value)
        return replace(made, type=Tensor(dtype=dtype_of(node), shape=shape))

    def _reduced(self, node: ir.OpCall, rule: ShapeReduced) -> ir.Expression:
        (source,) = operands(node)[:1]
        value = self.expression(source)
        if shape_of(source.type) in ((), (1,)):
            # What combines elements has nothing to do; what says where one stands, or is given a function, has.
            if node.op.combines is None:
                refuse(f"`{node.op.name}` is of one lane", node.span)
            return value
        value = self._whole(value, source)
        if rule.keep_dims is None:
            refuse(f"`{node.op.name}` keeps no dimensions", node.span)
        made = with_argument(node, rule.parameter, value)
        made = with_argument(made, rule.axis, Build(node.span).number(self._frame.own))
        keep = ir.FlagArgument(span=node.span, value=True)
        shape = self._frame.shape(1, is_varying=self._frame.varies(value.type))
        return replace(
            with_argument(made, rule.keep_dims, keep), type=_with_shape(node.type, shape)
        )

    def _along(self, node: ir.OpCall, axis: str) -> ir.Expression:
        """What works along the kernel's own lanes, and leaves as many behind."""
        if isinstance(node.op.shape, ShapeOfLastAxis) and self._frame.own != self._frame.rank - 1:
            refuse(f"`{node.op.name}` works along the last dimension alone", node.span)
        source, *others = operands(node)
        value = self._whole(self.expression(source), source)
        if any(shape_of(self.expression(it).type) for it in others):
            refuse(f"`{node.op.name}` does not work lane by lane", node.span)
        made = with_argument(node, node.op.shape.parameter, value)  # type: ignore[union-attr] # both rules have it
        made = with_argument(made, axis, Build(node.span).number(self._frame.own))
        return replace(made, type=_with_shape(node.type, shape_of(value.type)))

    def _whole(self, value: ir.Expression, source: ir.Expression) -> ir.Expression:
        """A tile with all the lanes the kernel has."""
        own = shape_of(source.type)
        if len(own) != 1 or self._frame.own < 0:
            refuse("lanes are combined that tiles of programs have not", source.span)
        return self._filled(
            value, self._frame.shape(own[0], is_varying=self._frame.varies(value.type))
        )

    # --- Memory -----------------------------------------------------------------------------------

    def _load(self, node: ir.OpCall) -> ir.Expression:
        made = self._accessed(node)
        if made is None:
            if any(shape_of(self.expression(it).type) for it in operands(node)):
                refuse(f"`{node.op.name}` reads memory in another way", node.span)
            return node
        found, *others = operands(made)
        wide = broadcast(found.type, *(it.type for it in others))
        if wide != shape_of(found.type):
            # Pointers are masked lane by lane, so there has to be one for each lane of the mask.
            made = replace(made, arguments=(self._filled(found, wide), *made.arguments[1:]))
        return replace(made, type=Tensor(dtype=dtype_of(node), shape=wide))

    def _store(self, node: ir.OpCall) -> ir.Expression:
        made = self._accessed(node)
        if made is None:
            refuse("a tile is stored by its shape and strides", node.span)
        found, *others = (it.type for it in operands(made))
        if self._frame.lanes(found) != (shape_of(operands(node)[0].type)[:1] or (1,))[0]:
            refuse("several lanes store to one element", node.span)
        if any(map(self._frame.varies, others)) and not self._frame.varies(found):
            refuse("several programs store to one element", node.span)
        return made

    def updated(self, node: ir.OpCall) -> ir.Expression:
        """An atomic update whose result nobody reads.

        What programs add to one element is summed up before: programs are unordered, so it is one of their sums.

        Raises:
            RefusedError: it has no form for a tile of programs.
        """
        made = self._accessed(node)
        if made is None or any(named_argument(node, it) is not None for it in ("sem", "scope")):
            return refuse(f"`{node.op.name}` {node.op.effect.value}", node.span)
        pointer, value, *masks = operands(made)
        build = Build(node.span)
        if not self._frame.varies(pointer.type):
            exists = build.read(self._frame.exists)
            combine = next(
                (it for it in combines() if it.reduce.combines == node.op.combines), None
            )
            dtype = dtype_of(value)
            if (
                combine is not None
                and dtype not in _NARROW
                and not any(self._frame.varies(it.type) for it in masks)
            ):
                identity = build.literal(combine.identity, dtype)
                value = self._across(combine, build.select(exists, value, identity))
            else:
                masks = [exists if not masks else build.both(exists, masks[0])]
        wide = broadcast(pointer.type, value.type, *(it.type for it in masks))
        made = replace(made, arguments=(self._filled(pointer, wide), value, *made.arguments[2:]))
        if masks:
            made = with_argument(made, _MASK, masks[0])
        return replace(made, type=Tensor(dtype=dtype_of(node), shape=wide))

    def _across(self, combine: Combine, value: ir.Expression) -> ir.Expression:
        """The lanes of all programs made one."""
        build = Build(value.span)
        shape = list(shape_of(value.type))
        shape[self._frame.place] = 1
        type_ = Tensor(dtype=dtype_of(value), shape=tuple(shape))
        place = build.number(self._frame.place)
        keep = ir.FlagArgument(span=value.span, value=True)
        return build.call(combine.reduce, (dtype_of(value),), type_, value, place, keep)

    def _accessed(self, node: ir.OpCall) -> ir.OpCall | None:
        """A load or a store by the programs there are; None where it is by something else than pointers."""
        pointer = operands(node)[0]
        if not isinstance(pointer.type, Pointer | PointerTensor) or not any(
            it.name == _MASK for it in node.op.parsed.parameters
        ):
            return None
        if named_argument(node, "strides") is not None:
            return None
        made = replace(node, arguments=tuple(self._argument(it) for it in node.arguments))
        if not self._frame.varies(operands(made)[0].type) and not self._conditions:
            return made
        build = Build(node.span)
        mask = named_value(made, _MASK)
        masks = [build.read(self._frame.exists), *self._conditions]
        total = conjunction([*masks, *([] if mask is None else [mask])], build)
        return made if total is None else with_argument(made, _MASK, total)


_NARROW = frozenset(it for it in DType if it.bits < 32)
"""Dtypes in which a sum of several is another one than adding one after the other."""
_AXIS, _MASK = "Axis", "mask"
_ONE_LANE = Tensor(dtype=DType.I32, shape=(1,))
_DIVISIONS = frozenset({ir.BinaryOperator.DIVIDE, ir.BinaryOperator.REMAINDER})


def is_fill(node: ir.Expression) -> bool:
    """Whether it is a tile of one number that is the same wherever it is computed."""
    return (
        isinstance(node, ir.OpCall)
        and isinstance(node.op.shape, ShapeGiven)
        and bool(node.op.copies or node.op.value)
        and all(
            isinstance(it, ir.Literal) or (isinstance(it, ir.Read) and not it.symbol.is_mutable)
            for it in operands(node)
        )
        and not any(shape_of(it.type) for it in operands(node))
    )


def _is_zero(node: ir.Expression) -> bool:
    return isinstance(node, ir.Literal) and node.type == I32 and node.value == 0


def _with_shape(type_: Type, shape: Shape) -> Type:
    match type_:
        case Tensor():
            return replace(type_, shape=shape)
        case TupleType(elements=elements):
            return TupleType(elements=tuple(_with_shape(it, shape) for it in elements))
        case _:
            return type_
