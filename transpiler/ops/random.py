"""Random numbers: counter based, so that a lane's number depends on the seed and its offset alone."""

from __future__ import annotations

from transpiler.ops.model import Op, ShapeOf

RANDOM: tuple[Op, ...] = (
    Op(
        name="rand",
        family="random",
        signature="(seed: u32, offsets: Tensor<i32>, n_rounds: const i32) -> Tensor<f32>",
        triton="tl.rand(seed, offsets, n_rounds)",
        summary="Uniform numbers in [0, 1), one an offset.",
        shape=ShapeOf(parameter="offsets"),
    ),
    Op(
        name="randn",
        family="random",
        signature="(seed: u32, offsets: Tensor<i32>, n_rounds: const i32) -> Tensor<f32>",
        triton="tl.randn(seed, offsets, n_rounds)",
        summary="Normally distributed numbers of mean 0 and variance 1, one an offset.",
        shape=ShapeOf(parameter="offsets"),
    ),
    Op(
        name="randint",
        family="random",
        signature="(seed: u32, offsets: Tensor<i32>, n_rounds: const i32) -> Tensor<i32>",
        triton="tl.randint(seed, offsets, n_rounds).to(tl.int32, bitcast=True)",
        summary="32 random bits an offset.",
        shape=ShapeOf(parameter="offsets"),
    ),
    Op(
        name="randint4x",
        family="random",
        signature=(
            "(seed: u32, offsets: Tensor<i32>, n_rounds: const i32)"
            " -> (Tensor<i32>, Tensor<i32>, Tensor<i32>, Tensor<i32>)"
        ),
        triton="_randint4x(seed, offsets, n_rounds)",
        summary="Four times 32 random bits an offset, for the price of one.",
        shape=ShapeOf(parameter="offsets"),
    ),
)
