"""Of which arguments an access needs multiples to be wide."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.optimise.nests import LOAD, STORE, routine
from transpiler.analysis.alignment import aligning_products
from transpiler.analysis.facts import Facts

if TYPE_CHECKING:
    from transpiler.analysis.alignment import Products

AT = "T::arange(0, BLOCK)"


def shown(products: Products) -> list[str]:
    """Products of names."""
    return sorted("*".join(sorted(it.name for it in each)) for each in products)


def needed(offsets: str, mask: str = "None", before: str = "") -> list[str] | None:
    """The products of arguments that a load at these offsets needs multiples of."""
    body = f"""
        let p = T::program_id(Axis::X);
        let at = {AT};
        let rows = T::expand_dims({AT}, 1);
        let lanes = T::expand_dims({AT}, 0);
        {before}
        let v = T::load(x.add_offsets({offsets}), {mask}, None, {LOAD});
        T::store(y.add_offsets({offsets}), v, {mask}, {STORE});
    """
    facts = Facts(routine(body), {})
    (load,), (store,) = facts.flow.loads, facts.flow.stores
    found = aligning_products(facts, load)
    assert found == aligning_products(facts, store)
    return None if found is None else shown(found)


@pytest.mark.parametrize(
    ("offsets", "names"),
    [
        ("at", []),
        ("at + p * BLOCK", []),
        ("at + p * 32", []),
        ("at + p * n", ["n"]),
        ("at + p * n + BLOCK", ["n"]),
        ("rows * n + lanes", ["n"]),
        ("rows * n + lanes + p * a * n", ["n"]),
        ("p * a * n + at", ["a*n"]),
        ("p * a * n + b * n + at", ["a*n", "b*n"]),
        # What one term needs, another one has of it.
        ("p * a * b * n + p * b * n + at", ["b*n"]),
        ("p * a * n + n + at", ["n"]),
        ("n - at", ["n"]),
    ],
)
def test_terms_beside_the_lanes_need_a_multiple(offsets: str, names: list[str]) -> None:
    assert needed(offsets) == names


@pytest.mark.parametrize(
    "offsets",
    [
        pytest.param("at + p", id="any start"),
        pytest.param("at + 1", id="an odd start"),
        pytest.param("at + p * 4 + 2", id="multiples of a few"),
        pytest.param("at * n", id="a stride"),
        pytest.param("at * 2", id="every other one"),
        pytest.param("rows + lanes * n", id="columns"),
        pytest.param("at / n", id="no sum"),
        pytest.param("rows * n + p", id="no lanes"),
    ],
)
def test_multiples_help_nowhere_else(offsets: str) -> None:
    assert needed(offsets) is None


@pytest.mark.parametrize(
    ("mask", "names"),
    [
        ("Some(at.lt(n))", ["n"]),
        ("Some(at.lt(n * a))", ["a*n"]),
        ("Some(at.ge(n))", None),
        ("Some(at.lt(n - 1))", None),
        # What is the same for all lanes switches all of them.
        ("Some(T::broadcast_to(T::full::<i32>(&[1], p).lt(n), &[BLOCK]))", []),
    ],
)
def test_masks_need_multiples_too(mask: str, names: list[str] | None) -> None:
    assert needed("at", mask) == names


def test_a_loop_starts_and_steps_at_multiples() -> None:
    loop = "let mut s: i32 = {}; while s < n {{ let k = at + s; {} s += {}; }}"
    inner = f"T::store(y.add_offsets(k), T::zeros::<D>(&[BLOCK]), None, {STORE});"

    def of_loop(start: str, step: str) -> list[str] | None:
        body = f"let p = T::program_id(Axis::X); let at = {AT};" + loop.format(start, inner, step)
        facts = Facts(routine(body), {})
        (store,) = facts.flow.stores
        found = aligning_products(facts, store)
        return None if found is None else shown(found)

    assert of_loop("0", "BLOCK") == []
    assert of_loop("p * n", "BLOCK") == ["n"]
    assert of_loop("0", "a") == ["a"]
    assert of_loop("p", "BLOCK") is None
    assert of_loop("0", "1") is None
