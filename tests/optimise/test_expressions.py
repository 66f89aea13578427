"""Expressions that the optimiser makes: integers simplified, polynomials, names for values, digits of an id."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

import pytest

from tests.optimise.nests import LOAD, STORE, routine
from transpiler.ir import nodes as ir
from transpiler.ir.dump import dump_expression
from transpiler.ir.extent import Number
from transpiler.ir.types import I32
from transpiler.ir.visit import walk_expression
from transpiler.optimise.build import Build
from transpiler.optimise.classic.naming import name_of_value
from transpiler.optimise.launches.digits import Digit, decoded
from transpiler.optimise.nests.expressions import IntegerRewriter, Substitution, expression_of
from transpiler.optimise.nests.indices import Indices, named_values
from transpiler.optimise.symbols import Symbols
from transpiler.source import Span

if TYPE_CHECKING:
    from collections.abc import Mapping

BUILD = Build(Span(0, 1))
STORED = f"T::store(y.add_offsets(T::arange(0, 1)), T::zeros::<D>(&[1]), None, {STORE});"
ZERO, ONE, TWO = map(BUILD.number, range(3))


def values(body: str) -> dict[str, ir.Expression]:
    """The values of a kernel's names, which all are used."""
    kernel = routine(f"let p = T::program_id(Axis::X); {body} {STORED}")
    return {symbol.name: value for symbol, value in named_values(kernel).items()}


def value(text: str) -> ir.Expression:
    return values(f"let value = {text};")["value"]


def evaluated(node: ir.Expression, given: Mapping[ir.Symbol, int]) -> int:
    """An integer for certain values of symbols."""
    match node:
        case ir.Literal(value=int() as number):
            return number
        case ir.Read(symbol=symbol):
            return given[symbol]
        case ir.Binary(operator=operator, left=left, right=right):
            one, other = evaluated(left, given), evaluated(right, given)
            return {
                ir.BinaryOperator.ADD: one + other,
                ir.BinaryOperator.SUBTRACT: one - other,
                ir.BinaryOperator.MULTIPLY: one * other,
                ir.BinaryOperator.DIVIDE: one // (other or 1),
                ir.BinaryOperator.REMAINDER: one % (other or 1),
            }[operator]
        case _:
            raise NotImplementedError(dump_expression(node))


# --- Integers -------------------------------------------------------------------------------------


def test_what_0_and_1_leave_as_it_is_stays() -> None:
    n = value("n")
    assert BUILD.add(ZERO, n) is BUILD.add(n, ZERO) is BUILD.subtract(n, ZERO) is n
    assert BUILD.multiply(ONE, n) is BUILD.multiply(n, ONE) is BUILD.divide(n, ONE) is n
    assert BUILD.multiply(ZERO, n) is ZERO
    assert dump_expression(BUILD.subtract(ZERO, n)) == "0_i32 - n"
    assert dump_expression(BUILD.remainder(n, TWO)) == "n % 2_i32"


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ("a + b", "a + b"),
        ("a * (b + n) - a * n", "a * b"),
        ("3 * a - 5 - 3 * a", "0_i32 - 5_i32"),
        ("n * p", "p * n"),
        ("a - a", "0_i32"),
    ],
)
def test_a_polynomial_is_written_as_people_write_it(written: str, made: str) -> None:
    names = values(f"let value = {written};")
    indices = Indices({})
    found = expression_of(indices.polynomial(names["value"]), indices, BUILD)
    assert found is not None
    assert dump_expression(found) == made


def test_what_is_no_sum_or_product_of_symbols_is_not_written() -> None:
    indices = Indices({})
    assert expression_of(indices.polynomial(value("a / b + 1")), indices, BUILD) is None


def test_whole_integers_are_replaced_before_their_parts() -> None:
    node = value("(a + b) * n")
    seen: list[str] = []

    def change(part: ir.Expression) -> ir.Expression | None:
        seen.append(dump_expression(part))
        return (
            ONE if isinstance(part, ir.Binary) and part.operator is ir.BinaryOperator.ADD else None
        )

    assert dump_expression(IntegerRewriter(change).expression(node)) == "1_i32 * n"
    assert seen == ["(a + b) * n", "a + b", "n"]


def test_expressions_stand_in_the_place_of_symbols() -> None:
    node = value("a * b + a")
    (a,) = {
        it.symbol
        for it in walk_expression(node)
        if isinstance(it, ir.Read) and it.symbol.name == "a"
    }
    assert dump_expression(Substitution({a: TWO}).expression(node)) == "(2_i32 * b) + 2_i32"


# --- Names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("n / a", "n_over_a"),
        ("(n + 1) % b", "n_plus_1_mod_b"),
        ("a * b * n * a * b * n * a * b * n", "product"),
        (f"T::exp(T::load(x.add_offsets(T::arange(0, 1) + p), None, None, {LOAD}))", "exp_load"),
        ("T::zeros::<D>(&[1])", "zeros"),
    ],
)
def test_a_value_is_called_by_what_it_is_computed_from(text: str, name: str) -> None:
    assert name_of_value(value(text)) == name


# --- Digits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("extents", [(5,), (3, 4), (2, 1, 3), (2, 3, 2, 2)])
def test_the_digits_of_all_ids_are_all_numbers_of_these_digits(extents: tuple[int, ...]) -> None:
    symbols = Symbols(routine(STORED))
    limits = [symbols.new(f"l{it}", I32, BUILD.span) for it in range(len(extents))]
    digits = [
        Digit(symbols.new(f"d{it}", I32, BUILD.span), BUILD.read(limit), Number(0))
        for it, limit in enumerate(limits)
    ]
    found = decoded(digits, symbols, BUILD)
    seen: list[tuple[int, ...]] = []
    for number in range(prod(extents)):
        given = dict(zip(limits, extents, strict=True))
        for let in found.statements:
            assert isinstance(let, ir.Let)
            is_id = isinstance(let.value, ir.OpCall)
            given[let.symbol] = number if is_id else evaluated(let.value, given)
        seen.append(tuple(given[digit.symbol] for digit in digits))
    assert sorted(seen) == sorted(product(*map(range, extents)))
    assert seen[: extents[0]] == [(it, *(0 for _ in extents[1:])) for it in range(extents[0])]


def test_a_limit_that_is_computed_gets_a_name() -> None:
    symbols = Symbols(routine(STORED))
    limit = BUILD.add(value("a"), ONE)
    digits = [
        Digit(symbols.new("low", I32, BUILD.span), limit, Number(0), "many"),
        Digit(symbols.new("high", I32, BUILD.span), limit, Number(0)),
    ]
    found = decoded(digits, symbols, BUILD)
    lets = [
        (it.symbol.name, dump_expression(it.value))
        for it in found.statements
        if isinstance(it, ir.Let)
    ]
    assert lets[1:] == [("many", "a + 1_i32"), ("low", "pid % many"), ("high", "pid / many")]
    assert [dump_expression(it) for it in found.limits] == ["many"]


def test_of_a_product_of_too_many_factors_some_are_one_integer() -> None:
    """It is the same one wherever it is made alike."""
    many = "p" + " * a" * 12
    found = values(f"let left = {many}; let right = {many}; let other = {many} * b;")
    indices = Indices({})
    left, right, other = (indices.polynomial(found[name]) for name in ("left", "right", "other"))
    ((factors, _),) = left.terms
    assert len(factors) < 12
    assert left == right != other
    inside = frozenset[ir.Symbol]().union(*map(indices.inside, factors))
    assert inside == indices.depends_on(found["left"])
