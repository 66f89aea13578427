"""Lowers expressions of the IR to the target tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, assert_never

from transpiler.analysis.values import added_dimension, copied
from transpiler.frozen import dataclass
from transpiler.ir import nodes as ir
from transpiler.ir.types import (
    F64,
    DType,
    DtypeParameter,
    ElementType,
    PointerTensor,
    Scalar,
    Tensor,
    Type,
)
from transpiler.ops.enums import ENUMS
from transpiler.ops.model import Effect
from transpiler.target.dtypes import triton_dtype
from transpiler.target.model import (
    Attribute,
    Binary,
    Call,
    Choice,
    Expression,
    List,
    Name,
    Number,
    Operator,
    Slice,
    Subscript,
    Text,
    Tuple,
    Unary,
    dotted,
)
from transpiler.target.numerals import numeral
from transpiler.target.prelude import DIVIDE, FROM_F64, INVERT, TO_INTEGER
from transpiler.target.spelling import Filling, fill, parse_spelling

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.target.names import KernelNames

_OPERATORS = {
    ir.BinaryOperator.MULTIPLY: Operator.MULTIPLY,
    ir.BinaryOperator.REMAINDER: Operator.REMAINDER,
    ir.BinaryOperator.ADD: Operator.ADD,
    ir.BinaryOperator.SUBTRACT: Operator.SUBTRACT,
    ir.BinaryOperator.SHIFT_LEFT: Operator.SHIFT_LEFT,
    ir.BinaryOperator.SHIFT_RIGHT: Operator.SHIFT_RIGHT,
    ir.BinaryOperator.BIT_AND: Operator.BIT_AND,
    ir.BinaryOperator.BIT_XOR: Operator.BIT_XOR,
    ir.BinaryOperator.BIT_OR: Operator.BIT_OR,
    ir.BinaryOperator.EQUAL: Operator.EQUAL,
    ir.BinaryOperator.NOT_EQUAL: Operator.NOT_EQUAL,
    ir.BinaryOperator.LESS: Operator.LESS,
    ir.BinaryOperator.GREATER: Operator.GREATER,
    ir.BinaryOperator.LESS_EQUAL: Operator.LESS_EQUAL,
    ir.BinaryOperator.GREATER_EQUAL: Operator.GREATER_EQUAL,
    ir.BinaryOperator.AND: Operator.AND,
    ir.BinaryOperator.OR: Operator.OR,
}


def binary_operator(operator: ir.BinaryOperator, dtype: ElementType) -> Operator | None:
    """The Python operator for operands of `dtype`; None where only the instance's dtype tells."""
    if operator is not ir.BinaryOperator.DIVIDE:
        return _OPERATORS[operator]
    match dtype:
        case DType():
            return Operator.DIVIDE if dtype.is_float else Operator.FLOOR_DIVIDE
        case DtypeParameter(is_float=True):
            return Operator.DIVIDE
        case DtypeParameter(is_integer=True):
            return Operator.FLOOR_DIVIDE
        case _:
            return None


def element_type(type_: Type) -> ElementType:
    """The dtype of a scalar or a tile.

    Raises:
        ValueError: the type has none.
    """
    if isinstance(type_, Scalar | Tensor):
        return type_.dtype
    raise ValueError(f"{type_} has no dtype")


@dataclass(frozen=True, slots=True, kw_only=True)
class Callee:
    """A function as its callers see it: its name, and which of its dtype parameters they pass."""

    name: str
    passed: tuple[bool, ...]


Callees: TypeAlias = "Mapping[ir.FunctionSymbol, Callee]"


