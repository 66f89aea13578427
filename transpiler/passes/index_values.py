"""Which 32-bit integers of a kernel are part of an address, or are compared with what is.

An offset is made of names and of what leaves give: program ids, lanes, constants, what is loaded. Each name in one is
an index, and so is each name in the value of an index. What is computed of indices alone is an index again, such as the
number of elements that a mean divides by; of one and of data from memory it is data, which keeps the width it has in
Rust. Where an index is compared, all that it is compared with is one too, but data.

Names are told apart by keys: the number of the routine, the symbol's id, the places in the tuples around an element.
A function's result has a key as a name has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from transpiler.frozen import dataclass
from transpiler.ir import nodes as ir
from transpiler.ir.types import DType, Scalar, Tensor, TupleType, Type
from transpiler.ops.model import Effect
from transpiler.ops.signature import Form
from transpiler.passes.compile_time import is_compile_time, may_be_constant
from transpiler.passes.operators import SHIFTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from transpiler.ops.model import Op

Path: TypeAlias = tuple[int, ...]
Key: TypeAlias = tuple[int, int, Path]

_RESULT = -1
"""In the place of a routine's number: the key is that of a function's result."""

_CUT = frozenset({DType.I64, DType.U64, DType.U32})
"""The dtypes from which `as i32` takes bits away that an offset may need."""


def is_index(type_: Type) -> bool:
    """Whether the type is that of an index: an i32, or a tile of them."""
    return isinstance(type_, Scalar | Tensor) and type_.dtype is DType.I32


def index_paths(type_: Type) -> tuple[Path, ...]:
    """Where in values of the type an i32 is: nowhere, the whole value, or the places in a tuple."""
    if isinstance(type_, TupleType):
        return tuple(
            (place, *path)
            for place, element in enumerate(type_.elements)
            for path in index_paths(element)
        )
    return ((),) if is_index(type_) else ()


def index_places(call: ir.OpCall) -> Iterator[int]:
    """The places of the arguments that are as wide as the result of an operation that has any width."""
    if not call.op.any_width:
        return
    has_generics = bool(call.op.parsed.generics)
    for place, (parameter, argument) in enumerate(
        zip(call.op.parsed.parameters, call.arguments, strict=True)
    ):
        kind = parameter.kind
        if (
            isinstance(argument, ir.TypedNode)
            and is_index(argument.type)
            and kind.form in {Form.TENSOR, Form.SCALAR}
            and (isinstance(kind.dtype, str) or not has_generics)
        ):
            yield place


def compares(node: ir.Expression) -> bool:
    """Whether the node compares integers of 32 bits."""
    match node:
        case ir.Binary(operator=operator, left=left):
            return operator.is_comparison and is_index(left.type)
        case ir.OpCall(op=op, dtypes=dtypes):
            return op.operator is not None and op.operator.is_comparison and dtypes == (DType.I32,)
        case _:
            return False


def addressed(call: ir.OpCall) -> Iterator[ir.Expression]:
    """What an operation computes addresses of, besides tiles of pointers."""
    if not call.op.addresses:
        return
    for parameter, argument in zip(call.op.parsed.parameters, call.arguments, strict=True):
        if parameter.name in call.op.addresses:
            if isinstance(argument, ir.ListArgument):
                yield from argument.elements
            elif isinstance(argument, ir.TypedNode):
                yield argument


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a 32-bit integer is computed of.

    `names` are the keys of the names in it, `has_data` tells of a leaf that is data, `grows` of arithmetic that may
    leave 32 bits though no name in it does, `is_cut` of a leaf that took bits away from a longer integer.
    """

    names: tuple[Key, ...]
    has_data: bool
    grows: bool
    is_cut: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Link:
    """A value that a name is given: `targets` are one name, or all that are compared where `is_comparison`.

    Where `is_tight`, what is given is as wide as the name, whatever it is made of.
    """

    target: Key | None
    parts: Parts
    is_comparison: bool = False
    is_tight: bool = False


