"""What lanes beyond the end of a loop may do for the loop's axis to end there: nothing."""

from __future__ import annotations

import pytest

from tests.optimise.nests import LOAD, STORE, dumped
from transpiler.optimise.refusals import RefusedError


def loop(inside: str, after: str = "", start: str = "zeros", combine: str = "sum") -> list[str]:
    """The nest of a loop over rows with a mask for its end; `after` comes what is stored of `acc`.

    Raises:
        RefusedError: it is none.
    """
    return dumped(f"""
        let c = T::program_id(Axis::X);
        let zeros = T::zeros::<D>(&[BLOCK]);
        let ones = T::full::<D>(&[BLOCK], D::from_f64(1.0));
        let lowest = T::full::<D>(&[BLOCK], D::from_f64(-1.0));
        let mut acc = {start};
        let mut s: i32 = 0;
        while s < n {{
            let rows = T::arange(0, BLOCK) + s;
            let mask = rows.lt(n);
            {inside}
            s += BLOCK;
        }}
        {after or f"T::store(y.add_offsets(T::arange(0, 1) + c), T::{combine}(acc, None, true), None, {STORE});"}
    """)


def value(fill: str, mask: str = "Some(mask)") -> str:
    return f"T::load(x.add_offsets(rows * a + c), {mask}, {fill}, {LOAD})"


def stored(mask: str) -> str:
    return f"T::store(y.add_offsets(rows * a + c), zeros, {mask}, {STORE});"


NOTHING = f"T::store(y.add_offsets(T::arange(0, 1) + c), T::zeros::<D>(&[1]), None, {STORE});"


@pytest.mark.parametrize(
    ("inside", "start", "combine"),
    [
        (f"acc = acc + {value('Some(zeros)')};", "zeros", "sum"),
        (f"let v = {value('Some(zeros)')}; acc = acc + v * v;", "zeros", "sum"),
        (f"let v = {value('None')}; acc = acc + T::where_(mask, v, zeros);", "zeros", "sum"),
        (f"acc = T::maximum(acc, {value('Some(lowest)')});", "lowest", "max"),
        (f"acc = T::maximum(acc, {value('Some(lowest)')});", "ones", "max"),
    ],
    ids=["fills with 0", "products of 0", "chosen", "fills with the start", "fills with less"],
)
def test_what_changes_nothing_there_is_lifted(inside: str, start: str, combine: str) -> None:
    lines = loop(inside, start=start, combine=combine)
    assert any(" in 0_i32..n reducing " in line for line in lines)
    assert [line.strip() for line in lines if "< n" in line or "mask" in line] == [
        "let mask = s < n"
    ]


@pytest.mark.parametrize(
    ("inside", "start", "combine", "reason"),
    [
        (
            f"acc = acc + {value('Some(ones)')};",
            "zeros",
            "sum",
            "where the mask is off, what `acc` combines is not 0",
        ),
        (
            f"acc = acc + {value('Some(zeros)')} + ones;",
            "zeros",
            "sum",
            "where the mask is off, what `acc` combines is not 0",
        ),
        (
            f"acc = acc + {value('None', 'None')};",
            "zeros",
            "sum",
            "nothing masks what `acc` combines where its loop ends",
        ),
        (
            f"acc = T::maximum(acc, {value('Some(ones)')});",
            "lowest",
            "max",
            "what `acc` combines is not -inf, nor what it starts from",
        ),
    ],
    ids=["another fill", "something added", "no mask", "more than the start"],
)
def test_what_changes_something_there_is_refused(
    inside: str, start: str, combine: str, reason: str
) -> None:
    with pytest.raises(RefusedError, match=reason):
        loop(inside, start=start, combine=combine)


def test_a_store_is_masked_there() -> None:
    lines = loop(stored("Some(mask)"), NOTHING)
    assert any("for rows in 0_i32..n {" in line for line in lines)
    with pytest.raises(RefusedError, match="a store is not masked where its loop ends"):
        loop(stored("None"), NOTHING)


def test_what_a_mask_says_besides_stays() -> None:
    other = "Some(mask & rows.lt(b))"
    (line,) = (it for it in loop(stored(other), NOTHING) if "rows" not in it and "(s * a)" in it)
    assert line.strip() == "store<D>(offset(y, (s * a) + pid_x), 0.0_D, s < b, [], none, none)"
    with pytest.raises(RefusedError, match="a store is not masked where its loop ends"):
        loop(stored("Some(rows.lt(b))"), NOTHING)


def test_a_count_of_tiles_is_none_of_indices() -> None:
    counted = "let mut tiles = T::zeros::<D>(&[1]);"
    one = "T::full::<D>(&[1], D::from_f64(1.0))"
    with pytest.raises(RefusedError, match="`acc` counts tiles"):
        loop(
            f"acc = acc + {one};",
            f"T::store(y.add_offsets(T::arange(0, 1) + c), acc, None, {STORE});",
            start=counted.partition("= ")[2].rstrip(";"),
        )
