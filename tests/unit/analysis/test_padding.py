"""What becomes of the fill of a masked load."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from tests.unit.analysis.elaborated import Analysed
from transpiler.analysis.padding import Padding, Paddings, is_harmful, is_neutral

if TYPE_CHECKING:
    from transpiler.analysis.masks import Masks

LOADED = """\
let lanes = T::arange(0, BLOCK);
let mask = lanes.lt(n);
let zeros = T::zeros::<D>(&[BLOCK]);
let fill = T::cast::<f32, D>(T::full::<f32>(&[BLOCK], {fill}), None, false);
let x = T::load(x_ptr.add_offsets(lanes), Some(mask), Some(fill), &[], None, None, None, false);
let bare = T::load(x_ptr.add_offsets(lanes), Some(mask), None, &[], None, None, None, false);
let mean = T::sum(x, None, true);
"""


def padding(rust: str, fill: str = "0.0") -> Padding:
    """What `rust` is where `mask` is off."""
    kernel = Analysed(LOADED.format(fill=fill) + f"let q = {rust};\nlet r = q;\n")
    masks: Masks = kernel.facts.masks
    (term,) = masks.terms(kernel.last("mask"))
    paddings = Paddings(kernel.facts.values, masks, term.condition, -1)
    return paddings.padding(kernel.last("q"))


@pytest.mark.parametrize(
    ("rust", "value"),
    [
        ("x", 0.0),
        ("x * mean", 0.0),
        ("x * bare", None),
        ("x / mean", 0.0),
        ("T::exp(x)", 1.0),
        ("x + x + T::exp(x)", 1.0),
        ("mean - mean", 0.0),
        ("T::abs(x - T::exp(x))", 1.0),
        ("T::where_(mask, mean - x, zeros)", 0.0),
        ("T::where_(lanes.lt(n), mean - x, zeros)", 0.0),
        ("T::where_(lanes.ge(n), zeros, mean - x)", None),
        ("T::cast::<bool, D>(mask, None, false) * mean", 0.0),
        ("T::maximum(x, T::exp(x))", 1.0),
        ("T::cast::<f32, D>(T::full::<f32>(&[BLOCK], a), None, false)", None),
        ("x + T::cast::<f32, D>(T::full::<f32>(&[BLOCK], a), None, false)", None),
        ("T::log(x)", None),
    ],
)
def test_what_follows_from_a_fill_of_zero(rust: str, value: float | None) -> None:
    assert padding(rust).constant == value


def test_infinities() -> None:
    assert padding("T::exp(x - mean)", "f32::NEG_INFINITY").constant == 0.0
    assert padding("T::exp(x - mean)", "-3.4e38").constant == 0.0
    assert padding("x", "f32::NEG_INFINITY").constant == -math.inf


def test_what_is_arbitrary_is_not_zero_unless_it_always_is() -> None:
    assert is_harmful(padding("(x - mean) * (x - mean)"), 0.0)
    assert is_harmful(padding("T::exp(x - mean)"), 0.0)
    assert not is_harmful(padding("T::maximum(mean, zeros)"), 0.0), "it may be"


def test_what_a_load_leaves_undefined() -> None:
    assert padding("bare").is_unset
    assert padding("T::exp(bare)").is_unset
    assert not padding("T::where_(mask, bare, zeros)").is_unset
    assert is_harmful(padding("bare"), 0.0)


def test_what_is_unknown_harms_nobody() -> None:
    unknown = padding("x", "a")
    assert unknown.samples is None
    assert not is_harmful(unknown, 0.0)


@pytest.mark.parametrize(
    ("value", "identity", "neutral"),
    [
        (0.0, 0.0, True),
        (1e-7, 0.0, True),
        (0.5, 0.0, False),
        (-math.inf, -math.inf, True),
        (-1e30, -math.inf, True),
        (0.0, -math.inf, False),
        (65504.0, math.inf, True),
        (-65504.0, math.inf, False),
    ],
)
def test_neutral_values(value: float, identity: float, neutral: bool) -> None:
    assert is_neutral(value, identity) is neutral