class IndexValues:
    """The indices of routines that call each other."""

    def __init__(self, routines: Iterable[ir.Routine]) -> None:
        self._numbers: dict[int, int] = {}
        self._parameters: dict[ir.FunctionSymbol, tuple[int, ir.Function]] = {}
        self._constants: list[dict[ir.Symbol, ir.Expression | None]] = []
        self._counters: list[set[ir.Symbol]] = []
        self._links: list[_Link] = []
        self._seeds: list[list[Parts]] = []
        self._unsteady: set[Key] = set()
        self._calls: list[set[ir.FunctionSymbol]] = []
        kept = tuple(routines)
        for number, routine in enumerate(kept):
            self._numbers[id(routine)] = number
            if isinstance(routine, ir.Function):
                self._parameters[routine.symbol] = (number, routine)
        for number, routine in enumerate(kept):
            self._collect(number, routine)
        self._by_target: dict[Key, list[_Link]] = {}
        self._by_name: dict[Key, list[_Link]] = {}
        for link in self._links:
            if link.target is not None:
                self._by_target.setdefault(link.target, []).append(link)
            for name in link.parts.names:
                self._by_name.setdefault(name, []).append(link)
        self._data = self._found_data()
        self.wide = self._flooded()

    # --- Answers ----------------------------------------------------------------------------------

    def number(self, routine: ir.Routine) -> int:
        """The number of a routine in keys."""
        return self._numbers[id(routine)]

    def parameters(self, function: ir.FunctionSymbol) -> tuple[ir.Symbol, ...]:
        """The run-time parameters of a function."""
        return self._parameters[function][1].parameters

    def is_wide_parameter(self, function: ir.FunctionSymbol, symbol: ir.Symbol, path: Path) -> bool:
        """Whether a parameter of a function, or what is at `path` in it, is an index."""
        return (self._parameters[function][0], symbol.id, path) in self.wide

    def is_wide_result(self, function: ir.FunctionSymbol, path: Path) -> bool:
        """Whether the result of a function, or what is at `path` in it, is an index."""
        return (_RESULT, function.id, path) in self.wide

    def is_constant(self, number: int, symbol: ir.Symbol) -> bool:
        """Whether the symbol of a routine is known when it is compiled."""
        return symbol.kind is ir.SymbolKind.CONST_GENERIC or symbol in self._constants[number]

    def is_compile_time(self, number: int, node: ir.Expression) -> bool:
        """Whether the value of an expression of a routine is known when it is compiled."""
        constants = self._constants[number]
        return is_compile_time(node, constants)

    def may_leave(self, number: int) -> bool:
        """Whether an offset of the routine, or of a function it calls, may leave 32 bits."""
        return any(
            parts.grows or any(name in self._unsteady for name in parts.names)
            for parts in self._reached(number)
        )

    def is_cut(self, number: int) -> bool:
        """Whether an offset depends on an integer that the Rust has cut to 32 bits: it would be wrong beyond."""
        return any(parts.is_cut for parts in self._reached(number))

    def _reached(self, number: int) -> Iterator[Parts]:
        """What the offsets of a routine are made of, name by name."""
        routines, numbers = {number}, [number]
        while numbers:
            for symbol in self._calls[numbers.pop()]:
                called = self._parameters[symbol][0]
                if called not in routines:
                    routines.add(called)
                    numbers.append(called)
        pending = [parts for each in routines for parts in self._seeds[each]]
        seen: set[Key] = set()
        while pending:
            parts = pending.pop()
            yield parts
            for name in parts.names:
                if name not in seen:
                    seen.add(name)
                    pending.extend(link.parts for link in self._by_target.get(name, ()))

    def parts(self, number: int, node: ir.Expression, path: Path = ()) -> Parts:
        """What an expression of a routine is computed of; of a tuple the element at `path`."""
        names: list[Key] = []
        flags = _Flags()
        self._scan(number, node, path, names, flags)
        return Parts(
            names=tuple(names), has_data=flags.data, grows=flags.grows, is_cut=flags.is_cut
        )

    # --- Propagation ------------------------------------------------------------------------------

    def _found_data(self) -> set[Key]:
        """The names whose value depends on data."""
        found: set[Key] = set()
        pending = [link for link in self._links if link.target is not None and link.parts.has_data]
        while pending:
            target = pending.pop().target
            if target is None or target in found:
                continue
            found.add(target)
            pending.extend(self._by_name.get(target, ()))
        return found

    def _flooded(self) -> set[Key]:
        """The names that are indices."""
        wide: set[Key] = set()
        pending: list[Key] = [
            name for seeds in self._seeds for parts in seeds for name in parts.names
        ]
        while pending:
            name = pending.pop()
            if name in wide:
                continue
            wide.add(name)
            for link in self._by_target.get(name, ()):
                pending.extend(link.parts.names)
            for link in self._by_name.get(name, ()):
                if link.is_comparison:
                    pending.extend(it for it in link.parts.names if it not in self._data)
                elif link.target is not None and (link.is_tight or not self.is_data(link.parts)):
                    pending.append(link.target)
        return wide

    def is_data(self, parts: Parts) -> bool:
        """Whether what is computed of these depends on data."""
        return parts.has_data or any(name in self._data for name in parts.names)

    # --- Collection -------------------------------------------------------------------------------

    def _collect(self, number: int, routine: ir.Routine) -> None:
        constants: dict[ir.Symbol, ir.Expression | None] = {
            symbol: None
            for symbol in (*routine.const_generics, *routine.parameters)
            if symbol.kind is ir.SymbolKind.CONST_GENERIC
        }
        self._constants.append(constants)
        self._counters.append(set())
        self._seeds.append([])
        self._calls.append(set())
        if isinstance(routine, ir.Function) and routine.is_combine:
            return
        for symbol in routine.parameters:
            if symbol.kind is not ir.SymbolKind.CONST_GENERIC:
                self._unsteady.update(
                    (number, symbol.id, path) for path in index_paths(symbol.type)
                )
        result = routine.symbol if isinstance(routine, ir.Function) else None
        for statement in routine.body.contents.statements:
            self._statement(number, statement, result)
        for node in routine.body.contents.expressions:
            self._expression(number, node)

    def _statement(
        self, number: int, node: ir.Statement, function: ir.FunctionSymbol | None
    ) -> None:
        match node:
            case ir.Let(symbol=symbol, value=value):
                constants = self._constants[number]
                if (
                    not symbol.is_mutable
                    and may_be_constant(symbol.type)
                    and is_compile_time(value, constants)
                ):
                    constants[symbol] = value
                    return
                self._define(number, symbol, value)
            case ir.Assign(symbol=symbol, value=value):
                if node.operator in SHIFTS or value.span == symbol.span == node.span:
                    return
                self._unsteady.update(
                    (number, symbol.id, path) for path in index_paths(symbol.type)
                )
                self._define(number, symbol, value)
            case ir.LetTuple(symbols=symbols, value=value):
                for place, each in enumerate(symbols):
                    if each is not None:
                        self._define(number, each, value, (place,))
            case ir.For(symbol=symbol) if is_index(symbol.type):
                bounds = (node.start, node.stop, node.step)
                if all(self.is_compile_time(number, bound) for bound in bounds):
                    self._counters[number].add(symbol)
                    return
                key = (number, symbol.id, ())
                self._unsteady.add(key)
                for bound in bounds:
                    parts = self.parts(number, bound)
                    self._links.append(_Link(target=key, parts=parts, is_tight=True))
            case ir.Return(value=ir.TypedNode() as value) if function is not None:
                for path in index_paths(value.type):
                    parts = self.parts(number, value, path)
                    self._links.append(
                        _Link(target=(_RESULT, function.id, path), parts=parts, is_tight=bool(path))
                    )
            case _:
                pass

    def _define(
        self, number: int, symbol: ir.Symbol, value: ir.Expression, within: Path = ()
    ) -> None:
        for path in index_paths(symbol.type):
            parts = self.parts(number, value, (*within, *path))
            is_tight = bool(path or within) and not isinstance(value, ir.TupleValue)
            self._links.append(
                _Link(target=(number, symbol.id, path), parts=parts, is_tight=is_tight)
            )

    def _expression(self, number: int, node: ir.Expression) -> None:
        match node:
            case ir.OffsetPointer(offsets=offsets) if is_index(offsets.type):
                self._seeds[number].append(self.parts(number, offsets))
            case ir.Binary(left=left, right=right) if compares(node):
                self._compare(number, left, right)
            case ir.OpCall() if compares(node):
                sides = [it for it in node.arguments if isinstance(it, ir.TypedNode)]
                self._compare(number, *sides)
            case ir.OpCall():
                self._seeds[number].extend(self.parts(number, each) for each in addressed(node))
            case ir.Cast(type=Scalar(dtype=DType.I64) | Tensor(dtype=DType.I64)) if is_index(
                node.operand.type
            ):
                # Offsets may be 64 bits wide in the Rust: what they are made of must not be cut before.
                self._seeds[number].append(self.parts(number, node.operand))
            case ir.Call():
                self._calls[number].add(node.function)
                called, function = self._parameters[node.function]
                for parameter, argument in zip(function.parameters, node.arguments, strict=True):
                    if parameter.kind is ir.SymbolKind.CONST_GENERIC:
                        continue
                    for path in index_paths(parameter.type):
                        parts = self.parts(number, argument, path)
                        target = (called, parameter.id, path)
                        self._links.append(_Link(target=target, parts=parts, is_tight=bool(path)))
            case _:
                pass

    def _compare(self, number: int, *sides: ir.Expression) -> None:
        found = [self.parts(number, side) for side in sides]
        names = tuple(name for parts in found for name in parts.names)
        if len(names) > 1:
            parts = Parts(names=names, has_data=False, grows=False, is_cut=False)
            self._links.append(_Link(target=None, parts=parts, is_comparison=True))

    # --- Parts ------------------------------------------------------------------------------------

    def _scan(  # noqa: C901 - one case a kind
        self, number: int, node: ir.Expression, path: Path, names: list[Key], flags: _Flags
    ) -> None:
        match node:
            case ir.Literal():
                pass
            case ir.Read(symbol=symbol):
                if symbol in self._counters[number]:
                    flags.leaves += 1
                elif path or not self.is_constant(number, symbol):
                    names.append((number, symbol.id, path))
            case ir.Unary(operand=operand):
                self._scan(number, operand, path, names, flags)
            case ir.Binary(operator=operator, left=left, right=right):
                before = len(names) + flags.leaves
                self._scan(number, left, path, names, flags)
                if operator not in SHIFTS:
                    self._scan(number, right, path, names, flags)
                if operator in _GROWING and len(names) + flags.leaves > before:
                    flags.grows = True
            case ir.Cast(kind=ir.CastKind.MATERIALISE, operand=operand):
                self._scan(number, operand, path, names, flags)
            case ir.Cast(operand=operand):
                flags.data = True
                flags.leaves += 1
                if isinstance(operand.type, Scalar) and operand.type.dtype in _CUT:
                    flags.is_cut = True
            case ir.OpCall():
                self._scan_call(number, node, names, flags)
            case ir.Call(function=function):
                names.append((_RESULT, function.id, path))
            case ir.Conditional(then_value=then_value, else_value=else_value):
                self._scan(number, then_value, path, names, flags)
                self._scan(number, else_value, path, names, flags)
            case ir.BlockValue(value=value):
                self._scan(number, value, path, names, flags)
            case ir.TupleValue(elements=elements):
                self._scan(number, elements[path[0]], path[1:], names, flags)
            case ir.TupleElement(operand=operand, index=index):
                self._scan(number, operand, (index, *path), names, flags)
            case ir.OffsetPointer():
                flags.data = True

    def _scan_call(self, number: int, node: ir.OpCall, names: list[Key], flags: _Flags) -> None:
        if node.op.any_width:
            for place in index_places(node):
                argument = node.arguments[place]
                if isinstance(argument, ir.TypedNode):
                    self._scan(number, argument, (), names, flags)
        elif is_place(node.op):
            flags.leaves += any(isinstance(it, ir.EnumArgument) for it in node.arguments)
        else:
            flags.data = True
            flags.leaves += 1


_GROWING = frozenset({ir.BinaryOperator.MULTIPLY, ir.BinaryOperator.SHIFT_LEFT})


def is_place(op: Op) -> bool:
    """Whether an operation tells where a lane or a program is: nothing it is given at run time counts."""
    return op.effect is Effect.PURE and all(
        parameter.kind.form in {Form.CONSTANT, Form.ENUM} for parameter in op.parsed.parameters
    )


class _Flags:
    """What a scan finds besides names."""

    __slots__ = ("data", "grows", "is_cut", "leaves")

    def __init__(self) -> None:
        self.data = self.grows = self.is_cut = False
        self.leaves = 0
