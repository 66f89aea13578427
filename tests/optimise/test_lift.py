"""Kernels as nests: one index of every axis, whatever tiles they are written in."""

from __future__ import annotations

import pytest

from tests.optimise.nests import COLUMN_SUM, LOAD, SCALAR_LOOP, STORE, dumped, lifted
from transpiler.optimise.refusals import RefusedError

NO_MORE = "[], none, none, none, false"


def test_a_loop_over_tiles_is_an_axis_up_to_the_bound_of_its_mask() -> None:
    assert dumped(COLUMN_SUM) == [
        "nest k[c < grid_x] {",
        "  for rows in 0_i32..n reducing sum acc as total {",
        "    let mask = s < n",
        f"    let v = widen<D>(load<stored D>(offset(x, (s * a) + pid_x), none, 0.0_D, {NO_MORE}))",
        "    acc <- v * v",
        "  }",
        "  store<D>(offset(y, pid_x), acc, none, [], none, none)",
        "}",
    ]


def test_a_loop_over_numbers_is_its_own_axis() -> None:
    lines = dumped(SCALAR_LOOP)
    assert "  for i in 0_i32..a * b reducing sum acc as acc {" in lines
    assert "    let low = i % b" in lines


def test_terms_of_a_sum_are_combined_wherever_brackets_stand() -> None:
    body = COLUMN_SUM.replace("acc + v * v", "acc + v + v * v")
    assert "    acc <- v + (v * v)" in dumped(body)


def test_what_the_end_of_a_loop_selects_is_there_for_every_index() -> None:
    body = COLUMN_SUM.replace("Some(zeros), &[]", "None, &[]")
    body = body.replace("acc + v * v", "acc + T::where_(mask, v * v, zeros)")
    assert "    acc <- v * v" in dumped(body)
    body = body.replace("where_(mask, v", "where_(mask & v.lt(zeros), v")
    assert "    acc <- where_<D>(v < 0.0_D, v * v, 0.0_D)" in dumped(body)


def test_expressions_are_lifted_in_one_go_however_deep_they_nest() -> None:
    depth = 24
    address = "c"
    for _ in range(depth):
        address = f"(({address}) * a + b)"
    value = "v"
    for _ in range(depth):
        value = f"T::where_({value}.lt(zeros), v, zeros)"
    body = COLUMN_SUM.replace("acc + v * v", f"acc + {value}")
    body = body.replace("let v = ", f"let deep = {address};\n        let v = ")
    lines = dumped(body)
    (deep,) = (it for it in lines if it.startswith("    let deep = "))
    (sums,) = (it for it in lines if it.startswith("    acc <- "))
    assert (deep.count("* a) + b"), sums.count("where_")) == (depth, depth)


def test_lanes_summed_in_each_iteration_are_one_sum() -> None:
    body = COLUMN_SUM.replace("let mut acc = zeros;", "let mut acc = T::zeros::<D>(&[1]);")
    body = body.replace("acc = acc + v * v;", "acc = acc + T::sum(v, None, true);")
    body = body.replace("T::sum(acc, None, true)", "acc + acc")
    assert "    acc <- v" in dumped(body)


def test_what_is_subtracted_is_summed() -> None:
    body = COLUMN_SUM.replace("acc + v * v", "acc - v * v")
    assert "    acc <- -(v * v)" in dumped(body)


FROM_ZERO = "let mut acc = T::zeros::<D>(&[1]);"


def test_what_a_sum_starts_from_is_added_behind_its_loop() -> None:
    first = f"T::load(x.add_offsets(T::arange(0, 1) + c), None, None, {LOAD})"
    lines = dumped(SCALAR_LOOP.replace(FROM_ZERO, f"let mut acc = {first};"))
    assert any(it.startswith("  let acc_start = widen<D>(load<") for it in lines)
    assert any(it.startswith("  store<D>(offset(y, pid_x), acc_start + acc, ") for it in lines)


def test_lanes_of_a_sum_start_from_nothing() -> None:
    body = COLUMN_SUM.replace("let mut acc = zeros", "let mut acc = zeros + T::exp(zeros)")
    with pytest.raises(RefusedError, match="`acc` starts from something else than 0"):
        lifted(body)


