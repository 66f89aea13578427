"""`--emit json`: the kernels of a file for other tools.

Schema version 1. One document: `{"schema_version", "generator": {"name", "version"}, "files":
[file]}`. A file is `{"file", "sha256", "kernels": [kernel], "operators": [operator]}`, an operator `{"name", "class",
"kernel", "backward"}` (the last may be null), and a kernel:

* `name`; `span`: `{"file", "start": {"offset", "line", "column"}, "end": …}`, half-open, code
  points, lines and columns from one; `docs`: the lines of its doc comment.
* `dtype_parameters`: `{"name", "bound", "admits": [dtype]}` each, dtypes by their Rust names.
* `dtypes`: what its attribute allows, or what its bound admits.
* `const_generics`: `{"name", "type"}` each. `parameters`: `{"name", "type"}` each, in Rust order,
  types as `*D` (pointer to `D`), `*f32`, `i32`.
* `grid_axes`: the program axes it asks for (0, 1, 2). `reads`, `writes`, `atomics`: names of
  pointer parameters.
* `feature_gate`: its `#[cfg(…)]` condition or null. `backward`: the struct its attribute names, or
  null.
* `specialisations`: `{"name", "dtypes": {parameter: dtype}, "constants": {const generic: value}}`
  each.
* `optimised`: null, or what is launched in its place, `{"transforms": [flag], "stages": [kernel name]}`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from transpiler.ir.types import type_text
from transpiler.optimise.remarks import applied_flags
from transpiler.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transpiler.ir.description import KernelPlan, OperatorFacts, Specialisation
    from transpiler.ir.launch_plan import LaunchPlan
    from transpiler.ir.nodes import Kernel, Symbol
    from transpiler.pipeline import Result
    from transpiler.source import SourceFile, Span

SCHEMA_VERSION = 1


def describe(result: Result) -> dict[str, object]:
    """A file with its kernels and operators, as plain data."""
    source = result.source
    return {
        "file": source.name,
        "sha256": source.digest,
        "kernels": [_kernel(result, plan) for plan in result.plans],
        "operators": [_operator(operator) for operator in result.operators],
    }


def document(files: Sequence[dict[str, object]]) -> str:
    """The whole document as text."""
    return (
        json.dumps(
            {
                "schema_version": SCHEMA_VERSION,
                "generator": {"name": "teeny-transpile", "version": __version__},
                "files": files,
            },
            indent=2,
            ensure_ascii=False,
        )
        + "\n"
    )


def _operator(operator: OperatorFacts) -> dict[str, object]:
    return {
        "name": operator.name,
        "class": operator.class_name,
        "kernel": operator.forward,
        "backward": operator.backward,
    }


def _kernel(result: Result, plan: KernelPlan) -> dict[str, object]:
    source, kernel, facts = result.source, plan.kernel, plan.facts
    return {
        "name": kernel.name,
        "span": _span(source, kernel.span),
        "docs": list(kernel.docs),
        "dtype_parameters": [
            {
                "name": parameter.name,
                "bound": parameter.bound.value,
                "admits": [dtype.value for dtype in parameter.bound.dtypes],
            }
            for parameter in kernel.dtype_parameters
        ],
        "dtypes": [dtype.value for dtype in kernel.dtypes],
        "const_generics": [_symbol(symbol) for symbol in kernel.const_generics],
        "parameters": [_symbol(symbol) for symbol in kernel.parameters],
        "grid_axes": list(facts.grid_axes),
        "reads": list(facts.reads),
        "writes": list(facts.writes),
        "atomics": list(facts.atomics),
        "feature_gate": kernel.feature_gate,
        "backward": kernel.backward,
        "specialisations": [_specialisation(kernel, each) for each in plan.specialisations],
        "optimised": None if plan.optimised is None else _optimised(result, plan.optimised),
    }


def _optimised(result: Result, plan: LaunchPlan) -> dict[str, object]:
    stages = (stage.kernel.name for variant in plan.variants for stage in variant.stages)
    return {
        "transforms": list(applied_flags(result.remarks, plan.kernel.name)),
        "stages": list(dict.fromkeys(stages)),
    }


def _symbol(symbol: Symbol) -> dict[str, str]:
    return {"name": symbol.name, "type": type_text(symbol.type)}


def _specialisation(kernel: Kernel, specialisation: Specialisation) -> dict[str, object]:
    dtypes = zip(kernel.dtype_parameters, specialisation.dtypes, strict=True)
    constants = zip(kernel.const_generics, specialisation.constants, strict=True)
    return {
        "name": specialisation.name,
        "dtypes": {parameter.name: dtype.value for parameter, dtype in dtypes},
        "constants": {symbol.name: value for symbol, value in constants},
    }


def _span(source: SourceFile, span: Span) -> dict[str, object]:
    return {
        "file": source.name,
        "start": _point(source, span.start),
        "end": _point(source, span.end),
    }


def _point(source: SourceFile, offset: int) -> dict[str, int]:
    line, column = source.position(offset)
    return {"offset": offset, "line": line, "column": column}
