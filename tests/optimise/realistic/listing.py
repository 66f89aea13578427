"""Snapshots of one file each."""

from __future__ import annotations

from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode


class Listing(SingleFileSnapshotExtension):
    """What is made of a kernel, as Python."""

    file_extension = "py"
    _write_mode = WriteMode.TEXT
