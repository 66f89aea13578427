"""Hints on offsets: where they are proved and printed, why not elsewhere, and what they do to the machine code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.optimise.classics import changed, transformed
from tests.optimise.running import Sample
from tests.unit.passes.kernels import kernel
from transpiler.harness import aot
from transpiler.optimise.flags import HINTS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.optimise.running import Comparison

INDEX = (
    "let pid = T::program_id(Axis::X);\n"
    "let at = T::arange(0, BLOCK) + pid * BLOCK;\n"
    "let column = at % m;\n"
    "let row = at / m;\n"
)
UNKNOWN = "the offsets are no sums and products that are known"
NOT_BY_ONE = "the lanes do not count up by 1"
NO_MULTIPLE = "where the lanes start need be no multiple of how many they are"
PERHAPS_NEGATIVE = "what is divided may be negative"
NOTHING = (
    "k",
    "Triton's own analysis sees what lanes of addresses count, since none goes through a division",
)


def reading(offsets: str, index: str = INDEX) -> str:
    """A kernel that copies what stands at the offsets."""
    return (
        f"{index}let x = T::load(x_ptr.add_offsets({offsets}), None, None, &[], None, None, None, "
        "false);\nT::store(y_ptr.add_offsets(at), x, None, &[], None, None);\n"
    )


def missed(offsets: str, index: str = INDEX) -> list[tuple[str, str]]:
    """Why there is no hint."""
    made = changed(HINTS, reading(offsets, index))
    assert made.applied == []
    assert made.is_same
    return made.missed


@pytest.mark.parametrize(
    "offsets",
    ["row * m + column", "column + m * row", "(row / n * n + row % n) * m + column"],
)
def test_an_index_that_is_put_together_again_counts_up(offsets: str) -> None:
    made = changed(HINTS, reading(offsets))
    text = "".join(line.strip() for line in made.lines)
    assert "tl.max_contiguous(tl.multiple_of(" in text
    assert text.count("[BLOCK]") == 2
    assert made.applied == [(offsets, "the offsets count up by 1 from a multiple of `BLOCK`")]
    assert made.missed == []


def test_a_name_between_them_is_followed() -> None:
    made = changed(HINTS, reading("again", INDEX + "let again = row * m + column;\n"))
    assert "    x_ptr + tl.max_contiguous(tl.multiple_of(again, [BLOCK]), [BLOCK])" in (
        line.replace("x = tl.load(", "    ").removesuffix(")") for line in made.lines
    )


def test_lanes_of_a_number_and_a_dimension_more() -> None:
    index = (
        "let lanes = T::arange(0, 64);\n"
        "let at = T::expand_dims(T::arange(0, 4), 1) * 64 + T::expand_dims(lanes, 0);\n"
        "let column = at % m;\nlet row = at / m;\n"
    )
    made = changed(HINTS, reading("row * m + column", index))
    assert made.applied == [("row * m + column", "the offsets count up by 1 from a multiple of 64")]
    assert "[1, 64]), [1, 64])" in "".join(made.lines)


def test_what_triton_sees_itself_has_no_hint() -> None:
    assert missed("at") == [NOTHING]


@pytest.mark.parametrize(
    ("offsets", "why"),
    [
        ("row * m + column * 2", NOT_BY_ONE),
        ("row * n + column", NOT_BY_ONE),
        ("column", NOT_BY_ONE),
        ("row * m + column + pid", NO_MULTIPLE),
        ("row * m + column + n", NO_MULTIPLE),
        ("(row * m + column) & n", UNKNOWN),
    ],
)
def test_others_have_none(offsets: str, why: str) -> None:
    assert missed(offsets) == [(offsets, why)]


def test_what_is_divided_may_not_be_negative() -> None:
    index = INDEX.replace("pid * BLOCK", "n * BLOCK")
    assert missed("row * m + column", index) == [("row * m + column", PERHAPS_NEGATIVE)]


def test_hints_of_the_author_stand() -> None:
    offsets = "T::multiple_of(row * m + column, &[4])"
    assert missed(offsets) == [NOTHING]


def test_samples_leave_the_same_bytes(comparison: Comparison) -> None:
    assert comparison.is_same(Sample(body=reading("row * m + column"), m=7, grid=(3,)), HINTS)


def test_a_hinted_load_reads_four_elements_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("triton")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    rust = kernel(reading("row * m + column"))
    plain, hinted = (machine_code(each) for each in (rust_text(rust), rust_text(rust, hint=True)))
    assert "ld.global.v4.b32" not in plain
    assert "ld.global.v4.b32" in hinted
    assert len(hinted.splitlines()) < len(plain.splitlines())


def rust_text(rust: str, *, hint: bool = False) -> str:
    """The module of a Rust text, with hints or without."""
    return transformed(rust, *([HINTS] if hint else [])).text


def machine_code(text: str) -> str:
    """The PTX for sm_90 of the kernel `k`, with pointers as aligned as those of torch."""
    # Slow, and optional.
    import triton  # noqa: PLC0415
    from triton.backends.compiler import GPUTarget  # noqa: PLC0415
    from triton.compiler import ASTSource  # noqa: PLC0415

    aligned = [["tt.divisibility", 16]]
    with aot.loaded(text, "hinted") as generated:
        source = ASTSource(
            fn=generated.k,
            signature={
                "x_ptr": "*fp32",
                "y_ptr": "*fp32",
                "n": "i32",
                "m": "i32",
                "a": "fp32",
                "BLOCK": "constexpr",
            },
            constexprs={"BLOCK": 512},
            attrs={(0,): aligned, (1,): aligned},
        )
        made = triton.compile(
            source, target=GPUTarget("cuda", 90, 32), options={"enable_fp_fusion": True}
        )
    ptx = made.asm["ptx"]
    assert isinstance(ptx, str)
    return ptx
