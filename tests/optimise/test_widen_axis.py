"""Along which axis of the grid kernels may be widened, what varies along it, and how large tiles are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.optimise.nests import LOAD, STORE, routine
from transpiler.analysis.facts import Facts
from transpiler.ir.extent import AtLeast, Extreme, Named, Number
from transpiler.ir.extent_fold import names_in
from transpiler.ir.types import NamedDimension
from transpiler.optimise import shapes
from transpiler.optimise.refusals import RefusedError
from transpiler.optimise.widening.widen_axis import Choice, choices, extents, members
from transpiler.optimise.widening.widen_frame import Order, Varying
from transpiler.optimise.widening.widen_sizes import Sizes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.ir import nodes as ir

X = "let p = T::program_id(Axis::X);"
Y = "let q = T::program_id(Axis::Y);"
TILE = "let o = T::arange(0, BLOCK);"


def copy(address: str) -> str:
    """A tile that is loaded and stored at the same offsets."""
    load = f"T::load(x.add_offsets({address}), None, None, {LOAD})"
    return f"T::store(y.add_offsets({address}), {load}, None, {STORE});"


def chosen(body: str) -> list[tuple[str, Order]]:
    """The axes, the best one first, and how tiles lie.

    Raises:
        RefusedError: there is none.
    """
    return [(it.varying.member, it.order) for it in _choices(routine(body))]


def _choices(kernel: ir.Kernel) -> Iterable[Choice]:
    return choices(kernel, Facts(kernel, {}), extents(kernel))


@pytest.mark.parametrize(
    ("body", "order"),
    [
        (X + TILE + copy("p * n + o"), Order.OWN),
        (X + TILE + copy("o * n + p"), Order.PROGRAMS),
        (X + copy("T::arange(0, 1) + p"), Order.ALONE),
    ],
)
def test_tiles_lie_as_memory_does(body: str, order: Order) -> None:
    assert chosen(body) == [("X", order)]


def test_the_axis_along_which_memory_is_contiguous_comes_first() -> None:
    found = chosen(X + Y + TILE + copy("o * n + q + p * a"))
    assert found == [("Y", Order.PROGRAMS)]
    both = chosen(X + Y + TILE + copy("(q * n + p) * a + o"))
    assert both == [("X", Order.OWN), ("Y", Order.OWN)]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (TILE + copy("o"), "there is one program"),
        (X + TILE + copy("p * BLOCK + o"), "tiles are already parts of longer ones"),
        (X + TILE + copy("o * n + p * a"), "no addresses are contiguous"),
    ],
)
def test_what_does_not_pay_is_refused(body: str, reason: str) -> None:
    with pytest.raises(RefusedError, match=reason):
        chosen(body)


def test_the_axes_are_those_a_kernel_asks_for_its_place_along() -> None:
    assert members(routine(X + Y + copy("T::arange(0, 1) + (p + q)"))) == ("X", "Y")
    assert members(routine(copy("T::arange(0, 1)"))) == ()


def varying(body: str) -> tuple[set[str], set[str]]:
    """The names that vary along the first axis, and those that some programs alone assign."""
    found = Varying(routine(body), "X")
    return {it.name for it in found.symbols}, {it.name for it in found.chosen}


def test_what_is_computed_from_a_programs_place_varies() -> None:
    names, some = varying(
        X + Y + "let r = p + 1; let s = q + 1; let t = r * s;" + copy("T::arange(0, 1) + t")
    )
    assert names == {"p", "r", "t"}
    assert some == set()


def test_what_a_branch_of_a_program_assigns_varies() -> None:
    body = "let mut m = n; let mut k = n; if p > a { m = b; } if n > a { k = b; }"
    names, some = varying(X + body + copy("T::arange(0, 1) + (m + k)"))
    assert some == {"m"}
    assert "k" not in names


def test_what_a_loop_carries_of_it_varies() -> None:
    body = "let mut m = n; let mut k = n; for i in 0..n { k = k + m; m = p; }"
    names, _ = varying(X + body + copy("T::arange(0, 1) + k"))
    assert names >= {"m", "k"}


OWN = (NamedDimension(name="BLOCK"),)


def test_it_pays_where_the_kernels_own_tiles_are_short() -> None:
    kernel = routine(X + TILE + copy("p * n + o"))
    most = shapes.WIDENED[Order.OWN].own
    sizes = Sizes(kernel, "X", Order.OWN, OWN)
    assert list(sizes.pays(Named("grid_x"))) == [AtLeast(value=Number(most), bound=Named("BLOCK"))]
    assert list(Sizes(kernel, "X", Order.OWN, (most,)).pays(Named("grid_x"))) == []
    with pytest.raises(RefusedError, match="its tiles are long as they are"):
        list(Sizes(kernel, "X", Order.OWN, (2 * most,)).pays(Named("grid_x")))


@pytest.mark.parametrize("order", Order)
def test_a_tile_has_no_more_lanes_than_were_found_good(order: Order) -> None:
    kernel = routine(X + TILE + copy("p * n + o"))
    tile = Sizes(kernel, "X", order, OWN if order is not Order.ALONE else ()).tile("T", Named("n"))
    assert (tile.name, tile.limit) == ("T", Named("n"))
    assert tile.choices == shapes.WIDENED[order].choices
    assert isinstance(tile.default, Extreme)
    # Where neighbours share sectors of memory, there are some of them in any case.
    assert tile.default.is_least == (shapes.WIDENED[order].least == 1)
    assert ("BLOCK" in names_in(tile.default)) == (order is not Order.ALONE)
