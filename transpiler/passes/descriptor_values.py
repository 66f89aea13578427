"""Where descriptors come from, and the expressions they are made of; see `transpiler.passes.descriptors`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import I32, Descriptor, TupleType, Type
from transpiler.ir.visit import walk_block, walk_statements
from transpiler.ops.model import Op

if TYPE_CHECKING:
    from collections.abc import Iterator


def static_parts(
    kernel: ir.Routine,
) -> tuple[
    dict[ir.Symbol | ir.OpCall, tuple[ir.Expression, ...]],
    dict[ir.Symbol | ir.OpCall, frozenset[bool]],
]:
    """For each variable of a descriptor and each call that makes one, the tile's extents and whether NaN pads it."""
    blocks: dict[ir.Symbol | ir.OpCall, tuple[ir.Expression, ...]] = {}
    paddings: dict[ir.Symbol | ir.OpCall, frozenset[bool]] = {}
    for node in walk_block(kernel.body):
        if (
            isinstance(node, ir.OpCall)
            and isinstance(node.type, Descriptor)
            and node.op.name != "advance"
        ):
            named = named_arguments(node)
            block = named["block_shape"]
            if isinstance(block, ir.ListArgument):
                blocks[node] = block.elements
            padding = named.get("padding_option")
            is_nan = isinstance(padding, ir.EnumArgument) and padding.member.lower() == "nan"
            paddings[node] = frozenset({is_nan})
    changed = True
    while changed:
        changed = False
        for statement in walk_statements(kernel.body):
            for symbol, value in bindings(statement):
                roots = maker_roots(value)
                known = [r for r in roots if r in blocks]
                if not known:
                    continue
                before = paddings.get(symbol, frozenset())
                after = before.union(*(paddings[r] for r in known))
                if after != before:
                    blocks[symbol], paddings[symbol] = blocks[known[0]], after
                    changed = True
    return blocks, paddings


def replaced(kernel: ir.Routine) -> frozenset[ir.Symbol]:
    """The variables of descriptors that are assigned something else than themselves, moved on."""
    return frozenset(
        node.symbol
        for node in walk_statements(kernel.body)
        if isinstance(node, ir.Assign)
        and isinstance(node.symbol.type, Descriptor)
        and not is_moved(node.symbol, node.value)
    )


def settled_parts(kernel: ir.Routine) -> dict[ir.Symbol, tuple[ir.Expression | None, ...]]:
    """For each such variable the parts that are one literal or parameter whatever it is assigned, None for the others.

    The parts are in the order of `transpiler.passes.descriptor_lowering`: base, shape, strides, offsets.
    """
    wanted = replaced(kernel)
    found: dict[ir.Symbol, tuple[ir.Expression | None, ...]] = {}
    for statement in walk_statements(kernel.body):
        for symbol, value in bindings(statement):
            if symbol in wanted:
                parts = _settled_where_made(value)
                known = found.get(symbol, parts)
                found[symbol] = tuple(
                    a if a is not None and b is not None and same(a, b) else None
                    for a, b in zip(known, parts, strict=False)
                )
    return found


def _settled_where_made(value: ir.Expression) -> tuple[ir.Expression | None, ...]:
    """The parts of a descriptor, None for what is computed; none at all if it is not made here."""
    match value:
        case ir.BlockValue(statements=()):
            return _settled_where_made(value.value)
        case ir.OpCall(op=Op(name=name)) if name != "advance":
            named = named_arguments(value)
            shape, strides = named["shape"], named["strides"]
            offsets = named.get("offsets")
            if not isinstance(shape, ir.ListArgument) or not isinstance(strides, ir.ListArgument):
                return ()
            zero = ir.Literal(span=value.span, type=I32, value=0)
            start = offsets.elements if isinstance(offsets, ir.ListArgument) else None
            parts = (
                value_of(named["base"]),
                *shape.elements,
                *strides.elements,
                *((zero,) * len(shape.elements) if start is None else start),
            )
            return tuple(part if _never_changes(part) else None for part in parts)
        case _:
            return ()


def _never_changes(part: ir.Expression) -> bool:
    return isinstance(part, ir.Literal) or (
        isinstance(part, ir.Read)
        and part.symbol.kind is ir.SymbolKind.PARAMETER
        and not part.symbol.is_mutable
    )


def is_moved(symbol: ir.Symbol, value: ir.Expression) -> bool:
    """Whether a variable of a block pointer is only moved by the value."""
    match value:
        case ir.OpCall(op=Op(name="advance")):
            place = value_of(named_arguments(value)["ptr"])
            return isinstance(place, ir.Read) and place.symbol == symbol
        case _:
            return False


