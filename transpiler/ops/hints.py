"""Hints to the compiler, checks, and what is printed: operations without a value of their own."""

from __future__ import annotations

from transpiler.ops.model import Effect, Op, RangeOf, ShapeBroadcast, ShapeOf


def _promise(name: str, summary: str) -> Op:
    return Op(
        name=name,
        family="hints",
        signature="<D: Dtype>(x: Tensor<D>, values: [const i32]) -> Tensor<D>",
        triton=f"tl.{name}(x, values)",
        summary=summary,
        shape=ShapeOf(parameter="x"),
        keeps_precision=True,
        range=RangeOf(parameters=("x",)),
        copies="x",
        any_width=True,
    )


HINTS: tuple[Op, ...] = (
    Op(
        name="assume",
        family="hints",
        signature="(cond: Mask) -> ()",
        triton="_assume(cond)",
        summary="Promises the compiler that the condition holds in every lane.",
        effect=Effect.OBSERVES,
    ),
    _promise(
        "multiple_of", "x, whose first values along each dimension are multiples of `values`."
    ),
    _promise(
        "max_contiguous", "x, which counts up by 1 in groups of `values` along each dimension."
    ),
    _promise("max_constancy", "x, which is constant in groups of `values` along each dimension."),
    Op(
        name="inline_asm_elementwise",
        family="hints",
        signature="<D: Dtype>(asm: str, constraints: str, is_pure: bool, pack: const i32) -> Tensor<D>",
        triton="tl.inline_asm_elementwise(asm, constraints, [], D, is_pure, pack)",
        summary="The value that inline assembly without operands gives, a tensor of no dimensions.",
        shape=ShapeBroadcast(parameters=()),
        effect=Effect.OBSERVES,
    ),
)

DEBUG: tuple[Op, ...] = (
    Op(
        name="debug_barrier",
        family="debug",
        signature="() -> ()",
        triton="tl.debug_barrier()",
        summary="Waits for all threads of the program.",
        effect=Effect.OBSERVES,
    ),
    Op(
        name="device_assert",
        family="debug",
        signature="(cond: Mask, msg: str, mask: Option<Mask>) -> ()",
        triton="tl.device_assert(cond, msg, mask=mask)",
        summary="Stops the kernel where the condition fails, if it was compiled with `debug=True`.",
        fits=(("mask", "cond"),),
        effect=Effect.OBSERVES,
    ),
    Op(
        name="device_print",
        family="debug",
        signature="<D: Dtype>(prefix: str, val: Tensor<D>, hex: bool) -> ()",
        triton="tl.device_print(prefix, val, hex=hex)",
        summary="Prints the elements from the device.",
        effect=Effect.OBSERVES,
    ),
    Op(
        name="static_assert",
        family="debug",
        signature="(cond: const bool, msg: str) -> ()",
        triton="tl.static_assert(cond, msg)",
        summary="Refuses to compile the kernel where the compile-time condition fails.",
        effect=Effect.OBSERVES,
    ),
    Op(
        name="static_print",
        family="debug",
        signature="(msg: str) -> ()",
        triton="tl.static_print(msg)",
        summary="Prints when the kernel is compiled.",
        effect=Effect.OBSERVES,
    ),
)
