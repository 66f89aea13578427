"""The verifier rejects IR that breaks an invariant, naming the kernel and the pass."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from transpiler.ir import nodes as ir
from transpiler.ir.types import (
    I32,
    POISON,
    DType,
    DtypeVariable,
    LiteralKind,
    NamedDimension,
    Scalar,
    Tensor,
)
from transpiler.ir.verify import InvalidModuleError, verify
from transpiler.ops.table import OPS
from transpiler.source import Span

if TYPE_CHECKING:
    from transpiler.ir.types import Type

HERE = Span(3, 7)


def symbol(name: str, type_: Type = I32, *, id_: int = 1, mutable: bool = True) -> ir.Symbol:
    return ir.Symbol(
        id=id_, name=name, kind=ir.SymbolKind.LOCAL, type=type_, span=HERE, is_mutable=mutable
    )


def one(type_: Type = I32) -> ir.Literal:
    return ir.Literal(span=HERE, type=type_, value=1)


def read(it: ir.Symbol) -> ir.Read:
    return ir.Read(span=HERE, type=it.type, symbol=it)


def let(it: ir.Symbol, value: ir.Expression | None = None) -> ir.Let:
    return ir.Let(span=HERE, symbol=it, value=value or one(it.type))


def module(*statements: ir.Statement) -> ir.Module:
    kernel = ir.Kernel(
        span=HERE,
        name="k",
        name_span=HERE,
        docs=(),
        dtype_parameters=(),
        const_generics=(),
        parameters=(),
        body=ir.Block(span=HERE, statements=statements),
    )
    return ir.Module(docs=(), kernels=(kernel,))


X = symbol("x")
UNSETTLED = Scalar(dtype=DtypeVariable(id=1, kind=LiteralKind.ANY))
TILE = Tensor(dtype=DType.F32, shape=(NamedDimension(name="BLOCK"),))
FLAG = ir.Literal(span=HERE, type=Scalar(dtype=DType.BOOL), value=True)


def test_sound_modules_pass() -> None:
    inner = ir.Block(span=HERE, statements=(ir.Assign(span=HERE, symbol=X, value=read(X)),))
    verify(module(let(X), ir.If(span=HERE, condition=FLAG, then_block=inner)), after="test")
    verify(module(ir.Declare(span=HERE, symbol=X), *inner.statements), after="test")


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        ([ir.Evaluate(span=HERE, value=read(X))], "x is undeclared"),
        ([ir.Assign(span=HERE, symbol=X, value=one())], "x is undeclared"),
        ([let(X, one(UNSETTLED))], "a dtype is not settled"),
        ([let(symbol("y", UNSETTLED), one())], "a dtype is not settled"),
        ([let(X, one(POISON))], "a poisoned type is left"),
        (
            [let(X), ir.Assign(span=HERE, symbol=X, value=one(Scalar(dtype=DType.F32)))],
            "i32 is assigned f32",
        ),
        (
            [
                let(symbol("t", TILE, id_=2), one(TILE)),
                ir.Assign(span=HERE, symbol=symbol("t", TILE, id_=2), value=read(X)),
            ],
            "x is undeclared",
        ),
        (
            [ir.Evaluate(span=HERE, value=ir.OpCall(span=HERE, type=TILE, op=OPS["exp"], dtypes=(), arguments=()))],
            "exp has 0 arguments",
        ),
        (
            [
                ir.If(
                    span=HERE,
                    condition=FLAG,
                    then_block=ir.Block(span=HERE, statements=(let(X),)),
                ),
                ir.Evaluate(span=HERE, value=read(X)),
            ],
            "x is undeclared",
        ),
        (
            [
                ir.Evaluate(
                    span=HERE,
                    value=ir.BlockValue(span=HERE, type=I32, statements=(let(X),), value=read(X)),
                ),
                ir.Evaluate(span=HERE, value=read(X)),
            ],
            "x is undeclared",
        ),
    ],
)  # fmt: skip
def test_broken_modules_are_rejected(statements: list[ir.Statement], message: str) -> None:
    with pytest.raises(InvalidModuleError) as caught:
        verify(module(*statements), after="the test")
    assert message in str(caught.value)
    assert "after the test, kernel k, offsets 3 to 7" in str(caught.value)


def test_parameters_are_declared() -> None:
    sound = module(ir.Evaluate(span=HERE, value=read(X)))
    (kernel,) = sound.kernels
    verify(replace(sound, kernels=(replace(kernel, parameters=(X,)),)), after="test")
