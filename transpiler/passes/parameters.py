"""Which run-time parameters must be made values of their own dtype before anything uses them.

Triton takes an integer argument that equals 1 as a compile-time constant, and holds a float
argument as f32 on a device and as a Python double in the interpreter. That shows where a parameter
is assigned to, where its dtype is neither i32 nor f32, where a float parameter takes part in
scalar arithmetic, which the interpreter would do in double precision, and where arithmetic on an
integer parameter that is 1 leaves the range of i32, which a constant does not wrap around.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import I32, DType, DtypeParameter, Scalar, Tensor
from transpiler.ir.visit import (
    child_expressions,
    statement_expressions,
    walk_expression,
    walk_statements,
)
from transpiler.passes.integer import integer_range, truncating_binary
from transpiler.passes.operators import SHIFTS

_PYTHON_DTYPES = frozenset({DType.I32, DType.F32, DType.BOOL})
"""The dtypes of what Triton makes of Python's own numbers."""

if TYPE_CHECKING:
    from collections.abc import Iterator


def parameters_to_materialise(kernel: ir.Routine) -> tuple[ir.Symbol, ...]:
    """Those parameters, in order."""
    assigned = {s.symbol for s in walk_statements(kernel.body) if isinstance(s, ir.Assign)}
    if isinstance(kernel, ir.Function) and kernel.is_combine:
        return ()
    read: set[ir.Symbol] = set()
    exposed: set[ir.Symbol] = set()
    wrapping: set[ir.Symbol] = set()
    for statement in walk_statements(kernel.body):
        for expression in statement_expressions(statement):
            exposed.update(_exposed_reads(expression))
            for node in walk_expression(expression):
                if isinstance(node, ir.Read):
                    read.add(node.symbol)
                elif _overflows(node):
                    wrapping.update(
                        n.symbol for n in walk_expression(node) if isinstance(n, ir.Read)
                    )
    result = []
    for symbol in kernel.parameters:
        if not isinstance(symbol.type, Scalar) or symbol not in read:
            continue
        dtype = symbol.type.dtype
        if isinstance(kernel, ir.Function):
            # Constants of the other dtypes are made values of Triton by the caller.
            may_be_python = dtype in _PYTHON_DTYPES or isinstance(dtype, DtypeParameter)
            shows = symbol in exposed and dtype not in {DType.I32, DType.BOOL}
            if (
                symbol.kind is ir.SymbolKind.PARAMETER
                and may_be_python
                and (symbol in assigned or symbol in wrapping or shows)
            ):
                result.append(symbol)
        elif (
            symbol in assigned
            or symbol in wrapping
            or (dtype is DType.F32 and symbol in exposed)
            or dtype not in _PYTHON_DTYPES
        ):
            result.append(symbol)
    return tuple(result)


def _overflows(node: ir.Expression) -> bool:
    """Whether the value leaves the range of i32 where every parameter in it is 1."""
    if not isinstance(node, ir.Unary | ir.Binary) or node.type != I32:
        return False
    return (value := _value_at_one(node)) is not None and value not in integer_range(DType.I32)


def _value_at_one(node: ir.Expression) -> int | None:
    """The value where every parameter is 1, without wrapping; None where something else is in it."""
    match node:
        case ir.Literal(value=int(value), type=Scalar(dtype=DType.I32)):
            return value
        case ir.Read(symbol=ir.Symbol(kind=ir.SymbolKind.PARAMETER), type=Scalar(dtype=DType.I32)):
            return 1
        case ir.Unary(operator=ir.UnaryOperator.NEGATE):
            operand = _value_at_one(node.operand)
            return None if operand is None else -operand
        case ir.Unary(type=Scalar(dtype=DType.I32)):
            operand = _value_at_one(node.operand)
            return None if operand is None else ~operand
        case ir.Binary():
            left, right = _value_at_one(node.left), _value_at_one(node.right)
            if left is None or right is None:
                return None
            if node.operator in SHIFTS:
                right %= DType.I32.bits
            return truncating_binary(node.operator, left, right)
        case _:
            return None


def _exposed_reads(root: ir.Expression) -> Iterator[ir.Symbol]:
    """The symbols read where their precision shows: not beside an f32 tile, nor as its value."""
    if isinstance(root, ir.Read):
        yield root.symbol
        return
    for node in walk_expression(root):
        if isinstance(node, ir.BlockValue):
            continue
        # A function that is called looks after its own parameters.
        rounds = _rounds_to_single(node) or isinstance(node, ir.Call)
        for child in child_expressions(node):
            if isinstance(child, ir.Read) and not rounds:
                yield child.symbol


def _rounds_to_single(node: ir.Expression) -> bool:
    return isinstance(node, ir.Binary | ir.OpCall) and (
        isinstance(node.type, Tensor)
        and (
            node.type.dtype is DType.F32
            or isinstance(node.type.dtype, DtypeParameter)
            or (isinstance(node, ir.Binary) and node.operator.is_comparison)
        )
    )
