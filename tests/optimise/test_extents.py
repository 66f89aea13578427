"""Numbers that a launch computes: from polynomials, simplified where they are put together, and without names."""

from __future__ import annotations

import pytest

from tests.optimise.nests import LOAD, STORE, lifted
from transpiler.ir.extent import AtLeast, Division, Extent, Extreme, Named, Number, Product, Sum
from transpiler.ir.launch_plan import Quantity
from transpiler.optimise.nests.extents import (
    at_least,
    below,
    extent_of,
    extent_of_axis,
    rounded_down,
    rounded_up,
    times,
)
from transpiler.optimise.nests.outright import outright
from transpiler.optimise.nests.work import indices_of, loops
from transpiler.optimise.refusals import RefusedError

A, B, N = Named("a"), Named("b"), Named("n")


def length(stop: str, start: str = "0") -> Extent:
    """How many iterations a loop with these bounds has.

    Raises:
        RefusedError: arguments do not say so.
    """
    load = f"T::load(x.add_offsets(T::arange(0, 1) + i), None, None, {LOAD})"
    store = f"T::store(y.add_offsets(T::arange(0, 1) + i), {load}, None, {STORE});"
    nest, _ = lifted(f"let c = T::program_id(Axis::X); for i in {start}..{stop} {{ {store} }}")
    (loop,) = loops(nest.items)
    return extent_of_axis(loop.axis, indices_of(nest.items))


@pytest.mark.parametrize(
    ("stop", "start", "extent"),
    [
        ("n", "0", N),
        ("12", "4", Number(8)),
        ("a * b", "0", Product((A, B))),
        ("a + b", "0", Sum((A, B), ())),
        ("n", "a", Sum((N,), (A,))),
        ("a", "a + n", Sum((Number(0),), (N,))),
        ("a + n", "a", N),
        ("3 * n", "n", Product((Number(2), N))),
        ("n + c", "c", N),
    ],
)
def test_an_axis_is_as_long_as_its_bounds_are_apart(stop: str, start: str, extent: Extent) -> None:
    assert length(stop, start) == extent


@pytest.mark.parametrize(("stop", "start"), [("n / a", "0"), ("c", "0")])
def test_what_arguments_do_not_say_is_no_extent(stop: str, start: str) -> None:
    with pytest.raises(RefusedError, match="the extent of `i` is not made of arguments"):
        length(stop, start)


def test_an_index_is_no_extent() -> None:
    nest, _ = lifted(
        "let c = T::program_id(Axis::X);"
        f"T::store(y.add_offsets(T::arange(0, 1) + c), T::zeros::<D>(&[1]), None, {STORE});"
    )
    indices = indices_of(nest.items)
    assert extent_of(indices.of(nest.programs[0].symbol), indices) is None


def test_factors_and_divisors_of_1_are_left_out() -> None:
    assert times() == Number(1)
    assert times(Number(1), N) == N
    assert times(A, Number(1), B) == Product((A, B))
    assert rounded_up(N, Number(1)) == rounded_down(N, Number(1)) == N
    assert rounded_up(N, A) == Division(N, A, is_up=True)
    assert rounded_down(N, A) == Division(N, A, is_up=False)


def test_conditions_are_said_with_what_is_no_less() -> None:
    assert at_least(N, 1) == AtLeast(value=N, bound=Number(1))
    assert at_least(N, A) == AtLeast(value=N, bound=A)
    assert below(N, 8) == AtLeast(value=Number(7), bound=N)


def test_values_stand_in_the_place_of_names_wherever_these_are() -> None:
    end = Extreme((Named("grid_x"), N), is_least=True)
    condition = AtLeast(
        value=Product((Named("end"), A)), bound=Division(Named("end"), B, is_up=True)
    )
    earlier = Quantity(name="earlier", value=end)
    later = Quantity(name="end", value=Named("earlier"))
    assert outright(condition, (earlier, later)) == AtLeast(
        value=Product((end, A)), bound=Division(end, B, is_up=True)
    )
    assert outright(condition, ()) == condition
