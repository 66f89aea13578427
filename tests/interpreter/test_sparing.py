"""With less work the interpreter computes and refuses the same, and leaves the language as it found it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.interpreter.observed import ObservedProcess
from tests.interpreter.sparing import spare

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.interpreter.observed import Observed

# Each twice: the second time, what is patched is known.
LAUNCHES = ("device_functions", "wraps", "refuses", "device_functions", "refuses", "wraps")

Pairs = list[tuple["Observed", "Observed"]]


@pytest.fixture(scope="module")
def pairs() -> Iterator[Pairs]:
    """What is observed without and with it."""
    plain, spared = ObservedProcess(), ObservedProcess(spare)
    yield [(plain.launch(name), spared.launch(name)) for name in LAUNCHES]
    plain.close()
    spared.close()


def test_kernels_compute_and_refuse_the_same(pairs: Pairs) -> None:
    for plain, spared in pairs:
        assert plain.noted
        assert spared.noted == plain.noted
    refused, _ = pairs[LAUNCHES.index("refuses")]
    assert "refused" in str(refused.noted[-1])


def test_sums_of_integers_wrap(pairs: Pairs) -> None:
    for observed in pairs[LAUNCHES.index("wraps")]:
        assert observed.noted[0] == ("int32", [-(2**31)])


def test_the_language_is_the_same_in_kernels_and_after_them(pairs: Pairs) -> None:
    for plain, spared in pairs:
        assert len(plain.inside) == len(spared.inside) > 0
        assert spared.inside == plain.inside
        assert spared.after == plain.after
        assert plain.inside[0] != plain.after


def test_the_language_is_searched_once(pairs: Pairs) -> None:
    assert [spared.searches for _, spared in pairs][3:] == [0, 0, 0]
    assert all(plain.searches > 0 for plain, _ in pairs)
