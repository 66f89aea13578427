"""The child that traces launches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.footprint.traced import TracingProcess

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def tracing() -> Iterator[TracingProcess]:
    """One child for all launches."""
    process = TracingProcess()
    yield process
    process.close()
