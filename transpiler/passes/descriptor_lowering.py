"""How tensor descriptors and block pointers are taken apart; see `transpiler.passes.descriptors`."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.ir import nodes as ir
from transpiler.ir.declared import largest_id
from transpiler.ir.types import I32, Descriptor, Pointer, Type
from transpiler.ir.visit import Rewriter, walk_statements
from transpiler.ops.model import Effect, Op, ShapeGiven
from transpiler.passes.compile_time import constant_value
from transpiler.passes.constants import compile_time_symbols
from transpiler.passes.descriptor_tuples import split_tuples
from transpiler.passes.descriptor_values import (
    chosen,
    elements_of,
    holds_descriptor,
    is_described,
    maker_roots,
    named_arguments,
    replaced,
    same,
    settled_parts,
    static_parts,
    total,
    value_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from transpiler.diagnostics.sink import Sink
    from transpiler.source import Span

_PLACE = "base: Pointer<D>, shape: [i32], strides: [i32], offsets: [i32], block_shape: [const i32]"
_SPELLED = "base, shape, strides, offsets, block_shape"
_ADDRESSES = ("shape", "strides", "offsets")
_LOAD_TILE = Op(
    name="load_tile",
    family="internal",
    signature=(
        f"<D: Dtype>({_PLACE}, checked: Option<const i32>, padding_option: Option<PaddingOption>, "
        "cache_modifier: Option<CacheModifier>, eviction_policy: Option<EvictionPolicy>, "
        "volatile: bool) -> Tensor<D>"
    ),
    triton=(
        f"_load_tile({_SPELLED}, checked=checked, padding_option=padding_option, "
        "cache_modifier=cache_modifier, eviction_policy=eviction_policy, volatile=volatile)"
    ),
    summary="The tile at the offsets, padded outside of the shape.",
    shape=ShapeGiven(parameter="block_shape"),
    effect=Effect.READS,
    is_stored=True,
    addresses=_ADDRESSES,
)
_STORE_TILE = Op(
    name="store_tile",
    family="internal",
    signature=(
        f"<D: Dtype>({_PLACE}, value: Tensor<D>, checked: Option<const i32>, "
        "cache_modifier: Option<CacheModifier>, eviction_policy: Option<EvictionPolicy>) -> ()"
    ),
    triton=(
        f"_store_tile({_SPELLED}, value, checked=checked, "
        "cache_modifier=cache_modifier, eviction_policy=eviction_policy)"
    ),
    summary="Writes the tile at the offsets, without what is outside of the shape.",
    effect=Effect.WRITES,
    takes_stored=("value",),
    addresses=_ADDRESSES,
)


def without_descriptors(routine: ir.R, sink: Sink) -> ir.R:
    """The routine without descriptors, of which it has some."""
    ids = count(1 + largest_id(routine))
    split = split_tuples(routine, ids)
    return _Lowering(split, sink, ids).kernel(split)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """A descriptor's values at run time."""

    base: ir.Expression
    shape: tuple[ir.Expression, ...]
    strides: tuple[ir.Expression, ...]
    offsets: tuple[ir.Expression, ...]

    @property
    def all(self) -> tuple[ir.Expression, ...]:
        return (self.base, *self.shape, *self.strides, *self.offsets)


def _regrouped(parts: tuple[ir.Expression, ...]) -> _Parts:
    base, *rest = parts
    rank = len(rest) // 3
    return _Parts(
        base=base,
        shape=tuple(rest[:rank]),
        strides=tuple(rest[rank : 2 * rank]),
        offsets=tuple(rest[2 * rank :]),
    )


def _part_names(name: str, rank: int) -> list[str]:
    return [
        f"{name}_base",
        *(f"{name}_{kind}_{i}" for kind in ("shape", "stride", "offset") for i in range(rank)),
    ]


