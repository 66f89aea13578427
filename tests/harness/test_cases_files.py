"""Files of cases: what they may look like, and how mistakes in them are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

from tests.harness.sources import DOUBLE, case, cases_file, kernel
from transpiler.harness.arguments import give, prepare, refer
from transpiler.harness.cases import CaseError, load_cases
from transpiler.harness.judging import widened
from transpiler.harness.programs import Program, launched_kernels
from transpiler.harness.runs import Filter, runs_of
from transpiler.pipeline import transpile_source
from transpiler.source import SourceFile

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness.conftest import Verify
    from transpiler.harness.runs import Run

TWO_DTYPES = """
#[kernel]
pub fn gather<T: Triton, D: Float, I: Int, const BLOCK: i32>(
    index_ptr: T::Pointer<I>,
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n: i32,
) {
    let lanes = T::arange(0, BLOCK);
    let mask = lanes.lt(n);
    let at = T::load(index_ptr.add_offsets(lanes), Some(mask), None, &[], None, None, None, false);
    let places = T::cast::<I, i32>(at, None, false);
    let x = T::load(x_ptr.add_offsets(places), Some(mask), None, &[], None, None, None, false);
    T::store(y_ptr.add_offsets(lanes), x, Some(mask), &[], None, None);
}
"""
ADDING = """
#[kernel]
pub fn total<T: Triton, const BLOCK: i32>(x_ptr: T::Pointer<f32>, sum_ptr: T::Pointer<f32>, n: i32) {
    let lanes = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let mask = lanes.lt(n);
    let zeros = T::zeros::<f32>(&[BLOCK]);
    let x = T::load(x_ptr.add_offsets(lanes), Some(mask), None, &[], None, None, None, false);
    let part = T::sum(T::where_(mask, x, zeros), None, true);
    T::atomic_add(sum_ptr.add_offsets(T::arange(0, 1)), part, None, None, None);
}
"""


def fault(tmp_path: Path, text: str) -> str:
    """What loading a file of cases says, its path left out."""
    path = tmp_path / "a_cases.py"
    path.write_text(text, "utf-8")
    with pytest.raises(CaseError) as caught:
        load_cases(path)
    return str(caught.value).replace(f"{tmp_path}/", "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = (\n", "a_cases.py:1: SyntaxError: '(' was never closed\n    x = ("),
        ("\nimport no_such_module\n", "a_cases.py:2: ModuleNotFoundError: No module named"),
        ("def f():\n    return nope\n\nCASES = f()\n", "a_cases.py:2: NameError: name 'nope' is"),
        ("raise SystemExit(3)\n", "a_cases.py:1: SystemExit: 3"),
        ("", "a_cases.py: defines neither `CASES` nor a function `cases()`"),
        ("CASES = []", "a_cases.py: has no case in it"),
        ("CASES = {'kernel': 'a'}", "a_cases.py: `CASES` is a dict, not a list of cases"),
        ("CASES = [3]", "a_cases.py: case 1: is a int, neither a Case nor a mapping"),
        ("def cases():\n    yield 1 / 0\n", "a_cases.py:2: ZeroDivisionError: division by zero"),
        ("CASES = [{'kernel': 'a'}]", "a_cases.py: case 1: `inputs` is missing"),
        ("CASES = [{'kernal': 'a'}]", "a_cases.py: case 1: no key is called 'kernal'; there are "),
        (
            "CASES = [dict(kernel='a', inputs=1, reference=2, grid=3)]",
            "a_cases.py: case 1: `inputs` is not a function",
        ),
        (
            "CASES = [dict(kernel='a', inputs=dict, reference=dict, grid=3, shapes=[4])]",
            "a_cases.py: case 1: `shapes` holds 4, not a mapping of names to numbers",
        ),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    assert fault(tmp_path, text).startswith(said)


def test_bytes_that_are_no_text_are_told(tmp_path: Path) -> None:
    (tmp_path / "a_cases.py").write_bytes(b"\xff\xfe")
    with pytest.raises(CaseError, match="can't decode byte 0xff"):
        load_cases(tmp_path / "a_cases.py")


def test_a_file_may_import_its_neighbour_and_yield_cases(tmp_path: Path) -> None:
    (tmp_path / "shared_by_cases.py").write_text("def grid(n):\n    return n\n", "utf-8")
    path = tmp_path / "a_cases.py"
    path.write_text(
        "from shared_by_cases import grid\n\n"
        "def cases():\n"
        "    for name in ('a', 'b'):\n"
        "        yield dict(kernel=name, inputs=dict, reference=dict, grid=grid)\n",
        "utf-8",
    )
    assert [each.kernel for each in load_cases(path)] == ["a", "b"]


def test_faults_fail_the_run_and_the_other_file_is_verified(verify: Verify) -> None:
    files = {
        "a.rs": DOUBLE,
        "a_cases.py": "1 / 0\n",
        "b.rs": DOUBLE,
        "b_cases.py": cases_file(case("double", more="dtypes='f32'"), case("dubble")),
    }
    done = verify(files, "a.rs", "b.rs")
    assert done.code == 1
    assert "error: a_cases.py:1: ZeroDivisionError: division by zero\n    1 / 0\n" in done.out
    assert "error: b_cases.py: `b.rs` has no kernel `dubble`; did you mean `double`?\n" in done.out
    assert "1 passed, 2 faults in the cases on Triton's interpreter\n" in done.out


def runs(tmp_path: Path, rust: str, text: str) -> tuple[tuple[Run, ...], tuple[str, ...]]:
    """The runs of a file of cases, and what is wrong with it."""
    path = tmp_path / "a_cases.py"
    path.write_text(text, "utf-8")
    result = transpile_source(SourceFile("a.rs", rust))
    assert result.line_map is not None, result.diagnostics
    kernels = launched_kernels(result.plans)
    program = Program(
        name="a.rs",
        stem="a",
        cases="a_cases.py",
        source=result.source,
        text=result.text or "",
        kernels=kernels,
        rust_span=result.line_map.rust_span,
    )
    found, faults, _ = runs_of(program, load_cases(path), Filter())
    return found, faults


@pytest.mark.parametrize(
    ("more", "ids"),
    [
        (
            "dtypes=['f32', 'bf16'], constants={'BLOCK': [16, 32]}",
            ["f32-BLOCK=16", "f32-BLOCK=32", "bf16-BLOCK=16", "bf16-BLOCK=32"],
        ),
        (
            "dtypes='f16', shapes=[{'n': 1}, {'n': 2}], constants=[{'BLOCK': 16}]",
            ["f16-BLOCK=16-n=1", "f16-BLOCK=16-n=2"],
        ),
        ("dtypes={'D': 'f64'}, constants={'BLOCK': 16}, name='x'", ["x-f64-BLOCK=16"]),
        ("dtypes='f64'", ["f64-BLOCK=128", "f64-BLOCK=256", "f64-BLOCK=1024"]),
        (
            "constants={'BLOCK': 16}",
            [f"{dtype}-BLOCK=16" for dtype in ("f32", "f64", "f16", "bf16")],
        ),
    ],
)
def test_a_case_stands_for_every_combination(tmp_path: Path, more: str, ids: list[str]) -> None:
    text = f"CASES = [dict(kernel='double', inputs=dict, reference=dict, grid=1, {more})]"
    found, faults = runs(tmp_path, DOUBLE, text)
    assert faults == ()
    assert [run.key.id for run in found] == [f"double[{each}]" for each in ids]
    assert len({run.seed for run in found}) == len(found)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("dtypes='f33'", "no dtype is called 'f33'; there are bool, i8"),
        ("dtypes='i32'", "the kernel is not offered for i32"),
        ("dtypes={'E': 'f32'}", "there is no value for the dtype parameter `D`"),
        ("constants={'BLOCK_N': 1}", "there is no value for the const generic `BLOCK`"),
        ("constants={'BLOCK': 16, 'K': 1}", "the kernel has no const generic `K`; it has BLOCK"),
    ],
)
def test_a_case_that_does_not_fit_the_kernel_is_told(tmp_path: Path, more: str, said: str) -> None:
    text = f"CASES = [dict(kernel='double', inputs=dict, reference=dict, grid=1, {more})]"
    found, faults = runs(tmp_path, DOUBLE, text)
    assert [each.partition("case of `double`: ")[2][: len(said)] for each in faults] == [said]
    assert found == ()


CPU = torch.device("cpu")


def prepare_run(run: Run, path: Path) -> None:
    """Whatever comes before the launch."""
    given = give(run, CPU, path)
    prepare(run, given, refer(run, given, widened(given), path, is_exact=True), path)


def prepared_fault(tmp_path: Path, text: str, rust: str = DOUBLE) -> str:
    """What is said of a case when its first run is prepared."""
    (run, *_), faults = runs(tmp_path, rust, f"import torch\nCASES = [dict({text})]")
    assert faults == ()
    with pytest.raises(CaseError) as caught:
        prepare_run(run, tmp_path / "a_cases.py")
    return str(caught.value).replace(f"{tmp_path}/", "")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ("inputs=lambda m: {}", "a_cases.py: `inputs` asks for `m`; there are n, BLOCK, dtype"),
        ("inputs=lambda: 3", "`inputs` gives a int, not a mapping by name"),
        ("inputs=lambda: {'z': 3}", "`inputs` gives `z`; the kernel's parameters are x_ptr, y_ptr"),
        ("inputs=lambda: {'n': 'a'}", "`n` is a number for the kernel, and `inputs` gives 'a'"),
        ("inputs=lambda: {'n': 1.5}", "`n` is an integer for the kernel, and `inputs` gives 1.5"),
        ("shapes=[{}], inputs=lambda: {}", "neither `inputs` nor the shape gives `n`"),
        ("reference=lambda: torch.zeros(3)", "`inputs` does not give `x_ptr`"),
        ("reference=lambda: {'x': 1}", "`reference` gives `x`; the kernel writes y_ptr"),
        ("reference=lambda: {}", "`reference` says nothing about `y_ptr`, which the kernel writes"),
        ("reference=lambda: {'y': 1}", "`reference` gives a int for `y_ptr`, not a tensor"),
        ("reference=lambda: (1, 2)", "`reference` gives 2 results; the kernel writes y_ptr"),
        ("reference=lambda: None", "`reference` gives a NoneType; the kernel writes y_ptr"),
        (
            "inputs=lambda: dict(x=torch.ones(2), y=torch.ones(2)), reference=lambda: torch.ones(3)",
            "`y_ptr` has the shape (2,) in `inputs`, and (3,) in what `reference` gives",
        ),
        (
            "inputs=lambda: {'x': torch.zeros(2)}, reference=lambda x: x, grid=(1, 2, 3, 4)",
            "`grid` is (1, 2, 3, 4), not one to three integers",
        ),
        (
            "inputs=lambda: {'x': torch.zeros(2)}, reference=lambda x: x, grid=lambda n: n / 2",
            "`grid` is 1.0, not one to three integers",
        ),
    ],
)
def test_what_a_function_gives_is_checked(tmp_path: Path, changes: str, said: str) -> None:
    keys = {
        "kernel": "'double'",
        "inputs": "lambda: {}",
        "reference": "lambda: torch.zeros(2)",
        "grid": "1",
        "shapes": "[{'n': 2}]",
        "dtypes": "'f32'",
    }
    text = ", ".join(f"{key}={value}" for key, value in keys.items() if f"{key}=" not in changes)
    assert prepared_fault(tmp_path, f"{text}, {changes}").startswith(said)


def test_dtype_parameters_are_chosen_one_by_one_and_integers_arrive_as_indices(
    verify: Verify,
) -> None:
    text = """
