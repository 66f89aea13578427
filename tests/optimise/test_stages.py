"""What nests are taken apart into: the launches, what each computes, and the memory between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.optimise.nests import COLUMN_SUM, LOAD, SCALAR_LOOP, STORE, taken_apart
from transpiler.optimise.launches.collapse import collapse
from transpiler.optimise.launches.stages import Spread, Stages
from transpiler.optimise.nests.nest import Nest, dump_nest
from transpiler.optimise.refusals import RefusedError

if TYPE_CHECKING:
    from transpiler.optimise.nests.work import Work


def works(body: str, *, spreads: bool = False) -> list[Work]:
    """The launches of a kernel, whose indices are taken apart where they can be."""
    nest, symbols = taken_apart(body)
    return Stages(nest, symbols, spread=Spread.INNERMOST if spreads else Spread.NONE).works()


def roles(body: str) -> list[str]:
    """What the launches are."""
    return [work.role.value for work in works(body)]


def text(work: Work) -> str:
    """What a launch computes, shortened: what a load or a store of memory does alike is left out."""
    nest = Nest(kernel=taken_apart(COLUMN_SUM)[0].kernel, programs=work.programs, items=work.items)
    dumped = dump_nest(nest)
    for plain in ("widen<D>", "<stored D>", "<D>", ", none", ", []", ", false"):
        dumped = dumped.replace(plain, "")
    return dumped


def load(address: str, pointer: str = "x") -> str:
    return f"T::load({pointer}.add_offsets(T::arange(0, 1) + ({address})), None, None, {LOAD})"


def store(address: str, value: str) -> str:
    return f"T::store(y.add_offsets(T::arange(0, 1) + ({address})), {value}, None, {STORE});"


COLUMN = "let c = T::program_id(Axis::X);"
SUM = f"""
    let mut sum = T::zeros::<D>(&[1]);
    for i in 0..n {{ sum = sum + {load("i * a + c")}; }}
