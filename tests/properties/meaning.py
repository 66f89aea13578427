"""What Rust's expressions mean, in numpy: an evaluator of typed IR as elaboration leaves it, before any pass.

Each variable is computed from what the others are found to hold, so that no rounding adds up. Tiles of halves are f32,
the dtype their arithmetic runs in. What is not defined, such as a cast of NaN to an integer, has no meaning here, and
neither has what the evaluator does not know.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tests.properties.triton_types import Instance, memory_dtype
from transpiler.ir import nodes as ir
from transpiler.ir.types import DType, ElementType, Pointer, Scalar, Tensor, TupleType, Type

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.properties.interpreted import Array

Value: TypeAlias = "Array | tuple[Array, ...]"

_NUMPY = {
    DType.BOOL: "bool",
    DType.F32: "float32",
    DType.F64: "float64",
    DType.F16: "float32",
    DType.BF16: "float32",
}


class NoMeaningError(Exception):
    """The value is not defined, or not known here."""


def numpy_dtype(dtype: ElementType, instance: Instance) -> np.dtype[Any]:
    """The dtype arithmetic on it runs in."""
    chosen = memory_dtype(dtype, instance)
    name = _NUMPY.get(chosen, f"{'int' if chosen.is_signed else 'uint'}{chosen.bits}")
    return np.dtype(name)


class Evaluator:
    """Of one kernel with its arguments: `found` are the variables by name, `memory` what pointers point to."""

    def __init__(
        self, instance: Instance, found: Mapping[str, Array], memory: Mapping[str, Array]
    ) -> None:
        self._instance = instance
        self._found = found
        self._memory = memory
        self._now: dict[ir.Symbol, Array] = {}

    # --- Statements -------------------------------------------------------------------------------

    def variables(self, body: ir.Block) -> dict[str, Array]:
        """What the variables declared at the top of the body hold in the end, those that have a meaning."""
        meant: dict[str, Array] = {}
        for statement in body.statements:
            try:
                self._top(statement, meant)
            except NoMeaningError:
                continue
        return meant

    def _top(self, statement: ir.Statement, meant: dict[str, Array]) -> None:
        match statement:
            case ir.Let(symbol=symbol, value=value) if symbol.is_mutable:
                meant.pop(symbol.name, None)
                self._now[symbol] = self.array(value)
            case ir.Let(symbol=symbol, value=value) if isinstance(symbol.type, Scalar | Tensor):
                meant[symbol.name] = self.array(value)
            case ir.LetTuple(symbols=symbols, value=value):
                parts = self.value(value)
                for element, part in zip(symbols, parts, strict=True):
                    if element is not None and isinstance(parts, tuple):
                        meant[element.name] = part
            case ir.For(symbol=index, start=start, stop=stop, body=body):
                changed = [s.symbol for s in body.statements if isinstance(s, ir.Assign)]
                try:
                    for turn in range(int(self.array(start)), int(self.array(stop))):
                        self._now[index] = np.asarray(
                            turn, numpy_dtype_of(index.type, self._instance)
                        )
                        for inner in body.statements:
                            self._assign(inner)
                    meant.update({symbol.name: self._now[symbol] for symbol in changed})
                finally:
                    for symbol in changed:
                        self._now.pop(symbol, None)
            case _:
                pass

    def _assign(self, statement: ir.Statement) -> None:
        if not isinstance(statement, ir.Assign) or statement.operator is not None:
            raise NoMeaningError
        self._now[statement.symbol] = self.array(statement.value)

    # --- Expressions ------------------------------------------------------------------------------

    def array(self, node: ir.Expression) -> Array:
        """The value of what is no tuple."""
        value = self.value(node)
        if not isinstance(value, np.ndarray):
            raise NoMeaningError
        return value

    def value(self, node: ir.Expression) -> Value:
        match node:
            case ir.Literal(value=value):
                return self._typed(value, node.type)
            case ir.Read(symbol=symbol):
                return self._read(symbol)
            case ir.Unary(operator=operator, operand=operand):
                inner = self.array(operand)
                if operator is not ir.UnaryOperator.NEGATE:
                    return ~inner
                if inner.dtype.kind == "b":
                    # A kernel over any dtype may negate; Rust has no negation of a bool that it could be.
                    raise NoMeaningError
                return -inner
            case ir.Binary():
                return self._binary(node)
            case ir.Cast(operand=operand):
                return self._cast(self.array(operand), node.type)
            case ir.Conditional():
                chosen = node.then_value if self.array(node.condition) else node.else_value
                return self.value(chosen)
            case ir.BlockValue(statements=(), value=inner_value):
                return self.value(inner_value)
            case ir.OpCall():
                return self._call(node)
            case _:
                raise NoMeaningError

    def _typed(self, value: object, type_: Type) -> Array:
        return np.asarray(value, numpy_dtype_of(type_, self._instance))

    def _read(self, symbol: ir.Symbol) -> Array:
        if symbol in self._now:
            return self._now[symbol]
        if symbol.kind is ir.SymbolKind.CONST_GENERIC:
            return np.asarray(self._instance.constants[symbol.name], np.int32)
        if symbol.name not in self._found or isinstance(symbol.type, Pointer):
            raise NoMeaningError
        return self._typed(self._found[symbol.name], symbol.type)

    def _binary(self, node: ir.Binary) -> Array:
        left, right = self.array(node.left), self.array(node.right)
        rule = _OPERATORS.get(node.operator)
        if rule is None or left.dtype != right.dtype:
            raise NoMeaningError
        return np.asarray(rule(left, right))

    def _cast(self, operand: Array, type_: Type) -> Array:
        target = numpy_dtype_of(type_, self._instance)
        return _converted(operand, target, saturates=isinstance(type_, Scalar))

    # --- Operations -------------------------------------------------------------------------------

    def _call(self, node: ir.OpCall) -> Value:
        rule = _RULES.get(node.op.name)
        if node.op.name == "load":
            return self._load(node)
        if rule is None or node.op.family == "scalar":
            raise NoMeaningError
        arguments = [self._argument(argument) for argument in node.arguments]
        types = node.type.elements if isinstance(node.type, TupleType) else (node.type,)
        dtypes = [numpy_dtype_of(type_, self._instance) for type_ in types]
        found = rule(dtypes[0], *arguments)
        if isinstance(found, tuple):
            return tuple(np.asarray(a, dtype) for a, dtype in zip(found, dtypes, strict=True))
        return np.asarray(found, dtypes[0])

    def _argument(self, argument: ir.Argument) -> object:
        match argument:
            case ir.AbsentArgument():
                return None
            case ir.FlagArgument(value=value):
                return value
            case ir.ListArgument(elements=elements):
                return tuple(int(self.array(element)) for element in elements)
            case _ if isinstance(argument, ir.PLAIN_ARGUMENTS):
                return None
            case _:
                return self.array(argument)

    def _load(self, node: ir.OpCall) -> Array:
        pointers, mask, other, *_ = node.arguments
        match pointers:
            case ir.OffsetPointer(pointer=ir.Read(symbol=symbol), offsets=offsets):
                pass
            case _:
                raise NoMeaningError
        elements = self._memory[symbol.name][self.array(offsets)]
        found = elements.astype(numpy_dtype_of(node.type, self._instance))
        if isinstance(mask, ir.AbsentArgument):
            return found
        if isinstance(mask, ir.PLAIN_ARGUMENTS) or isinstance(other, ir.PLAIN_ARGUMENTS):
            # Lanes that are masked off hold anything.
            raise NoMeaningError
        return np.where(self.array(mask), found, self.array(other))


def numpy_dtype_of(type_: Type, instance: Instance) -> np.dtype[Any]:
    """The dtype of a scalar or a tile."""
    if not isinstance(type_, Scalar | Tensor):
        raise NoMeaningError
    return numpy_dtype(type_.dtype, instance)


def _converted(operand: Array, target: np.dtype[Any], *, saturates: bool) -> Array:
    if operand.dtype.kind == "f" and target.kind in "iub":
        limits = np.iinfo(target) if target.kind != "b" else None
        whole = np.trunc(operand.astype(np.float64))
        if limits is None:
            raise NoMeaningError
        inside = (whole >= float(limits.min)) & (whole < float(limits.max))
        if saturates or not inside.all():
            raise NoMeaningError
        return whole.astype(target)
    return operand.astype(target)


def _quotient(left: Array, right: Array) -> Array:
    if left.dtype.kind == "f":
        return left / right
    if (right == 0).any() or _overflows(left, right):
        raise NoMeaningError
    return _truncated(left, right)


def _overflows(left: Array, right: Array) -> bool:
    if left.dtype.kind != "i":
        return False
    return bool(((left == np.iinfo(left.dtype).min) & (right == -1)).any())


def _truncated(left: Array, right: Array) -> Array:
    if left.dtype.kind == "u":
        return left // right
    exact: Array = (left - np.fmod(left, right)) // right
    return exact


def _remainder(left: Array, right: Array) -> Array:
    if left.dtype.kind != "f" and ((right == 0).any() or _overflows(left, right)):
        raise NoMeaningError
    return np.fmod(left, right)


_OPERATORS: dict[ir.BinaryOperator, Callable[[Array, Array], Array]] = {
    ir.BinaryOperator.ADD: np.add,
    ir.BinaryOperator.SUBTRACT: np.subtract,
    ir.BinaryOperator.MULTIPLY: np.multiply,
    ir.BinaryOperator.DIVIDE: _quotient,
    ir.BinaryOperator.REMAINDER: _remainder,
    ir.BinaryOperator.BIT_AND: np.bitwise_and,
    ir.BinaryOperator.BIT_OR: np.bitwise_or,
    ir.BinaryOperator.BIT_XOR: np.bitwise_xor,
    ir.BinaryOperator.LESS: np.less,
    ir.BinaryOperator.LESS_EQUAL: np.less_equal,
    ir.BinaryOperator.GREATER: np.greater,
    ir.BinaryOperator.GREATER_EQUAL: np.greater_equal,
    ir.BinaryOperator.EQUAL: np.equal,
    ir.BinaryOperator.NOT_EQUAL: np.not_equal,
    ir.BinaryOperator.AND: np.logical_and,
    ir.BinaryOperator.OR: np.logical_or,
}


def _reduced(function: Callable[..., Array]) -> Callable[..., Array]:
    def rule(_dtype: object, x: Array, axis: Array | None, keep_dims: bool) -> Array:
        over = None if axis is None else int(axis)
        return function(x, axis=over, keepdims=keep_dims)

    return rule


def _position(function: Callable[..., Array], best: Callable[..., Array] | None = None):  # type: ignore[no-untyped-def]
    def rule(_dtype: object, x: Array, axis: Array, tie_break_left: bool, keep_dims: bool) -> Value:
        over = int(axis)
        if not tie_break_left and len(np.unique(x)) < x.size:
            raise NoMeaningError
        at = function(x, axis=over, keepdims=keep_dims)
        return at if best is None else (best(x, axis=over, keepdims=keep_dims), at)

    return rule


def _scanned(function: Callable[..., Array]) -> Callable[..., Array]:
    def rule(dtype: object, x: Array, axis: Array, reverse: bool) -> Array:
        over = int(axis)
        source = np.flip(x, over) if reverse else x
        found = function(source, axis=over, dtype=dtype)
        return np.flip(found, over) if reverse else found

    return rule


def _comparison(function: Callable[..., Array]) -> Callable[..., Array]:
    return lambda _dtype, x, y: function(x, y)


def _elementwise(function: Callable[..., Array]) -> Callable[..., Array]:
    return lambda _dtype, x: function(x)


def _cast(dtype: np.dtype[Any], x: Array, rounding: object, bitcast: bool) -> Array:
    if rounding is not None or bitcast:
        raise NoMeaningError
    return _converted(x, dtype, saturates=False)


def _cat(_dtype: object, a: Array, b: Array, _reorder: object) -> Array:
    return np.concatenate([a, b])


def _interleave(_dtype: object, a: Array, b: Array) -> Array:
    both = np.stack(np.broadcast_arrays(a, b), axis=-1)
    return both.reshape(*both.shape[:-2], -1)


def _flip(_dtype: object, x: Array, dim: Array | None) -> Array:
    return np.flip(x, None if dim is None else int(dim))


def _gather(_dtype: object, x: Array, index: Array, axis: Array) -> Array:
    if (index < 0).any() or (index >= x.shape[int(axis)]).any():
        raise NoMeaningError
    return np.take_along_axis(x, index, int(axis))


def _high_product(_dtype: object, x: Array, y: Array) -> Array:
    return (x.astype(np.uint64) * y.astype(np.uint64)) >> np.uint64(32)


def _histogram(_dtype: object, x: Array, bins: Array, mask: Array | None) -> Array:
    if mask is not None or (x < 0).any() or (x >= int(bins)).any():
        raise NoMeaningError
    return np.bincount(x, minlength=int(bins))


_RULES: dict[str, Callable[..., Value]] = {
    "program_id": lambda _dtype, _axis: np.asarray(0),
    "num_programs": lambda _dtype, _axis: np.asarray(1),
    "arange": lambda dtype, start, end: np.arange(int(start), int(end), dtype=dtype),
    "arange_f32": lambda dtype, start, end: np.arange(int(start), int(end), dtype=dtype),
    "zeros": lambda dtype, shape: np.zeros(shape, dtype),
    "zeros_like": lambda dtype, x: np.zeros(x.shape, dtype),
    "full": lambda dtype, shape, value: np.full(shape, value, dtype),
    "cast": _cast,
    "broadcast_to": lambda _dtype, x, shape: np.broadcast_to(x, shape),
    "expand_dims": lambda _dtype, x, axis: np.expand_dims(x, int(axis)),
    "permute": lambda _dtype, x, order: np.transpose(x, order),
    "trans": lambda _dtype, x, order: np.transpose(x, order),
    "reshape": lambda _dtype, x, shape, _reorder: x.reshape(shape),
    "view": lambda _dtype, x, shape: x.reshape(shape),
    "ravel": lambda _dtype, x, _reorder: x.ravel(),
    "broadcast": lambda _dtype, a, b: tuple(np.broadcast_arrays(a, b)),
    "cat": _cat,
    "join": lambda _dtype, a, b: np.stack(np.broadcast_arrays(a, b), axis=-1),
    "interleave": _interleave,
    "split": lambda _dtype, x: (x[..., 0], x[..., 1]),
    "flip": _flip,
    "gather": _gather,
    "where_": lambda _dtype, c, x, y: np.where(c, x, y),
    "maximum": _comparison(np.maximum),
    "minimum": _comparison(np.minimum),
    "umulhi": _high_product,
    "abs": _elementwise(np.abs),
    "ceil": _elementwise(np.ceil),
    "floor": _elementwise(np.floor),
    "cos": _elementwise(np.cos),
    "sin": _elementwise(np.sin),
    "exp": _elementwise(np.exp),
    "exp2": _elementwise(np.exp2),
    "log": _elementwise(np.log),
    "log2": _elementwise(np.log2),
    "sqrt": _elementwise(np.sqrt),
    "sqrt_rn": _elementwise(np.sqrt),
    "rsqrt": _elementwise(lambda x: 1 / np.sqrt(x)),
    "sigmoid": _elementwise(lambda x: 1 / (1 + np.exp(-x))),
    "erf": _elementwise(np.vectorize(math.erf, otypes=[np.float64])),
    "atan": _elementwise(np.arctan),
    "fdiv": lambda _dtype, x, y, _ieee: x / y,
    "div_rn": _comparison(np.divide),
    "cdiv": lambda _dtype, x, y: -(-x // y),
    "lt": _comparison(np.less),
    "le": _comparison(np.less_equal),
    "gt": _comparison(np.greater),
    "ge": _comparison(np.greater_equal),
    "eq": _comparison(np.equal),
    "ne": _comparison(np.not_equal),
    "lt_scalar": _comparison(np.less),
    "le_scalar": _comparison(np.less_equal),
    "gt_scalar": _comparison(np.greater),
    "ge_scalar": _comparison(np.greater_equal),
    "eq_scalar": _comparison(np.equal),
    "ne_scalar": _comparison(np.not_equal),
    "sum": lambda dtype, x, axis, keep: _reduced(np.sum)(dtype, x, axis, keep).astype(dtype),
    "max": _reduced(np.max),
    "min": _reduced(np.min),
    "xor_sum": _reduced(np.bitwise_xor.reduce),
    "argmax": _position(np.argmax),
    "argmin": _position(np.argmin),
    "max_with_indices": _position(np.argmax, np.max),
    "min_with_indices": _position(np.argmin, np.min),
    "cumsum": _scanned(np.cumsum),
    "cumprod": _scanned(np.cumprod),
    "histogram": _histogram,
    "multiple_of": lambda _dtype, x, _values: x,
    "max_contiguous": lambda _dtype, x, _values: x,
    "max_constancy": lambda _dtype, x, _values: x,
}
