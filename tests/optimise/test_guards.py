"""Guards at the start of a kernel become the ends of its axes."""

from __future__ import annotations

import pytest

from tests.optimise.nests import LOAD, STORE, routine
from transpiler.ir.extent import AtLeast, Extreme, Named, Number
from transpiler.optimise.lifting.lift_guarded import lift_guarded
from transpiler.optimise.nests.nest import Nest, dump_nest
from transpiler.optimise.refusals import RefusedError
from transpiler.optimise.symbols import Symbols

COPY = (
    f"T::store(y.add_offsets(T::arange(0, 1) + c), "
    f"T::load(x.add_offsets(T::arange(0, 1) + c), None, None, {LOAD}), None, {STORE});"
)


def guarded(before: str) -> Nest:
    """What a copy is with these statements before it.

    Raises:
        RefusedError: it is no nest.
    """
    kernel = routine(f"let c = T::program_id(Axis::X); {before} {COPY}")
    return lift_guarded(kernel, {}, Symbols(kernel))


@pytest.mark.parametrize(
    "guard", ["c >= n { return; }", "n <= c { return; }", "c < n {", "n > c {"]
)
def test_an_axis_ends_where_programs_do_nothing(guard: str) -> None:
    kernel = routine(
        f"let c = T::program_id(Axis::X); if {guard} {COPY} {'' if '}' in guard else '}'}"
    )
    found = lift_guarded(kernel, {}, Symbols(kernel))
    assert dump_nest(found).startswith("nest k[c < c_end] {")
    end = Extreme((Named("grid_x"), Named("n")), is_least=True)
    assert [(it.name, it.value) for it in found.ends] == [("c_end", end)]
    assert found.checks == (AtLeast(value=Named("n"), bound=Number(1)),)


def test_a_guard_of_an_axis_that_nothing_else_is_about_has_to_let_its_first_program_pass() -> None:
    found = guarded("if T::program_id(Axis::Y) >= a { return; }")
    assert found.ends == ()
    assert found.checks == (AtLeast(value=Named("a"), bound=Number(1)),)


def test_a_kernel_without_guards_has_the_grid_of_its_caller() -> None:
    found = guarded("")
    assert dump_nest(found).startswith("nest k[c < grid_x] {")
    assert (found.ends, found.checks) == ((), ())


@pytest.mark.parametrize(
    "branch",
    ["if c >= c * n { return; }", "if n >= c { return; }", COPY + "if c >= n { return; }"],
    ids=["not one number", "the other programs", "behind a store"],
)
def test_other_branches_are_no_guards(branch: str) -> None:
    with pytest.raises(RefusedError, match="a branch decides what is done"):
        guarded(branch)
