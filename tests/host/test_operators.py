"""Operators: what they compute, differentiate and refuse, run eagerly in the interpreter."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.nn.functional import batch_norm

from tests.host.interpreted import interpreted
from tests.host.plans import module_text, norms


def tensors(dtype: torch.dtype = torch.float32, shape: tuple[int, ...] = (2, 3, 2, 2)) -> list[Any]:
    torch.manual_seed(0)
    channels = shape[1]
    given = [torch.randn(shape), *(torch.randn(channels) for _ in range(3))]
    return [it.to(dtype) for it in (*given, torch.rand(channels) + 1)]


def expected(x: Any, weight: Any, bias: Any, mean: Any, var: Any) -> Any:
    return batch_norm(x, mean, var, weight, bias, eps=1e-5)


def apply(*given: Any) -> Any:
    return norms().image_norm(*given, eps=1e-5)


def refused(kind: type[Exception], words: str, *given: Any) -> None:
    with pytest.raises(kind) as caught:
        apply(*given)
    assert words in str(caught.value)


@interpreted
def test_the_output_is_what_the_kernel_computes() -> None:
    given = tensors()
    for _ in range(2):
        torch.testing.assert_close(apply(*given), expected(*given))


@interpreted
def test_gradients_are_those_of_the_backward_kernel() -> None:
    x, weight, bias, mean, var = tensors(torch.float64)
    for it in (x, weight, bias):
        it.requires_grad_()
    assert torch.autograd.gradcheck(lambda *it: apply(*it, mean, var), (x, weight, bias))


@interpreted
def test_each_of_several_launches_packs_its_own_arguments() -> None:
    x, weight, bias, mean, var = tensors(torch.float64)
    for it in (x, weight, bias):
        it.requires_grad_()
    apply = norms().channel_by_channel
    torch.testing.assert_close(
        apply(x, weight, bias, mean, var, channels=3), expected(x, weight, bias, mean, var)
    )
    assert torch.autograd.gradcheck(
        lambda *it: apply(*it, mean, var, channels=3), (x, weight, bias)
    )


@interpreted
def test_what_is_kept_for_some_shapes_is_not_used_for_others() -> None:
    for shape in ((2, 3, 2, 2), (1, 3, 4, 2), (2, 3, 2, 2), (2, 4, 2, 2)):
        for dtype in (torch.float32, torch.float64):
            given = [it.requires_grad_(n < 3) for n, it in enumerate(tensors(dtype, shape))]
            ours, torchs = (
                torch.autograd.grad(function(*given).square().sum(), given[:3])
                for function in (apply, expected)
            )
            torch.testing.assert_close(ours, torchs)


@interpreted
def test_gradients_that_are_stored_whole_are_zeroed_until_it_is_known_that_they_are() -> None:
    x, weight, bias, mean, var = tensors(shape=(3, 3, 2, 5))
    for shapes in ([[3, 3, 2, 5], [3], [3]], [[3]], [[3]]):
        out = apply(x.requires_grad_(), weight.requires_grad_(), bias, mean, var)
        with torch.profiler.profile(record_shapes=True) as done:
            torch.autograd.grad(out, [x, weight], torch.ones_like(x))
        zeroed = [it.input_shapes[0] for it in done.events() or () if it.name == "aten::zero_"]
        assert zeroed == shapes


@interpreted
def test_there_is_no_second_derivative() -> None:
    x, *rest = tensors()
    x.requires_grad_()
    (gradient,) = torch.autograd.grad(apply(x, *rest).square().sum(), [x], create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        torch.autograd.backward(gradient.sum())


@interpreted
def test_inputs_that_are_not_contiguous_are_copied() -> None:
    x, *rest = tensors()
    strided = x.contiguous(memory_format=torch.channels_last)
    out = apply(strided, *(torch.stack([it, it], 1)[:, 0] for it in rest))
    torch.testing.assert_close(out, expected(x, *rest))
    assert out.is_contiguous()


@interpreted
@pytest.mark.parametrize("shape", [(0, 3, 2, 2), (2, 0, 2, 2), (2, 3, 0, 2)])
def test_empty_tensors_give_empty_results(shape: tuple[int, ...]) -> None:
    x, weight, *rest = tensors(shape=shape)
    out = apply(x.requires_grad_(), weight.requires_grad_(), *rest)
    assert out.shape == shape
    of_x, of_weight = torch.autograd.grad(out.sum(), [x, weight])
    assert of_x.shape == shape
    assert not of_weight.any()


@interpreted
def test_arguments_that_do_not_belong_together_are_refused() -> None:
    x, weight, bias, mean, var = tensors()
    refused(TypeError, "argument 'x' must be Tensor, not int", 3, weight, bias, mean, var)
    refused(
        RuntimeError,
        "expected weight to have shape [3], but it has [4]",
        x,
        torch.ones(4),
        bias,
        mean,
        var,
    )
    for shape in ([3], [2, 3, 4], [2, 3, 2, 2, 1], [0, 3, 2, 2, 5]):
        words = f"expected x to have 4 dimensions, but it has shape {shape}"
        refused(RuntimeError, words, torch.ones(shape), weight, bias, mean, var)
    with pytest.raises(RuntimeError, match=r"too few dimensions: x has shape \[3\]"):
        norms().stats(torch.ones(3), mean, var, output_shape=(6,))
    refused(RuntimeError, "got bias is on meta", x, weight, bias.to("meta"), mean, var)
    refused(RuntimeError, "weight_ptr to have dtype", x, weight.double(), bias, mean, var)


@interpreted
def test_a_tensor_without_a_derivative_may_not_need_one() -> None:
    x, weight, bias, mean, var = tensors()
    words = "the derivative for 'running_mean' is not implemented"
    refused(NotImplementedError, words, x, weight, bias, mean.requires_grad_(), var)
    with torch.no_grad():
        torch.testing.assert_close(
            apply(x, weight, bias, mean, var), expected(x, weight, bias, mean, var)
        )


@interpreted
def test_tensors_updated_in_place() -> None:
    x = torch.randn(6, 3)
    mean, var = torch.zeros(3), torch.ones(3)
    version = mean._version
    out = norms().stats(x, mean, var, output_shape=(6,))
    torch.testing.assert_close(out[:3], x.mean(0))
    torch.testing.assert_close(mean, 0.1 * x.mean(0))
    torch.testing.assert_close(var, 0.9 + 0.1 * x.var(0, correction=0))
    assert mean._version > version
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        norms().stats(x, mean, mean, output_shape=(6,))
    with pytest.raises(RuntimeError, match="running_mean, which is updated, to be contiguous"):
        norms().stats(x, torch.zeros(3, 2)[:, 0], var, output_shape=(6,))


@interpreted
def test_tensors_reach_as_far_as_each_launch_of_an_operator() -> None:
    """Only here do the grid and the arguments meet, which the Rust computes from different shapes."""
    x, mean, var = torch.randn(6, 3), torch.zeros(3), torch.ones(3)
    norms().stats(x, mean, var, output_shape=(7,))
    before = mean.clone()
    words = (
        r"batch_norm_stats_forward\(\): expected x_ptr to have at least 19 elements, but it has 18"
    )
    for _ in range(2):
        with pytest.raises(RuntimeError, match=words):
            norms().stats(x, mean, var, output_shape=(8,))
    assert torch.equal(mean, before)


def test_what_torch_knows_of_the_operators() -> None:
    norms()
    image, stats = torch.ops.teeny.image_norm.default, torch.ops.teeny.stats.default
    assert not image._schema.is_mutable
    written = [it.name for it in stats._schema.arguments if it.alias_info is not None]
    assert written == ["running_mean", "running_var"]


def test_only_a_known_number_of_dimensions_is_written_down() -> None:
    text = module_text()
    assert text.count("    _ranks = (4,)\n") == 2
    assert text.count("    _ranks = ") == 2
    assert text.count("(RuntimeOp):\n") + text.count("(Launcher, RuntimeOp):\n") > 2


def test_operators_are_in_the_namespace_asked_for() -> None:
    assert '    _free_name("mine::image_norm"),\n' in module_text("mine")
    assert '    _free_name("mine::image_norm_backward"),\n' in module_text("mine")


@interpreted
def test_an_operator_of_the_name_of_its_kernel_leaves_the_kernel_its_name() -> None:
    module = norms()
    kernel = "batch_norm_forward_inference"
    assert getattr(module, kernel) is module.KERNELS[kernel].function
    x, *rest = tensors(shape=(5, 3))
    out = getattr(module, f"{kernel}_op")(x, *rest, block_n=8)
    torch.testing.assert_close(out, expected(x, *rest))
    assert isinstance(module.BatchNormForwardInference(8), module.Launcher)
