"""The processes of the tests do not search again and again for cycles among what stays."""

from __future__ import annotations

import gc


def test_what_is_collected_is_out_of_the_search() -> None:
    assert gc.get_freeze_count() > 0
    assert gc.get_threshold()[0] >= 50_000
