"""Makes explicit what Rust means and Triton would take differently.

* A run-time parameter is a constant in Triton where it equals 1, and a float one a Python double in
  the interpreter: where that shows, the parameter is first made a value of its own dtype.
* A literal bound to a name has the dtype Triton gives such literals, i32 or f32: any other dtype is stated.
* Reductions and sorts count their axis from the left, and keep no dimension of a whole tile: Triton, or its
  interpreter, takes no others.
* Integer division truncates in Rust and on Triton's tensors, but floors between Python's integers:
  where both sides may be Python integers, and the quotient may be negative, one of them is made a
  tensor, or the truncation is spelled out.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import chain, repeat
from typing import TYPE_CHECKING

from transpiler.analysis.extents import tile_extents
from transpiler.analysis.ranges import Ranges
from transpiler.ir import nodes as ir
from transpiler.ir.types import BOOL, I32, Bound, DType, DtypeParameter, Scalar, Tensor
from transpiler.ir.visit import Rewriter, walk_statements
from transpiler.ops.model import Op, ShapeOfLastAxis, ShapeReduced
from transpiler.ops.scalar_methods import FAMILY, scalar_method
from transpiler.passes.compile_time import constant_value, is_compile_time
from transpiler.passes.constants import compile_time_symbols
from transpiler.passes.given_numbers import GivenNumbers
from transpiler.passes.integer import integer_range, wrap
from transpiler.passes.literals import in_any_dtype, is_default_dtype, is_of_other_kind
from transpiler.passes.operators import SHIFTS
from transpiler.passes.parameters import parameters_to_materialise
from transpiler.passes.reduction_axes import with_plain_axis
from transpiler.passes.short_circuit import has_effect
from transpiler.passes.signed_zeros import is_float, negates_float, with_signed_zeros

if TYPE_CHECKING:
    from transpiler.analysis.interval import Interval
    from transpiler.passes.context import PassContext

_TRUNCATED_QUOTIENT = Op(
    name="truncated_quotient",
    family="internal",
    signature="(x: const i32, y: const i32) -> i32",
    # Exact: the quotient of two 32-bit integers is never rounded across an integer in double precision.
    triton="int(x / y)",
    summary="The quotient of compile-time integers, rounded towards zero.",
)
_TRUNCATED_LONG_QUOTIENT = Op(
    name="truncated_long_quotient",
    family="internal",
    signature="(x: const i64, y: const i64) -> i64",
    triton="x // y if (x >= 0) == (y > 0) else -(-x // y)",
    summary="The quotient of compile-time integers beyond 32 bits, rounded towards zero.",
)

_WHY_MATERIALISED = "Arguments in the dtypes of their Rust parameters, whatever the caller passed."

_TRITON_DEFAULTS = frozenset({DType.BOOL, DType.I32, DType.F32})

_HOLDING = ("_", "tl.maximum", "tl.minimum")
"""How spellings begin that take Python's numbers as well as values of Triton."""


def legalise(module: ir.Module, context: PassContext) -> ir.Module:  # noqa: ARG001 - a pass's signature
    """The module in which Triton's reading of every expression is Rust's."""
    numbers = GivenNumbers(module)
    kernels = tuple([_kernel(kernel, numbers) for kernel in module.kernels])
    # Callers before callees, so that what a function is given is known.
    functions = [_kernel(function, numbers) for function in reversed(module.functions)]
    return replace(module, kernels=kernels, functions=tuple(reversed(functions)))


def _kernel(kernel: ir.R, numbers: GivenNumbers) -> ir.R:
    parameters = parameters_to_materialise(kernel)
    legaliser = _Legaliser(kernel, numbers, frozenset(parameters))
    legal = legaliser.kernel(kernel)
    if legaliser.negates_floats:
        legal = with_signed_zeros(legal)
    if not parameters:
        return legal
    statements = (*_materialised(parameters), *legal.body.statements)
    return replace(legal, body=replace(legal.body, statements=statements))


def _materialised(parameters: tuple[ir.Symbol, ...]) -> tuple[ir.Statement, ...]:
    layouts = chain((ir.Layout(comments=(_WHY_MATERIALISED,)),), repeat(ir.PLAIN))
    return tuple(
        ir.Assign(span=symbol.span, symbol=symbol, value=_materialised_read(symbol), layout=layout)
        for symbol, layout in zip(parameters, layouts, strict=False)
    )


