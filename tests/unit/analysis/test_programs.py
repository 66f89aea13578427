"""What a value depends on of the program's place in the grid."""

from __future__ import annotations

import pytest

from tests.unit.analysis.elaborated import Analysed

PLACES = """\
let p = T::program_id(Axis::X);
let y = T::program_id(Axis::Y);
let b = p / n;
let c = p % n;
let inner = b % m;
let outer = b / m;
"""


def determined(address: str, other: str) -> bool:
    """Whether programs that agree in the first value agree in the other."""
    kernel = Analysed(f"{PLACES}let q = {address};\nlet r = {other};\nlet s = q + r;\n")
    programs = kernel.facts.programs
    of_address = programs.coordinates(kernel.last("q"))
    of_other = programs.coordinates(kernel.last("r"))
    return of_other <= programs.determined(of_address, of_other)


@pytest.mark.parametrize(
    ("address", "other"),
    [
        ("p", "b"),
        ("p * 4 + 1", "c"),
        ("b * n + c", "p"),
        ("c", "c * 2"),
        ("b", "outer"),
        ("inner + outer * 5 + c * 7", "p"),
        ("b + c + y", "p + y"),
        ("c", "n"),
    ],
)
def test_what_an_address_tells(address: str, other: str) -> None:
    assert determined(address, other)


@pytest.mark.parametrize(
    ("address", "other"),
    [
        ("c", "b"),
        ("c", "p"),
        ("b", "c"),
        ("p", "y"),
        ("n", "p"),
        ("inner", "outer"),
        ("c + inner", "p"),
    ],
)
def test_what_an_address_does_not_tell(address: str, other: str) -> None:
    assert not determined(address, other)


def test_memory_is_as_its_address_and_loops_as_their_bounds() -> None:
    load = "T::load(x_ptr.add_offsets(T::arange(0, BLOCK) + {}), None, None, &[], None, None, None, false)"
    kernel = Analysed(
        f"{PLACES}let u = {load.format('p')};\nlet v = {load.format('n')};\nlet w = u + v;\n"
        "let mut i = 0;\nwhile i < p { i += 1; }\nlet j = i;\n"
    )
    programs = kernel.facts.programs
    assert programs.coordinates(kernel.last("u"))
    assert not programs.coordinates(kernel.last("v"))
    assert programs.coordinates(kernel.last("i"))
