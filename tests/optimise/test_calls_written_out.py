"""Functions in the place of their calls, as the optimiser works on kernels."""

from __future__ import annotations

import pytest

from tests.optimise.nests import LOAD, STORE, kernel, module_of
from transpiler.ir import nodes as ir
from transpiler.ir.dump import dump_routine
from transpiler.ir.verify import verify
from transpiler.optimise.lifting.calls import written_out
from transpiler.optimise.symbols import Symbols

TILE = f"let x_tile = T::load(x.add_offsets(T::arange(0, BLOCK)), None, None, {LOAD});"
DOUBLE = "fn double<T: Triton, E: Float>(v: T::Tensor<E>) -> T::Tensor<E> { let w = v + v; w }\n"
CLEAR = (
    "fn clear<T: Triton, E: Float, const N: i32>(p: T::Pointer<E>) {\n"
    f"    T::store(p.add_offsets(T::arange(0, N)), T::zeros::<E>(&[N]), None, {STORE});\n}}\n"
)


def stored(value: str) -> str:
    """A store of `BLOCK` lanes."""
    return f"T::store(y.add_offsets(T::arange(0, BLOCK)), {value}, None, {STORE});"


def lines(body: str, functions: str) -> list[str]:
    """The statements of the kernel with this body, whose calls are written out."""
    module = module_of(functions + kernel(body))
    (found,) = module.kernels
    given = {it.symbol: it for it in module.functions}
    made = written_out(found, given, Symbols(found))
    verify(
        ir.Module(docs=(), kernels=(made,), functions=module.functions), after="calls written out"
    )
    text = [line.strip() for line in dump_routine(made).splitlines()]
    return [line for line in text if line.startswith(("let", "store", "if", "else", "while", "y_"))]


def test_the_statements_of_a_function_stand_before_its_call() -> None:
    found = lines(TILE + stored("double::<T, D>(x_tile) * x_tile"), DOUBLE)
    assert found[1] == "let w: D[BLOCK] = x_tile + x_tile"
    assert "w * x_tile" in found[2]


def test_each_call_has_variables_of_its_own() -> None:
    found = lines(TILE + stored("double::<T, D>(double::<T, D>(x_tile))"), DOUBLE)
    assert [line for line in found if line.startswith("let w")] == [
        "let w: D[BLOCK] = x_tile + x_tile",
        "let w#1: D[BLOCK] = w + w",
    ]


def test_a_function_has_the_shapes_of_each_call() -> None:
    one = "let one = T::full::<D>(&[1], D::ONE);"
    found = lines(TILE + one + stored("double::<T, D>(x_tile) * double::<T, D>(one)"), DOUBLE)
    assert {"let w: D[BLOCK] = x_tile + x_tile", "let w#1: D[1] = one + one"} <= set(found)


def test_what_a_function_does_is_done() -> None:
    assert lines("clear::<T, D, BLOCK>(y);", CLEAR) == lines(stored("T::zeros::<D>(&[BLOCK])"), "")


def test_a_constant_is_what_the_call_gives() -> None:
    (found,) = lines("clear::<T, D, 16>(y);", CLEAR)
    assert "arange(0_i32, 16_i32)" in found


def test_what_is_given_is_computed_once() -> None:
    found = lines(TILE + stored("double::<T, D>(x_tile * x_tile)"), DOUBLE)
    assert found[1:3] == ["let v: D[BLOCK] = x_tile * x_tile", "let w: D[BLOCK] = v + v"]


@pytest.mark.parametrize(
    "body",
    [
        "let v = if n > a { double::<T, D>(x_tile) } else { x_tile };" + stored("v"),
        "let mut i = n; while half(i) > a { i -= 1; }"
        + stored("T::where_(T::arange(0, BLOCK).lt(i), x_tile, x_tile)"),
    ],
)
def test_a_call_that_may_not_be_reached_or_is_reached_again_stays(body: str) -> None:
    half = "fn half(n: i32) -> i32 { let h = n / 2; h }\n"
    module = module_of(DOUBLE + half + kernel(TILE + body))
    (found,) = module.kernels
    given = {it.symbol: it for it in module.functions}
    made = written_out(found, given, Symbols(found))
    assert [it for it in made.body.contents.expressions if isinstance(it, ir.Call)]
