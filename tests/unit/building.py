"""Builds typed IR by hand, for the tests of the back end."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from transpiler.ir import nodes as ir
from transpiler.ir.description import KernelPlan, LaunchFacts, Specialisation
from transpiler.ir.types import (
    BOOL,
    F32,
    I32,
    UNIT,
    Bound,
    DType,
    DtypeParameter,
    NamedDimension,
    Pointer,
    PointerTensor,
    Scalar,
    Tensor,
)
from transpiler.ops.table import OPS
from transpiler.source import Span
from transpiler.target.lower import lower_kernel
from transpiler.target.printer import print_function

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.ir.types import ElementType, Type
    from transpiler.ops.model import Op

Value: TypeAlias = ir.Expression | ir.Symbol | float
Written: TypeAlias = Value | str | list[Value] | None
HERE = Span(0, 1)
PARAMETER = DtypeParameter(name="D", bound=Bound.FLOAT)


@dataclass
class Build:
    """Short names for IR nodes; every statement gets a span of its own."""

    places: itertools.count[int] = field(default_factory=lambda: itertools.count(10, 10))
    ids: itertools.count[int] = field(default_factory=itertools.count)
    here: Span = HERE
    D: DtypeParameter = PARAMETER

    def span(self) -> Span:
        start = next(self.places)
        return Span(start, start + 5)

    # --- types and symbols ---

    def dtype(self, name: str, bound: str) -> DtypeParameter:
        return DtypeParameter(name=name, bound=Bound(bound))

    def scalar(self, dtype: ElementType) -> Scalar:
        return Scalar(dtype=dtype)

    def tile(self, dtype: ElementType, *shape: int | str) -> Tensor:
        extents = tuple(NamedDimension(name=it) if isinstance(it, str) else it for it in shape)
        return Tensor(dtype=dtype, shape=extents)

    def symbol(
        self, name: str, type_: Type = I32, kind: str = "local", *, mutable: bool = False
    ) -> ir.Symbol:
        return ir.Symbol(
            id=next(self.ids),
            name=name,
            kind=ir.SymbolKind(kind),
            type=type_,
            span=self.here,
            is_mutable=mutable,
        )

    def parameter(self, name: str, type_: Type = I32) -> ir.Symbol:
        return self.symbol(name, type_, "parameter")

    def pointer(self, name: str, dtype: ElementType | None = None) -> ir.Symbol:
        return self.symbol(name, Pointer(dtype=dtype or self.D), "parameter")

    def const(self, name: str, type_: Type = I32) -> ir.Symbol:
        return self.symbol(name, type_, "const generic")

    # --- expressions ---

    def literal(
        self, value: float, type_: Type | None = None, digits: str | None = None
    ) -> ir.Literal:
        if type_ is None:
            type_ = BOOL if isinstance(value, bool) else I32 if isinstance(value, int) else F32
        return ir.Literal(span=self.here, type=type_, value=value, digits=digits)

    def value(self, it: Value) -> ir.Expression:
        if isinstance(it, ir.Symbol):
            return ir.Read(span=self.here, type=it.type, symbol=it)
        if isinstance(it, bool | int | float):
            return self.literal(it)
        return it

    def binary(
        self, left: Value, operator: str, right: Value, type_: Type | None = None
    ) -> ir.Binary:
        first, second = self.value(left), self.value(right)
        found = ir.BinaryOperator(operator)
        if type_ is None:
            type_ = first.type if isinstance(first.type, Tensor) else second.type
            if found.is_comparison:
                shape = type_.shape if isinstance(type_, Tensor) else None
                type_ = BOOL if shape is None else Tensor(dtype=DType.BOOL, shape=shape)
        return ir.Binary(span=self.here, type=type_, operator=found, left=first, right=second)

    def unary(self, operator: str, operand: Value, type_: Type | None = None) -> ir.Unary:
        inner = self.value(operand)
        return ir.Unary(
            span=self.here,
            type=type_ or inner.type,
            operator=ir.UnaryOperator(operator),
            operand=inner,
        )

    def cast(self, operand: Value, type_: Type, kind: str = "as") -> ir.Cast:
        return ir.Cast(
            span=self.here, type=type_, operand=self.value(operand), kind=ir.CastKind(kind)
        )

    def offset(self, pointer: ir.Symbol, offsets: Value) -> ir.OffsetPointer:
        lanes = self.value(offsets)
        assert isinstance(pointer.type, Pointer)
        assert isinstance(lanes.type, Tensor)
        return ir.OffsetPointer(
            span=self.here,
            type=PointerTensor(dtype=pointer.type.dtype, shape=lanes.type.shape),
            pointer=self.value(pointer),
            offsets=lanes,
        )

    def choose(self, condition: Value, then: Value, other: Value) -> ir.Conditional:
        arms = [
            ir.BlockValue(span=self.here, type=it.type, statements=(), value=it)
            for it in (self.value(then), self.value(other))
        ]
        return ir.Conditional(
            span=self.here,
            type=arms[0].type,
            condition=self.value(condition),
            then_value=arms[0],
            else_value=arms[1],
        )

    def call(
        self,
        name: str,
        *arguments: Written,
        type_: Type = UNIT,
        dtypes: Iterable[ElementType] = (),
        op: Op | None = None,
    ) -> ir.OpCall:
        return ir.OpCall(
            span=self.here,
            type=type_,
            op=op or OPS[name],
            dtypes=tuple(dtypes),
            arguments=tuple(self.argument(it) for it in arguments),
        )

    def argument(self, it: Written) -> ir.Argument:
        match it:
            case None:
                return ir.AbsentArgument(span=self.here)
            case bool():
                return ir.FlagArgument(span=self.here, value=it)
            case list():
                return ir.ListArgument(
                    span=self.here, elements=tuple(self.value(element) for element in it)
                )
            case str() if "::" in it:
                enum, member = it.split("::")
                return ir.EnumArgument(span=self.here, enum=enum, member=member)
            case str():
                return ir.TextArgument(span=self.here, value=it)
            case _:
                return self.value(it)

    def load(
        self, pointers: ir.OffsetPointer, mask: Value | None = None, other: Value | None = None
    ) -> ir.Cast:
        assert isinstance(pointers.type, PointerTensor)
        tile = Tensor(dtype=pointers.type.dtype, shape=pointers.type.shape)
        rest: tuple[Written, ...] = ([], None, None, None, False)
        loaded = self.call("load", pointers, mask, other, *rest, type_=tile, dtypes=[tile.dtype])
        return self.cast(loaded, tile, "widen")

    def store(
        self, pointers: ir.OffsetPointer, tile: Value, mask: Value | None = None
    ) -> ir.Evaluate:
        assert isinstance(pointers.type, PointerTensor)
        dtype = pointers.type.dtype
        return self.run(self.call("store", pointers, tile, mask, [], None, None, dtypes=[dtype]))

    # --- statements ---

    def layout(
        self, comments: Iterable[str] = (), trailing: str | None = None, *, blank: bool = False
    ) -> ir.Layout:
        return ir.Layout(comments=tuple(comments), trailing=trailing, blank_before=blank)

    def let(self, symbol: ir.Symbol, value: Value, layout: ir.Layout = ir.PLAIN) -> ir.Let:
        return ir.Let(span=self.span(), symbol=symbol, value=self.value(value), layout=layout)

    def let_tuple(self, symbols: Iterable[ir.Symbol | None], value: ir.Expression) -> ir.LetTuple:
        return ir.LetTuple(span=self.span(), symbols=tuple(symbols), value=value)

    def declare(self, symbol: ir.Symbol, layout: ir.Layout = ir.PLAIN) -> ir.Declare:
        return ir.Declare(span=self.span(), symbol=symbol, layout=layout)

    def assign(self, symbol: ir.Symbol, value: Value, operator: str | None = None) -> ir.Assign:
        return ir.Assign(
            span=self.span(),
            symbol=symbol,
            value=self.value(value),
            operator=None if operator is None else ir.BinaryOperator(operator),
        )

    def run(self, value: ir.Expression) -> ir.Evaluate:
        return ir.Evaluate(span=self.span(), value=value)

    def block(self, *statements: ir.Statement, closing: Iterable[str] = ()) -> ir.Block:
        return ir.Block(span=self.here, statements=statements, closing_comments=tuple(closing))

    def if_(
        self,
        condition: Value,
        then: Iterable[ir.Statement],
        other: Iterable[ir.Statement] | None = None,
    ) -> ir.If:
        return ir.If(
            span=self.span(),
            condition=self.value(condition),
            then_block=self.block(*then),
            else_block=None if other is None else self.block(*other),
        )

    def while_(
        self, condition: Value, *body: ir.Statement, layout: ir.Layout = ir.PLAIN
    ) -> ir.While:
        return ir.While(
            span=self.span(),
            condition=self.value(condition),
            body=self.block(*body),
            layout=layout,
        )

    def for_(
        self,
        symbol: ir.Symbol,
        start: Value,
        stop: Value,
        step: Value,
        *body: ir.Statement,
        layout: ir.Layout = ir.PLAIN,
    ) -> ir.For:
        return ir.For(
            span=self.span(),
            symbol=symbol,
            start=self.value(start),
            stop=self.value(stop),
            step=self.value(step),
            body=self.block(*body),
            layout=layout,
        )

    def return_(self) -> ir.Return:
        return ir.Return(span=self.span())

    # --- kernels ---

    def kernel(
        self,
        name: str,
        statements: Iterable[ir.Statement],
        *,
        parameters: Iterable[ir.Symbol] = (),
        constants: Iterable[ir.Symbol] = (),
        dtype_parameters: tuple[DtypeParameter, ...] = (PARAMETER,),
        docs: tuple[str, ...] = (),
        closing: Iterable[str] = (),
    ) -> ir.Kernel:
        return ir.Kernel(
            span=self.here,
            name=name,
            name_span=self.here,
            docs=docs,
            dtype_parameters=dtype_parameters,
            const_generics=tuple(constants),
            parameters=tuple(parameters),
            body=self.block(*statements, closing=closing),
        )

    def plan(
        self,
        kernel: ir.Kernel,
        *instances: tuple[tuple[DType, ...], tuple[int | bool, ...]],
        facts: LaunchFacts | None = None,
    ) -> KernelPlan:
        """`instances` are pairs of dtypes and constants."""
        return KernelPlan(
            kernel=kernel,
            facts=facts or LaunchFacts(grid_axes=(0,), reads=(), writes=(), atomics=()),
            specialisations=tuple(
                Specialisation(
                    name="__".join(
                        (
                            kernel.name,
                            *(dtype.value for dtype in dtypes),
                            *(str(constant).lower() for constant in constants),
                        )
                    ),
                    dtypes=dtypes,
                    constants=constants,
                )
                for dtypes, constants in instances
            ),
        )

    # --- Python ---

    def python(
        self,
        *statements: ir.Statement,
        parameters: Iterable[ir.Symbol] = (),
        constants: Iterable[ir.Symbol] = (),
        dtype_parameters: tuple[DtypeParameter, ...] = (PARAMETER,),
        closing: Iterable[str] = (),
    ) -> str:
        """The Python of the body of a kernel with these statements."""
        kernel = self.kernel(
            "k",
            statements,
            parameters=parameters,
            constants=constants,
            dtype_parameters=dtype_parameters,
            closing=closing,
        )
        function = lower_kernel(self.plan(kernel), "k", frozenset({"k"}), "x.rs:1").function
        lines = [line.text for line in print_function(function)]
        start = next(index for index, line in enumerate(lines) if line.endswith("):")) + 1
        return "\n".join(line[4:] for line in lines[start:])