def _materialised_read(symbol: ir.Symbol) -> ir.Cast:
    return materialise(ir.Read(span=symbol.span, type=symbol.type, symbol=symbol))


def materialise(node: ir.Expression) -> ir.Cast:
    """The same value, held by Triton in exactly the dtype of its type."""
    return ir.Cast(span=node.span, type=node.type, operand=node, kind=ir.CastKind.MATERIALISE)


class _Legaliser(Rewriter):
    def __init__(
        self, kernel: ir.Routine, numbers: GivenNumbers, held: frozenset[ir.Symbol]
    ) -> None:
        """`held` are the parameters that are values of their dtype from the start."""
        self._given = numbers
        self._held_parameters = held
        self._numbers = numbers.of(kernel)
        self._constants = compile_time_symbols(kernel)
        self._range_symbols = {
            statement.symbol
            for statement in walk_statements(kernel.body)
            if isinstance(statement, ir.For)
        }
        self._kernel = kernel
        self._ranges: Ranges | None = None
        self.negates_floats = False
        self._at: ir.Statement | None = None

    # --- Statements -------------------------------------------------------------------------------

    def statement(self, node: ir.Statement) -> ir.Statement:
        outer, self._at = self._at, node
        rewritten = super().statement(node)
        self._at = outer
        return rewritten

    def leave_statement(self, node: ir.Statement) -> tuple[ir.Statement, ...]:
        match node:
            case ir.Evaluate(value=value) | ir.LetTuple(value=value) if _is_discarded(node, value):
                # `let _ = n;` tells rustc that `n` is of use; Python need not be told.
                return ()
            case ir.LetTuple(value=ir.TupleValue(elements=elements)) if any(
                element.type != BOOL and is_compile_time(element, self._constants)
                for element in elements
            ):
                return _taken_apart(node, tuple(map(self._stated, elements)))
            case ir.Let(value=value) | ir.LetTuple(value=value):
                return (replace(node, value=self._stated(value)),)
            case ir.Assign(value=value, operator=None):
                return (replace(node, value=self._stated(value)),)
            case ir.While(condition=condition) if self._may_decide(condition):
                # Triton's loops ask for a value, also where a constant decides.
                return (replace(node, condition=materialise(condition)),)
            case ir.Return(value=ir.TypedNode() as value):
                return (replace(node, value=self._returned(value)),)
            case _:
                return (node,)

    def _stated(self, value: ir.Expression) -> ir.Expression:
        """Constants with their dtype stated where Triton would choose another, in choices and tuples too."""
        match value:
            case ir.Conditional():
                return replace(
                    value,
                    then_value=replace(
                        value.then_value, value=self._stated(value.then_value.value)
                    ),
                    else_value=replace(
                        value.else_value, value=self._stated(value.else_value.value)
                    ),
                )
            case ir.TupleValue(elements=elements):
                return replace(value, elements=tuple(map(self._held, elements)))
            case ir.Literal(type=Scalar(dtype=dtype)):
                return value if is_default_dtype(value, dtype) else materialise(value)
            case ir.Read(symbol=symbol, type=Scalar(dtype=dtype)):
                is_other = dtype not in _TRITON_DEFAULTS
                return materialise(value) if is_other and symbol in self._constants else value
            case ir.Unary(operand=ir.Literal(), type=Scalar(dtype=DtypeParameter())):
                return materialise(value)
            case _:
                return value

    def _held(self, element: ir.Expression) -> ir.Expression:
        """An element of a tuple, as a value of its dtype: Triton makes values of what names hold, not of tuples."""
        is_constant = element.type != BOOL and is_compile_time(element, self._constants)
        is_number = is_constant or _is_number(element)
        return materialise(element) if is_number else self._stated(element)

    def _returned(self, value: ir.Expression) -> ir.Expression:
        """A result as a value of its dtype also in the interpreter, which returns Python's numbers as they are."""
        match value:
            case ir.Literal(type=Scalar(dtype=DType.F32)):
                return materialise(value)
            case ir.TupleValue():
                elements = tuple([self._returned(element) for element in value.elements])
                return replace(value, elements=elements)
            case ir.Conditional(then_value=then_value, else_value=else_value):
                return replace(
                    value,
                    then_value=replace(then_value, value=self._returned(then_value.value)),
                    else_value=replace(else_value, value=self._returned(else_value.value)),
                )
            case _:
                return self._stated(value)

    # --- Expressions ------------------------------------------------------------------------------

    def leave_expression(self, node: ir.Expression) -> ir.Expression:
        match node:
            case ir.Literal(type=Scalar(dtype=DtypeParameter(bound=Bound.BOOL)), value=value):
                return replace(node, value=bool(value), digits=None)
            case ir.Literal(type=Scalar(dtype=DtypeParameter(is_float=False)), value=float()):
                return in_any_dtype(node)
            case ir.Literal(value=float(value)) if value == 0 and math.copysign(1, value) < 0:
                return _negated_zero(node)
            case ir.Unary(
                operator=ir.UnaryOperator.NOT, type=Scalar(dtype=dtype) | Tensor(dtype=dtype)
            ) if isinstance(dtype, DType) and dtype.is_integer and not dtype.is_signed:
                return _inverted(node, dtype)
            case ir.OpCall() if node.op.family == FAMILY:
                return self._scalar_method(node)
            case ir.Call():
                for place, argument in enumerate(node.arguments):
                    if argument.type in {BOOL, I32} and self._may_be_python(argument):
                        self._given.add(node.function, place, self._number(argument))
                # The function cannot tell a constant of another dtype from one of Triton's default.
                return replace(node, arguments=tuple([self._stated(it) for it in node.arguments]))
            case ir.OpCall() if isinstance(node.op.shape, ShapeReduced | ShapeOfLastAxis):
                return with_plain_axis(node, node.op.shape)
            case ir.OpCall() if node.op.converts:
                return _without_conversions(node)
            case ir.Conditional() if not (
                node.type in {BOOL, I32} and is_compile_time(node, self._constants)
            ):
                return self._stated(node)
            case ir.Cast(kind=ir.CastKind.MATERIALISE, operand=operand) if self._is_held(operand):
                return operand
            case ir.Cast(operand=ir.Conditional() as operand) if _is_number(operand):
                return replace(node, operand=materialise(operand))
            case ir.Unary() if negates_float(node):
                self.negates_floats = True
                return node
            case ir.Binary():
                return self._binary(node)
            case _:
                return node

    def _is_held(self, node: ir.Expression) -> bool:
        """Whether a float of Rust's own is a value of Triton, of exactly its dtype, as it is."""
        match node:
            case ir.Read(symbol=symbol):
                return symbol in self._held_parameters
            case ir.Cast(type=Scalar(dtype=DType.F32)):
                return not is_compile_time(node, self._constants)
            case ir.Binary(type=Scalar(dtype=DType.F32), left=left, right=right):
                return self._is_held(left) or self._is_held(right)
            case _:
                return False

    def _binary(self, node: ir.Binary) -> ir.Expression:
        if node.operator in SHIFTS and isinstance(node.type, Scalar):
            return self._shift(node)
        if node.operator.is_division and _is_integer_scalar(node):
            return self._division(node)
        return self._with_stated_literals(node)

    def _shift(self, node: ir.Binary) -> ir.Expression:
        """Both sides of one dtype, and the distance as Rust takes it without overflow checks: modulo the width."""
        right = node.right
        dtype = node.type.dtype if isinstance(node.type, Scalar) else None
        if not isinstance(dtype, DType):
            return self._with_stated_literals(node)
        if isinstance(right, ir.Literal):
            return self._with_stated_literals(self._constant_shift(node, dtype))
        if is_compile_time(node, self._constants):
            return self._constant_shift(node, dtype)
        mask = ir.Literal(span=right.span, type=right.type, value=dtype.bits - 1)
        distance: ir.Expression = replace(
            node, operator=ir.BinaryOperator.BIT_AND, left=right, right=mask, type=right.type
        )
        if right.type != node.type:
            distance = ir.Cast(
                span=right.span, type=node.type, operand=distance, kind=ir.CastKind.RUST_AS
            )
        return self._with_stated_literals(replace(node, right=distance))

    def _constant_shift(self, node: ir.Binary, dtype: DType) -> ir.Binary | ir.Literal:
        """The shift, or what is left of a constant that loses bits to it, which Python's integers do not."""
        value = constant_value(node, self._constants)
        if value is None or value in integer_range(dtype):
            return node
        return ir.Literal(span=node.span, type=node.type, value=wrap(value, dtype))

    def _scalar_method(self, node: ir.OpCall) -> ir.Expression:
        (dtype,) = node.dtypes
        method = scalar_method(node.op.name, dtype) if isinstance(dtype, DType) else None
        constant = None if method is None else method.at_compile_time
        if constant is not None and is_compile_time(node, self._constants):
            return replace(node, op=constant)
        holds = node.op.triton.startswith("_")
        stated = tuple(
            argument
            if isinstance(argument, ir.PLAIN_ARGUMENTS) or (holds and _is_integer_literal(argument))
            else self._stated(argument)
            for argument in node.arguments
        )
        first = stated[0]
        if (
            dtype in _TRITON_DEFAULTS
            and not node.op.triton.startswith(_HOLDING)
            and not isinstance(first, ir.PLAIN_ARGUMENTS)
            and self._may_be_python(first)
        ):
            # The others hold what they are given in the dtype themselves.
            stated = (materialise(first), *stated[1:])
        return replace(node, arguments=stated)

    def _with_stated_literals(self, node: ir.Binary | ir.Literal) -> ir.Expression:
        if isinstance(node, ir.Literal):
            return node
        left, right = node.left, node.right
        if isinstance(left, ir.Literal) and isinstance(right, ir.Literal):
            # Nothing else tells Triton the dtype, and Python would compute in double precision.
            left, right = self._stated(left), self._stated(right)
        elif _is_number(left) and _is_number(right):
            left = materialise(left)
        else:
            left = materialise(left) if is_of_other_kind(left) else left
            right = materialise(right) if is_of_other_kind(right) else right
        if left is node.left and right is node.right:
            return node
        return replace(node, left=left, right=right)

    def _division(self, node: ir.Binary) -> ir.Expression:
        if not (self._may_be_python(node.left) and self._may_be_python(node.right)):
            return node
        sides = [self._number(side) for side in (node.left, node.right)]
        if all(it.is_never_negative for it in sides) or all(it.is_never_positive for it in sides):
            return node
        if not is_compile_time(node, self._constants):
            return replace(node, left=materialise(node.left))
        quotient = ir.OpCall(
            span=node.span,
            type=node.type,
            op=_TRUNCATED_LONG_QUOTIENT if _is_long(node) else _TRUNCATED_QUOTIENT,
            dtypes=(),
            arguments=(node.left, node.right),
        )
        if node.operator is ir.BinaryOperator.DIVIDE:
            return quotient
        product = replace(
            node, operator=ir.BinaryOperator.MULTIPLY, left=quotient, right=node.right
        )
        return replace(node, operator=ir.BinaryOperator.SUBTRACT, right=product)

    def _number(self, node: ir.Expression) -> Interval:
        """Where an integer that Python computes lies."""
        if self._ranges is None:
            kernel = self._kernel
            extents = tile_extents(kernel)
            self._ranges = Ranges(kernel, extents=extents, wraps=True, numbers=self._numbers)
        return self._ranges.of_number(node, at=self._at)

    def _may_decide(self, condition: ir.Expression) -> bool:
        """Whether Triton may make a constant of the condition: one side of `and` and `or` is enough."""
        match condition:
            case ir.Binary() if condition.operator.is_logical:
                return self._may_decide(condition.left) or self._may_decide(condition.right)
            case ir.Unary(operand=operand):
                return self._may_decide(operand)
            case _:
                return self._may_be_python(condition)

    def _may_be_python(self, node: ir.Expression) -> bool:
        """Whether Triton may hold the integer as a Python number when it meets the operation."""
        match node:
            case ir.Literal():
                return True
            case ir.Read():
                return (
                    node.symbol in self._constants
                    or node.symbol in self._range_symbols
                    or node.symbol in self._numbers
                )
            case ir.Unary():
                return self._may_be_python(node.operand)
            case ir.Binary():
                return self._may_be_python(node.left) and self._may_be_python(node.right)
            case ir.Conditional():
                return True
            case ir.BlockValue():
                return self._may_be_python(node.value)
            case ir.Call() | ir.TupleElement():
                # In the interpreter what a function computes from Python's numbers is one.
                return True
            case ir.OpCall():
                # A quotient of such numbers, computed by Triton's own `cdiv`, is one again.
                return all(
                    isinstance(argument, ir.PLAIN_ARGUMENTS) or self._may_be_python(argument)
                    for argument in node.arguments
                ) and not any(isinstance(a, ir.EnumArgument) for a in node.arguments)
            case _:
                return False