@dataclass(frozen=True, slots=True)
class ExpressionLowering:
    """Lowers the expressions of one kernel under its names."""

    names: KernelNames
    callees: Callees

    def lower(self, expression: ir.Expression) -> Expression:
        """The expression in Python.

        Raises:
            ValueError: it is not legalised: it holds statements, or a type that is not settled.
        """
        match expression:
            case ir.Literal():
                return numeral(expression)
            case ir.Read(symbol=symbol):
                return Name(self.names.symbols[symbol])
            case ir.Unary():
                return self._unary(expression)
            case ir.Binary():
                return self._binary(expression)
            case ir.Cast():
                return self._cast(expression)
            case ir.OpCall():
                return self._call(expression)
            case ir.Call():
                return self._function_call(expression)
            case ir.OffsetPointer(pointer=pointer, offsets=offsets):
                return Binary(Operator.ADD, self.lower(pointer), self.lower(offsets))
            case ir.TupleValue(elements=elements):
                return Tuple(tuple(self.lower(element) for element in elements))
            case ir.TupleElement(operand=operand, index=index):
                return Subscript(self.lower(operand), Number(str(index)))
            case ir.Conditional(condition=condition, then_value=value, else_value=other):
                return Choice(self.lower(condition), self.lower(value), self.lower(other))
            case ir.BlockValue(statements=(), value=value):
                return self.lower(value)
            case ir.BlockValue():
                raise ValueError("a block with statements is left in an expression")
        assert_never(expression)

    def dtype(self, dtype: ElementType) -> Expression:
        """A dtype in Python."""
        if isinstance(dtype, DtypeParameter) and dtype.is_stored:
            return self.names.stored[dtype.name]
        return triton_dtype(dtype, self.names.dtypes)

    def _unary(self, expression: ir.Unary) -> Expression:
        operand = self.lower(expression.operand)
        match expression.operator:
            case ir.UnaryOperator.NEGATE:
                return Unary(Operator.NEGATE, operand)
            case ir.UnaryOperator.NOT:
                dtype = element_type(expression.type)
                if isinstance(dtype, DtypeParameter) and dtype.is_integer:
                    return Call(Name(INVERT), (operand,))
                is_truth = expression.type == Scalar(dtype=DType.BOOL)
                return Unary(Operator.NOT if is_truth else Operator.INVERT, operand)
        assert_never(expression.operator)

    def _binary(self, expression: ir.Binary) -> Expression:
        left, right = self.lower(expression.left), self.lower(expression.right)
        if isinstance(expression.left.type, PointerTensor):
            return Binary(_OPERATORS[expression.operator], left, right)
        dtype = element_type(expression.left.type)
        operator = binary_operator(expression.operator, dtype)
        if operator is None:
            return Call(Name(DIVIDE), (left, right, self.dtype(dtype)))
        return Binary(operator, left, right)

    # --- Conversions ------------------------------------------------------------------------------

    def _cast(self, cast: ir.Cast) -> Expression:
        target = element_type(cast.type)
        match cast.kind:
            case ir.CastKind.WIDEN | ir.CastKind.NARROW:
                return self._converted(cast.operand, target)
            case ir.CastKind.FROM_F64 if not is_float(target):
                return Call(Name(FROM_F64), (self.lower(cast.operand), self.dtype(target)))
            case ir.CastKind.MATERIALISE | ir.CastKind.FROM_F64:
                if _is_literal(cast.operand) or _is_double_parameter(cast.operand):
                    # `tl.cast` would make the constant in a dtype of its own choice first.
                    value = self.lower(cast.operand)
                    return Call(dotted("tl.full"), (List(()), value, self.dtype(target)))
                return self._converted(cast.operand, target)
            case ir.CastKind.RUST_AS:
                source = element_type(cast.operand.type)
                if is_float(source) and not is_float(target):
                    value = self.lower(cast.operand)
                    if isinstance(cast.operand.type, Scalar):
                        value = Call(dotted("tl.cast"), (value, self.dtype(source)))
                    return Call(Name(TO_INTEGER), (value, self.dtype(target)))
                return self._converted(cast.operand, target)
        assert_never(cast.kind)

    def _converted(self, operand: ir.Expression, dtype: ElementType) -> Expression:
        """`x.to(dtype)` of what is a value of Triton for sure, `tl.cast` of what may be a number."""
        value = self.lower(operand)
        if isinstance(operand.type, Tensor) or _is_loaded(operand):
            return Call(Attribute(value, "to"), (self.dtype(dtype),))
        return Call(dotted("tl.cast"), (value, self.dtype(dtype)))

    # --- Operations -------------------------------------------------------------------------------

    def _call(self, call: ir.OpCall) -> Expression:
        if added_dimension(call):
            source, is_added = _dimensions(call)
            if not all(is_added):
                index = tuple(Name("None") if it else Slice() for it in is_added)
                return Subscript(self.lower(source), Tuple(index))
        signature = call.op.parsed
        holes: dict[str, Filling] = {
            parameter.name: self._argument(argument)
            for parameter, argument in zip(signature.parameters, call.arguments, strict=True)
        }
        for (name, _), dtype in zip(signature.generics, call.dtypes, strict=True):
            holes[name] = self.dtype(dtype)
        admitted = (
            dtype.bound.dtypes if isinstance(dtype, DtypeParameter) else (dtype,)
            for dtype in call.dtypes
            if isinstance(dtype, DType | DtypeParameter)
        )
        given = [name for name, filling in holes.items() if filling is not None]
        return fill(parse_spelling(call.op.spelling(admitted, given)), holes)

    def _function_call(self, call: ir.Call) -> Expression:
        callee = self.callees[call.function]
        return Call(
            Name(callee.name),
            (
                *(self.lower(argument) for argument in call.arguments),
                *(self.lower(constant) for constant in call.constants),
                *(
                    self.dtype(dtype)
                    for dtype, is_passed in zip(call.dtypes, callee.passed, strict=True)
                    if is_passed
                ),
            ),
        )

    def _argument(self, argument: ir.Argument) -> Filling:
        match argument:
            case ir.AbsentArgument():
                return None
            case ir.FlagArgument(value=value):
                return Name("True" if value else "False")
            case ir.ListArgument(elements=elements):
                return List(tuple(self.lower(element) for element in elements))
            case ir.EnumArgument(enum=enum, member=member):
                match ENUMS[enum][member]:
                    case None:
                        return None
                    case str(value):
                        return Text(value)
                    case number:
                        return Number(str(number))
            case ir.TextArgument(value=value):
                return Text(value)
            case ir.FunctionArgument(function=function):
                return Name(self.callees[function].name)
            case _:
                return self.lower(argument)