LARGEST = (
    COLUMN_SUM.replace("T::zeros::<D>(&[BLOCK])", "T::full::<f32>(&[BLOCK], START)")
    .replace("Some(zeros)", "Some(T::full::<f32>(&[BLOCK], FILL))")
    .replace("acc + v * v", "T::maximum(acc, v)")
    .replace("T::sum(acc", "T::max(acc")
)


@pytest.mark.parametrize(
    ("start", "fill"),
    [("-3.4028235e38", "-3.4028235e38"), ("0.0", "-1.0"), ("a as f32", "a as f32")],
)
def test_the_largest_may_start_from_what_loads_fill_with(start: str, fill: str) -> None:
    body = LARGEST.replace("START", start).replace("FILL", fill)
    assert "    acc <- v" in dumped(body, "f32")


@pytest.mark.parametrize(
    ("start", "fill"), [("1.0", "2.0"), ("a as f32", "b as f32"), ("a as f32", "0.0")]
)
def test_the_largest_may_not_start_from_less_than_loads_fill_with(start: str, fill: str) -> None:
    body = LARGEST.replace("START", start).replace("FILL", fill)
    with pytest.raises(RefusedError, match="is not -inf, nor what it starts from"):
        lifted(body, "f32")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("Some(zeros), &[]", "None, &[]"), "what `acc` combines is not 0"),
        (
            ("Some(zeros), &[]", "Some(zeros + T::exp(zeros)), &[]"),
            "what `acc` combines is not 0",
        ),
        (
            ("acc = acc + v * v", "acc = v - acc * v"),
            "`acc` is carried from iteration to iteration",
        ),
        (("T::sum(acc", "T::max(acc"), "`max` is not what `acc` accumulates by"),
        (("Some(mask), Some(zeros)", "None, None"), "nothing masks what `acc` combines"),
        (("rows * a + c", "rows * a + s"), "the loop's variable is used apart from lanes"),
        (("s += BLOCK", "s += BLOCK + BLOCK"), "neither 1 nor the extent of its tiles"),
    ],
    ids=lambda it: it if isinstance(it, str) else "",
)
def test_what_is_no_nest_says_why(change: tuple[str, str], reason: str) -> None:
    body = COLUMN_SUM.replace(*change)
    assert body != COLUMN_SUM
    with pytest.raises(RefusedError) as refusal:
        lifted(body)
    assert reason in refusal.value.reason


def test_a_branch_is_no_nest() -> None:
    body = f"if a > b {{ T::store(y.add_offsets(T::arange(0, 1)), T::zeros::<D>(&[1]), None, {STORE}); }}"
    with pytest.raises(RefusedError, match="a branch decides what is done"):
        lifted(body)


def test_an_unmasked_store_beyond_the_end_is_no_nest() -> None:
    body = f"""
    let mut s: i32 = 0;
    while s < n {{
        let i = T::arange(0, BLOCK) + s;
        T::store(y.add_offsets(i), T::load(x.add_offsets(i), None, None, {LOAD}), None, {STORE});
        s += BLOCK;
    }}
    """
    with pytest.raises(RefusedError, match="a store is not masked where its loop ends"):
        lifted(body)


CHOSEN = (
    "let c = T::program_id(Axis::X); let mut acc = T::zeros::<D>(&[1]);"
    f"for i in 0..n {{ let v = T::load(x.add_offsets(T::arange(0, 1) + (i * a + c)), None, None, {LOAD});"
    "let w = if i < b { v + v } else { v }; acc = acc + w; }"
    f"T::store(y.add_offsets(T::arange(0, 1) + c), acc, None, {STORE});"
)


def test_a_value_that_an_index_chooses_is_selected() -> None:
    assert "    let w = where_<D>(i < b, v + v, v)" in dumped(CHOSEN)


@pytest.mark.parametrize(
    ("arm", "condition", "reason"),
    [
        (
            f"T::load(y.add_offsets(T::arange(0, 1) + c), None, None, {LOAD})",
            "i < b",
            "memory is read in a branch",
        ),
        ("T::cast::<i32, D>(T::full::<i32>(&[1], n / b), None, false)", "b > 0", "this may fail"),
        ("v + v", "b > 0 && n / b > i", "this may fail"),
    ],
)
def test_what_is_not_always_computed_is_not_selected(arm: str, condition: str, reason: str) -> None:
    with pytest.raises(RefusedError, match=reason):
        lifted(CHOSEN.replace("if i < b { v + v }", f"if {condition} {{ {arm} }}"))
