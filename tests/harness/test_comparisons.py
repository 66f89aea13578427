"""Kernels without cases against themselves: what other block sizes give, in the hands of an operator."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import jsonschema  # type: ignore[import-untyped]  # it ships no types

from tests.harness.sources import kernel
from tests.harness.test_command import SCHEMA
from tests.host.plans import method, module_text
from tests.numerics.modules import OWN_RUST
from transpiler import transpile
from transpiler.cli.console import ColorChoice, Console
from transpiler.cli.verify_json import document
from transpiler.cli.verify_table import print_outcomes
from transpiler.emit.module import emit_module
from transpiler.harness.candidates import candidates
from transpiler.harness.operators import Operator as Offered
from transpiler.harness.operators import assignments
from transpiler.harness.outcomes import ComparisonKey, Device, Outcome, Planned, Verdict
from transpiler.harness.programs import Program, launched_kernels
from transpiler.harness.runs import Filter
from transpiler.harness.verifying import verify
from transpiler.host.plan import Argument, HostPlan, Operator
from transpiler.source import Span
from transpiler.target.model import Number

if TYPE_CHECKING:
    import pytest

    from transpiler.ir.nodes import Kernel
    from transpiler.pipeline import Result

RUST = "".join(
    [
        kernel("right"),
        kernel("first_block"),
        # What memory decides, no guard of a launch foresees.
        kernel("longer", mask="Some(offsets.lt(n + BLOCK - 128) & T::abs(x).ge(x))"),
        kernel("refused", before='T::static_assert(BLOCK < 200, "BLOCK is too large");\n    '),
        kernel("never_right", offsets="offsets - 2"),
        kernel("choosy"),
        kernel("crashing", offsets="offsets * -20000000"),
        kernel("fixed"),
        kernel("nobodys"),
    ]
)


def operator(forward: Kernel) -> Operator:
    """An operator on a kernel that `kernel` makes; that on `first_block` launches one program whatever the size."""
    words = forward.name.split("_")
    name = "".join(word.capitalize() for word in words)
    block = "16" if forward.name == "fixed" else "self.block"
    kept = "{128: 128, 256: 256}[block]" if forward.name == "choosy" else "block"  # as asserts do
    blocks = "1" if forward.name == "first_block" else f"-(-math.prod(output_shape) // {block})"
    return Operator(
        span=Span(0, 0),
        struct_name=f"{name}RuntimeOp",
        name=f"{forward.name}_op",
        docs=(),
        is_launcher=False,
        arguments=(Argument(name="block", annotation="int", default=Number("128")),),
        needs_dtype=False,
        methods=(
            method("__init__", "block", f"self.block = {kept}", "None"),
            method("forward_kernel", "", f"{name}({block})"),
            method("param_shapes", "input_shapes output_shape", "[]"),
            method(
                "pack_args",
                "inputs params output output_shape output_row_stride",
                "(inputs[0], output, math.prod(output_shape))",
            ),
            method("grid", "output_shape", f"({blocks}, 1, 1)"),
        ),
        forward=forward,
        backward=None,
        inputs=("x",),
        parameters=(),
        updated=(),
        gradients=(),
        saved=(),
        saves_output=False,
        zeroes_output=forward.name == "first_block",
        output_dtype=None,
        output_like="x",
        takes_output_shape=False,
    )


def program(result: Result, text: str) -> Program:
    """A program without cases."""
    assert result.line_map is not None
    kernels = launched_kernels(result.plans)
    return Program(
        name="a.rs",
        stem="a",
        cases="there is none",
        source=result.source,
        text=text,
        kernels=kernels,
        rust_span=result.line_map.rust_span,
    )


def verified(of: Program) -> tuple[Device, Planned, dict[str, Outcome]]:
    device, plan, *outcomes = verify((of,), "cpu", Filter(dtypes=("f32",)))
    assert isinstance(device, Device)
    assert isinstance(plan, Planned)
    return device, plan, {it.key.id: it for it in outcomes if isinstance(it, Outcome)}


@cache
def done() -> tuple[Device, Planned, dict[str, Outcome]]:
    result = transpile(RUST)
    assert result.module is not None
    kernels = [plan.kernel for plan in result.plans if plan.kernel.name != "nobodys"]
    emitted = emit_module(
        result.module,
        result.plans,
        source=result.source,
        options_text="defaults",
        version="0",
        host=HostPlan(operators=tuple(map(operator, kernels))),
    )
    return verified(program(result, emitted.text))


def of(name: str, block: int = 256) -> Outcome:
    struct = "".join(word.capitalize() for word in name.split("_"))
    return done()[2][f"{name}[{struct}RuntimeOp-f32-block={block}]"]


def test_a_kernel_that_takes_any_block_agrees_with_itself() -> None:
    for block in (256, 1024):
        found = of("right", block)
        assert isinstance(found.key, ComparisonKey)
        assert found.key.reference == (("block", 128),)
        assert (found.verdict, found.message) == (Verdict.PASS, "")
        # Of several ranks, and more than the smallest block holds.
        assert found.shapes == ("3x150", "2x3x5x7", "37")
        assert found.worst is not None
        assert found.worst.error == 0.0


def test_results_that_depend_on_the_block_are_shown_beside_each_other() -> None:
    found = of("first_block")
    assert found.verdict is Verdict.DIFFERENT
    assert found.message.startswith("3x150: output: 128 of 450 elements different; [0, 128] is ")
    assert " with block=256 and 0 with block=128; the largest relative difference is " in (
        found.message
    )


def test_what_one_block_writes_out_of_bounds_is_seen() -> None:
    found = of("longer")
    assert found.verdict is Verdict.OUT_OF_BOUNDS
    said = "3x150: a result: 62 elements outside it written, the first 0 after its end"
    assert found.message.splitlines()[0] == said


def test_a_block_that_triton_refuses_is_shown_in_the_rust() -> None:
    found = of("refused")
    assert found.verdict is Verdict.REFUSED
    assert "BLOCK is too large" in found.message
    assert "static_assert(BLOCK < 200" in found.message


def test_nothing_is_said_of_a_kernel_that_comes_out_clean_on_nothing() -> None:
    found = of("never_right")
    assert found.verdict is Verdict.NOT_COMPARED
    assert found.message.startswith("`NeverRightRuntimeOp` takes no tensors that were tried; ")
    assert "elements outside it written" in found.message


def test_a_block_that_the_operator_refuses_is_not_compared() -> None:
    assert of("choosy", 256).verdict is Verdict.PASS
    found = of("choosy", 1024)
    assert found.verdict is Verdict.NOT_COMPARED
    assert found.message == "3x150: with block=1024: KeyError: 1024"


def test_a_process_that_ends_while_it_tries_costs_the_comparisons_of_one_kernel() -> None:
    for block in (256, 1024):
        found = of("crashing", block)
        assert found.verdict is Verdict.NOT_COMPARED
        said = "the process that tried tensors on `CrashingRuntimeOp` was ended by SIGSEGV"
        assert found.message == said


def test_what_cannot_be_compared_has_a_reason() -> None:
    _, plan, _ = done()
    assert dict(plan.incomparable) == {
        "fixed": "`FixedRuntimeOp` takes no block size",
        "nobodys": "no operator launches it",
    }
    assert "nobodys" in plan.uncased


def test_the_document_has_the_comparisons() -> None:
    device, plan, outcomes = done()
    content = json.loads(document(device, [plan], list(outcomes.values())))
    jsonschema.validate(content, SCHEMA)
    summary = content["summary"]
    assert (summary["passed"], summary["failed"]) == (0, 0)
    assert (summary["agreeing"], summary["disagreeing"]) == (3, 6)
    (file,) = content["files"]
    assert file["cases"] == []
    assert file["kernels_not_compared"] == dict(plan.incomparable)
    first = file["comparisons"][0]
    assert (first["operator"], first["blocks"]) == ("RightRuntimeOp", {"block": 256})
    assert (first["reference"], first["difference"]) == ({"block": 128}, 0.0)


def test_the_table_has_a_row_for_each_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    device, plan, outcomes = done()
    stream = Console(ColorChoice("never")).data
    print_outcomes(
        stream, device, [plan], list(outcomes.values()), is_quiet=False, is_verbose=False
    )
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    (row,) = (line for line in lines if line[:3] == ["right", "f32", "block=256"])
    assert row[3:] == ["3x150", "…", "37", "(3)", "0", "-", "2.1e-06", "pass"]
    # One row for all that says the same.
    (crashing,) = (line for line in lines if line[:1] == ["crashing"])
    assert crashing[-1] == "SIGSEGV"
    assert lines[-1][:5] == ["0", "passed,", "3", "of", "9"]


def test_gradients_differ_by_roundings_alone() -> None:
    result = transpile(OWN_RUST.path)
    wanted = frozenset({"batch_norm_2d_nchw_backward", "batch_norm_stats_forward"})
    _, plan, outcomes = verified(replace(program(result, module_text()), wanted=wanted))
    assert set(plan.uncased) == {it.key.kernel for it in outcomes.values()} == wanted
    assert {it.verdict for it in outcomes.values()} == {Verdict.PASS}
    backward = [it for it in outcomes.values() if it.key.kernel == "batch_norm_2d_nchw_backward"]
    names = {output.name for it in backward for output in it.outputs}
    assert names == {"gradient of x", "gradient of weight", "gradient of bias"}
    # The sums of a channel are taken in another order, and that shows.
    worst = max(output.error or 0.0 for it in backward for output in it.outputs)
    assert 0 < worst < 1e-6
    # Statistics have an output of a shape of their own, and update two buffers.
    (stats, *_) = (it for it in outcomes.values() if it.key.kernel == "batch_norm_stats_forward")
    assert [output.name for output in stats.outputs[:3]] == [
        "output",
        "running_mean",
        "running_var",
    ]
    assert stats.shapes[0] == "3x150->300"


def test_blocks_of_several_arguments_are_also_unlike_each_other() -> None:
    found = assignments({"block_m": (16, 32), "block_n": (16, 32)})
    assert found == [
        {"block_m": 16, "block_n": 16},
        {"block_m": 32, "block_n": 32},
        {"block_m": 16, "block_n": 32},
        {"block_m": 32, "block_n": 16},
    ]


def test_bounds_come_in_order_and_flags_both_ways() -> None:
    kinds = {"block": "int", "low": "float", "high": "float", "is_signed": "bool", "axis": "int"}
    offered = Offered(
        name="ClampRuntimeOp",
        make=object,
        arguments=kinds,
        takes_dtype=False,
        takes_output_shape=False,
        inputs=("x",),
        parameters=(),
        updated=(),
        gradients=(),
    )
    tried = [it.arguments for it in candidates(offered, frozenset({"block"}))]
    assert all("block" not in it and str(it["low"]) < str(it["high"]) for it in tried)
    assert {it["is_signed"] for it in tried} == {True, False}
    assert {it["axis"] for it in tried} == {0, 1, 2, 3}
