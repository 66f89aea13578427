"""Fixtures of the unit tests."""

from __future__ import annotations

import pytest

from tests.unit.building import Build


@pytest.fixture
def build() -> Build:
    """A fresh builder of typed IR."""
    return Build()
