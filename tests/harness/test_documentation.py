"""What README and docs/verify.md show works as they say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from tests.harness.conftest import ROOT
from transpiler.cli.verify import verify as command
from transpiler.harness.outcomes import Verdict

if TYPE_CHECKING:
    from tests.harness.conftest import Verify

README = (ROOT / "README.md").read_text("utf-8")
PAGE = (ROOT / "docs/verify.md").read_text("utf-8")
RMS_NORM = """
#[kernel]
pub fn rms_norm_forward<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>,
    weight_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    N: i32,
    eps: f32,
) {
    let columns = T::arange(0, BLOCK);
    let mask = columns.lt(N);
    let offsets = columns + T::program_id(Axis::X) * N;
    let zeros = T::zeros::<D>(&[BLOCK]);
    let x = T::load(x_ptr.add_offsets(offsets), Some(mask), None, &[], None, None, None, false);
    let squares = T::where_(mask, x * x, zeros);
    let count = T::cast::<i32, D>(T::full::<i32>(&[1], N), None, false);
    let mean = T::sum(squares, None, true) / count;
    let factor = T::rsqrt(mean + T::full::<D>(&[1], D::from_f64(eps as f64)));
    let w = T::load(weight_ptr.add_offsets(columns), Some(mask), None, &[], None, None, None, false);
    let y = x * T::broadcast_to(factor, &[BLOCK]) * w;
    T::store(y_ptr.add_offsets(offsets), y, Some(mask), &[], None, None);
}
"""


def block(text: str, language: str, having: str) -> str:
    """The block of code in a page that has something in it."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (found,) = (each for each in blocks if having in each)
    return str(found)


def test_the_cases_in_readme_pass(verify: Verify) -> None:
    files = {
        "axpy.rs": block(README, "rust", "fn axpy"),
        "axpy_cases.py": block(README, "python", "CASES"),
    }
    done = verify(files, "axpy.rs")
    assert done.code == 0
    shown = block(README, "text", "torch's").split("…\n")[0].removesuffix(" …")
    lines = [line.split() for line in done.out.splitlines()]
    assert [line.split() for line in shown.splitlines()] == [
        *lines[:2],
        lines[2][: len(shown.splitlines()[-1].split())],
    ]
    assert done.out.endswith("16 passed on Triton's interpreter\n")


def test_the_cases_in_the_page_pass(verify: Verify) -> None:
    done = verify({"a.rs": RMS_NORM, "a_cases.py": block(PAGE, "python", "CASES")}, "a.rs")
    assert done.code == 0, done.out
    assert "16 passed" in done.out


def test_every_verdict_and_option_is_in_the_page() -> None:
    verdicts = PAGE.partition("## Verdicts")[2].partition("\n##")[0]
    assert re.findall(r"^\| `([a-zA-Z -]+)` \|", verdicts, re.MULTILINE) == [
        verdict.value for verdict in Verdict
    ]
    options = PAGE.partition("## Options")[2].partition("| exit code |")[0]
    context = click.Context(command, **command.context_settings)
    offered = {
        name
        for parameter in command.get_params(context)
        if isinstance(parameter, click.Option) and not parameter.hidden
        for name in (*parameter.opts, *parameter.secondary_opts)
    }
    listed = set(re.findall(r"(?<![\w-])(-O\d?|-f(?=NAME|no-)|--?[a-z][a-z-]*)", options))
    assert offered - {"-h", "--help"} == listed
