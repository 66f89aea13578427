"""Kernels with classic transforms applied between the passes, as text, and what is said about them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from unittest.mock import patch

import transpiler
from tests.unit.passes.kernels import function, kernel
from transpiler import pipeline
from transpiler.diagnostics.model import Severity
from transpiler.optimise.classic.classics import CLASSICS
from transpiler.optimise.classic.context import ClassicContext
from transpiler.optimise.flags import OptimiseOptions
from transpiler.optimise.remarks import Remarks
from transpiler.passes.pipeline import PREPARE

if TYPE_CHECKING:
    from transpiler.ir.nodes import Kernel, Module
    from transpiler.optimise.flags import Transform
    from transpiler.passes.context import PassContext

FLAGS = tuple(transform.flag for transform, _ in CLASSICS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Transformed:
    """A module after some transforms; `rust` is what it was made of, `is_same` tells that no kernel was changed."""

    rust: str
    text: str
    remarks: Remarks
    is_same: bool

    def told(self, *, applied: bool) -> list[tuple[str, str]]:
        """The remarks of one kind: the Rust they are about, and what they say."""
        return [
            (self.rust[remark.span.start : remark.span.end], remark.message)
            for remark in self.remarks.remarks
            if remark.is_applied is applied
        ]


def transformed(rust: str, *transforms: Transform) -> Transformed:
    """A module each kernel of which has gone through some transforms.

    Raises:
        AssertionError: something is wrong with the Rust; that is the message.
    """
    on = {transform.flag for transform in transforms}
    options = OptimiseOptions(is_on=True, off=frozenset(set(FLAGS) - on))
    remarks = Remarks()
    unchanged: list[bool] = []

    def classics(module: Module, context: PassContext) -> Module:  # noqa: ARG001 - a pass's signature
        functions = {function.symbol: function for function in module.functions}

        def one(written: Kernel) -> Kernel:
            kernel = written
            for _, transform in CLASSICS:
                context = ClassicContext(
                    name=kernel.name, options=options, remarks=remarks, functions=functions
                )
                kernel = transform(kernel, context)
            unchanged.append(kernel is written)
            return kernel

        return replace(module, kernels=tuple(map(one, module.kernels)))

    # The passes before the optimiser are followed by the transforms, and what they make is verified.
    with patch.object(pipeline, "PREPARE", (*PREPARE, classics)):
        result = transpiler.transpile(rust)
    messages = [
        f"{found.code}: {found.message}"
        for found in result.diagnostics
        if found.severity is Severity.ERROR
    ]
    assert result.text is not None, messages
    return Transformed(rust=rust, text=result.text, remarks=remarks, is_same=all(unchanged))


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """The statements of a kernel `k` after a transform, what it says it did, and what it says it could not."""

    lines: tuple[str, ...]
    applied: list[tuple[str, str]]
    missed: list[tuple[str, str]]
    is_same: bool


def changed(transform: Transform, body: str, **rest: str) -> Changed:
    """A kernel of these statements after a transform; see `tests.unit.passes.kernels` for what surrounds them."""
    made = transformed(kernel(body, **rest), transform)
    text = function(made.text, "k")
    return Changed(
        lines=tuple(text.splitlines()),
        applied=made.told(applied=True),
        missed=made.told(applied=False),
        is_same=made.is_same,
    )