import torch

CASES = [
    dict(
        kernel="gather",
        shapes=[{"n": 20}],
        dtypes=[{"D": "f32", "I": "i64"}, {"D": "f16", "I": "u8"}],
        constants={"BLOCK": 32},
        inputs=lambda n: {"index": torch.randint(0, 7, (n,)), "x": torch.randn(7)},
        grid=(1,),
        reference=lambda index, x: x[index],
    )
]
"""
    done = verify({"a.rs": TWO_DTYPES, "a_cases.py": text}, "a.rs", "--json")
    assert done.code == 0, done.out
    assert list(done.cases()) == ["gather[f32-i64-BLOCK=32-n=20]", "gather[f16-u8-BLOCK=32-n=20]"]


def test_what_is_added_to_starts_from_what_is_given(verify: Verify) -> None:
    text = """
import torch

CASES = [
    dict(
        kernel="total",
        shapes=[{"n": 1000}],
        constants={"BLOCK": 64},
        inputs=lambda n: {"x": torch.randn(n), "sum": torch.full((1,), 5.0)},
        grid=lambda n, BLOCK: -(-n // BLOCK),
        reference=lambda x, sum: sum + x.sum(),
    )
]
"""
    done = verify({"a.rs": ADDING, "a_cases.py": text}, "a.rs")
    assert done.code == 0, done.out


def test_scratch_space_is_not_compared(verify: Verify) -> None:
    text = """
import torch

CASES = [
    dict(
        kernel="double",
        shapes=[{"n": 10}],
        dtypes="f32",
        constants={"BLOCK": 16},
        inputs=lambda n: {"x": torch.randn(n), "y": torch.zeros(n)},
        grid=1,
        reference=lambda: {},
        unchecked=["y"],
    )
]
"""
    assert verify({"a.rs": kernel("double"), "a_cases.py": text}, "a.rs").code == 0
