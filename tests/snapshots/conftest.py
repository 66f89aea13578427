"""Goldens are real files: `.py` for modules, `.ir` for dumps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion


# Goldens carry the names of their tests, and are none.
collect_ignore_glob = ["__snapshots__/*"]


class PythonFile(SingleFileSnapshotExtension):
    """A generated module."""

    file_extension = "py"
    _write_mode = WriteMode.TEXT


class IrFile(SingleFileSnapshotExtension):
    """A dump of the IR."""

    file_extension = "ir"
    _write_mode = WriteMode.TEXT


@pytest.fixture
def python_file(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(PythonFile)


@pytest.fixture
def ir_file(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(IrFile)
