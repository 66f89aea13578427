"""The forms with offsets in 64 bits, beyond 2^31 elements: of such a tensor no more is in memory than is touched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import transpiler
from transpiler.optimise import shapes
from transpiler.optimise.flags import OptimiseOptions

if TYPE_CHECKING:
    from pathlib import Path

STORE = "T::store(x_ptr.add_offsets({0}), -x, Some(inside), &[], None, None);\n"
LOAD = (
    "let x = T::load(x_ptr.add_offsets({0}), Some(inside), None, &[], None, None, None, false);\n"
)
LANES = "let lanes = T::arange(0, BLOCK);\n"
GENERICS = "T: Triton, D: Int, const BLOCK: i32"

RUST = (
    # A product of a program id and an argument.
    f"#[kernel]\npub fn rows<{GENERICS}>(x_ptr: T::Pointer<D>, stride: i32, n: i32) {{\n"
    + LANES
    + "let offsets = lanes + T::program_id(Axis::X) * stride;\nlet inside = offsets.lt(n);\n"
    + LOAD.format("offsets")
    + STORE.format("offsets")
    + "}\n"
    # A loop's counter, and a quotient and a remainder of it.
    + f"#[kernel]\npub fn walk<{GENERICS}>(x_ptr: T::Pointer<D>, start: i32, n: i32) {{\n"
    + LANES
    + "for first in (start..n).step_by(16) {\n"
    + "let row = first / 16;\nlet offsets = lanes + (row * 16 + first % 16);\n"
    + "let inside = offsets.lt(n) & lanes.lt(16);\n"
    + LOAD.format("offsets")
    + STORE.format("offsets")
    + "}\n}\n"
    # A function that makes offsets of its own.
    + "fn place<T: Triton, const B: i32>(stride: i32) -> T::I32Tensor {\n"
    + "T::arange(0, B) + T::program_id(Axis::X) * stride\n}\n"
    + f"#[kernel]\npub fn called<{GENERICS}>(x_ptr: T::Pointer<D>, stride: i32, n: i32) {{\n"
    + "let offsets = place::<T, BLOCK>(stride);\nlet inside = offsets.lt(n);\n"
    + LOAD.format("offsets")
    + STORE.format("offsets")
    + "}\n"
    # A descriptor, one row a program.
    + f"#[kernel]\npub fn tiles<{GENERICS}>(x_ptr: T::Pointer<D>, stride: i32, n: i32) {{\n"
    + "let d = T::make_tensor_descriptor(x_ptr, &[2, n - stride], &[stride, 1], &[1, BLOCK], None);\n"
    + "let at = T::program_id(Axis::X);\n"
    + "T::store_tensor_descriptor(d, &[at, 0], -T::load_tensor_descriptor(d, &[at, 0]));\n}\n"
)

# Each launch negates what is at the beginning and behind element 2^31, or the latter alone.
LAUNCHES = """
import importlib.util, json, sys, torch
spec = importlib.util.spec_from_file_location("beyond", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
limit, behind = 2**31, 20
x = torch.empty(limit + behind, dtype=torch.int8)
seen = {}
for name, first in (("rows", limit), ("walk", limit - 32), ("called", limit), ("tiles", limit)):
    x[:40], x[-80:] = 1, torch.arange(80, dtype=torch.int8)
    grid = (1,) if name == "walk" else (2,)
    module.KERNELS[name].index64[grid](x, first, limit + behind, BLOCK=32)
    seen[name] = [x[:40].tolist(), x[-80:].tolist()]
print(json.dumps(seen))
"""


def run(script: str, text: str, folder: Path) -> Any:
    """What a script says that gets a module."""
    path = folder / "beyond.py"
    path.write_text(text, "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_kernels_reach_what_is_beyond(tmp_path: Path) -> None:
    result = transpiler.transpile(RUST)
    assert result.text is not None, [found.message for found in result.diagnostics]
    seen = run(LAUNCHES, result.text, tmp_path)
    whole, negated = list(range(80)), [-number for number in range(80)]
    head, untouched = [-1] * 20 + [1] * 20, [1] * 40
    longer = [-1] * 32 + [1] * 8
    assert seen["rows"] == [longer, whole[:60] + negated[60:]]
    assert seen["called"] == seen["rows"]
    assert seen["walk"] == [untouched, whole[:28] + negated[28:]]
    assert seen["tiles"] == [head, whole[:60] + negated[60:]]


COLUMNS = (
    f"#[kernel]\npub fn columns<{GENERICS}>(\nx_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, c: i32, n: i32) {{\n"
    "let at = T::program_id(Axis::X);\nlet mut sum = T::zeros::<D>(&[1]);\n"
    "for i in 0..n {\nlet x = T::load(x_ptr.add_offsets(T::arange(0, 1) + (i * c + at)), "
    "None, None, &[], None, None, None, false);\nsum = sum + x;\n}\n"
    "T::store(y_ptr.add_offsets(T::arange(0, 1) + at), sum, None, &[], None, None);\n}\n"
)

# The last of three rows begins behind element 2^31.
PLANNED = """
import importlib.util, json, sys, torch
spec = importlib.util.spec_from_file_location("beyond", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
launched = []
for name in ("columns", *(it for it in dir(module) if it.startswith("columns__"))):
    function = getattr(module, name)
    def run(*arguments, name=name, run=getattr(function, "run", None), **options):
        launched.append(name)
        return run(*arguments, **options)
    if hasattr(function, "arg_names"):
        function.run = run
distance = 2**30 + 8
x, y = torch.empty(2 * distance + 20, dtype=torch.int8), torch.zeros(20, dtype=torch.int8)
for row in range(3):
    x[row * distance :][:20] = torch.arange(20, dtype=torch.int8) + row
module.Columns(32).launch((20,), x, y, distance, 3)
print(json.dumps([launched, y.tolist()]))
"""


@pytest.mark.parametrize(
    ("alone", "stages"),
    [(shapes.COLUMNS_ALONE, ["whole"]), (shapes.Alone(few=1, each=0), ["partial", "final"])],
    ids=["one", "two"],
)
def test_stages_reach_what_is_beyond(
    alone: shapes.Alone, stages: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shapes, "COLUMNS_ALONE", alone)
    result = transpiler.transpile(COLUMNS, transpiler.Options(optimise=OptimiseOptions(is_on=True)))
    assert result.text is not None, [found.message for found in result.diagnostics]
    launched, sums = run(PLANNED, result.text, tmp_path)
    assert launched == [f"columns__{stage}__index64" for stage in stages]
    assert sums == [3 * column + 3 for column in range(20)]
