"""How often Python searches for cycles of objects that nothing else holds.

What the tests import and pytest collects stays to the end, and compiling makes many objects at once, few of them in
cycles: with Python's own numbers, searching is a quarter of the time that compiling takes.
"""

from __future__ import annotations

import gc

_NEW_OBJECTS = 50_000
"""Before the youngest are searched: Python says 700 or 2,000."""

_YOUNGEST, _YOUNGER = 20, 50
"""After so many searches the next generation is searched too: Python says 10 and 10."""


def collect_rarely() -> None:
    """Searches less often from now on, and never among what is there."""
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, _YOUNGEST, _YOUNGER)
