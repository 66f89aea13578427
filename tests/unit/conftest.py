"""Builds typed IR by hand: a fixture for the tests of the back end."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import pytest

from transpiler.ir import nodes as ir
from transpiler.ir.description import KernelPlan, LaunchFacts, Specialisation
from transpiler.ir.types import (
    BOOL,
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


HERE = Span(0, 1)
PARAMETER = DtypeParameter(name="D", bound=Bound.FLOAT)


@dataclass
class Build:
    """Short names for IR nodes; every statement gets a span of its own."""

    places: itertools.count = field(default_factory=lambda: itertools.count(10, 10))
    ids: itertools.count = field(default_factory=itertools.count)
    here: Span = HERE
    D: DtypeParameter = PARAMETER

    def span(self):
        start = next(self.places)
        return Span(start, start + 5)

    # --- types and symbols ---

    def dtype(self, name, bound):
        return DtypeParameter(name=name, bound=Bound(bound))

    def scalar(self, dtype):
        return Scalar(dtype=dtype)

    def tile(self, dtype, *shape):
        extents = tuple(NamedDimension(name=it) if isinstance(it, str) else it for it in shape)
        return Tensor(dtype=dtype, shape=extents)

    def pointers(self, dtype, *shape):
        extents = tuple(NamedDimension(name=it) if isinstance(it, str) else it for it in shape)
        return PointerTensor(dtype=dtype, shape=extents)

    def symbol(self, name, type_=I32, kind="local", *, mutable=False):
        return ir.Symbol(
            id=next(self.ids),
            name=name,
            kind=ir.SymbolKind(kind),
            type=type_,
            span=self.here,
            is_mutable=mutable,
        )

    def parameter(self, name, type_=I32):
        return self.symbol(name, type_, "parameter")

    def pointer(self, name, dtype=None):
        return self.symbol(name, Pointer(dtype=dtype or self.D), "parameter")

    def const(self, name, type_=I32):
        return self.symbol(name, type_, "const generic")

    # --- expressions ---

    def literal(self, value, type_=None, digits=None):
        if type_ is None:
            type_ = BOOL if isinstance(value, bool) else I32 if isinstance(value, int) else None
        if type_ is None:
            type_ = Scalar(dtype=DType.F32)
        return ir.Literal(span=self.here, type=type_, value=value, digits=digits)

    def value(self, it):
        if isinstance(it, ir.Symbol):
            return ir.Read(span=self.here, type=it.type, symbol=it)
        if isinstance(it, bool | int | float):
            return self.literal(it)
        return it

    def binary(self, left, operator, right, type_=None):
        left, right = self.value(left), self.value(right)
        operator = ir.BinaryOperator(operator)
        if type_ is None:
            type_ = left.type if isinstance(left.type, Tensor) else right.type
            if operator.is_comparison:
                shape = getattr(type_, "shape", None)
                type_ = BOOL if shape is None else Tensor(dtype=DType.BOOL, shape=shape)
        return ir.Binary(span=self.here, type=type_, operator=operator, left=left, right=right)

    def unary(self, operator, operand, type_=None):
        operand = self.value(operand)
        return ir.Unary(
            span=self.here,
            type=type_ or operand.type,
            operator=ir.UnaryOperator(operator),
            operand=operand,
        )

    def cast(self, operand, type_, kind="as"):
        return ir.Cast(
            span=self.here, type=type_, operand=self.value(operand), kind=ir.CastKind(kind)
        )

    def offset(self, pointer, offsets):
        offsets = self.value(offsets)
        dtype = pointer.type.dtype
        return ir.OffsetPointer(
            span=self.here,
            type=PointerTensor(dtype=dtype, shape=offsets.type.shape),
            pointer=self.value(pointer),
            offsets=offsets,
        )

    def choose(self, condition, then, other):
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

    def call(self, name, *arguments, type_=UNIT, dtypes=(), op=None):
        return ir.OpCall(
            span=self.here,
            type=type_,
            op=op or OPS[name],
            dtypes=tuple(dtypes),
            arguments=tuple(self.argument(it) for it in arguments),
        )

    def argument(self, it):
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

    def load(self, pointers, mask=None, other=None, dtype=None):
        tile = Tensor(dtype=pointers.type.dtype, shape=pointers.type.shape)
        loaded = self.call(
            "load",
            pointers,
            mask,
            other,
            [],
            None,
            None,
            None,
            False,
            type_=tile,
            dtypes=[dtype or self.D],
        )
        return self.cast(loaded, tile, "widen")

    def store(self, pointers, tile, mask=None):
        return self.run(
            self.call("store", pointers, tile, mask, [], None, None, dtypes=[pointers.type.dtype])
        )

    # --- statements ---

    def layout(self, comments=(), trailing=None, *, blank=False):
        return ir.Layout(comments=tuple(comments), trailing=trailing, blank_before=blank)

    def let(self, symbol, value, layout=ir.PLAIN):
        return ir.Let(span=self.span(), symbol=symbol, value=self.value(value), layout=layout)

    def let_tuple(self, symbols, value, layout=ir.PLAIN):
        return ir.LetTuple(span=self.span(), symbols=tuple(symbols), value=value, layout=layout)

    def declare(self, symbol, layout=ir.PLAIN):
        return ir.Declare(span=self.span(), symbol=symbol, layout=layout)

    def assign(self, symbol, value, operator=None, layout=ir.PLAIN):
        return ir.Assign(
            span=self.span(),
            symbol=symbol,
            value=self.value(value),
            operator=None if operator is None else ir.BinaryOperator(operator),
            layout=layout,
        )

    def run(self, value, layout=ir.PLAIN):
        return ir.Evaluate(span=self.span(), value=self.value(value), layout=layout)

    def block(self, *statements, closing=()):
        return ir.Block(span=self.here, statements=statements, closing_comments=tuple(closing))

    def if_(self, condition, then, other=None, layout=ir.PLAIN):
        return ir.If(
            span=self.span(),
            condition=self.value(condition),
            then_block=self.block(*then),
            else_block=None if other is None else self.block(*other),
            layout=layout,
        )

    def while_(self, condition, *body, layout=ir.PLAIN):
        return ir.While(
            span=self.span(),
            condition=self.value(condition),
            body=self.block(*body),
            layout=layout,
        )

    def for_(self, symbol, start, stop, step, *body, layout=ir.PLAIN):
        return ir.For(
            span=self.span(),
            symbol=symbol,
            start=self.value(start),
            stop=self.value(stop),
            step=self.value(step),
            body=self.block(*body),
            layout=layout,
        )

    def return_(self, layout=ir.PLAIN):
        return ir.Return(span=self.span(), layout=layout)

    # --- kernels ---

    def kernel(self, name, parameters, constants, statements, **rest):
        dtypes = rest.pop("dtype_parameters", (self.D,))
        return ir.Kernel(
            span=rest.pop("span", self.here),
            name=name,
            docs=rest.pop("docs", ()),
            dtype_parameters=dtypes,
            const_generics=tuple(constants),
            parameters=tuple(parameters),
            body=self.block(*statements, closing=rest.pop("closing", ())),
            named_dtypes=rest.pop("dtypes", ()),
            **rest,
        )

    def plan(self, kernel, *instances, facts=None):
        """`instances` are pairs of dtypes and constants."""
        return KernelPlan(
            kernel=kernel,
            facts=facts or LaunchFacts(grid_axes=(0,), reads=(), writes=(), atomics=()),
            specialisations=tuple(
                Specialisation(
                    name="__".join(
                        [
                            kernel.name,
                            *(dtype.value for dtype in dtypes),
                            *(str(constant).lower() for constant in constants),
                        ]
                    ),
                    dtypes=tuple(dtypes),
                    constants=tuple(constants),
                )
                for dtypes, constants in instances
            ),
        )


@pytest.fixture
def build():
    """A fresh builder."""
    return Build()
