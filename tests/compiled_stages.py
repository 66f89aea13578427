"""Machine code of what the optimiser launches in the place of a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from transpiler.harness import aot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_TRITON = {
    torch.bool: "i1",
    torch.int8: "i8",
    torch.int16: "i16",
    torch.int32: "i32",
    torch.int64: "i64",
    torch.uint8: "u8",
    torch.uint16: "u16",
    torch.uint32: "u32",
    torch.uint64: "u64",
    torch.float16: "fp16",
    torch.bfloat16: "bf16",
    torch.float32: "fp32",
    torch.float64: "fp64",
}
_TORCH = {name: dtype for dtype, name in _TRITON.items()}
_HALVES = frozenset({torch.float16, torch.bfloat16})


def planned_stages(
    module: Any,
    kernel: str,
    types: Sequence[str],
    numbers: Mapping[str, int],
    constants: Mapping[str, Any],
    grid: Sequence[int],
) -> list[Any]:
    """The launches in the place of a kernel.

    `types` are Triton's of its parameters, in their order, in which the values of `numbers` are those of the integers.
    """
    record = module.KERNELS[kernel]
    # The numbers are by their Rust names, in the order of the parameters.
    given = iter(numbers.values())
    passed = [
        next(given) if rust in module._INTEGERS else name
        for name, rust in zip(record.parameters, record.types, strict=True)
    ]
    dtypes = {}
    for rust, type_ in zip(record.types, types, strict=True):
        if rust.startswith("*") and rust[1:] not in module._DTYPES:
            dtype = _TORCH[type_[1:]]
            dtypes[rust[1:]] = torch.float32 if dtype in _HALVES else dtype
    programs = (*grid, 1, 1)[:3]
    fixed = [constants[name] for name in record.constants]
    return record.optimised(programs, *passed, *fixed, **dtypes) or []


def binary_of(
    module: Any, kernel: str, stage: Any, types: Sequence[str], target: aot.Target
) -> bytes:
    """What Triton makes of a stage that gets arguments of these types."""
    import triton  # noqa: PLC0415 - slow, and optional
    from triton.backends.compiler import GPUTarget  # noqa: PLC0415
    from triton.compiler import ASTSource  # noqa: PLC0415

    by_name: dict[str, str] = dict(zip(module.KERNELS[kernel].parameters, types, strict=True))

    def type_of(argument: object) -> str:
        if isinstance(argument, str):
            return by_name[argument]
        if isinstance(argument, module._Scratch):
            element: str = _TRITON[argument.dtype]
            return f"*{element}"
        return "i32"

    names = stage.function.arg_names
    given = [*map(type_of, stage.arguments), *("constexpr" for _ in stage.constants)]
    source = ASTSource(
        fn=stage.function,
        signature=dict(zip(names, given, strict=True)),
        constexprs=stage.constants,
    )
    gpu = GPUTarget(target.backend, target.architecture, target.warp_size)
    options = {"enable_fp_fusion": True, "num_warps": stage.num_warps}
    made = triton.compile(source, target=gpu, options=options)
    binary = made.asm[target.artefact(aot.Stage.BINARY)]
    assert isinstance(binary, bytes)
    return binary
