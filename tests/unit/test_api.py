"""`transpiler.transpile`, `check` and `load`: what the README documents."""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING

import pytest

import transpiler
from tests.host.pair_files import ROWS
from tests.unit.passes.kernels import LOAD, kernel, store

if TYPE_CHECKING:
    from pathlib import Path

DOUBLE = kernel(
    LOAD + store("x + x"),
    name="double",
    parameters="x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, n: i32",
)
WRONG = kernel(LOAD + store("T::rsqt(x)"))


def test_the_public_names_are_there() -> None:
    for name in transpiler.__all__:
        assert getattr(transpiler, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        transpiler.nothing  # noqa: B018 - the access is the test


def test_transpile_gives_text_kernels_and_a_line_map() -> None:
    result = transpiler.transpile(DOUBLE)
    assert result.ok
    assert result.text is not None
    ast.parse(result.text)
    assert result.diagnostics == ()
    (plan,) = result.kernels
    assert plan.kernel.name == "double"
    assert plan.facts.reads == ("x_ptr",)
    assert plan.facts.writes == ("y_ptr",)
    assert plan.facts.atomics == ()
    assert result.line_map is not None


def test_transpile_reads_a_path(tmp_path: Path) -> None:
    path = tmp_path / "k.rs"
    path.write_bytes(b"\xef\xbb\xbf" + DOUBLE.replace("\n", "\r\n").encode())
    for given in (path, str(path)):
        result = transpiler.transpile(given)
        assert result.ok
        assert result.text is not None
        assert "# Generated from k.rs by" in result.text
        assert str(tmp_path) not in result.text


def test_a_missing_file_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        transpiler.transpile(tmp_path / "nothing.rs")
    with pytest.raises(FileNotFoundError):
        transpiler.transpile("nothing.rs")


def test_wrong_rust_gives_diagnostics_and_no_text() -> None:
    result = transpiler.transpile(WRONG)
    assert not result.ok
    assert result.text is None
    assert result.line_map is None
    assert transpiler.check(WRONG) == result.diagnostics
    (found,) = result.diagnostics
    assert found.code == "E0301"
    assert found.help == "did you mean `rsqrt`?"


def test_load_raises_with_the_diagnostics() -> None:
    with pytest.raises(transpiler.TranspileError, match=r"E0301.*rsqt") as caught:
        transpiler.load(WRONG)
    assert [found.code for found in caught.value.diagnostics] == ["E0301"]


def test_load_gives_the_live_module() -> None:
    pytest.importorskip("triton")
    module = transpiler.load(DOUBLE)
    assert list(module.KERNELS) == ["double"]
    record = module.KERNELS["double"]
    assert record.parameters == ("x_ptr", "y_ptr", "n")
    assert record.constants == ("BLOCK",)
    assert set(record.specialisations) <= set(vars(module))
    assert transpiler.load(DOUBLE) is module


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"kernels": ("b",)}, ["b"]),
        ({"default_features": False}, ["a"]),
        ({"default_features": False, "features": frozenset({"training"})}, ["a", "b"]),
        ({}, ["a", "b"]),
    ],
)
def test_options_choose_kernels(options: dict[str, object], names: list[str]) -> None:
    rust = kernel(LOAD, name="a") + kernel(
        LOAD, name="b", attributes='#[cfg(feature = "training")]\n#[kernel]'
    )
    result = transpiler.transpile(rust, transpiler.Options(**options))  # type: ignore[arg-type] # values fit their names
    assert [plan.kernel.name for plan in result.kernels] == names


def test_options_choose_specialisations() -> None:
    options = transpiler.Options(blocks=(("BLOCK", (64, 512)),))
    result = transpiler.transpile(DOUBLE, options)
    (plan,) = result.kernels
    assert [each.name for each in plan.specialisations] == [
        f"double__{dtype}__{block}"
        for dtype in ("f32", "f64", "f16", "bf16")
        for block in (64, 512)
    ]


# --- The optimiser -----------------------------------------------------------------------------


def options_of(result: transpiler.Result) -> str:
    """What the header of a module says of the options."""
    assert result.text is not None
    (line,) = (it for it in result.text.splitlines() if it.startswith("# Options: "))
    return line.removeprefix("# Options: ")


def test_the_optimiser_is_off_unless_asked_for() -> None:
    assert options_of(transpiler.transpile(DOUBLE)) == "defaults"
    assert transpiler.transpile(DOUBLE).remarks == ()


@pytest.mark.parametrize(
    ("off", "is_on", "optimise", "text"),
    [
        ((), False, True, "-O"),
        (("hoist",), False, True, "-O -fno-hoist"),
        (("hoist",), True, None, "-O -fno-hoist"),
        (("hoist",), True, False, "defaults"),
    ],
)
def test_the_keyword_counts_more_than_the_options(
    off: tuple[str, ...], is_on: bool, optimise: bool | None, text: str
) -> None:
    options = transpiler.Options(
        optimise=transpiler.OptimiseOptions(is_on=is_on, off=frozenset(off))
    )
    assert options_of(transpiler.transpile(DOUBLE, options, optimise=optimise)) == text


def test_a_module_is_loaded_optimised() -> None:
    loaded = transpiler.load(DOUBLE, optimise=True)
    assert "# Options: -O\n" in inspect.getsource(loaded)


def test_a_result_names_its_operators() -> None:
    (operator,) = transpiler.transpile(ROWS).operators
    assert operator.name == "teeny::row_sums"
    assert operator.class_name == "RowSumsOp"
    assert (operator.forward, operator.backward) == ("row_sums_forward", "row_sums_backward")
    assert transpiler.transpile(DOUBLE).operators == ()