"""
CENTRED = f"for i in 0..n {{ {store('i * a + c', load('i * a + c') + ' - sum')} }}"


def test_each_loop_is_a_launch_and_what_reduces_needs_another() -> None:
    assert roles(COLUMN + SUM + store("c", "sum")) == ["partial", "final"]
    assert roles(COLUMN + SUM + CENTRED) == ["partial", "final", "apply"]
    twice = SUM + SUM.replace("sum", "more").replace("a + c", "b + c")
    assert roles(COLUMN + twice + store("c", "sum * more")) == ["partial", "partial", "final"]
    passes = SUM + SUM.replace("sum", "more").replace(";", " * sum;", 2).replace(
        "[1]) * sum", "[1])"
    )
    assert roles(COLUMN + passes + store("c", "more")) == ["partial", "final", "partial", "final"]


def test_stores_beside_one_another_are_one_launch() -> None:
    stores = store("c", load("c")) + store("c + a", load("c + a"))
    assert roles(COLUMN + stores) == ["store"]
    loop = f"for i in 0..n {{ {store('i * a + c + b', load('i * a + c'))} }}"
    assert roles(COLUMN + store("c", load("c")) + loop) == ["store", "apply"]


SPREAD = f"for i in 0..n {{ {store('i * a + c', 'sum')} }}"


def test_what_is_stored_behind_a_loop_joins_what_was_stored_before_it() -> None:
    late = store("c", "sum + sum").replace("store(y", "store(x")
    assert roles(COLUMN + SUM + SPREAD + late) == ["partial", "final", "apply"]
    _, final, apply = works(COLUMN + SUM + SPREAD + late)
    assert "offset(x, pid_x)" in text(final)
    assert "offset(x" not in text(apply)
    zeros = "T::zeros::<D>(&[1])"
    first, loop = store("c", zeros), SPREAD.replace("sum", zeros)
    assert roles(COLUMN + first + loop + late.replace("sum + sum", zeros)) == ["store", "apply"]


def test_what_a_loop_reads_or_writes_is_stored_where_it_was() -> None:
    again = store("c", "sum + sum")
    assert roles(COLUMN + SUM + SPREAD + again) == ["partial", "final", "apply", "store"]
    named = (
        COLUMN
        + f"let w = {load('c')};"
        + SUM
        + SPREAD.replace("'sum'", "'w'").replace("sum", "w * sum")
    )
    late = again.replace("store(y", "store(x")
    assert roles(named + late) == ["partial", "final", "apply", "store"]


def test_a_part_leaves_its_sum_in_a_slot_of_its_own() -> None:
    partial, final = works(COLUMN + SUM + store("c", "sum"))
    assert text(partial).splitlines() == [
        "nest k[c < grid_x] {",
        "  for i in 0_i32..n reducing sum sum as sum {",
        "    sum <- (load(offset(x, (i * a) + pid_x)))",
        "  }",
        "  let slot = (part * grid_x) + c",
        "  store(offset(sum_partials, slot), sum)",
        "}",
    ]
    assert text(final).splitlines() == [
        "nest k[c < grid_x] {",
        "  for part in 0_i32..parts reducing sum sum as sum {",
        "    let slot = (part * grid_x) + c",
        "    sum <- load(offset(sum_partials, slot))",
        "  }",
        "  store(offset(y, pid_x), sum)",
        "}",
    ]
    assert [it.name for it in partial.scratch] == ["sum_partials"]
    assert final.scratch == ()
    assert partial.part is not None
    assert final.part is None


def test_a_result_that_later_launches_read_is_kept() -> None:
    _, final, apply = works(COLUMN + SUM + CENTRED)
    assert [it.name for it in final.scratch] == ["sum_total"]
    assert text(final).splitlines()[-2] == "  store(offset(sum_total, c), sum)"
    assert text(apply).splitlines()[1] == "  let sum = load(offset(sum_total, c))"


def test_what_a_launch_needs_of_names_is_computed_there_again() -> None:
    named = COLUMN + f"let w = {load('c')}; let unused = {load('c + a')};"
    body = named + SUM + store("c", "sum * w")
    partial, final = works(body)
    assert "let w" not in text(partial)
    assert "  let w = (load(offset(x, pid_x)))" in text(final).splitlines()
    assert all("unused" not in text(work) for work in (partial, final))


def test_an_inner_loop_that_is_spread_has_slots_of_its_own() -> None:
    partial, final = works(SCALAR_LOOP, spreads=True)
    assert text(partial).splitlines()[0] == "nest k[c < grid_x, low < b] {"
    assert "for low" not in text(partial)
    assert "  let slot = (((part * grid_x) + c) * b) + low" in text(partial).splitlines()
    assert "    for low in 0_i32..b {" in text(final).splitlines()


def test_a_loop_that_reduces_alone_is_not_spread() -> None:
    body = COLUMN + SUM + store("c", "sum")
    spread = [text(work) for work in works(body, spreads=True)]
    assert spread == [text(work) for work in works(body)]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            f"let w = {load('c', 'y')}; for i in 0..n {{ {store('i * a + c', load('i * a + c') + ' * w')} }}",
            "the loop stores to `y`, of which this was loaded before",
        ),
        (
            f"let w = {load('c', 'y')};" + store("c", "w + w") + SUM + store("c + a", "sum * w"),
            "`y` is stored between here and a use of what is loaded",
        ),
    ],
)
def test_what_changes_between_launches_is_not_computed_again(body: str, reason: str) -> None:
    with pytest.raises(RefusedError) as refusal:
        works(COLUMN + body)
    assert refusal.value.reason == reason


# --- Axes made one --------------------------------------------------------------------------------


def collapsed(body: str) -> list[str | None]:
    """The launches of a kernel whose inner loops are spread, with two axes as one where they are that."""
    nest, symbols = taken_apart(body)
    found = [collapse(it, symbols) for it in Stages(nest, symbols, spread=Spread.INNERMOST).works()]
    return [None if it is None else text(it.work) for it in found]


def test_addresses_are_those_of_the_axis_that_two_became() -> None:
    partial, final = collapsed(SCALAR_LOOP)
    assert final is None
    assert partial is not None
    assert partial.splitlines() == [
        "nest k[flat < grid_x * b] {",
        "  for high in 0_i32..a reducing sum acc as acc {",
        "    let at = ((high * b) * n) + flat",
        "    acc <- (load(offset(x, at)))",
        "  }",
        "  let slot = ((part * grid_x) * b) + flat",
        "  store(offset(acc_partials, slot), acc)",
        "}",
    ]


PLANE = "for i in 0..n {{ {} }}"


def test_the_two_indices_are_there_for_what_needs_them_alone() -> None:
    at = "c * n + i"
    (plain,) = collapsed(COLUMN + PLANE.format(store(at, load(at))))
    assert plain is not None
    assert "let" not in plain
    (scaled,) = collapsed(COLUMN + PLANE.format(store(at, f"{load(at)} * {load('c + a')}")))
    assert scaled is not None
    assert [it for it in scaled.splitlines() if "let" in it] == ["  let c = flat / n"]


@pytest.mark.parametrize(
    "body",
    [
        PLANE.format(store("c * a + i", load("c * a + i"))),
        PLANE.format(store("c * n + i", load("i"))),
        PLANE.format(store("(c * n + i) * 2", load("(c * n + i) * 2"))),
        PLANE.format(store("i * a + c", load("i * a + c"))),
    ],
    ids=["gaps", "one for all", "every other", "the other way round"],
)
def test_axes_that_are_not_one_piece_of_memory_stay_two(body: str) -> None:
    assert collapsed(COLUMN + body) == [None]
