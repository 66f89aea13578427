"""Stages know what strides and ends of rows are multiples of, so that they read and write several elements at once."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import pytest
import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from tests.host.loading import load
from tests.optimise.nests import COLUMN_SUM, LOAD, STORE, kernel
from tests.optimise.test_text_of_stages import PLANES, stage
from transpiler.harness import aot
from transpiler.optimise.flags import ALIGN, OptimiseOptions
from transpiler.pipeline import Options, Result, transpile_source
from transpiler.source import SourceFile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import ModuleType

ROWS = f"""
    let row = T::program_id(Axis::X);
    let mut s: i32 = 0;
    while s < a {{
        let at = T::arange(0, BLOCK) + s;
        let mask = at.lt(a);
        let v = T::load(x.add_offsets(at + row * a), Some(mask), None, {LOAD});
        T::store(y.add_offsets(at + row * a), v + v, Some(mask), {STORE});
        s += BLOCK;
    }}
"""
SCATTERED = f"""
    let row = T::program_id(Axis::X);
    let at = T::arange(0, 1) + row;
    let v = T::load(x.add_offsets(at * a), None, None, {LOAD});
    T::store(y.add_offsets(at * a), v + v, None, {STORE});
"""


def made(body: str, *off: str) -> Result:
    """The kernel with this body, optimised."""
    options = OptimiseOptions(is_on=True, off=frozenset(off))
    result = transpile_source(SourceFile("k.rs", kernel(body)), Options(optimise=options))
    assert result.text is not None, result.diagnostics
    return result


def module(body: str, *off: str) -> ModuleType:
    """Its module, which takes tensors on the CPU."""
    text = made(body, *off).text
    assert text is not None
    return load(text)


def launched(
    loaded: ModuleType, grid: tuple[int, ...], dtype: torch.dtype = torch.float32, **numbers: int
) -> list[Any]:
    """The stages of the plan for these arguments; without a grid along an axis, it is 1."""
    given = {"a": 1, "b": 1, "n": 1} | numbers
    three = (*grid, 1, 1)[:3]
    return loaded._plan_k(three, "x", "y", *given.values(), 128, D=dtype) or []


def test_a_stage_says_what_arguments_are_multiples_of() -> None:
    assert stage(ROWS, "tiled")[:3] == [
        "    # align: a launch finds what these are multiples of, so that accesses are wide.",
        "    a = (a // ALIGN_A) * ALIGN_A",
        "",
    ]
    text = made(ROWS).text
    assert text is not None
    assert "    ALIGN_A = _alignment(a, 16)\n" in text


def test_several_arguments_are_told_together() -> None:
    lines = stage(COLUMN_SUM, "partial")
    assert lines[:3] == [
        "    # align: a launch finds what these are multiples of, so that accesses are wide.",
        "    a = (a // ALIGN_A) * ALIGN_A",
        "    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X",
    ]


@pytest.mark.parametrize("number", [*range(1, 40), 48, 1000, 1024, 65536])
def test_the_launch_finds_the_power_of_two(number: int) -> None:
    (found,) = launched(module(ROWS, "collapse-axes"), (5,), a=number)
    assert found.constants["ALIGN_A"] == math.gcd(number, 16)


def test_what_is_scattered_needs_no_multiples() -> None:
    result = made(SCATTERED)
    told = [it.message for it in result.remarks if it.transform is ALIGN]
    assert told == ["no access of lanes side by side starts at multiples of an argument"]
    assert result.text is not None
    assert "ALIGN_" not in result.text


def test_a_flag_switches_it_off() -> None:
    result = made(ROWS, ALIGN.flag)
    assert result.text is not None
    assert "ALIGN_" not in result.text
    assert not any(it.transform is ALIGN and it.is_applied for it in result.remarks)


@pytest.mark.parametrize(
    ("dtype", "unit", "widths"),
    [
        ("fp32", 1, {"b32"}),
        ("fp32", 2, {"v2.b32"}),
        ("fp32", 8, {"v4.b32"}),
        ("bf16", 1, {"b16"}),
        ("bf16", 2, {"b32"}),
        ("bf16", 8, {"v4.b32"}),
    ],
)
@pytest.mark.parametrize("form", ["", "__index64"])
def test_multiples_make_accesses_wide(
    dtype: str,
    unit: int,
    widths: set[str],
    form: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    text = made(ROWS).text
    assert text is not None
    with aot.loaded(text, "k") as loaded:
        function = getattr(loaded, f"k__tiled{form}")
        given = {"x": f"*{dtype}", "y": f"*{dtype}", "TILE_AT": 1024, "ALIGN_A": unit}
        types = {
            name: "constexpr" if name.isupper() else given.get(name, "i32")
            for name in function.arg_names
        }
        source = ASTSource(
            fn=function,
            signature=types,
            constexprs={name: given[name] for name in types if name.isupper()},
            # As launches find pointers of torch to be.
            attrs={(place,): [["tt.divisibility", 16]] for place in range(2)},
        )
        options = {"enable_fp_fusion": True}
        compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)
    found = re.findall(r"(?:ld|st)\.global\.((?:v\d\.)?b\d+)", compiled.asm["ptx"])
    assert set(found) == widths


def test_elements_that_are_copied_one_by_one_are_not_in_flight() -> None:
    text = " ".join(it.strip() for it in stage(COLUMN_SUM, "partial"))
    assert "num_stages=4 if ALIGN_A > 1 and ALIGN_GRID_X > 1 else 1" in text


@pytest.mark.parametrize(("columns", "warps"), [(75, 8), (74, 4), (72, 4)])
def test_more_warps_load_them(columns: int, warps: int) -> None:
    partial, final = launched(module(COLUMN_SUM), (columns,), a=columns, n=100_000)
    assert (partial.num_warps, final.num_warps) == (warps, 4)


@pytest.mark.parametrize(
    ("channels", "plane", "dtype", "name"),
    [
        # Short planes share lanes in any case; those that are whole numbers of accesses are runs.
        (8, 1000, torch.float32, "k__runs"),
        (8, 1002, torch.float32, "k__flat"),
        # An image has to have several tiles of them, since they end with it.
        (4, 1000, torch.float32, "k__flat"),
        (7, 49, torch.float32, "k__flat"),
        # Those that start anywhere do where all channels of an image together do not.
        (16, 35 * 35, torch.float32, "k__flat"),
        (16, 34 * 34, torch.float32, "k__runs"),
        (16, 34 * 34, torch.bfloat16, "k__flat"),
        (2, 34 * 34, torch.bfloat16, "k__flat"),
        (3, 34 * 34, torch.bfloat16, "k__tiled"),
        (3, 35 * 35, torch.float32, "k__tiled"),
        (16, 56 * 56, torch.bfloat16, "k__runs"),
    ],
)
def test_planes_that_start_anywhere_share_lanes(
    channels: int, plane: int, dtype: torch.dtype, name: str
) -> None:
    (found,) = launched(module(PLANES), (channels, 2), dtype, a=channels, n=plane)
    assert found.function.fn.__name__ == name


def test_a_compiler_that_traces_sizes_makes_a_graph_for_each_power() -> None:
    alignment = module(ROWS)._alignment
    graphs = []

    def backend(graph: torch.fx.GraphModule, _inputs: list[torch.Tensor]) -> Callable[..., Any]:
        graphs.append(graph)
        return graph.forward

    compiled = torch.compile(
        lambda x: x * alignment(x.shape[0], 16), dynamic=True, backend=backend, fullgraph=True
    )
    for number in (24, 40, 1000, 31, 75, 48, 64):
        assert compiled(torch.ones(number))[0].item() == math.gcd(number, 16)
    assert len(graphs) == 3
    torch.compiler.reset()
