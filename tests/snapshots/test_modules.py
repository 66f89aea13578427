"""The generated modules and the IR of both batch norm files.

After a change that is meant: `pytest tests/snapshots --snapshot-update`, then read what changed.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from tests.numerics.modules import OWN_RUST, REFERENCE_RUST
from tests.snapshots.reading import code_alone
from transpiler import transpile
from transpiler.ir.dump import dump_module
from transpiler.ir.types import DType
from transpiler.pipeline import Options, Result

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

# One specialisation a kernel: the others differ by two words.
FEW = Options(dtypes=(DType.F16,), blocks=(("BLOCK_N", (128,)), ("BLOCK_HW", (128,))))


@pytest.fixture
def own() -> Result:
    return transpile(OWN_RUST.path, FEW)


@pytest.fixture
def reference() -> Result:
    if not REFERENCE_RUST.path.exists():
        pytest.skip(f"{REFERENCE_RUST.path.name} of the reference is not on this machine")
    return transpile(REFERENCE_RUST.path, FEW)


def test_own_module(own: Result, python_file: SnapshotAssertion) -> None:
    assert own.text == python_file


def test_own_ir(own: Result, ir_file: SnapshotAssertion) -> None:
    assert own.module is not None
    assert dump_module(own.module) == ir_file


def test_reference_module(reference: Result, python_file: SnapshotAssertion) -> None:
    """Its comments and docstrings are the text of another author: only the code is kept here."""
    assert reference.text is not None
    assert code_alone(reference.text) == python_file


def test_reference_ir(reference: Result, ir_file: SnapshotAssertion) -> None:
    assert reference.module is not None
    assert dump_module(reference.module) == ir_file


def test_doc_comments_and_comments_reach_the_module(reference: Result) -> None:
    assert reference.text is not None
    assert reference.syntax is not None
    tree = ast.parse(reference.text)
    documented = {
        node.name: ast.get_docstring(node)
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
    }
    for plan in reference.plans:
        docs = documented[plan.kernel.name]
        assert docs is not None
        words = " ".join(plan.kernel.docs).split()
        assert words[0] in docs
        assert words[-1] in docs


def test_code_alone_drops_what_is_for_people() -> None:
    text = (
        '"""Doc\nstring."""\n\n# comment\nx = "# no comment"  # comment\n\n\n'
        'def f():\n    """Doc."""\n    return 1\n'
    )
    assert code_alone(text) == 'x = "# no comment"\ndef f():\n    return 1\n'
