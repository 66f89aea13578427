"""Makes a second form of kernels whose offsets may leave 32 bits: the same kernel, with indices in 64 bits.

`transpiler.passes.index_values` tells which names are indices. A leaf becomes 64 bits wide where it is given to such a
name, or where nothing beside it is: Triton computes in the wider dtype of two. What an operation needs in 32 bits is
cut as `as i32` cuts it.

The form shares with its kernel every statement whose text is the same; names in those keep the types they have in the
kernel, and `WideForm.widened` tells which of them are wider. So the pass comes last: nothing is decided after it, and
what is shared need not be lowered and printed again.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, count, repeat
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.description import WideForm, WideFunction, WideModule
from transpiler.ir.types import DType, TupleType
from transpiler.passes.index_values import IndexValues, Path, index_paths, is_index
from transpiler.passes.operators import SHIFTS
from transpiler.passes.wide_expressions import WideExpressions, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SUFFIX = "__index64"
"""Behind the name of a kernel in the name of its second form."""

_DOCS = ("The same kernel with offsets in 64 bits, for tensors of 2^31 elements and more.",)
_FUNCTION_DOCS = ("The same with offsets in 64 bits.",)
_WHY_WIDE = "Arguments that offsets depend on in 64 bits, whatever the caller passed."
_WHY_MIXED = (
    "Arguments in the dtypes of their Rust parameters, in 64 bits where offsets depend on them."
)


def wide_forms(module: ir.Module) -> WideModule:
    """The second forms of the kernels that need one, and of the functions these call."""
    # Kernels that call nothing have nothing to do with each other.
    indices = IndexValues(module.routines) if module.functions else None
    functions, symbols = ((), {}) if indices is None else _functions(module, indices)
    kernels = {
        kernel.name: form
        for kernel in module.kernels
        if (form := _form(kernel, indices or IndexValues((kernel,)), symbols)) is not None
    }
    return WideModule(kernels=kernels, functions=functions)


def _form(
    kernel: ir.Kernel,
    indices: IndexValues,
    functions: Mapping[ir.FunctionSymbol, ir.FunctionSymbol],
) -> WideForm | None:
    number = indices.number(kernel)
    if not indices.may_leave(number):
        return WideForm(kernel=kernel, widened=frozenset())
    if indices.is_cut(number):
        return None
    widening = _Widening(kernel, indices, functions)
    body = widening.block(kernel.body)
    wide = replace(kernel, docs=_DOCS, body=widening.with_parameters(body))
    return WideForm(kernel=wide, widened=frozenset(widening.names))


def _functions(
    module: ir.Module, indices: IndexValues
) -> tuple[tuple[WideFunction, ...], Mapping[ir.FunctionSymbol, ir.FunctionSymbol]]:
    """The second forms of functions that have an index, or call such a function; callees first.

    Also tells for each such function the symbol of its form.
    """
    ids = count(1 + max(function.symbol.id for function in module.functions))
    symbols: dict[ir.FunctionSymbol, ir.FunctionSymbol] = {}
    forms: list[WideFunction] = []
    for function in module.functions:
        if function.is_combine:
            continue
        symbol = replace(function.symbol, id=next(ids), name=f"{function.symbol.name}{SUFFIX}")
        widening = _Widening(function, indices, symbols)
        body = widening.block(function.body)
        if body is function.body and not widening.has_index:
            continue
        symbols[function.symbol] = symbol
        wide = replace(
            function,
            symbol=symbol,
            docs=_FUNCTION_DOCS,
            body=widening.with_parameters(body),
        )
        forms.append(
            WideFunction(function=wide, narrow=function.symbol, widened=frozenset(widening.names))
        )
    return tuple(forms), symbols


def _materialised(symbol: ir.Symbol) -> ir.Assign:
    read = ir.Read(span=symbol.span, type=symbol.type, symbol=symbol)
    value = cast(read, ir.CastKind.MATERIALISE, DType.I64)
    return ir.Assign(span=symbol.span, symbol=symbol, value=value)


class _Widening(WideExpressions):
    """Rewrites the body of one routine; what does not change in its text is given back as it is."""

    def __init__(
        self,
        routine: ir.Routine,
        indices: IndexValues,
        functions: Mapping[ir.FunctionSymbol, ir.FunctionSymbol],
    ) -> None:
        super().__init__(indices.number(routine), indices, functions)
        self._routine = routine
        self.names: set[ir.Symbol] = {
            symbol for symbol in routine.parameters if self._holds_index(symbol)
        }

    @property
    def has_index(self) -> bool:
        """Whether a name of the routine is an index, or its result is."""
        routine = self._routine
        return bool(self.names) or (
            isinstance(routine, ir.Function)
            and any(map(self._is_wide_result, index_paths(routine.result)))
        )

    def _is_wide_result(self, path: Path) -> bool:
        routine = self._routine
        return isinstance(routine, ir.Function) and self._indices.is_wide_result(
            routine.symbol, path
        )

    def _holds_index(self, symbol: ir.Symbol) -> bool:
        return any(self.is_wide(symbol, path) for path in index_paths(symbol.type))

    # --- Parameters -------------------------------------------------------------------------------

    def with_parameters(self, body: ir.Block) -> ir.Block:
        """The body behind the lines that make values of parameters: of those that are indices, in 64 bits."""
        length, known = 0, dict[ir.Symbol, ir.Statement]()
        for statement in body.statements:
            if not isinstance(statement, ir.Assign) or statement.span != statement.symbol.span:
                break
            known[statement.symbol] = statement
            length += 1
        is_kernel = isinstance(self._routine, ir.Kernel)
        wide = {
            symbol: _materialised(symbol)
            for symbol in self._routine.parameters
            if self.is_wide(symbol)
            and symbol.kind is ir.SymbolKind.PARAMETER
            # A function is given values of Triton in 64 bits.
            and (is_kernel or symbol in known)
        }
        made = {**known, **wide}
        if not wide:
            return body
        why = _WHY_WIDE if len(made) == len(wide) else _WHY_MIXED
        layouts = chain((ir.Layout(comments=(why,)),), repeat(ir.PLAIN))
        first = [
            replace(made[symbol], layout=next(layouts))
            for symbol in self._routine.parameters
            if symbol in made
        ]
        return replace(body, statements=(*first, *body.statements[length:]))

    # --- Statements -------------------------------------------------------------------------------

    def block(self, block: ir.Block) -> ir.Block:
        """A block; the very block where nothing in it changes."""
        statements = tuple(map(self._statement, block.statements))
        if all(new is old for new, old in zip(statements, block.statements, strict=True)):
            return block
        return replace(block, statements=statements)

    def _statement(self, node: ir.Statement) -> ir.Statement:
        match node:
            case ir.Let(symbol=symbol, value=value):
                new = self._named(symbol, value)
                return node if new is value else replace(node, value=new)
            case ir.Assign(symbol=symbol, value=value, operator=operator):
                if operator is None:
                    new = self._named(symbol, value)
                elif self.is_wide(symbol) and operator not in SHIFTS:
                    new = self.beside(value)
                else:
                    new = self.fitted(value)
                return node if new is value else replace(node, value=new)
            case ir.LetTuple(symbols=symbols, value=value):
                new = self.placed(value, self._of_symbols(symbols), ())
                return node if new is value else replace(node, value=new)
            case ir.Return(value=ir.TypedNode() as value):
                new = self.placed(value, self._is_wide_result, ())
                return node if new is value else replace(node, value=new)
            case ir.Evaluate(value=value):
                new = self.fitted(value)
                return node if new is value else replace(node, value=new)
            case ir.If(condition=condition, then_block=then_block, else_block=else_block):
                new, then = self.fitted(condition), self.block(then_block)
                other = None if else_block is None else self.block(else_block)
                if new is condition and then is then_block and other is else_block:
                    return node
                return replace(node, condition=new, then_block=then, else_block=other)
            case ir.While(condition=condition, body=body):
                new, inner = self.fitted(condition), self.block(body)
                if new is condition and inner is body:
                    return node
                return replace(node, condition=new, body=inner)
            case ir.For():
                return self._for(node)
            case _:
                return node

    def _for(self, node: ir.For) -> ir.Statement:
        bounds = (node.start, node.stop, node.step)
        if self.is_wide(node.symbol):
            self.names.add(node.symbol)
            start, stop, step = map(self.beside, bounds)
            if not any(map(self.touches, bounds)):
                stop = self.wide(node.stop)
        else:
            start, stop, step = map(self.fitted, bounds)
        body = self.block(node.body)
        new = (start, stop, step, body)
        if all(it is old for it, old in zip(new, (*bounds, node.body), strict=True)):
            return node
        return replace(node, start=start, stop=stop, step=step, body=body)

    # --- Values that are given to names -----------------------------------------------------------

    def _named(self, symbol: ir.Symbol, value: ir.Expression) -> ir.Expression:
        """A value that a name is given."""
        if is_index(value.type):
            if self.is_wide(symbol):
                self.names.add(symbol)
                return self.wide(value)
            return self.narrowed(value)
        if not isinstance(value.type, TupleType):
            return self.plain(value)
        if self._holds_index(symbol):
            self.names.add(symbol)
        return self.placed(value, lambda path: self.is_wide(symbol, path), ())

    def _of_symbols(self, symbols: tuple[ir.Symbol | None, ...]) -> Callable[[Path], bool]:
        """Which elements of a tuple are given to names that are indices."""
        self.names.update(it for it in symbols if it is not None and self._holds_index(it))

        def is_wide(path: Path) -> bool:
            symbol = symbols[path[0]]
            return symbol is not None and self.is_wide(symbol, path[1:])

        return is_wide
