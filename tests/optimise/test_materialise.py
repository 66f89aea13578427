"""The kernels of stages: lanes and masks in the place of indices, and what is given up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.optimise.nests import COLUMN_SUM, LOAD, SCALAR_LOOP, STORE, taken_apart
from transpiler.ir.dump import dump_routine
from transpiler.optimise.flags import OptimiseOptions
from transpiler.optimise.launches.layout import layout
from transpiler.optimise.launches.materialise import materialise
from transpiler.optimise.launches.stages import Stages
from transpiler.optimise.refusals import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.ir.launch_plan import Stage


def stages(body: str, off: Iterable[str] = ()) -> list[Stage]:
    """The stages of a kernel, whose indices are taken apart where they can be.

    Raises:
        RefusedError: one has no form for tiles.
    """
    nest, symbols = taken_apart(body)
    options = OptimiseOptions(is_on=True, off=frozenset(off))
    found = []
    for work in Stages(nest, symbols).works():
        chosen = layout(work, options, frozenset())
        assert chosen is not None
        name = f"k__{work.role.value}"
        found.append(materialise(nest.kernel, name, work, chosen, symbols).stage)
    return found


def lines(stage: Stage) -> list[str]:
    """The text of its kernel, shortened: what loads and stores do alike is left out."""
    text = dump_routine(stage.kernel)
    for plain in ("widen<D>", "<stored D>", "<D>", ", none", ", []", ", false", "_i32", "<i32>"):
        text = text.replace(plain, "")
    return [line.strip() for line in text.splitlines()]


def load(address: str) -> str:
    return f"T::load(x.add_offsets(T::arange(0, 1) + ({address})), None, None, {LOAD})"


def store(address: str, value: str) -> str:
    return f"T::store(y.add_offsets(T::arange(0, 1) + ({address})), {value}, None, {STORE});"


def test_rows_are_a_loop_over_tiles_of_a_share() -> None:
    partial = lines(stages(COLUMN_SUM)[0])
    assert "let mut acc: D[TILE_ROWS, TILE_C] = zeros([TILE_ROWS, TILE_C])" in partial
    (loop,) = (it for it in partial if it.startswith("for "))
    assert loop.endswith(" step TILE_ROWS {")
    (total,) = (it for it in partial if it.startswith("let total"))
    assert total == "let total: D[1, TILE_C] = sum(acc, 0, true)"


def test_masks_are_those_of_the_lanes_that_addresses_vary_in() -> None:
    partial = lines(stages(COLUMN_SUM)[0])
    assert "let c_mask: bool[1, TILE_C] = c < grid_x" in partial
    assert "let mask: bool[TILE_ROWS, TILE_C] = c_mask & (rows < share_end)" in partial
    assert any("load(offset(x, (rows * a) + c), mask" in it for it in partial)
    (left,) = (it for it in partial if it.startswith("store("))
    assert left.startswith("store(offset(total_partials, ")
    assert left.endswith(", c_mask)")


def test_lanes_beyond_what_is_reduced_load_what_adds_nothing_or_are_replaced() -> None:
    along = lines(stages(SCALAR_LOOP)[0])
    assert "acc += (load(offset(x, at), mask, 0.0_stored D))" in along
    positive = SCALAR_LOOP.replace("acc + T::load", "acc + T::exp(T::load").replace(
        f"{LOAD});\n        i += 1", f"{LOAD}));\n        i += 1"
    )
    (term,) = (it for it in lines(stages(positive)[0]) if it.startswith("acc += "))
    assert term.startswith("acc += where_(")
    assert term.endswith(", 0.0_D)")


def test_a_sum_along_all_lanes_is_one_number() -> None:
    partial = lines(stages(SCALAR_LOOP)[0])
    assert any(it.endswith(": D[] = sum(acc)") for it in partial)
    (left,) = (it for it in partial if it.startswith("store("))
    assert "mask" not in left


def test_parameters_are_those_that_are_read_then_new_pointers_then_new_numbers() -> None:
    partial, final = stages(COLUMN_SUM)
    assert [it.name for it in partial.kernel.parameters] == [
        *("x", "a", "n"),
        "total_partials",
        *("grid_x", "rows_per_share"),
    ]
    assert [it.name for it in final.kernel.parameters] == ["y", "total_partials", "grid_x", "parts"]
    assert partial.kernel.const_generics[-1].name == "TILE_C"


def test_tiles_that_other_stages_depend_on_are_not_tuned() -> None:
    partial, final = stages(COLUMN_SUM)
    assert [it.name for it in partial.tiles] == ["TILE_C", "TILE_ROWS"]
    assert not any(it.choices for it in partial.tiles)
    assert all(it.choices for it in final.tiles)


def test_a_loop_that_stays_one_has_a_tile_of_columns_around_it() -> None:
    body = COLUMN + f"for i in 0..n {{ {store('i * a + c', load('i * a + c'))} }}"
    (stage,) = stages(body, ["vectorise-loop"])
    assert [it.name for it in stage.tiles] == ["TILE_C"]
    assert any(it.startswith("for i: i32 in 0..n step 1 {") for it in lines(stage))


def test_what_a_maximum_starts_from_is_there_in_every_lane() -> None:
    body = (
        COLUMN
        + f"let mut top = {load('c')};"
        + f"for i in 0..n {{ top = T::maximum(top, {load('i * a + c')}); }}"
        + store("c", "top")
    )
    partial, _ = stages(body)
    (start,) = (it for it in lines(partial) if it.startswith("let mut top"))
    assert start.startswith("let mut top: D[TILE_I, TILE_C] = broadcast_to(")


COLUMN = "let c = T::program_id(Axis::X);"


BESIDE = f"""
    let mut sum = T::zeros::<D>(&[1]);
    for m in 0..n {{
        sum = sum + {load("m * a + c")};
        for i in 0..b {{ sum = sum + {load("(m * a + c) * b + i")}; }}
    }}
    {store("c", "sum")}
"""
AS_LONG_AS_ITS_PROGRAM = f"""
    for m in 0..n {{
        let mut sum = T::zeros::<D>(&[1]);
        for i in 0..c {{ sum = sum + {load("(m * n + i) * a + c")}; }}
        {store("m * a + c", "sum")}
    }}
"""
ONE_FOR_ALL = f"for i in 0..n {{ {store('c', load('i * a + c'))} }}"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (ONE_FOR_ALL, "each index of `i` stores to one element"),
        (AS_LONG_AS_ITS_PROGRAM, "how often the loop over `i` runs depends on lanes"),
        (BESIDE, "`sum` is combined with something beside a loop and in it"),
    ],
)
def test_what_has_no_form_for_tiles_says_why(body: str, reason: str) -> None:
    with pytest.raises(RefusedError) as refusal:
        stages(COLUMN + body)
    assert refusal.value.reason == reason
