"""The invariants of the IR, checked between passes.

Every type is settled; a symbol is declared once, or declared and then assigned in each branch,
before it is read; the two sides of an assignment have one dtype; an operation has an argument for
each parameter of its row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import (
    Descriptor,
    DtypeVariable,
    Pointer,
    PointerTensor,
    Poison,
    Scalar,
    Tensor,
    TupleType,
    Type,
    type_text,
)
from transpiler.ir.visit import child_expressions

if TYPE_CHECKING:
    from transpiler.source import Span


class InvalidModuleError(Exception):
    """The IR breaks an invariant: a fault of the compiler, not of the Rust."""


def verify(module: ir.Module, *, after: str) -> None:
    """Check every kernel and function.

    Raises:
        InvalidModuleError: what is broken, in which kernel, after which pass.
    """
    for routine in module.routines:
        _Verifier(routine, after).run()


class _Verifier:
    def __init__(self, kernel: ir.Routine, after: str) -> None:
        self._kernel = kernel
        self._after = after
        self._what = "function" if isinstance(kernel, ir.Function) else "kernel"
        symbols = (*kernel.parameters, *kernel.const_generics)
        self._declared = {symbol.id for symbol in symbols}
        # By identity: expressions share their types, and all of these live as long as the kernel does.
        self._settled = set[int]()

    def run(self) -> None:
        self._block(self._kernel.body)

    def _invalid(self, message: str, span: Span) -> InvalidModuleError:
        return InvalidModuleError(
            f"after {self._after}, {self._what} {self._kernel.name}, offsets {span.start} to {span.end}: {message}"
        )

    def _block(self, block: ir.Block) -> None:
        outer = set(self._declared)
        for statement in block.statements:
            self._statement(statement)
        self._declared = outer

    def _statement(self, node: ir.Statement) -> None:
        match node:
            case ir.Let():
                self._expression(node.value)
                self._declare(node.symbol)
            case ir.LetTuple():
                self._expression(node.value)
                for symbol in node.symbols:
                    if symbol is not None:
                        self._declared.add(symbol.id)
            case ir.Declare():
                self._declare(node.symbol)
            case ir.Assign():
                self._expression(node.value)
                self._assign(node)
            case ir.Evaluate():
                self._expression(node.value)
            case ir.If():
                self._expression(node.condition)
                self._block(node.then_block)
                if node.else_block is not None:
                    self._block(node.else_block)
            case ir.While():
                self._expression(node.condition)
                self._block(node.body)
            case ir.For():
                for bound in (node.start, node.stop, node.step):
                    self._expression(bound)
                # One after the other, loops may count with the same variable.
                self._declared.discard(node.symbol.id)
                self._declare(node.symbol)
                self._block(node.body)
            case ir.Break() | ir.Return():
                if node.value is not None:
                    self._expression(node.value)
            case ir.Continue():
                pass

    def _declare(self, symbol: ir.Symbol) -> None:
        self._type(symbol.type, symbol.span)
        if symbol.id in self._declared:
            raise self._invalid(f"{symbol.name} is declared twice", symbol.span)
        self._declared.add(symbol.id)

    def _assign(self, node: ir.Assign) -> None:
        if node.symbol.id not in self._declared:
            raise self._invalid(f"{node.symbol.name} is undeclared", node.span)
        target, value = node.symbol.type, node.value.type
        matches = (
            target.dtype == value.dtype
            if isinstance(target, Scalar | Tensor) and isinstance(value, Scalar | Tensor)
            else type(target) is type(value)
        )
        if not matches:
            raise self._invalid(f"{type_text(target)} is assigned {type_text(value)}", node.span)

    def _expression(self, node: ir.Expression) -> None:
        pending = [node]
        while pending:
            node = pending.pop()
            if id(node.type) not in self._settled:
                self._type(node.type, node.span)
            match node:
                case ir.Read():
                    if node.symbol.id not in self._declared:
                        raise self._invalid(f"{node.symbol.name} is undeclared", node.span)
                case ir.Literal():
                    pass
                case ir.BlockValue():
                    outer = set(self._declared)
                    for statement in node.statements:
                        self._statement(statement)
                    self._expression(node.value)
                    self._declared = outer
                case _:
                    if isinstance(node, ir.OpCall) and len(node.arguments) != len(
                        node.op.parsed.parameters
                    ):
                        number = len(node.arguments)
                        raise self._invalid(f"{node.op.name} has {number} arguments", node.span)
                    pending.extend(child_expressions(node))

    def _type(self, type_: Type, span: Span) -> None:
        match type_:
            case Scalar() | Tensor() | Pointer() | PointerTensor() | Descriptor():
                if isinstance(type_.dtype, DtypeVariable):
                    raise self._invalid("a dtype is not settled", span)
            case TupleType(elements=elements):
                for element in elements:
                    self._type(element, span)
            case Poison():
                raise self._invalid("a poisoned type is left", span)
            case _:
                pass
        self._settled.add(id(type_))