def _is_integer_literal(node: ir.Expression) -> bool:
    """Whether it is an integer that `tl.cast` takes to any dtype as it is."""
    return isinstance(node, ir.Literal) and isinstance(node.value, int)


def _is_number(node: ir.Expression) -> bool:
    """Whether the interpreter may have a number of Python's there: a literal, or a choice with one."""
    match node:
        case ir.Literal():
            return node.type != BOOL
        case ir.Conditional(then_value=then_value, else_value=else_value):
            return _is_number(then_value.value) or _is_number(else_value.value)
        case _:
            return False


def _is_long(node: ir.Binary) -> bool:
    return isinstance(node.type, Scalar) and node.type.dtype in {DType.I64, DType.U64}


def _is_discarded(node: ir.Evaluate | ir.LetTuple, value: ir.Expression) -> bool:
    is_named = isinstance(node, ir.LetTuple) and any(symbol is not None for symbol in node.symbols)
    return not is_named and not has_effect(value)


def _taken_apart(
    node: ir.LetTuple, elements: tuple[ir.Expression, ...]
) -> tuple[ir.Statement, ...]:
    """One binding an element: of a name's value Triton makes a value of its own, of a tuple's elements not."""
    layouts = chain((node.layout,), repeat(ir.PLAIN))
    return tuple(
        ir.Evaluate(span=node.span, value=value, layout=layout)
        if symbol is None
        else ir.Let(span=node.span, symbol=symbol, value=value, layout=layout)
        for symbol, value, layout in zip(node.symbols, elements, layouts, strict=False)
        if symbol is not None or has_effect(value)
    )