def is_float(dtype: ElementType) -> bool:
    """Whether every instance of the dtype is a floating-point type."""
    return not isinstance(dtype, DType | DtypeParameter) or dtype.is_float


def _dimensions(expression: ir.Expression) -> tuple[ir.Expression, tuple[bool, ...]]:
    """What a tile is made of by putting in dimensions, and which ones of its own these are."""
    if isinstance(expression, ir.OpCall):
        place, operand = added_dimension(expression), copied(expression)
        if place and operand is not None:
            source, is_added = _dimensions(operand)
            before = place + len(is_added) + 1
            return source, (*is_added[:before], True, *is_added[before:])
    type_ = expression.type
    return expression, (False,) * (len(type_.shape) if isinstance(type_, Tensor) else 0)


def _is_literal(expression: ir.Expression) -> bool:
    match expression:
        case ir.Literal():
            return True
        case ir.Unary(operator=ir.UnaryOperator.NEGATE, operand=operand):
            return isinstance(operand, ir.Literal)
        case _:
            return False


def _is_double_parameter(expression: ir.Expression) -> bool:
    """Whether it is an argument that the interpreter holds as a Python number, which `tl.cast` takes for an f32."""
    return (
        isinstance(expression, ir.Read)
        and expression.symbol.kind is ir.SymbolKind.PARAMETER
        and expression.type == F64
    )


def _is_loaded(expression: ir.Expression) -> bool:
    return isinstance(expression, ir.OpCall) and expression.op.effect is not Effect.PURE