class _Lowering(Rewriter):
    def __init__(self, kernel: ir.Routine, sink: Sink, ids: Iterator[int]) -> None:
        self._sink = sink
        self._constants: Mapping[ir.Symbol, ir.Expression | None] = compile_time_symbols(kernel)
        self._assigned = {
            node.symbol for node in walk_statements(kernel.body) if isinstance(node, ir.Assign)
        }
        self._replaced = replaced(kernel)
        self._settled = settled_parts(kernel)
        self._ids = ids
        self._parts: dict[ir.Symbol, _Parts] = {}
        self._blocks, self._paddings = static_parts(kernel)

    # --- Statements -------------------------------------------------------------------------------

    def statements(self, statements: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
        result: list[ir.Statement] = []
        for statement in statements:
            lowered = list(self._lowered(statement))
            if lowered and lowered[0] is not statement:
                lowered[0] = replace(lowered[0], layout=statement.layout)
            elif not lowered:
                # The comment goes with the kernel's text, so it waits for the next statement.
                self._kept += statement.layout.comments
                self._is_new_paragraph |= statement.layout.blank_before
            if lowered and (self._kept or self._is_new_paragraph):
                layout = lowered[0].layout
                layout = replace(
                    layout,
                    comments=(*self._kept, *layout.comments),
                    blank_before=layout.blank_before or self._is_new_paragraph,
                )
                lowered[0] = replace(lowered[0], layout=layout)
                self._kept, self._is_new_paragraph = (), False
            result += lowered
        return tuple(result)

    _kept: tuple[str, ...] = ()
    _is_new_paragraph = False

    def _lowered(self, node: ir.Statement) -> Iterator[ir.Statement]:
        match node:
            case ir.Let(symbol=ir.Symbol(type=Descriptor()) as symbol):
                yield from self._bind(symbol, self._taken_apart(node.value), node.span)
            case ir.Declare(symbol=ir.Symbol(type=Descriptor(dtype=dtype, shape=shape)) as symbol):
                base = Pointer(dtype=dtype)
                types: tuple[Type, ...] = (base, *(I32 for _ in range(3 * len(shape))))
                for target in self._variables(self._places(symbol, types)):
                    yield ir.Declare(span=node.span, symbol=target)
            case ir.Assign(symbol=ir.Symbol(type=Descriptor()) as symbol, value=value):
                old, new = self._parts[symbol].all, self._taken_apart(value).all
                for place, part in zip(old, new, strict=True):
                    # What is settled is a literal, or the very parameter that it would be assigned.
                    if isinstance(place, ir.Read) and not same(place, part):
                        yield ir.Assign(span=node.span, symbol=place.symbol, value=part)
            case ir.LetTuple(symbols=symbols, value=value) if holds_descriptor(value.type):
                for bound, part in zip(symbols, elements_of(value), strict=True):
                    if bound is None:
                        if not isinstance(part.type, Descriptor) and not isinstance(part, ir.Read):
                            yield ir.Evaluate(span=node.span, value=self.expression(part))
                    elif isinstance(bound.type, Descriptor):
                        yield from self._bind(bound, self._taken_apart(part), node.span)
                    else:
                        yield ir.Let(span=node.span, symbol=bound, value=self.expression(part))
            case _:
                yield from self.leave_statement(self.statement(node))

    def _bind(self, symbol: ir.Symbol, parts: _Parts, span: Span) -> Iterator[ir.Statement]:
        """Gives a descriptor its parts: variables of their own but for what is a name or a literal already."""
        if symbol in self._replaced:
            places = self._places(symbol, tuple(part.type for part in parts.all))
            for place, part in zip(places, parts.all, strict=True):
                for target in self._variables((place,)):
                    yield ir.Let(span=span, symbol=target, value=part)
            return
        known: list[ir.Expression] = []
        names = _part_names(symbol.name, len(parts.shape))
        moves = len(names) - len(parts.offsets) if symbol in self._assigned else len(names)
        for index, (name, part) in enumerate(zip(names, parts.all, strict=True)):
            if index < moves and self._is_stable(part):
                known.append(part)
                continue
            target = self._variable(name, part.type, symbol)
            yield ir.Let(span=span, symbol=target, value=part)
            known.append(ir.Read(span=span, type=part.type, symbol=target))
        self._parts[symbol] = _regrouped(tuple(known))

    def _variable(self, name: str, type_: Type, of: ir.Symbol) -> ir.Symbol:
        is_assigned = of in self._assigned
        variable = ir.Symbol(
            id=next(self._ids),
            name=name,
            kind=ir.SymbolKind.LOCAL,
            type=type_,
            span=of.span,
            is_mutable=is_assigned,
        )
        if is_assigned:
            self._assigned.add(variable)
        return variable

    def _places(self, symbol: ir.Symbol, types: tuple[Type, ...]) -> tuple[ir.Expression, ...]:
        """A variable for each part, or the literal or parameter that the part always is."""
        names = _part_names(symbol.name, len(types) // 3)
        settled = self._settled.get(symbol) or (None,) * len(types)
        places: list[ir.Expression] = []
        for name, type_, known in zip(names, types, settled, strict=True):
            if known is not None:
                places.append(known)
                continue
            variable = self._variable(name, type_, symbol)
            places.append(ir.Read(span=symbol.span, type=type_, symbol=variable))
        self._parts[symbol] = _regrouped(tuple(places))
        return tuple(places)

    def _variables(self, places: tuple[ir.Expression, ...]) -> Iterator[ir.Symbol]:
        """Those of the places that are variables: what is settled is a literal or a parameter."""
        for place in places:
            if isinstance(place, ir.Read) and place.symbol.kind is ir.SymbolKind.LOCAL:
                yield place.symbol

    def _is_stable(self, part: ir.Expression) -> bool:
        """Whether reading it later gives the same."""
        match part:
            case ir.Literal():
                return True
            case ir.Read(symbol=symbol):
                return symbol not in self._assigned
            case _:
                return False

    # --- Descriptors ------------------------------------------------------------------------------

    def _taken_apart(self, node: ir.Expression) -> _Parts:
        match node:
            case ir.Read(symbol=symbol):
                return self._parts[symbol]
            case ir.BlockValue(statements=(), value=value):
                return self._taken_apart(value)
            case ir.TupleElement(operand=operand, index=index):
                return self._taken_apart(elements_of(operand)[index])
            case ir.Conditional():
                condition = self.expression(node.condition)
                pairs = zip(
                    self._taken_apart(node.then_value).all,
                    self._taken_apart(node.else_value).all,
                    strict=True,
                )
                return _regrouped(tuple(chosen(node, condition, a, b) for a, b in pairs))
            case ir.OpCall(op=Op(name="advance")):
                named = named_arguments(node)
                parts = self._taken_apart(value_of(named["ptr"]))
                further = self._list(named["offsets"])
                moved = zip(parts.offsets, further, strict=True)
                return replace(parts, offsets=tuple(total(old, by) for old, by in moved))
            case ir.OpCall():
                named = named_arguments(node)
                shape = self._list(named["shape"])
                offsets = named.get("offsets")
                zero = ir.Literal(span=node.span, type=I32, value=0)
                return _Parts(
                    base=self.expression(value_of(named["base"])),
                    shape=shape,
                    strides=self._list(named["strides"]),
                    offsets=(zero,) * len(shape) if offsets is None else self._list(offsets),
                )
        raise ValueError(f"no descriptor is made by {type(node).__name__}")

    def _list(self, argument: ir.Argument) -> tuple[ir.Expression, ...]:
        if not isinstance(argument, ir.ListArgument):
            raise TypeError("a descriptor is made of lists")
        return tuple(self.expression(element) for element in argument.elements)

    # --- Loads and stores -------------------------------------------------------------------------

    def expression(self, node: ir.Expression) -> ir.Expression:
        if not isinstance(node, ir.OpCall):
            return super().expression(node)
        named = named_arguments(node)
        place = next(
            (
                named[key]
                for key in ("desc", "ptr", "dest")
                if key in named and is_described(named[key])
            ),
            None,
        )
        if place is None:
            return super().expression(node)
        return self._access(node, named, value_of(place))

    def _access(
        self, node: ir.OpCall, named: dict[str, ir.Argument], place: ir.Expression
    ) -> ir.OpCall:
        parts = self._taken_apart(place)
        offsets = parts.offsets
        if "offsets" in named:
            further = self._list(named["offsets"])
            offsets = tuple(total(old, by) for old, by in zip(offsets, further, strict=True))
        absent = ir.AbsentArgument(span=node.span)
        bits = self._checked(named.get("boundary_check"), len(parts.shape))
        everything = (1 << len(parts.shape)) - 1
        checked: ir.Argument = absent
        if bits != everything:
            checked = ir.Literal(span=node.span, type=I32, value=bits)
        root = maker_roots(place)
        block = next((self._blocks[r] for r in root if r in self._blocks), None)
        if block is None:
            raise ValueError("a descriptor without a tile")
        common: tuple[ir.Argument, ...] = (
            parts.base,
            *(
                ir.ListArgument(span=node.span, elements=e)
                for e in (parts.shape, parts.strides, offsets)
            ),
            ir.ListArgument(span=node.span, elements=tuple(self._inlined(e) for e in block)),
        )
        cache, eviction = named.get("cache_modifier", absent), named.get("eviction_policy", absent)
        if node.op.effect is Effect.READS:
            padding = named.get("padding_option") or self._padding(node, root)
            volatile = named.get("volatile", ir.FlagArgument(span=node.span, value=False))
            arguments = (*common, checked, padding, cache, eviction, volatile)
            return replace(node, op=_LOAD_TILE, arguments=arguments)
        value = self.expression(value_of(named.get("value") or named["src"]))
        return replace(node, op=_STORE_TILE, arguments=(*common, value, checked, cache, eviction))

    def _padding(
        self, node: ir.OpCall, roots: tuple[ir.Symbol | ir.OpCall, ...]
    ) -> ir.AbsentArgument | ir.EnumArgument:
        """What pads a tile that is loaded; reported where that depends on which descriptor is chosen."""
        found = frozenset[bool]().union(*(self._paddings.get(root, ()) for root in roots))
        if len(found) > 1:
            self._sink.emit(
                "E0401",
                "the descriptors this may be differ in what pads them",
                node.span,
                help="give each the same `padding_option`",
            )
        if True in found:
            return ir.EnumArgument(span=node.span, enum="PaddingOption", member="Nan")
        return ir.AbsentArgument(span=node.span)

    def _checked(self, argument: ir.Argument | None, rank: int) -> int:
        """The axes whose bounds count, a bit each."""
        if not isinstance(argument, ir.ListArgument):
            return (1 << rank) - 1
        axes = [constant_value(element, self._constants) for element in argument.elements]
        return sum(1 << axis for axis in {axis for axis in axes if axis is not None})

    def _inlined(self, extent: ir.Expression) -> ir.Expression:
        """An extent in terms of const generics, which are in scope everywhere."""
        return _Inliner(self._constants).expression(extent)


class _Inliner(Rewriter):
    def __init__(self, constants: Mapping[ir.Symbol, ir.Expression | None]) -> None:
        self._constants = constants

    def leave_expression(self, node: ir.Expression) -> ir.Expression:
        definition = self._constants.get(node.symbol) if isinstance(node, ir.Read) else None
        return node if definition is None else self.expression(definition)