def bindings(statement: ir.Statement) -> Iterator[tuple[ir.Symbol, ir.Expression]]:
    """The descriptors a statement gives a value to."""
    match statement:
        case ir.Let(symbol=symbol, value=value) | ir.Assign(symbol=symbol, value=value):
            if isinstance(symbol.type, Descriptor):
                yield symbol, value
        case ir.LetTuple(symbols=symbols, value=value) if holds_descriptor(value.type):
            for target, part in zip(symbols, elements_of(value), strict=True):
                if target is not None and isinstance(target.type, Descriptor):
                    yield target, part
        case _:
            pass


def maker_roots(node: ir.Expression) -> tuple[ir.Symbol | ir.OpCall, ...]:
    """The variables and calls a descriptor comes from."""
    match node:
        case ir.Read(symbol=symbol):
            return (symbol,)
        case ir.BlockValue(value=value):
            return maker_roots(value)
        case ir.Conditional():
            return (*maker_roots(node.then_value), *maker_roots(node.else_value))
        case ir.TupleElement(operand=operand, index=index):
            return maker_roots(elements_of(operand)[index])
        case ir.OpCall(op=Op(name="advance")):
            return maker_roots(value_of(named_arguments(node)["ptr"]))
        case ir.OpCall():
            return (node,)
        case _:
            return ()


def elements_of(node: ir.Expression) -> tuple[ir.Expression, ...]:
    """The elements of a tuple, each an expression of its own."""
    match node:
        case ir.TupleValue(elements=elements):
            return elements
        case ir.BlockValue(statements=(), value=value):
            return elements_of(value)
        case ir.Conditional():
            pairs = zip(elements_of(node.then_value), elements_of(node.else_value), strict=True)
            return tuple(chosen(node, node.condition, a, b) for a, b in pairs)
        case ir.TupleElement(operand=operand, index=index):
            return elements_of(elements_of(operand)[index])
    raise ValueError(f"no tuple is made by {type(node).__name__}")


def chosen(
    node: ir.Conditional, condition: ir.Expression, first: ir.Expression, second: ir.Expression
) -> ir.Expression:
    """One of two expressions by the condition of a conditional."""
    if same(first, second):
        return first
    return replace(
        node,
        type=first.type,
        condition=condition,
        then_value=block(first),
        else_value=block(second),
    )


def block(value: ir.Expression) -> ir.BlockValue:
    """An expression as an arm of a conditional."""
    if isinstance(value, ir.BlockValue):
        return value
    return ir.BlockValue(span=value.span, type=value.type, statements=(), value=value)


def same(first: ir.Expression, second: ir.Expression) -> bool:
    """Whether two expressions are one name or one constant."""
    match first, second:
        case ir.Literal(), ir.Literal():
            return first.value == second.value
        case ir.Read(), ir.Read():
            return first.symbol == second.symbol
        case _:
            return False


def total(left: ir.Expression, right: ir.Expression) -> ir.Expression:
    """The sum of two offsets."""
    if isinstance(left, ir.Literal) and left.value == 0:
        return right
    if isinstance(right, ir.Literal) and right.value == 0:
        return left
    return ir.Binary(
        span=right.span, type=I32, operator=ir.BinaryOperator.ADD, left=left, right=right
    )


def named_arguments(node: ir.OpCall) -> dict[str, ir.Argument]:
    """The arguments of a call by the names of its parameters."""
    return {
        parameter.name: argument
        for parameter, argument in zip(node.op.parsed.parameters, node.arguments, strict=True)
    }


def is_value(argument: ir.Argument) -> bool:
    """Whether an argument is an expression."""
    return not isinstance(argument, ir.PLAIN_ARGUMENTS)


def value_of(argument: ir.Argument) -> ir.Expression:
    """An argument that is an expression.

    Raises:
        TypeError: it is none.
    """
    if isinstance(argument, ir.PLAIN_ARGUMENTS):
        raise TypeError("the argument is no value")
    return argument


def is_described(argument: ir.Argument) -> bool:
    """Whether an argument is a descriptor."""
    return is_value(argument) and isinstance(value_of(argument).type, Descriptor)


def holds_descriptor(type_: Type) -> bool:
    """Whether a tuple has an element that is a descriptor."""
    return isinstance(type_, TupleType) and any(isinstance(e, Descriptor) for e in type_.elements)
