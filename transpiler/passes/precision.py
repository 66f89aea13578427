"""Decides which tiles of half precision stay as memory holds them.

Arithmetic on a dtype parameter that may be f16 or bf16 runs in f32: what is loaded is widened, and
stores narrow. But tensor cores multiply halves: an operation whose row says so takes an argument in
the dtype of memory. A tile stays in that dtype, and its type says so, where it is only loaded, moved
about, multiplied as a matrix and stored. Any other tile is widened where it is loaded, and narrowed
where such an operation takes it: exactly if it was loaded, rounded once if it was computed.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum, auto
from typing import TYPE_CHECKING, TypeAlias

from transpiler.ir import nodes as ir
from transpiler.ir.types import DType, DtypeParameter, Pointer, PointerTensor, Tensor, TupleType
from transpiler.ir.visit import Rewriter, child_expressions, statement_blocks, statement_expressions
from transpiler.ops.signature import Form

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from transpiler.ir.types import Type
    from transpiler.passes.context import PassContext


class _Precision(Enum):
    """In which dtype a tile is, or is wanted."""

    STORED = auto()
    COMPUTED = auto()
    EITHER = auto()


def precision(module: ir.Module, context: PassContext) -> ir.Module:  # noqa: ARG001 - a pass's signature
    """The module in which every change between the dtype of memory and that of arithmetic is a cast."""
    taken: dict[ir.FunctionSymbol, tuple[_Precision, ...]] = {}
    functions = []
    for function in module.functions:
        placed = _placed_function(function, taken)
        taken[function.symbol] = tuple(map(_precision_of, placed.parameters))
        functions.append(placed)
    kernels = tuple(_placed_kernel(kernel, taken) for kernel in module.kernels)
    return replace(module, kernels=kernels, functions=tuple(functions))


def _placed_kernel(kernel: ir.Kernel, taken: _Taken) -> ir.Kernel:
    # A dtype parameter no pointer carries is what arithmetic runs in: there is no memory of it.
    halves = _halves_of(kernel, (Pointer, PointerTensor))
    if not halves:
        return kernel
    flow = _Flow(halves, taken)
    flow.block(kernel.body)
    return _Placement(halves, flow.stored(), taken).kernel(kernel)


def _placed_function(function: ir.Function, taken: _Taken) -> ir.Function:
    """The function; a tile it is given for a matrix product alone is one as memory holds it."""
    halves = _halves_of(function, (Pointer, PointerTensor, Tensor))
    if not halves or function.is_combine:
        return function
    flow = _Flow(halves, taken)
    flow.block(function.body)
    stored = flow.stored()
    # Without a tile or a pointer of its own a function does not know what memory holds.
    known = _halves_of(function, (Pointer, PointerTensor)) | {
        symbol.type.dtype
        for symbol in function.parameters
        if symbol in stored and isinstance(symbol.type, Tensor)
    }
    halves = frozenset(dtype for dtype in halves if dtype in known)
    if not halves:
        return function
    placement = _Placement(halves, flow.stored(), taken)
    parameters = tuple(map(placement.symbol, function.parameters))
    return replace(placement.kernel(function), parameters=parameters)


def _halves_of(
    routine: ir.Routine, forms: tuple[type[Pointer | PointerTensor | Tensor], ...]
) -> _Halves:
    """The dtype parameters of parameters of these forms that may be half precision."""
    return frozenset(
        dtype
        for parameter in routine.parameters
        if isinstance(parameter.type, Pointer | PointerTensor | Tensor)
        and isinstance(parameter.type, forms)
        and isinstance(dtype := parameter.type.dtype, DtypeParameter)
        and dtype.admits_half
    )


def _precision_of(parameter: ir.Symbol) -> _Precision:
    match parameter.type:
        case Tensor(dtype=DtypeParameter(is_stored=True)):
            return _Precision.STORED
        case _:
            return _Precision.COMPUTED


_Halves: TypeAlias = "frozenset[DtypeParameter]"
_Taken: TypeAlias = "Mapping[ir.FunctionSymbol, tuple[_Precision, ...]]"
"""How functions take their arguments."""


def _is_half(type_: Type, halves: _Halves) -> bool:
    """Whether it is a tile of which memory may hold halves, or a tuple with one."""
    match type_:
        case Tensor(dtype=dtype):
            return dtype in halves
        case TupleType(elements=elements):
            return any(_is_half(element, halves) for element in elements)
        case _:
            return False


def _is_loaded(node: ir.OpCall) -> bool:
    return node.op.is_stored and isinstance(node.type, Tensor)


def _moved(node: ir.OpCall) -> Iterator[ir.Expression] | None:
    """The tiles whose precision the result has; None where the result is computed."""
    op = node.op
    if not op.keeps_precision:
        return None
    generics = [name for name, _ in op.parsed.generics]
    *others, own = generics
    dtypes = dict(zip(generics, node.dtypes, strict=True))
    if any(dtypes[other] is not DType.F32 for other in others):
        # Any other dtype is converted to that of arithmetic first.
        return None
    return (
        argument
        for parameter, argument in zip(op.parsed.parameters, node.arguments, strict=True)
        if parameter.kind.form is Form.TENSOR
        and parameter.kind.dtype == own
        and not isinstance(argument, ir.PLAIN_ARGUMENTS)
    )


def _taken(node: ir.OpCall, argument: int) -> _Precision:
    """How an operation takes an argument."""
    parameter = node.op.parsed.parameters[argument]
    if parameter.name in node.op.narrows:
        return _Precision.STORED
    if parameter.name not in node.op.takes_stored:
        return _Precision.COMPUTED
    # A conversion to f32 is a widening; any other starts from the dtype of arithmetic.
    is_converted = isinstance(node.type, Tensor) and parameter.kind.dtype in {
        name for name, _ in node.op.parsed.generics[:-1]
    }
    if is_converted and isinstance(node.type, Tensor) and node.type.dtype is not DType.F32:
        return _Precision.COMPUTED
    return _Precision.EITHER


# --- Which variables hold tiles as they are stored ------------------------------------------------


class _Group:
    """Tiles that flow into each other, so that all have one precision."""

    def __init__(self, symbols: Iterable[ir.Symbol] = ()) -> None:
        self.symbols = list(symbols)
        self.is_computed = False
        self.is_grounded = False
        """Whether one of them is loaded, or wanted as it is stored: without, nothing is gained."""


class _Flow:
    """Walks a kernel once and groups its variables by what flows into what."""

    def __init__(self, halves: _Halves, functions: _Taken) -> None:
        self._halves = halves
        self._functions = functions
        self._parents: dict[ir.Symbol, ir.Symbol] = {}
        self._computed: set[ir.Symbol] = set()
        self._grounded: set[ir.Symbol] = set()

    def stored(self) -> frozenset[ir.Symbol]:
        """The variables that hold tiles in the dtype of memory."""
        computed = {self._root(symbol) for symbol in self._computed}
        grounded = {self._root(symbol) for symbol in self._grounded}
        return frozenset(
            symbol
            for symbol in self._parents
            if (root := self._root(symbol)) in grounded and root not in computed
        )

    def _root(self, symbol: ir.Symbol) -> ir.Symbol:
        parent = self._parents.setdefault(symbol, symbol)
        if parent is not symbol:
            parent = self._parents[symbol] = self._root(parent)
        return parent

    def _close(self, group: _Group) -> None:
        if not group.symbols:
            return
        first, *others = group.symbols
        root = self._root(first)
        for other in others:
            self._parents[self._root(other)] = root
        if group.is_computed:
            self._computed.add(root)
        if group.is_grounded:
            self._grounded.add(root)

    # --- Statements -------------------------------------------------------------------------------

    def block(self, block: ir.Block) -> None:
        for statement in block.statements:
            self._statement(statement)

    def _statement(self, node: ir.Statement) -> None:
        match node:
            case ir.Let(symbol=symbol, value=value) if self._has(symbol.type):
                self._define((symbol,), value)
            case ir.Assign(symbol=symbol, value=value) if self._has(symbol.type):
                if node.operator is not None:
                    self._computed.add(symbol)
                self._define((symbol,), value)
            case ir.LetTuple(symbols=symbols, value=value) if self._has(value.type):
                bound = [s for s in symbols if s is not None and self._has(s.type)]
                self._define(bound, value)
            case ir.Evaluate(value=value):
                # Nobody looks at the result.
                self._gather(value, _Group())
            case _:
                for expression in statement_expressions(node):
                    self._use(expression)
                for block in statement_blocks(node):
                    self.block(block)

    def _define(self, symbols: Iterable[ir.Symbol], value: ir.Expression) -> None:
        group = _Group(symbols)
        self._gather(value, group)
        self._close(group)

    # --- Expressions ------------------------------------------------------------------------------

    def _has(self, type_: Type) -> bool:
        return _is_half(type_, self._halves)

    def _use(self, node: ir.Expression) -> None:
        """An expression taken in the precision of arithmetic."""
        if isinstance(node, ir.Read | ir.Literal) and not self._has(node.type):
            return
        group = _Group()
        group.is_computed = True
        self._gather(node, group)
        self._close(group)

    def _gather(self, node: ir.Expression, group: _Group) -> None:
        """Add to `group` the tiles that `node` is, and see to what is inside of it."""
        match node:
            case ir.Read(symbol=symbol) if self._has(node.type):
                group.symbols.append(symbol)
            case ir.OpCall():
                self._gather_call(node, group)
            case ir.Call():
                group.is_computed = True
                for argument, wanted in zip(
                    node.arguments, self._functions[node.function], strict=True
                ):
                    self._argument(argument, wanted)
                for constant in node.constants:
                    self._use(constant)
            case ir.Conditional(condition=condition, then_value=value, else_value=other):
                self._use(condition)
                self._gather(value, group)
                self._gather(other, group)
            case ir.BlockValue(statements=statements, value=value):
                for statement in statements:
                    self._statement(statement)
                self._gather(value, group)
            case _:
                group.is_computed = True
                for child in child_expressions(node):
                    self._use(child)

    def _gather_call(self, node: ir.OpCall, group: _Group) -> None:
        moved = _moved(node) if self._has(node.type) else None
        if moved is not None:
            own = list(moved)
            for tile in own:
                self._gather(tile, group)
        else:
            own = []
            if _is_loaded(node):
                group.is_grounded = True
            else:
                group.is_computed = True
        for index, argument in enumerate(node.arguments):
            if isinstance(argument, ir.ListArgument):
                for element in argument.elements:
                    self._use(element)
            elif not isinstance(argument, ir.PLAIN_ARGUMENTS) and all(
                argument is not tile for tile in own
            ):
                self._argument(argument, _taken(node, index))

    def _argument(self, argument: ir.Expression, wanted: _Precision) -> None:
        if wanted is _Precision.COMPUTED or not self._has(argument.type):
            self._use(argument)
            return
        group = _Group()
        group.is_grounded = wanted is _Precision.STORED
        self._gather(argument, group)
        self._close(group)


# --- Casts and types ------------------------------------------------------------------------------


class _Placement(Rewriter):
    """Marks the tiles that stay as they are stored, and puts casts where precisions meet."""

    def __init__(self, halves: _Halves, stored: frozenset[ir.Symbol], functions: _Taken) -> None:
        self._halves = halves
        self._functions = functions
        self._stored = stored
        self._marked = {
            symbol: replace(symbol, type=_as_stored(symbol.type, halves)) for symbol in stored
        }

    def symbol(self, symbol: ir.Symbol) -> ir.Symbol:
        return self._marked.get(symbol, symbol)

    def statement(self, node: ir.Statement) -> ir.Statement:
        match node:
            case ir.Let(symbol=symbol, value=value) | ir.Assign(symbol=symbol, value=value) if (
                symbol in self._stored
            ):
                placed = self._placed(value, _Precision.STORED)
                return replace(node, symbol=self.symbol(symbol), value=placed)
            case ir.LetTuple(symbols=symbols, value=value) if any(
                s in self._stored for s in symbols
            ):
                placed = self._placed(value, _Precision.STORED)
                marked = tuple(s if s is None else self.symbol(s) for s in symbols)
                return replace(node, symbols=marked, value=placed)
            case ir.Evaluate(value=value):
                placed = self._placed(value, _Precision.EITHER)
                return node if placed is value else replace(node, value=placed)
            case _:
                return super().statement(node)

    def expression(self, node: ir.Expression) -> ir.Expression:
        return self._placed(node, _Precision.COMPUTED)

    def block_value(self, node: ir.BlockValue) -> ir.BlockValue:
        return self._block_value(node, _Precision.COMPUTED)

    def _block_value(self, node: ir.BlockValue, wanted: _Precision) -> ir.BlockValue:
        statements, value = self.statements(node.statements), self._placed(node.value, wanted)
        if statements is node.statements and value is node.value:
            return node
        return replace(node, statements=statements, value=value, type=value.type)

    def _placed(self, node: ir.Expression, wanted: _Precision) -> ir.Expression:
        """The expression rewritten, in the precision that is wanted where it has one."""
        if not _is_half(node.type, self._halves):
            return self._parts(node)
        found = _Precision.COMPUTED if wanted is _Precision.COMPUTED else self._natural(node)
        if found is _Precision.EITHER:
            found = _Precision.STORED if wanted is _Precision.STORED else _Precision.COMPUTED
        made = self._made(node, found)
        if wanted is _Precision.STORED and found is _Precision.COMPUTED:
            type_ = _as_stored(made.type, self._halves)
            return ir.Cast(span=node.span, type=type_, operand=made, kind=ir.CastKind.NARROW)
        return made

    def _natural(self, node: ir.Expression) -> _Precision:
        """The precision a tile has without a cast; EITHER if it may have any."""
        match node:
            case ir.Read(symbol=symbol) if symbol in self._stored:
                return _Precision.STORED
            case ir.OpCall() if _is_loaded(node):
                return _Precision.STORED
            case ir.OpCall():
                moved = _moved(node)
                return _Precision.COMPUTED if moved is None else self._common(moved)
            case ir.Conditional(then_value=value, else_value=other):
                return self._common((value, other))
            case ir.BlockValue(value=value):
                return self._natural(value)
            case _:
                return _Precision.COMPUTED

    def _common(self, nodes: Iterable[ir.Expression]) -> _Precision:
        found = {self._natural(node) for node in nodes}
        if _Precision.COMPUTED in found:
            return _Precision.COMPUTED
        return _Precision.STORED if _Precision.STORED in found else _Precision.EITHER

    def _made(self, node: ir.Expression, target: _Precision) -> ir.Expression:
        """The expression in a precision it can be made in."""
        match node:
            case ir.OpCall() if _is_loaded(node):
                loaded = self._typed(self._arguments(node, _Precision.COMPUTED))
                if target is _Precision.STORED:
                    return loaded
                return ir.Cast(
                    span=node.span, type=node.type, operand=loaded, kind=ir.CastKind.WIDEN
                )
            case ir.OpCall():
                made = self._arguments(node, target)
                return self._typed(made) if target is _Precision.STORED else made
            case ir.Conditional():
                value, other = (
                    self._block_value(arm, target) for arm in (node.then_value, node.else_value)
                )
                condition = self._placed(node.condition, _Precision.COMPUTED)
                return replace(
                    node, condition=condition, then_value=value, else_value=other, type=value.type
                )
            case ir.BlockValue():
                return self._block_value(node, target)
            case ir.Read(symbol=symbol) if symbol in self._stored:
                marked = self.symbol(symbol)
                return replace(node, symbol=marked, type=marked.type)
            case _:
                return self._parts(node)

    def _parts(self, node: ir.Expression) -> ir.Expression:
        match node:
            case ir.OpCall():
                return self._arguments(node, _Precision.COMPUTED)
            case ir.Call(function=function):
                arguments = tuple(
                    self._placed(argument, wanted)
                    for argument, wanted in zip(
                        node.arguments, self._functions[function], strict=True
                    )
                )
                constants = tuple(map(self.expression, node.constants))
                return replace(node, arguments=arguments, constants=constants)
            case _:
                return self.expression_parts(node)

    def _arguments(self, node: ir.OpCall, moved_in: _Precision) -> ir.OpCall:
        """The call with its arguments as it takes them, what it moves about in a precision."""
        moved = _moved(node) if _is_half(node.type, self._halves) else None
        own = () if moved is None else tuple(moved)
        arguments = tuple(
            self.argument(argument)
            if isinstance(argument, ir.PLAIN_ARGUMENTS)
            else self._placed(
                argument,
                moved_in if any(argument is tile for tile in own) else _taken(node, index),
            )
            for index, argument in enumerate(node.arguments)
        )
        if all(new is old for new, old in zip(arguments, node.arguments, strict=True)):
            return node
        return replace(node, arguments=arguments)

    def _typed(self, node: ir.OpCall) -> ir.OpCall:
        """A call whose result is as memory holds it."""
        *others, own = node.dtypes
        if isinstance(own, DtypeParameter):
            own = replace(own, is_stored=True)
        return replace(node, type=_as_stored(node.type, self._halves), dtypes=(*others, own))


def _as_stored(type_: Type, halves: _Halves) -> Type:
    match type_:
        case Tensor(dtype=DtypeParameter() as dtype, shape=shape) if dtype in halves:
            return Tensor(dtype=replace(dtype, is_stored=True), shape=shape)
        case TupleType(elements=elements):
            return TupleType(elements=tuple(_as_stored(each, halves) for each in elements))
        case _:
            return type_
