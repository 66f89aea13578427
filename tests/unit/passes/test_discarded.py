"""Values that are computed and thrown away."""

from __future__ import annotations

from tests.unit.passes.kernels import LOAD, store, translated


def test_what_has_no_effect_is_not_printed() -> None:
    plain = translated(LOAD + store("x"))
    assert translated(LOAD + store("x") + "let _ = n;\nlet _ = offsets + n;\n_ = n * 2;\n") == plain
    assert translated(LOAD + store("x") + "let (_, _) = (n, n);\n") == plain


def test_what_has_an_effect_stays() -> None:
    discarded = "let _ = T::atomic_add(y_ptr.add_offsets(offsets), x, None, None, None);\n"
    assert "tl.atomic_add(y_ptr + offsets, x)" in translated(LOAD + discarded)
