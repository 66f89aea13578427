"""Pairs: the operators of kernels that name the one that goes back, interpreted; and the pairs that make none."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.nn import functional

from tests.host.interpreted import interpreted
from tests.host.loading import module_of
from tests.host.pair_files import PAIRS, ROWS, TWO_INPUTS, elementwise
from transpiler.pipeline import Options, transpile_source
from transpiler.source import SourceFile

if TYPE_CHECKING:
    from collections.abc import Callable

REFERENCES: dict[str, tuple[Callable[[torch.Tensor], torch.Tensor], dict[str, float]]] = {
    "swish": (functional.silu, {}),
    "logistic": (torch.sigmoid, {}),
    "leaky": (lambda x: functional.leaky_relu(x, 0.25), {"slope": 0.25}),
}


def found(rust: str, **options: Any) -> list[tuple[str, str]]:
    """The codes and the messages of a text."""
    result = transpile_source(SourceFile("pairs.rs", rust), Options(**options))
    return [(it.code, it.message) for it in result.diagnostics]


def keywords(function: Any) -> list[str]:
    """What a function takes by keyword alone."""
    return [
        name
        for name, it in inspect.signature(function).parameters.items()
        if it.kind is it.KEYWORD_ONLY
    ]


@interpreted
def test_a_launcher_knows_its_backward_kernel() -> None:
    module = module_of(PAIRS)
    backward = module.SwishForward(16).backward_kernel()
    assert isinstance(backward, module.SwishBackward)
    assert backward.id == "swish_backward__16"
    assert "its backward kernel is `swish_backward`" in module.SwishForward.__doc__
    assert not hasattr(module.SwishBackward, "backward_kernel")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("name", REFERENCES)
@interpreted
def test_a_pair_of_kernels_is_an_operator(name: str, dtype: torch.dtype) -> None:
    reference, scalars = REFERENCES[name]
    operator = getattr(module_of(PAIRS), name)
    for shape in ((1,), (37,), (3, 50), (0, 4)):
        x = torch.randn(shape, dtype=dtype, requires_grad=True)
        n = x.numel()
        grid = [-(-n // 16)]
        y = operator(x, block_size=16, n=n, grid=grid, **scalars)
        expected = reference(x)
        torch.testing.assert_close(y, expected)
        gradient = torch.randn(shape, dtype=dtype)
        torch.testing.assert_close(
            torch.autograd.grad(y, x, gradient), torch.autograd.grad(expected, x, gradient)
        )


@interpreted
def test_the_gradient_is_the_derivative() -> None:
    x = torch.randn(3, 7, dtype=torch.float64, requires_grad=True)
    for name, (_, scalars) in REFERENCES.items():
        operator = getattr(module_of(PAIRS), name)
        assert torch.autograd.gradcheck(
            lambda x, f=operator, s=scalars: f(x, block_size=16, n=21, grid=(2,), **s), x
        )


@interpreted
def test_an_input_that_is_not_contiguous_is_copied() -> None:
    x = torch.randn(5, 4).t().requires_grad_()
    y = module_of(PAIRS).swish(x, block_size=16, n=20, grid=(2,))
    torch.testing.assert_close(y, functional.silu(x))


@interpreted
def test_where_kernels_go_to_the_same_places_the_shape_and_the_grid_are_the_same() -> None:
    assert keywords(module_of(PAIRS).swish) == ["block_size", "n", "grid"]
    assert keywords(module_of(PAIRS).leaky) == ["block_size", "n", "slope", "grid"]


@interpreted
def test_where_they_do_not_the_caller_tells_both() -> None:
    operator = module_of(ROWS).row_sums
    assert keywords(operator) == ["output_shape", "block", "width", "grid", "backward_grid"]
    x = torch.randn(3, 20, requires_grad=True)
    sums = operator(x, output_shape=(3,), block=32, width=20, grid=(3,), backward_grid=(3, 2))
    torch.testing.assert_close(sums, x.sum(1))
    gradient = torch.randn(3)
    (dx,) = torch.autograd.grad(sums, x, gradient)
    torch.testing.assert_close(dx, gradient[:, None].expand(3, 20))


@pytest.mark.parametrize(
    ("before", "after", "asked"),
    [
        ("", "", []),
        ("        x_ptr.add_offsets(at),", "x_ptr.add_offsets(at * 2),", ["shape", "grid"]),
        ("y_ptr.add_offsets(at), y, Some(mask)", "y_ptr.add_offsets(at), y, None", ["shape"]),
        ("T::store(y_ptr", "if n > 3 { return; }\n    T::store(y_ptr", ["shape"]),
        ("        dy_ptr.add_offsets(at)", "dy_ptr.add_offsets(at + n)", ["grid"]),
        ("dx_ptr.add_offsets(at)", "dx_ptr.add_offsets(at + n)", ["grid"]),
        ("dx_ptr.add_offsets(at)", "dx_ptr.add_offsets(at / 2)", ["grid"]),
        ("T::store(dx_ptr", "let _y = T::program_id(Axis::Y);\n    T::store(dx_ptr", ["grid"]),
    ],
)
def test_what_the_places_leave_open_is_asked(before: str, after: str, asked: list[str]) -> None:
    rust = PAIRS.split("/// `y = 1 /")[0]
    assert before in rust
    given = keywords(module_of(rust.replace(before, after, 1)).swish)
    assert ("output_shape" in given, "backward_grid" in given) == (
        "shape" in asked,
        "grid" in asked,
    )


@interpreted
def test_gradients_by_other_names_and_in_any_order() -> None:
    a, b = torch.randn(9, requires_grad=True), torch.randn(9, requires_grad=True)
    kind = torch.ones(9, dtype=torch.int32)
    product = module_of(TWO_INPUTS).product(kind, a, b, block=16, n=9, grid=(1,))
    torch.testing.assert_close(product, a * b)
    torch.testing.assert_close(
        torch.autograd.grad(product.sum(), [a, b]), torch.autograd.grad((a * b).sum(), [a, b])
    )


@interpreted
def test_an_input_whose_gradient_nobody_computes_may_not_need_one() -> None:
    a, b = torch.randn(9), torch.randn(9, requires_grad=True)
    kind = torch.ones(9, dtype=torch.int32)
    operator = module_of(TWO_INPUTS).product_of_constant_op
    given = {"block": 16, "n": 9, "grid": (1,)}
    with pytest.raises(NotImplementedError, match="the derivative for 'b' is not implemented"):
        operator(kind, a, b, **given)
    a.requires_grad_()
    product = operator(kind, a, b.detach(), **given)
    (da,) = torch.autograd.grad(product.sum(), [a])
    torch.testing.assert_close(da, b.detach())


# --- Kernels that make no operator ----------------------------------------------------------------

BACK = "dy:r x:r dx:w n:i32"


@pytest.mark.parametrize(
    ("forward", "backward", "reason"),
    [
        ("x:r y:w n:i32", BACK, None),
        ("x:r y:w n:i32", "grad:r input:r gradient_x:p", "`gradient_x_ptr` is no parameter"),
        ("x:r y:w n:i32", "output_grad:r output:r grad_input:w", None),
        ("x:r y:w n:i32", "dy:r delta:r dx:w n:i32", "`delta_ptr` is no parameter of `scale`"),
        ("x:r y:w n:i32", "dy:r x:r dx:w m:i32", "`m` is no parameter of `scale`"),
        ("x:r y:w n:i32", "dy:r x:w n:i32", "`x_ptr` is written, and the gradient of no input"),
        ("x:r y:w n:i32", "dy:w dx:w n:i32", "`dy_ptr` is written, and the gradient of no input"),
        ("x:r y:w n:i32", "dy:r dx:r n:i32", "`dx_ptr` is no parameter of `scale`, nor"),
        ("x:r y:w n:i32", "x:r dx:w n:i32", "no parameter is the gradient of `y_ptr`"),
        ("x:r y:w n:i32", "dy:r x:r n:i32", "no parameter is the gradient of an input of `scale`"),
        ("x:r y:w n:i32", "dy:r d_y:r dx:w", "`dy_ptr` and `d_y_ptr` stand for the same"),
        ("x:r y:w n:i32", "dy:r dx:w n:f32", "`n` has the type `f32`, and `n` `i32`"),
        ("x:r y:w=f32", "dy:r=f64 dx:w", "`dy_ptr` has the type `*f64`, and `y_ptr` `*f32`"),
        ("x:r y:w _x:i32", "dy:r dx:w", "`x` is the name of several parameters"),
        ("x:r y:w z:w", "dy:r dx:w", "`scale` has several outputs"),
        ("x:r n:i32", "dy:r dx:w", "`scale` has no output"),
        ("y:w n:i32", "dy:r dx:w", "`scale` has no input"),
        ("x:r y:rw", "dy:r dx:w", "`y_ptr` is updated in place"),
        ("x:r=f32 y:w", "dy:r dx:w=f32", "no input has the dtype of `y_ptr`"),
        ("x:r=i32 y:w=f32 z:p", "dy:r=f32 dx:w z:p", "`dx_ptr` is written, and the gradient of no"),
        ("d:r grad_d:r y:w", "dy:r grad_d:r grad_grad_d:w", None),
        ("x_grad:r g_x:r y:w", "dy:r g_x_grad:w", "may be the gradient of several parameters"),
    ],
)
def test_a_pair_makes_an_operator_where_every_parameter_has_one_counterpart(
    forward: str, backward: str, reason: str | None
) -> None:
    said = [message for code, message in found(elementwise(forward, backward)) if code == "R0701"]
    assert len(said) == (reason is not None)
    assert reason is None or reason in said[0]


def test_kernels_of_other_const_generics_are_told() -> None:
    rust = elementwise("x:r y:w", "dy:r dx:w", constants="const WIDE: bool")
    assert ("R0701", found(rust)[0][1]) == found(rust)[0]
    assert "`scale_backward` has other const generics than `scale`" in found(rust)[0][1]
    module = module_of(rust)
    assert "its backward kernel is `scale_backward`" in module.Scale.__doc__
    assert not hasattr(module.Scale, "backward_kernel")


def test_a_struct_that_no_kernel_has() -> None:
    rust = elementwise("x:r y:w", "dy:r dx:w", of="ScaleBackwards")
    unknown = [("W0706", "no kernel of this file has the struct `ScaleBackwards`")]
    assert [it for it in found(rust) if it[0] == "W0706"] == unknown
    assert not [it for it in found(f"use crate::more::ScaleBackwards;\n{rust}") if it[0] == "W0706"]


def test_a_kernel_that_is_left_out_is_known_all_the_same() -> None:
    rust = elementwise("x:r y:w", "dy:r dx:w")
    gated = rust.replace("#[kernel]", '#[cfg(feature = "training")]\n#[kernel]')
    for text, options in (
        (rust, {"kernels": ("scale",)}),
        (gated, {"default_features": False}),
    ):
        assert not [it for it in found(text, **options) if it[0] in {"R0701", "W0706"}]
    assert "class ScaleOp" in str(transpile_source(SourceFile("pairs.rs", gated)).text)


def test_a_struct_by_another_name_and_one_in_a_module() -> None:
    rust = elementwise("x:r y:w", "dy:r dx:w", of="Back")
    named = f"use self::ScaleBackward as Back;\n{rust}"
    inner = elementwise("x:r y:w", "dy:r dx:w", of="ScaleBackward")
    for text in (named, f"mod inner {{\n{inner}\n}}"):
        assert "class ScaleOp" in str(transpile_source(SourceFile("pairs.rs", text)).text)


def test_a_module_without_pairs_has_no_operators() -> None:
    rust = elementwise("x:r y:w", "dy:r dx:w").replace("(backward = ScaleBackward)", "")
    text = str(transpile_source(SourceFile("pairs.rs", rust)).text)
    assert "RuntimeOp" not in text
    assert "backward kernel is" not in text


# --- Names ----------------------------------------------------------------------------------------

_TWICE = elementwise("x:r y:w", "dy:r dx:w")


def test_operators_have_names_of_their_own() -> None:
    forward = _TWICE.replace("fn scale<", "fn scale_forward<")
    both = f"{_TWICE}\n{forward.split('#[kernel]')[0]}"
    module = module_of(both)
    assert module.scale is module.KERNELS["scale"].function
    assert {"ScaleOp", "ScaleForwardOp", "scale_op", "scale_forward_op"} <= set(module.__all__)
    assert torch.ops.teeny.scale_forward.default is not torch.ops.teeny.scale.default


def test_parameters_keep_out_of_each_others_way() -> None:
    numbers = "grid:i32 self_:i32 tensors:i32 block:i32 lambda:f32 output_shape:bool pack_args:i32"
    rust = elementwise(f"x:r y:w {numbers}", "dy:r dx:w")
    operator = module_of(rust).scale_op
    assert keywords(operator) == [
        *("block", "grid_", "self_", "tensors_", "block_", "lambda_", "output_shape_"),
        *("pack_args_", "grid"),
    ]


@pytest.mark.parametrize(
    ("forward", "backward", "inputs"),
    [
        ("in:r out:w", "grad_out:r in:r grad_in:w", ["in_"]),
        ("input:r output:w", "grad_output:r input:r grad_input:w", ["input"]),
        ("r#in:r _out:w", "dout:r r#in:r din:w", ["in_"]),
        ("a:r b:r c:w", "dc:r a:r b:r da:w db:w", ["a", "b"]),
        (
            "logits:r targets:r=i32 loss:w",
            "loss_grad:r targets:r=i32 logits_grad:w",
            ["logits", "targets"],
        ),
        ("x:r tensors:r saved:p y:w", "g_y:r g_x:w g_tensors:w", ["x", "tensors_", "saved_"]),
    ],
)
def test_inputs_are_called_as_the_kernel_calls_them(
    forward: str, backward: str, inputs: list[str]
) -> None:
    operator = module_of(elementwise(forward, backward)).scale_op
    assert list(inspect.signature(operator).parameters)[: len(inputs)] == inputs


def test_the_backward_half_of_one_is_no_other_operator() -> None:
    chain = (
        _TWICE.replace("#[kernel]", "#[kernel(backward = ScaleTwice)]")
        + elementwise("dy:r dx:w", "ddx:r ddy:w", of="ScaleTwice")
        .replace("fn scale<", "fn unused<")
        .replace("fn scale_backward<", "fn scale_twice<")
        .split("}\n", 1)[1]
    )
    text = str(transpile_source(SourceFile("pairs.rs", chain)).text)
    assert text.count('_free_name("teeny::scale_backward")') == 1
    assert text.count('_free_name("teeny::scale_backward_op")') == 1
