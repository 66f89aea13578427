"""A host plan made by hand, for the kernels of our batch norm file."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from tests.host.loading import load
from tests.numerics.modules import OWN_RUST
from transpiler import transpile
from transpiler.emit.module import emit_module
from transpiler.host.plan import Argument, HostPlan, Operator
from transpiler.source import Span
from transpiler.target.model import (
    Assignment,
    Function,
    Name,
    Number,
    Parameter,
    Return,
    Statement,
    Suite,
)

if TYPE_CHECKING:
    from types import ModuleType

    from transpiler.ir.nodes import Kernel


def method(name: str, parameters: str, *body: str) -> Function:
    """A method of statements `name = value` and a last value, in plain text."""
    statements: list[Statement] = []
    for line in body[:-1]:
        target, _, value = line.partition(" = ")
        statements.append(Assignment(targets=(target,), value=Name(value)))
    statements.append(Return(value=Name(body[-1])))
    return Function(
        name=name,
        parameters=tuple(Parameter(name=it) for it in ["self", *parameters.split()]),
        docs=(),
        body=Suite(statements=tuple(statements)),
    )


def inference(forward: Kernel, backward: Kernel) -> Operator:
    """The operator of images: it normalises with running statistics."""
    packed = "inputs params output output_shape"
    return Operator(
        span=Span(0, 0),
        struct_name="ImageNormRuntimeOp",
        name="image_norm",
        docs=("Normalises images.",),
        is_launcher=False,
        arguments=(
            Argument(name="block_hw", annotation="int", default=Number("256")),
            Argument(name="eps", annotation="float"),
        ),
        needs_dtype=False,
        methods=(
            method(
                "__init__", "block_hw eps", "self.block_hw = block_hw", "self.eps = eps", "None"
            ),
            method("forward_kernel", "", "BatchNorm2dNchwForwardInference(self.block_hw)"),
            method("backward_kernel", "", "BatchNorm2dNchwBackward(self.block_hw)"),
            method("param_shapes", "input_shapes output_shape", "[[input_shapes[0][1]]] * 4"),
            method(
                "pack_args",
                f"{packed} output_row_stride",
                "(inputs[0], output, *params, output_shape[1], output_shape[2] * output_shape[3],"
                " self.eps)",
            ),
            method("grid", "output_shape", "(output_shape[1], output_shape[0], 1)"),
            method(
                "pack_backward_args",
                f"{packed} grad_output grad_output_row_stride grad_inputs grad_params",
                "b, c, h, w = output_shape",
                "(grad_output, inputs[0], grad_inputs[0], params[0], params[2], params[3],"
                " grad_params[0], grad_params[1], b, c, h * w, self.eps)",
            ),
            method("backward_grid", "input_shapes output_shape", "(input_shapes[0][1], 1, 1)"),
        ),
        forward=forward,
        backward=backward,
        inputs=("x",),
        parameters=("weight", "bias", "running_mean", "running_var"),
        updated=(),
        gradients=("x", "weight", "bias"),
        saved=("x", "weight", "running_mean", "running_var"),
        saves_output=False,
        zeroes_output=False,
        output_dtype=None,
        output_like="x",
        takes_output_shape=False,
        ranks=(4,),
        whole_gradients=("x", "weight"),
    )


def channel_by_channel(forward: Kernel, backward: Kernel) -> Operator:
    """The operator of images in a launch for each channel, which is told where its channel begins."""
    packed = "launch inputs params output output_shape"
    of_channel = "at = launch * output_shape[2] * output_shape[3]"
    return replace(
        inference(forward, backward),
        struct_name="ChannelByChannelRuntimeOp",
        name="channel_by_channel",
        arguments=(Argument(name="channels", annotation="int"),),
        methods=(
            method("__init__", "channels", "self.channels = channels", "None"),
            method("forward_kernel", "", "BatchNorm2dNchwForwardInference(256)"),
            method("backward_kernel", "", "BatchNorm2dNchwBackward(256)"),
            method("param_shapes", "input_shapes output_shape", "[[input_shapes[0][1]]] * 4"),
            method("n_launches", "", "self.channels"),
            method("n_backward_launches", "", "self.channels"),
            method("grid", "output_shape", "(output_shape[1], output_shape[0], 1)"),
            method(
                "pack_args_for_launch",
                f"{packed} output_row_stride",
                of_channel,
                "(inputs[0].flatten()[at:], output.flatten()[at:], *(it[launch:] for it in params),"
                " output_shape[1], output_shape[2] * output_shape[3], 1e-5)",
            ),
            method(
                "grid_for_launch", "launch input_shapes output_shape", "(1, output_shape[0], 1)"
            ),
            method(
                "pack_backward_args_for_launch",
                f"{packed} grad_output grad_output_row_stride grad_inputs grad_params",
                of_channel,
                "b, c, h, w = output_shape",
                "(grad_output.flatten()[at:], inputs[0].flatten()[at:], grad_inputs[0].flatten()[at:],"
                " *(it[launch:] for it in (params[0], *params[2:], *grad_params[:2])), b, c, h * w, 1e-5)",
            ),
            method("backward_grid_for_launch", "launch input_shapes output_shape", "(1, 1, 1)"),
        ),
        whole_gradients=(),
    )


def statistics(forward: Kernel) -> Operator:
    """The operator of a training batch's statistics: it updates the running ones."""
    return Operator(
        span=Span(0, 0),
        struct_name="StatsRuntimeOp",
        name="stats",
        docs=("Takes statistics.",),
        is_launcher=False,
        arguments=(Argument(name="block_n", annotation="int", default=Number("128")),),
        needs_dtype=False,
        methods=(
            method("__init__", "block_n", "self.block_n = block_n", "None"),
            method("forward_kernel", "", "BatchNormStatsForward(self.block_n)"),
            method("param_shapes", "input_shapes output_shape", "[[input_shapes[0][1]]] * 2"),
            method(
                "pack_args",
                "inputs params output output_shape output_row_stride",
                "n, c = inputs[0].shape",
                "(inputs[0], output, output.flatten()[c:], *params, n, c, 1e-5, 0.1)",
            ),
            method("grid", "output_shape", "(output_shape[0] // 2, 1, 1)"),
        ),
        forward=forward,
        backward=None,
        inputs=("x",),
        parameters=("running_mean", "running_var"),
        updated=("running_mean", "running_var"),
        gradients=(),
        saved=(),
        saves_output=False,
        zeroes_output=False,
        output_dtype=None,
        output_like="x",
        takes_output_shape=True,
    )