def _negated_zero(literal: ir.Literal) -> ir.Expression:
    """Triton up to 3.6 makes a constant 0 of `-0.0`."""
    zero = materialise(replace(literal, value=0.0, digits=None))
    minus_one = replace(literal, value=-1.0, digits=None)
    return ir.Binary(
        span=literal.span,
        type=literal.type,
        operator=ir.BinaryOperator.MULTIPLY,
        left=zero,
        right=minus_one,
    )


def _inverted(node: ir.Unary, dtype: DType) -> ir.Binary:
    """The interpreters of Triton 3.4 to 3.6 have no `~` of unsigned integers, and Python's gives a negative number."""
    ones = ir.Literal(span=node.span, type=Scalar(dtype=dtype), value=integer_range(dtype)[-1])
    return ir.Binary(
        span=node.span,
        type=node.type,
        operator=ir.BinaryOperator.BIT_XOR,
        left=node.operand,
        right=ones,
    )


def _is_integer_scalar(node: ir.Binary) -> bool:
    return (
        isinstance(node.type, Scalar)
        and isinstance(node.type.dtype, DType)
        and node.type.dtype.is_integer
    )


def _without_conversions(node: ir.OpCall) -> ir.OpCall:
    """The call without those conversions of its arguments that Triton makes itself.

    A conversion from one float dtype to another is the same conversion wherever it happens.
    """
    arguments = tuple(
        argument.operand
        if parameter.name in node.op.converts
        and isinstance(argument, ir.Cast)
        and argument.kind is ir.CastKind.FROM_F64
        and is_float(argument.type)
        and not isinstance(argument.operand, ir.Literal)
        else argument
        for parameter, argument in zip(node.op.parsed.parameters, node.arguments, strict=True)
    )
    return node if arguments == node.arguments else replace(node, arguments=arguments)
