"""Elaboration of expressions: names resolved, operations bound, dtypes and shapes inferred."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import (
    BOOL,
    UNIT,
    DType,
    LiteralKind,
    Never,
    Pointer,
    PointerTensor,
    Poison,
    Scalar,
    Tensor,
    TupleType,
    Type,
    Unit,
)
from transpiler.passes.advice import (
    conversion_help,
    unknown_function,
    unknown_method,
    unknown_value,
    without_tail,
)
from transpiler.passes.annotations import resolve_dtype
from transpiler.passes.bind import bind_op_call
from transpiler.passes.compile_time import is_bool_literal
from transpiler.passes.const_items import const_value
from transpiler.passes.elaboration import (
    CALL_LEVELS,
    Elaboration,
    is_poison,
    unknown_name,
)
from transpiler.passes.enums import enum_variant
from transpiler.passes.fold import fold_expression
from transpiler.passes.macro_calls import is_unreachable, macro_call
from transpiler.passes.merging import merge_types
from transpiler.passes.operators import binary, compare_tiles, conversion, unary
from transpiler.passes.scalars import (
    bad_suffix,
    bind_method,
    byte_literal,
    dtype_function,
    primitive,
)
from transpiler.passes.shapes import unify_shapes
from transpiler.passes.standard_library import foreign_constant, foreign_function, standard_method
from transpiler.passes.unsupported import outside_kernels
from transpiler.syntax import nodes as syntax

if TYPE_CHECKING:
    from transpiler.ir.types import ElementType
    from transpiler.source import Span

_COMPARISON_METHODS = {
    "lt": ir.BinaryOperator.LESS,
    "le": ir.BinaryOperator.LESS_EQUAL,
    "gt": ir.BinaryOperator.GREATER,
    "ge": ir.BinaryOperator.GREATER_EQUAL,
    "eq": ir.BinaryOperator.EQUAL,
    "ne": ir.BinaryOperator.NOT_EQUAL,
}
_UNARY = {
    syntax.UnaryOperator.NEGATE: ir.UnaryOperator.NEGATE,
    syntax.UnaryOperator.NOT: ir.UnaryOperator.NOT,
}


class ExpressionElaborator(ABC):
    """Turns expressions into typed IR; blocks are left to the subclass, which knows statements."""

    def __init__(self, state: Elaboration) -> None:
        self.state = state

    @abstractmethod
    def block_value(self, block: syntax.Block) -> ir.BlockValue:
        """A block used as a value."""

    @abstractmethod
    def if_let_value(self, node: syntax.If, condition: syntax.LetCondition) -> ir.Expression:
        """An `if let` used as a value."""

    @abstractmethod
    def control_flow(self, node: syntax.Match | syntax.Loop | syntax.Block) -> ir.Expression:
        """A `match`, `loop` or labelled block used as a value."""

    def expression(self, node: syntax.Expression) -> ir.Expression:
        """The typed form of `node`; a poisoned literal where an error was reported.

        Raises:
            TooDeepError: it nests too deeply.
        """
        while isinstance(node, syntax.Parenthesized):
            node = node.inner
        levels = CALL_LEVELS if isinstance(node, syntax.Call | syntax.MethodCall) else 1
        self.state.enter(node.span, levels=levels)
        typed = self._typed(node)
        self.state.leave(levels=levels)
        return typed

    def _typed(self, node: syntax.Expression) -> ir.Expression:  # noqa: C901 - one case a kind
        state = self.state
        match node:
            case syntax.IntegerLiteral():
                return self._integer(node)
            case syntax.FloatLiteral():
                return self._float(node)
            case syntax.BooleanLiteral():
                return ir.Literal(span=node.span, type=BOOL, value=node.value)
            case syntax.TextLiteral(text=text) if text.startswith("b'"):
                return byte_literal(node)
            case syntax.PathExpression():
                return self._path(node)
            case syntax.Unary():
                return self._unary(node)
            case syntax.Binary():
                left, right = self.expression(node.left), self.expression(node.right)
                operator = ir.BinaryOperator(node.operator.value)
                return binary(state, operator, left, right, node.span)
            case syntax.Cast():
                return self._cast(node)
            case syntax.Call():
                return self._call(node)
            case syntax.MethodCall():
                return self._method(node)
            case syntax.Field():
                return self._field(node)
            case syntax.Tuple(elements=()):
                return ir.TupleValue(span=node.span, type=UNIT, elements=())
            case syntax.Tuple():
                return self._tuple(node)
            case syntax.MacroCall():
                return macro_call(state, node, self.condition)
            case syntax.If():
                return self._conditional(node)
            case syntax.Block(label=None):
                block = self.block_value(node)
                is_plain = not block.statements and not isinstance(block.type, Unit | Never)
                return block.value if is_plain else block
            case syntax.Match() | syntax.Loop() | syntax.Block():
                return self.control_flow(node)
            case syntax.Break() | syntax.Continue() | syntax.Return():
                return self.block_value(_block_of(node))
            case _:
                return outside_kernels(state, node)

    @abstractmethod
    def under(self, state: Elaboration) -> ExpressionElaborator:
        """What elaborates what stands elsewhere, with the state of that place."""

    def _evaluate(self, state: Elaboration, node: syntax.Expression) -> ir.Expression:
        return self.under(state).expression(node)

    # --- Literals and names -----------------------------------------------------------------------

    def _integer(self, node: syntax.IntegerLiteral) -> ir.Expression:
        dtype = (
            self.state.solver.fresh(LiteralKind.INTEGER)
            if node.suffix is None
            else primitive(node.suffix)
        )
        if dtype is None:
            return bad_suffix(self.state, node.span, node.suffix or "")
        return ir.Literal(span=node.span, type=Scalar(dtype=dtype), value=node.value)

    def _float(self, node: syntax.FloatLiteral) -> ir.Expression:
        dtype = (
            self.state.solver.fresh(LiteralKind.FLOAT)
            if node.suffix is None
            else primitive(node.suffix)
        )
        if dtype is None:
            return bad_suffix(self.state, node.span, node.suffix or "")
        return ir.Literal(
            span=node.span, type=Scalar(dtype=dtype), value=float(node.digits), digits=node.digits
        )

    def _path(self, node: syntax.PathExpression) -> ir.Expression:
        state, path = self.state, node.path
        name = path.identifier
        if name is not None:
            symbol = state.scopes.find(name, node.context)
            if symbol is not None:
                return ir.Read(span=node.span, type=symbol.type, symbol=symbol)
        found = state.items.resolve(path.names)
        if found is not None and isinstance(found[0], syntax.Const):
            return const_value(state, found[0], found[1], node.span, self._evaluate)
        if found is not None and isinstance(found[0], syntax.Function):
            return state.unsupported(
                f"the function `{found[0].name}` as a value",
                node.span,
                instead=f"call it, or pass it to `{state.hardware}::reduce`",
            )
        variant = enum_variant(state, path, node.span)
        if variant is not None:
            return variant
        constant = foreign_constant(state, path, node.span)
        if constant is not None:
            return constant
        if name is not None:
            state.sink.emit(
                "E0201",
                f"cannot find `{name}` in this scope",
                node.span,
                help=unknown_value(state, path.names)
                or unknown_name(state, name, node.context, state.items.names()),
            )
            return state.poison(node.span)
        advice = unknown_value(state, path.names)
        state.sink.emit("E0201", f"cannot find `{'::'.join(path.names)}`", node.span, help=advice)
        return state.poison(node.span)

    # --- Operators, casts, calls ------------------------------------------------------------------

    def _unary(self, node: syntax.Unary) -> ir.Expression:
        operand = self.expression(node.operand)
        operator = _UNARY.get(node.operator)
        if operator is None:
            return outside_kernels(self.state, node)
        if (
            operator is ir.UnaryOperator.NEGATE
            and isinstance(operand, ir.Literal)
            and not isinstance(operand.value, bool)
            and isinstance(operand.type, Scalar)
        ):
            # `-128_i8` is in range although 128 is not: the sign belongs to the literal.
            digits = None if operand.digits is None else f"-{operand.digits}".replace("--", "")
            return ir.Literal(
                span=node.span, type=operand.type, value=-operand.value, digits=digits
            )
        return unary(self.state, operator, operand, node.span)

    def _cast(self, node: syntax.Cast) -> ir.Expression:
        state = self.state
        operand = self.expression(node.operand)
        dtype = resolve_dtype(state, node.type)
        if dtype is None or is_poison(operand):
            return state.poison(node.span)
        cast = conversion(state, operand, dtype, node.span)
        if isinstance(operand, ir.Literal) and isinstance(node.operand, syntax.PathExpression):
            # A constant item, whose value is in range: what it is converted to may be an extent.
            return fold_expression(cast, state.sink)
        return cast

    def _call(self, node: syntax.Call) -> ir.Expression:
        state = self.state
        if isinstance(node.callee, syntax.PathExpression):
            path = node.callee.path
            if len(path.segments) == 2 and path.names[0] == state.hardware:
                return bind_op_call(
                    state,
                    path.segments[1],
                    node.arguments,
                    node.span,
                    self.expression,
                    self._combine,
                )
            if len(path.segments) == 2 and path.names[0] in state.dtype_parameters:
                return dtype_function(self, node, path)
            found = state.items.resolve(path.names)
            if found is not None and isinstance(found[0], syntax.Function):
                from transpiler.passes.calls import call_function  # noqa: PLC0415 - few files have any

                return call_function(self, node, found[0], found[1])
            if found is not None and isinstance(found[0], syntax.OpaqueItem):
                if found[0].fault is not None:
                    state.sink.add(found[0].fault)
                elif not state.sink.has_errors:
                    state.unsupported(f"the function `{found[0].name}`", node.span)
                return state.poison(node.span)
            function = foreign_function(state, path, node, self.expression)
            if function is not None:
                return function
            name = "::".join(path.names)
            if name in {"Some", "None"}:
                return state.unsupported(
                    f"`{name}` outside the optional argument of an operation", node.span
                )
            local = state.scopes.find(name, node.callee.context)
            if local is not None and isinstance(local.type, Poison):
                return state.poison(node.span)
            if len(path.segments) == 1:
                state.sink.emit(
                    "E0201",
                    f"cannot find the function `{name}` in this file",
                    path.span,
                    help=unknown_function(state, path.names),
                )
                return state.poison(node.span)
            advice = unknown_function(state, path.names)
            return state.unsupported(f"a call of the function `{name}`", node.span, instead=advice)
        return state.unsupported("a call of a computed function", node.span)

    def _combine(self, node: syntax.Expression, dtype: ElementType) -> ir.Argument | None:
        from transpiler.passes.calls import combine_function  # noqa: PLC0415 - as above

        return combine_function(self, node, dtype)

    def _method(self, node: syntax.MethodCall) -> ir.Expression:
        state = self.state
        standard = standard_method(state, node, self.expression)
        if standard is not None:
            return standard
        receiver = self.expression(node.receiver)
        arguments = tuple(self.expression(argument) for argument in node.arguments)
        if is_poison(receiver, *arguments):
            return state.poison(node.span)
        type_ = state.type_of(receiver)
        if node.method == "clone" and not arguments:
            return receiver  # values here have no owner
        if node.method == "add_offsets" and isinstance(type_, Pointer | PointerTensor):
            return self._add_offsets(node, receiver, arguments)
        if node.method in _COMPARISON_METHODS and isinstance(type_, Tensor):
            if len(arguments) == 1:
                operator = _COMPARISON_METHODS[node.method]
                return compare_tiles(state, operator, receiver, arguments[0], node.span)
            return self._wrong_count(node, 1)
        if isinstance(type_, Scalar):
            return bind_method(state, node.method, receiver, arguments, node.span, node.method_span)
        known: tuple[str, ...] = ()
        if isinstance(type_, Tensor):
            known = tuple(_COMPARISON_METHODS)
        elif isinstance(type_, Pointer | PointerTensor):
            known = ("add_offsets",)
        state.sink.emit(
            "E0306",
            f"`{state.text(type_)}` has no method `{node.method}`",
            node.method_span,
            help=unknown_method(state, node.method, known),
        )
        return state.poison(node.span)

    def _wrong_count(self, node: syntax.MethodCall, expected: int) -> ir.Expression:
        self.state.sink.emit(
            "E0302",
            f"`{node.method}` takes {expected} argument, not {len(node.arguments)}",
            node.span,
        )
        return self.state.poison(node.span)

    def _add_offsets(
        self, node: syntax.MethodCall, receiver: ir.Expression, arguments: tuple[ir.Expression, ...]
    ) -> ir.Expression:
        state = self.state
        if len(arguments) != 1:
            return self._wrong_count(node, 1)
        offsets = arguments[0]
        type_ = state.type_of(offsets)
        pointer = state.type_of(receiver)
        if not isinstance(type_, Tensor) or not isinstance(pointer, Pointer | PointerTensor):
            state.sink.emit(
                "E0404",
                f"`add_offsets` takes a tensor of `i32`, not `{state.text(type_)}`",
                offsets.span,
                help=f"make a tensor of a scalar with `{state.hardware}::arange(0, 1) + …`",
            )
            return state.poison(node.span)
        is_long = state.solver.resolve(type_.dtype) is DType.I64
        if not is_long and not state.unify_dtype(offsets, DType.I32, what="the offset"):
            return state.poison(node.span)
        shape = type_.shape
        if isinstance(pointer, PointerTensor):
            merged = unify_shapes(pointer.shape, type_.shape)
            shape = type_.shape if merged is None else merged
        return ir.OffsetPointer(
            span=node.span,
            type=PointerTensor(dtype=pointer.dtype, shape=shape),
            pointer=receiver,
            offsets=offsets,
        )

    # --- Tuples and conditionals ------------------------------------------------------------------

    def _field(self, node: syntax.Field) -> ir.Expression:
        base = self.expression(node.base)
        type_ = self.state.type_of(base)
        if isinstance(type_, Poison):
            return self.state.poison(node.span)
        if (
            isinstance(type_, TupleType)
            and node.name.isdecimal()
            and int(node.name) < len(type_.elements)
        ):
            index = int(node.name)
            return ir.TupleElement(
                span=node.span, type=type_.elements[index], operand=base, index=index
            )
        self.state.sink.emit(
            "E0306", f"`{self.state.text(type_)}` has no field `{node.name}`", node.span
        )
        return self.state.poison(node.span)

    def _tuple(self, node: syntax.Tuple) -> ir.Expression:
        elements = tuple(self.expression(element) for element in node.elements)
        if is_poison(*elements):
            return self.state.poison(node.span)
        type_ = TupleType(elements=tuple(self.state.type_of(element) for element in elements))
        return ir.TupleValue(span=node.span, type=type_, elements=elements)

    def condition(self, node: syntax.Expression) -> ir.Expression:
        """The condition of an `if` or `while`: one scalar bool."""
        value = self.expression(node)
        type_ = self.state.type_of(value)
        if isinstance(type_, Poison) or type_ == BOOL:
            return value
        advice = None
        if isinstance(type_, Tensor):
            advice = f"choose between tiles with `{self.state.hardware}::where_(mask, a, b)`"
        elif isinstance(type_, Scalar):
            advice = "compare it with something, as in `x != 0`"
        self.state.sink.emit(
            "E0403",
            f"a condition is one `bool`, not `{self.state.text(type_)}`",
            node.span,
            help=advice,
        )
        return self.state.poison(node.span)

    def _conditional(self, node: syntax.If) -> ir.Expression:
        state = self.state
        if isinstance(node.condition, syntax.LetCondition):
            return self.if_let_value(node, node.condition)
        condition = self.condition(node.condition)
        then_value = self.block_value(node.then_block)
        if node.else_branch is None:
            if isinstance(then_value.type, Unit | Poison):
                return state.unsupported("an `if` without `else` as a value", node.span)
            state.sink.emit(
                "E0401",
                "an `if` used as a value needs an `else`",
                node.span,
                label=f"the first arm is `{state.text(then_value.type)}`",
            )
            return state.poison(node.span)
        if isinstance(node.else_branch, syntax.If):
            inner = self.expression(node.else_branch)
            else_value = ir.BlockValue(span=inner.span, type=inner.type, statements=(), value=inner)
        elif is_unreachable(node.else_branch):
            first = condition.statements if isinstance(condition, ir.BlockValue) else ()
            return replace(then_value, statements=(*first, *then_value.statements))
        else:
            else_value = self.block_value(node.else_branch)
        if is_poison(condition, then_value, else_value):
            return state.poison(node.span)
        return self.choice(condition, then_value, else_value, node.span, "if")

    def choice(
        self,
        condition: ir.Expression,
        then_value: ir.BlockValue,
        else_value: ir.BlockValue,
        span: Span,
        keyword: str,
    ) -> ir.Expression:
        """One of two values of one type; `keyword` names the construct in the message where they differ."""
        state = self.state
        type_ = self.merged_type(then_value, else_value)
        if type_ is None:
            state.sink.emit(
                "E0401",
                f"the arms of this `{keyword}` differ: `{state.text(then_value.type)}` and "
                f"`{state.text(else_value.type)}`",
                span,
                help=conversion_help(state.type_of(else_value), state.type_of(then_value))
                or without_tail(then_value, else_value),
            )
            return state.poison(span)
        if is_bool_literal(then_value, value=True) and is_bool_literal(else_value, value=False):
            return condition
        return ir.Conditional(
            span=span,
            type=type_,
            condition=condition,
            then_value=then_value,
            else_value=else_value,
        )

    def merged_type(self, left: ir.Expression, right: ir.Expression) -> Type | None:
        """The one type of two values that take each other's place; None where there is none."""
        return merge_types(self.state, self.state.type_of(left), self.state.type_of(right))


def _block_of(node: syntax.Expression) -> syntax.Block:
    return syntax.Block(
        span=node.span,
        statements=(syntax.ExpressionStatement(span=node.span, expression=node),),
    )
