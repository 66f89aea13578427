"""The IR as stable text, for `--emit ir` and for tests.

One statement a line; a symbol is `name#n`, numbered in the order of appearance where a name is used
twice; every binding shows its type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from transpiler.ir import nodes as ir
from transpiler.ir.types import Scalar, Tensor, dtype_text, type_text
from transpiler.ir.visit import walk_statements

if TYPE_CHECKING:
    from collections.abc import Iterator

_INDENT = "  "


def dump_module(module: ir.Module) -> str:
    """Every function and every kernel of the module, in order."""
    return "\n".join(map(dump_routine, module.routines))


def dump_routine(routine: ir.Kernel | ir.Function) -> str:
    """One of them."""
    return "\n".join(_Dump(routine).lines(routine)) + "\n"


def dump_expression(node: ir.Expression) -> str:
    """One expression; symbols of one name look alike."""
    return _Dump(None).expression(node)


class _Dump:
    def __init__(self, kernel: ir.Kernel | ir.Function | None) -> None:
        self._names: dict[ir.Symbol, str] = {}
        self._uses: dict[str, int] = {}
        # A loop shows its label where a jump names it.
        self._targets = (
            set()
            if kernel is None
            else {
                statement.loop
                for statement in walk_statements(kernel.body)
                if isinstance(statement, ir.Break | ir.Continue)
            }
        )

    def lines(self, kernel: ir.Kernel | ir.Function) -> Iterator[str]:
        generics = [f"{p.name}: {p.bound.value}" for p in kernel.dtype_parameters]
        generics += [f"const {self._declared(symbol)}" for symbol in kernel.const_generics]
        keyword = "kernel" if isinstance(kernel, ir.Kernel) else "function"
        yield f"{keyword} {kernel.name}<{', '.join(generics)}>("
        for symbol in kernel.parameters:
            yield f"{_INDENT}{self._declared(symbol)},"
        result = f" -> {type_text(kernel.result)}" if isinstance(kernel, ir.Function) else ""
        yield f"){result} {{"
        yield from self._statements(kernel.body.statements, _INDENT)
        yield "}"

    def _name(self, symbol: ir.Symbol) -> str:
        name = self._names.get(symbol)
        if name is None:
            uses = self._uses.get(symbol.name, 0)
            self._uses[symbol.name] = uses + 1
            name = symbol.name if uses == 0 else f"{symbol.name}#{uses}"
            self._names[symbol] = name
        return name

    def _declared(self, symbol: ir.Symbol) -> str:
        return f"{self._name(symbol)}: {type_text(symbol.type)}"

    def _statements(self, statements: tuple[ir.Statement, ...], indent: str) -> Iterator[str]:
        for statement in statements:
            yield from self._statement(statement, indent)

    def _statement(self, node: ir.Statement, indent: str) -> Iterator[str]:
        match node:
            case ir.Let():
                value = self.expression(node.value)
                mutable = "mut " if node.symbol.is_mutable else ""
                yield f"{indent}let {mutable}{self._declared(node.symbol)} = {value}"
            case ir.LetTuple():
                value = self.expression(node.value)
                names = ", ".join("_" if s is None else self._declared(s) for s in node.symbols)
                yield f"{indent}let ({names}) = {value}"
            case ir.Declare():
                yield f"{indent}declare {self._declared(node.symbol)}"
            case ir.Assign():
                sign = "" if node.operator is None else node.operator.value
                yield f"{indent}{self._name(node.symbol)} {sign}= {self.expression(node.value)}"
            case ir.Evaluate():
                yield indent + self.expression(node.value)
            case ir.If():
                yield f"{indent}if {self.expression(node.condition)} {{"
                yield from self._statements(node.then_block.statements, indent + _INDENT)
                if node.else_block is not None:
                    yield f"{indent}}} else {{"
                    yield from self._statements(node.else_block.statements, indent + _INDENT)
                yield f"{indent}}}"
            case ir.While():
                label = f"'{node.loop}: " if node.loop in self._targets else ""
                head = "once" if node.is_once else f"while {self.expression(node.condition)}"
                yield f"{indent}{label}{head} {{"
                yield from self._statements(node.body.statements, indent + _INDENT)
                yield f"{indent}}}"
            case ir.For():
                start, stop, step = map(self.expression, (node.start, node.stop, node.step))
                label = f"'{node.loop}: " if node.loop in self._targets else ""
                dots = "..=" if node.is_inclusive else ".."
                adapters = "".join(f" {adapter.value}" for adapter in node.adapters)
                head = f"for {self._declared(node.symbol)} in {start}{dots}{stop}"
                yield f"{indent}{label}{head} step {step}{adapters} {{"
                yield from self._statements(node.body.statements, indent + _INDENT)
                yield f"{indent}}}"
            case ir.Break():
                value = "" if node.value is None else f" {self.expression(node.value)}"
                yield f"{indent}break '{node.loop}{value}"
            case ir.Continue():
                yield f"{indent}continue '{node.loop}"
            case ir.Return():
                value = "" if node.value is None else f" {self.expression(node.value)}"
                yield f"{indent}return{value}"
            case _:
                assert_never(node)

    def expression(self, node: ir.Expression) -> str:
        match node:
            case ir.Literal():
                return _literal(node)
            case ir.Read():
                return self._name(node.symbol)
            case ir.Unary():
                return f"{node.operator.value}{self._operand(node.operand)}"
            case ir.Binary():
                left, right = self._operand(node.left), self._operand(node.right)
                return f"{left} {node.operator.value} {right}"
            case ir.Cast():
                dtype = (
                    dtype_text(node.type.dtype) if isinstance(node.type, Scalar | Tensor) else "?"
                )
                return f"{node.kind.value}<{dtype}>({self.expression(node.operand)})"
            case ir.OpCall():
                dtypes = ", ".join(map(dtype_text, node.dtypes))
                arguments = ", ".join(map(self._argument, node.arguments))
                generics = f"<{dtypes}>" if dtypes else ""
                return f"{node.op.name}{generics}({arguments})"
            case ir.Call():
                dtypes = ", ".join(map(dtype_text, node.dtypes))
                arguments = ", ".join(map(self.expression, (*node.arguments, *node.constants)))
                generics = f"<{dtypes}>" if dtypes else ""
                return f"call {node.function.name}{generics}({arguments})"
            case ir.OffsetPointer():
                return f"offset({self.expression(node.pointer)}, {self.expression(node.offsets)})"
            case ir.TupleValue():
                return f"({', '.join(map(self.expression, node.elements))})"
            case ir.TupleElement():
                return f"{self._operand(node.operand)}.{node.index}"
            case ir.Conditional():
                condition = self.expression(node.condition)
                then_value = self.expression(node.then_value)
                else_value = self.expression(node.else_value)
                return f"if {condition} {then_value} else {else_value}"
            case ir.BlockValue():
                inner = "; ".join(
                    line.strip()
                    for statement in node.statements
                    for line in self._statement(statement, "")
                )
                separator = "; " if inner else ""
                return f"{{ {inner}{separator}{self.expression(node.value)} }}"
            case _:
                assert_never(node)

    def _operand(self, node: ir.Expression) -> str:
        text = self.expression(node)
        return f"({text})" if isinstance(node, ir.Binary | ir.Conditional) else text

    def _argument(self, node: ir.Argument) -> str:
        match node:
            case ir.AbsentArgument():
                return "none"
            case ir.ListArgument():
                return f"[{', '.join(map(self.expression, node.elements))}]"
            case ir.EnumArgument():
                return f"{node.enum}::{node.member}"
            case ir.FlagArgument():
                return str(node.value).lower()
            case ir.TextArgument():
                return repr(node.value)
            case ir.FunctionArgument():
                return node.function.name
            case _:
                return self.expression(node)


def _literal(node: ir.Literal) -> str:
    if isinstance(node.value, bool):
        return str(node.value).lower()
    dtype = dtype_text(node.type.dtype) if isinstance(node.type, Scalar) else "?"
    return f"{node.value}_{dtype}"
