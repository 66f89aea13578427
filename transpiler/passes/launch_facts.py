"""What a launcher has to know of a kernel, read off its body."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from transpiler.frozen import dataclass
from transpiler.ir import nodes as ir
from transpiler.ir.description import LaunchFacts
from transpiler.ir.types import Descriptor, Pointer, PointerTensor, TupleType
from transpiler.ir.visit import child_expressions, walk_block, walk_statements
from transpiler.ops.enums import ENUMS
from transpiler.ops.model import Effect

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from transpiler.analysis.footprint import Footprints

_ADDRESSES = (Pointer, PointerTensor, Descriptor)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    """The axes of the grid that are asked for, and the parameters through which memory is touched."""

    axes: frozenset[int]
    touched: Mapping[Effect, AbstractSet[ir.Symbol]]


FunctionFacts: TypeAlias = "Mapping[ir.FunctionSymbol, tuple[ir.Function, _Facts]]"
"""What is known of the functions of a module."""


def function_facts(module: ir.Module) -> FunctionFacts:
    """The facts of the functions that the kernels of the module call."""
    found: dict[ir.FunctionSymbol, tuple[ir.Function, _Facts]] = {}
    for function in module.functions:
        found[function.symbol] = (function, _facts(function, found))
    return found


def launch_facts(
    kernel: ir.Kernel,
    footprints: Footprints | None,
    functions: FunctionFacts = MappingProxyType({}),
) -> LaunchFacts:
    """The program axes the kernel asks for and the pointer parameters it reads, writes and updates atomically.

    An address that may come from several parameters counts for each of them. What the `functions` it calls do counts.
    With them goes how many elements the kernel needs behind pointers, where `footprints` are given to say.
    """
    facts = _facts(kernel, functions)

    def names(effect: Effect) -> tuple[str, ...]:
        found = facts.touched.get(effect, set())
        return tuple(symbol.name for symbol in kernel.parameters if symbol in found)

    return LaunchFacts(
        grid_axes=tuple(sorted(facts.axes)),
        reads=names(Effect.READS),
        writes=names(Effect.WRITES),
        atomics=names(Effect.ATOMIC),
        footprints={} if footprints is None else footprints.of(kernel),
    )


def _facts(routine: ir.Routine, functions: FunctionFacts) -> _Facts:
    roots = _roots(routine)
    axes: set[int] = set()
    touched: dict[Effect, set[ir.Symbol]] = {}
    for node in walk_block(routine.body):
        if isinstance(node, ir.Call):
            function, inner = functions[node.function]
            axes |= inner.axes
            for effect, parameters in inner.touched.items():
                for parameter, given in zip(function.parameters, node.arguments, strict=True):
                    if parameter in parameters:
                        touched.setdefault(effect, set()).update(_origins(given, roots))
        if not isinstance(node, ir.OpCall):
            continue
        for argument in node.arguments:
            if isinstance(argument, ir.FunctionArgument):
                axes |= functions[argument.function][1].axes
            if isinstance(argument, ir.EnumArgument) and argument.enum == "Axis":
                axis = ENUMS["Axis"][argument.member]
                if isinstance(axis, int):
                    axes.add(axis)
        if node.op.effect in {Effect.READS, Effect.WRITES, Effect.ATOMIC}:
            pointers = touched.setdefault(node.op.effect, set())
            for child in child_expressions(node):
                if isinstance(child.type, _ADDRESSES):
                    pointers |= _origins(child, roots)
    return _Facts(axes=frozenset(axes), touched=touched)


def _roots(kernel: ir.Routine) -> Mapping[ir.Symbol, set[ir.Symbol]]:
    """For each variable that holds an address, the parameters it may point into."""
    roots: dict[ir.Symbol, set[ir.Symbol]] = {
        symbol: {symbol}
        for symbol in kernel.parameters
        if isinstance(symbol.type, (*_ADDRESSES, TupleType))
    }
    changed = True
    while changed:
        changed = False
        for statement in walk_statements(kernel.body):
            match statement:
                case ir.Let(symbol=symbol) | ir.Assign(symbol=symbol):
                    targets: tuple[ir.Symbol | None, ...] = (symbol,)
                case ir.LetTuple(symbols=targets, value=ir.TupleValue(elements=elements)):
                    for target, element in zip(targets, elements, strict=True):
                        if target is not None and isinstance(target.type, _ADDRESSES):
                            known = roots.setdefault(target, set())
                            origins = _origins(element, roots)
                            changed = changed or not origins <= known
                            known |= origins
                    continue
                case ir.LetTuple(symbols=targets):
                    pass
                case _:
                    continue
            origins = _origins(statement.value, roots)
            for target in targets:
                if target is None or not isinstance(target.type, _ADDRESSES):
                    continue
                known = roots.setdefault(target, set())
                if not origins <= known:
                    known |= origins
                    changed = True
    return roots


def _origins(node: ir.Expression, roots: Mapping[ir.Symbol, set[ir.Symbol]]) -> set[ir.Symbol]:
    if isinstance(node, ir.Read):
        return set(roots.get(node.symbol, ()))
    if isinstance(node, ir.OffsetPointer):
        # What the offsets are loaded from is another matter.
        return _origins(node.pointer, roots)
    result: set[ir.Symbol] = set()
    for child in child_expressions(node):
        if isinstance(child.type, (*_ADDRESSES, TupleType)):
            result |= _origins(child, roots)
    return result
