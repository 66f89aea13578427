"""The codes of remarks: what the author may want to know, and what is in order."""

from __future__ import annotations

from transpiler.diagnostics.code import Code, remark

REMARK_CODES: tuple[Code, ...] = (
    remark(
        "R0701",
        "A kernel and its backward kernel make no operator",
        "`#[kernel(backward = Y)]` says that two kernels belong together. Which argument of the one "
        "the other takes, their parameters have to tell. The forward kernel has one pointer that it "
        "writes and never reads, the output. The backward kernel has parameters of the same names, "
        "reads the gradient of the output and writes gradients of inputs: `dx`, `d_x`, `grad_x`, "
        "`g_x`, `x_grad` or `x_gradient` for an `x`, where `_ptr` may follow. Both have the same "
        "const generics. Where a parameter has no counterpart, or several, the kernels have their "
        "launchers and no operator.",
        wrong="#[kernel(backward = ScaleBackward)]\n"
        "pub fn scale<T: Triton>(x_ptr: T::Pointer<f32>, y_ptr: T::Pointer<f32>) {}\n"
        "#[kernel]\n"
        "pub fn scale_backward<T: Triton>(a_ptr: T::Pointer<f32>, b_ptr: T::Pointer<f32>) {}",
        right="#[kernel]\n"
        "pub fn scale_backward<T: Triton>(dy_ptr: T::Pointer<f32>, dx_ptr: T::Pointer<f32>) {}",
    ),
    remark(
        "R0801",
        "A transform of the optimiser was applied",
        "`-O -Rpass` tells for every kernel where a transform was applied, at the Rust that it "
        "changed, and `-Rpass=REGEX` for the transforms whose names the expression matches. The name "
        "stands before the message: `-fno-` and the name switch that transform off.",
    ),
    remark(
        "R0802",
        "A transform of the optimiser was not applied",
        "`-O -Rpass-missed` tells for every kernel why a transform was not applied, at the Rust that "
        "stands in its way, and `-Rpass-missed=REGEX` for the transforms whose names the expression "
        "matches. That is no fault: the kernel computes what it says, and a transform that cannot be "
        "proved to keep that leaves it alone. `--help-optimise` says when each is legal.",
    ),
)
