"""What the command shows of the optimiser's work: remarks, the IR between passes, plans, and who was optimised.

The optimiser here is a small one of the tests: what it says is known.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.cli.sources import DOUBLE, TWO_KERNELS
from tests.host.pair_files import ROWS
from transpiler.ir.dump import dump_routine
from transpiler.ir.extent import AtLeast, Division, Named, Number, Product, Sum
from transpiler.ir.launch_plan import LaunchPlan, Quantity, Scratch, Stage, Tile, Variant
from transpiler.ir.types import DType
from transpiler.optimise import driver
from transpiler.optimise.flags import BLOCK_AXIS, CONTRACT, HOIST, OptimiseOptions
from transpiler.optimise.remarks import Remarks, applied_flags
from transpiler.passes.pipeline import PIPELINE
from transpiler.source import Span

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.cli.conftest import Files, Invoke
    from transpiler.ir import nodes as ir
    from transpiler.optimise.driver import Observer

_KERNEL = re.compile(r"^pub fn double", re.MULTILINE)


def plan_of(kernel: ir.Kernel) -> LaunchPlan:
    """A plan that launches a copy of the kernel, which takes a tile besides."""
    tile = replace(kernel.const_generics[0], id=1_000, name="TILE")
    stage = Stage(
        kernel=replace(
            kernel,
            name=f"{kernel.name}__blocked",
            const_generics=(*kernel.const_generics, tile),
        ),
        grid=(Division(Named("grid_x"), Named("TILE"), is_up=True),),
        tiles=(Tile(name="TILE", default=Number(16), choices=(16, 32), limit=Named("grid_x")),),
        warps=Number(4),
    )
    count = Product((Sum((Named("n"), Number(1)), ()), Number(4)))
    return LaunchPlan(
        kernel=kernel,
        requires=(AtLeast(value=Named("n"), bound=Number(1)),),
        variants=(
            Variant(
                conditions=(),
                quantities=(Quantity(name="rows", value=Named("grid_x")),),
                scratch=(Scratch(name="partial", dtype=DType.F32, count=count),),
                stages=(stage,),
            ),
        ),
    )


@pytest.fixture(autouse=True)
def optimiser(monkeypatch: pytest.MonkeyPatch) -> None:
    """Applies `block-axis` to `double`, and `hoist` to nothing."""

    def optimise(
        module: ir.Module,
        options: OptimiseOptions,
        remarks: Remarks,
        observe: Observer | None = None,
    ) -> Mapping[str, LaunchPlan]:
        plans = {}
        for kernel in module.kernels:
            if kernel.name == "double" and options.has(BLOCK_AXIS):
                remarks.applied(BLOCK_AXIS, kernel.name, "16 programs are one", kernel.span)
                plans[kernel.name] = plan_of(kernel)
                if observe is not None:
                    observe("lift", "nest double[x < grid_x] {\n}\n")
                    observe(BLOCK_AXIS.flag, dump_routine(kernel))
            remarks.missed(HOIST, kernel.name, "no loop is there", kernel.body.span)
        return plans

    monkeypatch.setattr(driver, "optimise", optimise)


# --- Remarks -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        ((), []),
        (("-v",), []),
        (("-Rpass",), ["R0801"]),
        (("-Rpass=block",), ["R0801"]),
        (("-Rpass=^hoist$",), []),
        (("-Rpass-missed",), ["R0802", "R0802"]),
        (("-Rpass-missed=hoi.t|reuse",), ["R0802", "R0802"]),
        (("-Rpass", "-Rpass-missed"), ["R0801", "R0802", "R0802"]),
        (("-Rpass", "-fno-block-axis"), []),
        (("-Rpass", "-O0"), []),
        (("-Rpass=hoist", "-Rpass=axis"), ["R0801"]),
    ],
)
def test_remarks_are_those_asked_for(
    files: Files, invoke: Invoke, arguments: tuple[str, ...], codes: list[str]
) -> None:
    files({"a.rs": TWO_KERNELS})
    done = invoke("a.rs", "-O", *arguments, "--message-format", "json")

    assert done.exit_code == 0
    assert [json.loads(line)["code"] for line in done.stdout.splitlines()] == codes


def test_a_remark_names_transform_kernel_and_option_and_shows_the_rust(
    files: Files, invoke: Invoke
) -> None:
    files({"a.rs": DOUBLE})
    done = invoke("a.rs", "-O", "-q", "-Rpass", "-Rpass-missed")

    first, second = (part.splitlines() for part in done.stderr.split("\n\n")[:2])
    assert first[0] == (
        "remark[R0801]: block-axis: `double`: 16 programs are one [-Rpass=block-axis]"
    )
    assert second[0] == "remark[R0802]: hoist: `double`: no loop is there [-Rpass-missed=hoist]"
    assert re.fullmatch(r" *--> a\.rs:2:1", first[1])
    assert any("^" in line for line in first)
    assert done.stderr.endswith("2 remarks in 1 file\n")


def test_a_remark_about_a_kernel_that_a_macro_makes_points_into_the_file(
    files: Files, invoke: Invoke
) -> None:
    written = _KERNEL.sub("pub fn $name", DOUBLE)
    text = f"macro_rules! make {{ ($name:ident) => {{{written}}}; }}\n\nmake!(double);\n"
    files({"a.rs": text})
    done = invoke("a.rs", "-O", "-q", "-Rpass", "--message-format", "concise")

    line = text[: text.index("make!(double)")].count("\n") + 1
    assert done.stderr == (
        f"a.rs:{line}:1: remark[R0801] block-axis: `double`: 16 programs are one "
        "[-Rpass=block-axis]\n"
    )


def test_remarks_are_notes_in_sarif(files: Files, invoke: Invoke) -> None:
    files({"a.rs": DOUBLE})
    done = invoke("a.rs", "-O", "-Rpass", "--message-format", "sarif")
    (found,) = json.loads(done.stdout)["runs"][0]["results"]

    assert (found["ruleId"], found["level"]) == ("R0801", "note")
    assert found["message"]["text"].endswith("[-Rpass=block-axis]")


# --- Options without effect --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "idle"),
    [
        (("-fhoist",), ["-fhoist"]),
        (("-fhoist", "-freuse", "-fno-reuse"), ["-fhoist"]),
        (("-fno-hoist",), []),
        (("-Rpass",), ["-Rpass"]),
        (("-Rpass-missed=x", "-fhoist"), ["-fhoist", "-Rpass-missed"]),
        (("-O0", "-fhoist", "-Rpass"), []),
        (("-O", "-fhoist", "-Rpass"), []),
        (("-fhoist", "--allow", "W0801"), []),
    ],
)
def test_what_has_no_effect_without_the_level_is_told(
    files: Files, invoke: Invoke, arguments: tuple[str, ...], idle: list[str]
) -> None:
    folder = files({"a.rs": DOUBLE})
    done = invoke("a.rs", "-q", *arguments, "--message-format", "concise")
    told = [line for line in done.stderr.splitlines() if "W0801" in line]

    assert done.exit_code == 0
    assert told == [f"warning[W0801] `{each}` has no effect without `-O`" for each in idle]
    assert (folder / "generated/a.py").exists()


def test_what_has_no_effect_is_an_error_where_warnings_are(files: Files, invoke: Invoke) -> None:
    folder = files({"a.rs": DOUBLE})
    done = invoke("a.rs", "-fhoist", "--deny-warnings")

    assert done.exit_code == 1
    assert "error[W0801]: `-fhoist` has no effect without `-O`" in done.stderr
    assert not (folder / "generated").exists()


# --- The IR between passes ---------------------------------------------------------------------


def headings(text: str) -> list[str]:
    """What stands above the parts of a dump, changed or not."""
    return [it.removesuffix(", unchanged") for it in text.splitlines() if it.startswith(";")]


def test_the_ir_is_shown_after_the_passes_asked_for_and_at_the_end(
    files: Files, invoke: Invoke
) -> None:
    files({"a.rs": TWO_KERNELS})
    arguments = ("a.rs", "--emit", "ir", "--print-after", "legalise", "--print-after", "fold")
    shown = invoke(*arguments).stdout

    assert headings(shown) == [
        "; after fold: kernel double",
        "; after fold: kernel square",
        "; after legalise: kernel double",
        "; after legalise: kernel square",
        "; the result",
    ]
    folded, legal = shown.split("; after legalise: kernel double")
    assert "widen<D>" not in folded
    assert "widen<D>" in legal
    assert shown.endswith(invoke("a.rs", "--emit", "ir").stdout)


def test_what_a_pass_leaves_as_it_is_is_not_shown_again(files: Files, invoke: Invoke) -> None:
    files({"a.rs": DOUBLE})
    shown = invoke("a.rs", "--emit", "ir", "--print-after", "check,offered,legalise").stdout

    assert (
        "\n; after offered: kernel double, unchanged\n\n; after legalise: kernel double\n" in shown
    )
    assert shown.count("\nkernel double<") == 3


def test_all_passes_are_shown_in_their_order(files: Files, invoke: Invoke) -> None:
    files({"a.rs": DOUBLE})
    passes = ["elaborate", *(each.__name__ for each in PIPELINE)]

    shown = headings(invoke("a.rs", "--emit", "ir", "--print-after", "all").stdout)
    assert shown == [*(f"; after {each}: kernel double" for each in passes), "; the result"]

    shown = headings(invoke("a.rs", "-O", "--emit", "ir", "--print-after", "all").stdout)
    assert shown[len(passes) :] == [
        "; after lift: nest double",
        "; after block-axis: kernel double",
        "; after optimise: kernel double__blocked",
        "; after legalise: kernel double__blocked",
        "; the result",
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--print-after", "fold"), "--print-after goes with --emit ir"),
        (("--emit", "ast", "--print-after", "fold"), "--print-after goes with --emit ir"),
        (
            ("--emit", "ir", "--print-after", "fold,fodl"),
            "no pass is called 'fodl'; did you mean fold?\nThere are elaborate, check, ",
        ),
        (
            ("--emit", "ir", "--print-after", "block-axis"),
            "--print-after block-axis goes with -O",
        ),
        (("--emit", "ir", "--print-after", ""), "there is no name in it"),
    ],
)
def test_passes_that_are_not_there_are_wrong_usage(
    files: Files, invoke: Invoke, arguments: tuple[str, ...], words: str
) -> None:
    files({"a.rs": DOUBLE})
    done = invoke("a.rs", *arguments)

    assert done.exit_code == 2
    assert words in done.stderr


def test_the_ir_ends_with_the_plans_and_their_stages(files: Files, invoke: Invoke) -> None:
    files({"a.rs": TWO_KERNELS})
    plain = invoke("a.rs", "--emit", "ir").stdout
    shown = invoke("a.rs", "-O", "--emit", "ir").stdout

    assert shown.startswith(plain)
    plan, _, stages = shown.removeprefix(plain).lstrip("\n").partition("\n}\n")
    assert plan == (
        "plan double requires n >= 1 {\n"
        "  variant {\n"
        "    let rows = grid_x\n"
        "    scratch partial: f32[(n + 1) * 4]\n"
        "    launch double__blocked[cdiv(grid_x, TILE)] with 4 warps\n"
        "      tile TILE = 16 of 16, 32 up to grid_x\n"
        "  }"
    )
    assert stages.startswith(
        "\nkernel double__blocked<D: Float, const BLOCK: i32, const TILE: i32>(\n"
    )
    # The last pass has been over the stages too.
    assert "widen<D>" in stages


# --- Summaries ---------------------------------------------------------------------------------


@pytest.mark.parametrize("color", ["never", "always"])
def test_the_table_names_what_was_optimised_where_that_was_asked(
    files: Files, invoke: Invoke, color: str
) -> None:
    files({"a.rs": TWO_KERNELS})

    def rows(*arguments: str) -> list[list[str]]:
        shown = invoke("a.rs", "-o", "out.py", *arguments, "--color", color).stderr
        plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
        return [re.split(r"\s{2,}", line.strip()) for line in plain.splitlines()[1:]]

    assert rows()[0] == ["kernel", "dtypes", "constants", "specialisations"]
    heading, double, square = rows("-O")
    assert heading[-2:] == ["specialisations", "optimised by"]
    assert double[-2:] == ["12", "block-axis"]
    assert square[-2:] == ["12", "-"]


def test_the_summary_names_the_operators(files: Files, invoke: Invoke) -> None:
    files({"a.rs": ROWS, "b.rs": DOUBLE})
    shown = invoke("a.rs", "--op-namespace", "mine").stderr

    assert shown.splitlines()[-1] == "  operators: mine::row_sums"
    assert "operators" not in invoke("b.rs").stderr


def test_json_names_the_operators_and_the_stages(files: Files, invoke: Invoke) -> None:
    files({"a.rs": ROWS, "b.rs": TWO_KERNELS})
    pair, kernels = json.loads(invoke("a.rs", "b.rs", "-O", "--emit", "json").stdout)["files"]

    assert pair["operators"] == [
        {
            "name": "teeny::row_sums",
            "class": "RowSumsOp",
            "kernel": "row_sums_forward",
            "backward": "row_sums_backward",
        }
    ]
    assert kernels["operators"] == []
    assert [each["optimised"] for each in kernels["kernels"]] == [
        {"transforms": ["block-axis"], "stages": ["double__blocked"]},
        None,
    ]


def test_transforms_are_named_once_and_in_the_order_in_which_they_are_applied() -> None:
    remarks = Remarks()
    for transform, kernel in ((HOIST, "a"), (BLOCK_AXIS, "a"), (HOIST, "a"), (CONTRACT, "b")):
        remarks.applied(transform, kernel, "done", Span(len(remarks.remarks), 9))
    remarks.missed(CONTRACT, "a", "not done", Span(0, 1))

    assert applied_flags(remarks.remarks, "a") == ("block-axis", "hoist")
    assert applied_flags(remarks.remarks, "b") == ("contract",)
    assert applied_flags(remarks.remarks, "c") == ()