def on_the_kernel_itself(forward: Kernel) -> Operator:
    """The operator of matrices, on the struct of its kernel."""
    return Operator(
        span=Span(0, 0),
        struct_name="BatchNormForwardInference",
        name="batch_norm_forward_inference",
        docs=(),
        is_launcher=True,
        arguments=(Argument(name="block_n", annotation="int"),),
        needs_dtype=False,
        methods=(
            method(
                "__init__",
                "block_n",
                'super().__init__(KERNELS["batch_norm_forward_inference"], BLOCK_N=block_n)',
            ),
            method("forward_kernel", "", "self"),
            method("param_shapes", "input_shapes output_shape", "[[input_shapes[0][1]]] * 4"),
            method(
                "pack_args",
                "inputs params output output_shape output_row_stride",
                "(inputs[0], output, *params, *output_shape, 1e-5)",
            ),
            method("grid", "output_shape", "(output_shape[1], 1, 1)"),
        ),
        forward=forward,
        backward=None,
        inputs=("x",),
        parameters=("weight", "bias", "running_mean", "running_var"),
        updated=(),
        gradients=(),
        saved=(),
        saves_output=False,
        zeroes_output=False,
        output_dtype=None,
        output_like="x",
        takes_output_shape=False,
    )


def module_text(namespace: str = "teeny") -> str:
    """The module of our batch norm kernels with its operators."""
    result = transpile(OWN_RUST.path)
    assert result.module is not None
    kernels = {plan.kernel.name: plan.kernel for plan in result.plans}
    host = HostPlan(
        operators=(
            inference(
                kernels["batch_norm_2d_nchw_forward_inference"],
                kernels["batch_norm_2d_nchw_backward"],
            ),
            channel_by_channel(
                kernels["batch_norm_2d_nchw_forward_inference"],
                kernels["batch_norm_2d_nchw_backward"],
            ),
            statistics(kernels["batch_norm_stats_forward"]),
            on_the_kernel_itself(kernels["batch_norm_forward_inference"]),
        )
    )
    return emit_module(
        result.module,
        result.plans,
        source=result.source,
        options_text="defaults",
        version="0",
        host=host,
        namespace=namespace,
    ).text


@cache
def norms() -> ModuleType:
    """The module, loaded."""
    return load(module_text())
