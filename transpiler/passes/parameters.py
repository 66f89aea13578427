"""Which run-time parameters must be made values of their own dtype before anything uses them.

Triton takes an integer argument that equals 1 as a compile-time constant, and holds a float
argument as f32 on a device and as a Python double in the interpreter. That shows where a parameter
is assigned to, where its dtype is neither i32 nor f32, and where a float parameter takes part in
scalar arithmetic, which the interpreter would do in double precision.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import DType, DtypeParameter, Scalar, Tensor
from transpiler.ir.visit import (
    child_expressions,
    statement_expressions,
    walk_expression,
    walk_statements,
)

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
    for statement in walk_statements(kernel.body):
        for expression in statement_expressions(statement):
            exposed.update(_exposed_reads(expression))
            read.update(n.symbol for n in walk_expression(expression) if isinstance(n, ir.Read))
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
                and (symbol in assigned or shows)
            ):
                result.append(symbol)
        elif (
            symbol in assigned
            or (dtype is DType.F32 and symbol in exposed)
            or dtype not in _PYTHON_DTYPES
        ):
            result.append(symbol)
    return tuple(result)


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
