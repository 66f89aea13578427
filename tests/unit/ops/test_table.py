"""Every row of the op table is well formed: the binder, the printer and the docs rely on it."""

from __future__ import annotations

import ast
import dataclasses

import pytest

from transpiler.ir.types import Bound, DType
from transpiler.ops.enums import ENUMS
from transpiler.ops.model import Effect, Op
from transpiler.ops.signature import Form, TupleKind, parse_signature
from transpiler.ops.table import OPS
from transpiler.target.prelude import PRELUDE

FAMILIES = {
    "creation", "memory", "math", "compare", "reduce", "shape", "linalg", "atomics", "scan",
    "random", "program", "hints", "debug",
}  # fmt: skip


def rows() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("op", OPS.values(), ids=OPS)


@rows()
def test_the_signature_parses(op: Op) -> None:
    signature = op.parsed
    names = [parameter.name for parameter in signature.parameters]
    assert len(set(names)) == len(names)
    generics = {name for name, _ in signature.generics}
    results = (
        signature.result.elements
        if isinstance(signature.result, TupleKind)
        else (signature.result,)
    )
    used = {
        kind.dtype
        for kind in (*(parameter.kind for parameter in signature.parameters), *results)
        if isinstance(kind.dtype, str)
    }
    assert used == generics, "each generic occurs, and nothing else does"


@rows()
def test_the_spelling_is_an_expression_of_what_there_is(op: Op) -> None:
    names = {
        node.id
        for spelling in (op.triton, *op.given.values())
        for node in ast.walk(ast.parse(spelling, mode="eval"))
        if isinstance(node, ast.Name)
    }
    parameters = {parameter.name for parameter in op.parsed.parameters}
    generics = {name for name, _ in op.parsed.generics}
    builtins = {"int"}
    assert names <= parameters | generics | {"tl"} | builtins | set(PRELUDE)
    assert parameters <= names | set(op.ignores), "only what the row names is dropped"


@rows()
def test_the_row_is_complete(op: Op) -> None:
    assert op.family in FAMILIES
    assert op.summary.endswith(".")
    assert len(op.summary) < 100
    assert OPS[op.name] is op


@rows()
def test_the_shape_rule_names_parameters(op: Op) -> None:
    parameters = {parameter.name: parameter.kind for parameter in op.parsed.parameters}
    named: list[str] = [name for pair in (*op.fits, *op.as_long) for name in pair]
    named += [*op.converts, *op.given]
    for rule in (op.shape, op.range):
        for field in () if rule is None else dataclasses.fields(rule):
            value = getattr(rule, field.name)
            if not isinstance(value, int):
                named += value if isinstance(value, tuple) else [value] if value else []
    assert set(named) <= set(parameters)
    result = op.parsed.result
    results = result.elements if isinstance(result, TupleKind) else (result,)
    gives_tile = any(kind.form in {Form.TENSOR, Form.DESCRIPTOR} for kind in results)
    assert (op.shape is not None) is gives_tile


@rows()
def test_limits_narrow_the_bound(op: Op) -> None:
    bounds = dict(op.parsed.generics)
    for name, dtypes in op.dtypes.items():
        assert dtypes < set(bounds[name].dtypes)


@rows()
def test_effects_match_what_an_op_is_given(op: Op) -> None:
    forms = {parameter.kind.form for parameter in op.parsed.parameters}
    touches = op.effect in {Effect.READS, Effect.WRITES, Effect.ATOMIC}
    gives_place = getattr(op.parsed.result, "form", None) is Form.DESCRIPTOR
    takes_place = bool(forms & {Form.POINTERS, Form.POINTER, Form.DESCRIPTOR})
    assert touches is (takes_place and not gives_place)
    assert op.is_stored is (op.effect in {Effect.READS, Effect.ATOMIC})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x: Tensor<D> -> ()",
        "<D: Nothing>(x: Tensor<D>) -> ()",
        "<D: Float>(x: Tensor<D>)",
        "<D: Float>(x: Tensor<E>) -> ()",
        "(x: Axes) -> ()",
        "(x: i32) -> i32 i32",
        "(x: Option<i32) -> ()",
    ],
)
def test_a_malformed_signature_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_signature(text)


def test_the_notation_says_what_it_says() -> None:
    signature = parse_signature(
        "<D: Num>(x: Tensor<D>, m: Option<Mask>, s: [const i32], a: Axis, f: bool) -> (Tensor<D>, Mask)"
    )
    assert signature.generics == (("D", Bound.NUM),)
    kinds = {parameter.name: parameter.kind for parameter in signature.parameters}
    assert (kinds["x"].form, kinds["x"].dtype) == (Form.TENSOR, "D")
    assert (kinds["m"].form, kinds["m"].dtype, kinds["m"].is_optional) == (
        Form.TENSOR,
        DType.BOOL,
        True,
    )
    assert (kinds["s"].form, kinds["s"].dtype) == (Form.CONSTANT_LIST, DType.I32)
    assert (kinds["a"].form, kinds["a"].enum) == (Form.ENUM, "Axis")
    assert kinds["f"].form is Form.FLAG
    assert isinstance(signature.result, TupleKind)
    assert [kind.dtype for kind in signature.result.elements] == ["D", DType.BOOL]


def test_enum_members_have_values_triton_takes() -> None:
    for members in ENUMS.values():
        assert members
        assert all(value is None or isinstance(value, int | str) for value in members.values())
