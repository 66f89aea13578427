"""Cache policies of loads: which data goes first, which last, and why the rest stays at the default."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.corpus.catalogue import all_runs
from tests.optimise.classics import Changed, changed
from tests.optimise.running import Sample
from transpiler.optimise.flags import EVICTION

if TYPE_CHECKING:
    from tests.optimise.running import Comparison

PARAMETERS = (
    "x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, w_ptr: T::Pointer<D>, n: i32, m: i32, a: f32"
)
FIRST = "nobody reads this again: the cache lets it go first"
LAST = "this program reads it again: the cache keeps it longest"
SHARED = "every program reads this: the cache keeps it longest"
AGAIN = "other programs or iterations may read the same elements"
ALONE = "this is read once, but nothing else would stay in the cache for it"
TWO_PLACES = "it is read at several places, which need not be the same elements"
PROGRAM = "let pid = T::program_id(Axis::X);\nlet lanes = T::arange(0, BLOCK);\n"
INDEX = PROGRAM + "let at = lanes + pid * BLOCK;\n"


def load(offsets: str, pointer: str = "x_ptr", rest: str = "None, None, false") -> str:
    """A load of what is below `n`."""
    return f"T::load({pointer}.add_offsets({offsets}), Some(at.lt(n)), None, &[], None, {rest})"


def store(value: str, offsets: str = "at", pointer: str = "y_ptr") -> str:
    """A store of what is below `n`."""
    return (
        f"T::store({pointer}.add_offsets({offsets}), {value}, Some(at.lt(n)), &[], None, None);\n"
    )


def made(body: str) -> Changed:
    """The kernel after the transform."""
    return changed(EVICTION, body, parameters=PARAMETERS)


def missed(body: str) -> list[tuple[str, str]]:
    """Why no load gets a policy."""
    found = made(body)
    assert found.applied == []
    assert found.is_same
    return found.missed


def over_rows(distance: str) -> str:
    """A kernel that reads a row twice, and in the second turn a vector besides."""
    return PROGRAM + "\n".join(
        f"let mut start{turn} = 0;\nwhile start{turn} < n {{\n"
        f"let at = lanes + start{turn};\n"
        f"let x = {load(f'at + pid * {distance}')};\n{rest}"
        f"start{turn} += BLOCK;\n}}"
        for turn, rest in (
            (1, 'T::static_assert(BLOCK > 1, "");\n'),
            (2, f"let w = {load('at', 'w_ptr')};\n{store('x * w', f'at + pid * {distance}')}"),
        )
    )


def test_what_streams_past_shared_data_goes_first() -> None:
    """As a vector does that every program adds to its rows."""
    body = INDEX + f"let x = {load('at')};\nlet w = {load('lanes', 'w_ptr')};\n" + store("x + w")
    found = made(body)
    assert found.applied == [(load("at"), FIRST), (load("lanes", "w_ptr"), SHARED)]
    assert found.missed == []
    text = "\n".join(found.lines)
    assert 'x = tl.load(x_ptr + at, mask=at < n, eviction_policy="evict_first")' in text
    assert 'w = tl.load(w_ptr + lanes, mask=at < n, eviction_policy="evict_last")' in text


def test_what_streams_alone_says_nothing() -> None:
    assert missed(INDEX + f"let x = {load('at')};\n" + store("x")) == [(load("at"), ALONE)]


def test_what_is_read_again_goes_last() -> None:
    found = made(over_rows("n"))
    row, vector = load("at + pid * n"), load("at", "w_ptr")
    assert sorted(found.applied) == sorted([(row, LAST), (row, FIRST), (vector, SHARED)])
    policies = [line.split("eviction_policy=")[1] for line in found.lines if "eviction" in line]
    assert [policy.split('"')[1] for policy in policies] == [
        "evict_last",
        "evict_first",
        "evict_last",
    ]


def test_rows_at_the_distance_of_a_stride_may_overlap() -> None:
    row, vector = load("at + pid * m"), load("at", "w_ptr")
    assert missed(over_rows("m")) == [
        (row, AGAIN),
        (row, AGAIN),
        (vector, "every program reads this, but nothing streams past it"),
    ]


@pytest.mark.parametrize(
    "offsets", ["at + 1 - lanes", "at / 2", "at + pid", "at * m", "lanes + pid * 8"]
)
def test_windows_may_overlap(offsets: str) -> None:
    assert missed(INDEX + f"let x = {load(offsets)};\n" + store("x")) == [(load(offsets), AGAIN)]


def test_an_iteration_may_read_what_another_one_read() -> None:
    body = f"for i in 0..m {{ let x = {load('at')};\n{store('x', 'at + i * n')} }}\n"
    assert missed(INDEX + body) == [(load("at"), AGAIN)]


def test_iterations_with_elements_of_their_own_stream() -> None:
    body = f"for i in 0..m {{ let x = {load('at * m + i')};\n{store('x', 'at + i * n')} }}\n"
    assert missed(INDEX + body) == [(load("at * m + i"), ALONE)]


def test_two_places_may_be_neighbours() -> None:
    body = INDEX + f"let x = {load('at')};\nlet z = {load('at + 1')};\n" + store("x + z")
    assert missed(body) == [(load("at"), TWO_PLACES), (load("at + 1"), TWO_PLACES)]


def test_what_is_written_stays() -> None:
    body = INDEX + f"let x = {load('at')};\n" + store("x", pointer="x_ptr")
    assert missed(body) == [(load("at"), "what is read here is written, too")]


@pytest.mark.parametrize(
    "rest",
    [
        "None, Some(EvictionPolicy::EvictLast), false",
        "Some(CacheModifier::Cg), None, false",
        "None, None, true",
    ],
)
def test_what_the_author_chose_stays(rest: str) -> None:
    nothing = "it loads no tile through a pointer, or says itself what the cache should keep"
    assert missed(INDEX + f"let x = {load('at', rest=rest)};\n" + store("x")) == [("k", nothing)]


def test_tiles_of_matrix_products_stay() -> None:
    index = "let lanes = T::arange(0, 16);\nlet at = T::expand_dims(lanes, 1) * 16 + T::expand_dims(lanes, 0);\n"
    product = "T::dot::<D, D>(x, x, None, InputPrecision::IEEE, None)"
    body = index + f"let x = {load('at')};\n" + store(product)
    assert missed(body) == [("k", "tiles of matrix products are fetched ahead")]


def test_an_address_that_memory_holds_is_not_known() -> None:
    """A pointer that a loop moves by what it has loaded leads anywhere."""
    body = (
        INDEX + "let mut p = x_ptr.add_offsets(at);\n"
        "for i in 0..n { let x = T::load(p, None, None, &[], None, None, None, false);\n"
        + store("x")
        + "p = p.add_offsets(lanes); }\n"
    )
    found = missed(body)
    assert [why for _, why in found] == ["it is not known where some of the kernel's loads go"]


SAMPLE = INDEX + f"let x = {load('at')};\nlet w = {load('at')};\n" + store("x + w")


def test_samples_leave_the_same_bytes(comparison: Comparison) -> None:
    assert comparison.is_same(Sample(body=SAMPLE, n=150, grid=(3,)), EVICTION)


@pytest.mark.parametrize("name", ["layer_norm_forward"])
def test_kernels_of_the_corpus_leave_the_same_bytes(comparison: Comparison, name: str) -> None:
    run = next(run for run in all_runs() if run.case.kernel == name)
    assert comparison.differing(run, EVICTION) == []
