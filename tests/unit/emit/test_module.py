"""Whole modules: what stands where, and that formatters and linters leave it alone."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.unit.emit.sample import SOURCE, emit, quotients, scale_rows
from transpiler.emit.environment import FIXED, fixed_text
from transpiler.emit.function_views import alike
from transpiler.emit.imports import import_lines
from transpiler.emit.line_map import LineMap
from transpiler.emit.validate import EmissionError, check_names, compile_module
from transpiler.ir.types import F32, DType
from transpiler.source import Span
from transpiler.target.model import Evaluation, For, Function, Name, Parameter, Suite
from transpiler.target.read_names import names_read
from transpiler.target.spelling import parse_spelling

if TYPE_CHECKING:
    from tests.unit.building import Build

ROOT = Path(__file__).resolve().parents[3]
RUFF = shutil.which("ruff", path=sysconfig.get_path("scripts")) or shutil.which("ruff")


def part(text: str, start: str, end: str) -> str:
    """From the line that starts with `start` to before the next that starts with `end`."""
    found = re.search(
        rf"^{re.escape(start)}.*?(?=^{re.escape(end)})", text, re.DOTALL | re.MULTILINE
    )
    assert found is not None
    return found[0].rstrip("\n")


def test_the_header_names_the_source_and_no_time(build: Build) -> None:
    text = emit(scale_rows(build)).text
    lines = text.split("\n")
    assert (
        lines[0]
        == "# Generated from rows.rs by teeny-transpile 1.2.3; change the Rust, not this file."
    )
    assert lines[1] == f"# Source: sha256 {SOURCE.digest}"
    assert lines[2] == "# Options: defaults"
    assert ast.get_docstring(ast.parse(text)) == "Triton kernels of rows.rs."


def test_the_docs_of_the_file_are_the_docstring(build: Build) -> None:
    text = emit(scale_rows(build), docs=(" Rows.", "", " All \\ of them.")).text
    assert ast.get_docstring(ast.parse(text)) == "Rows.\n\nAll \\ of them."


def test_imports_are_those_of_the_names_read() -> None:
    assert import_lines(["tl", "triton", "x", "dataclass"]) == (
        "from dataclasses import dataclass",
        "",
        "import triton",
        "import triton.language as tl",
    )
    assert import_lines(["libdevice"]) == ("from triton.language.extra import libdevice",)


def test_a_kernel(build: Build) -> None:
    text = emit(scale_rows(build)).text
    assert (
        part(text, "# rows.rs:1", "# Specialisations")
        == '''\
# rows.rs:1
@triton.jit
def scale_rows(
    x_ptr,
    y_ptr,
    N,
    e,
    lambda_,
    BLOCK_N: tl.constexpr,
):
    """Scales rows.

    Grid: `[1]`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    whole = _to_integer(tl.cast(e, tl.float32), tl.int32)

    # Where nothing is read.
    zeros = tl.zeros([BLOCK_N], D)
    for n_start in range(0, N, BLOCK_N):
        offsets = tl.arange(0, BLOCK_N) + n_start  # lanes
        mask = offsets < N
        x_tile = tl.load(x_ptr + offsets, mask=mask, other=zeros).to(D)
        peak = tl.reduce(x_tile, None, _maximum, keep_dims=True)
        tl.store(
            y_ptr + offsets, (x_tile - peak) / tl.cast(whole, D) + tl.cast(lambda_, D), mask=mask
        )'''
    )


def test_specialisations(build: Build) -> None:
    text = emit(scale_rows(build), quotients(build)).text
    assert (
        part(text, "# Specialisations", "KERNELS:")
        == """\
# Specialisations: launched with the run-time arguments alone, each for one dtype and its constants.


@triton.jit
def scale_rows__f32__8(x_ptr, y_ptr, N, e, lambda_):
    _require_dtype((x_ptr, y_ptr), tl.float32)
    scale_rows(x_ptr, y_ptr, N, e, lambda_, BLOCK_N=8)


@triton.jit
def scale_rows__f16__8(x_ptr, y_ptr, N, e, lambda_):
    _require_dtype((x_ptr, y_ptr), tl.float16)
    scale_rows(x_ptr, y_ptr, N, e, lambda_, BLOCK_N=8)


@triton.jit
def quotients__f32__true(y_ptr):
    _require_dtype((y_ptr,), tl.float32)
    quotients(y_ptr, FLAG=True)


@triton.jit
def quotients__i32__true(y_ptr):
    _require_dtype((y_ptr,), tl.int32)
    quotients(y_ptr, FLAG=True)


@triton.jit
def quotients__i32__false(y_ptr):
    _require_dtype((y_ptr,), tl.int32)
    quotients(y_ptr, FLAG=False)"""
    )


def test_the_record_of_a_kernel(build: Build) -> None:
    text = emit(scale_rows(build)).text
    assert (
        part(text, "KERNELS:", '"""The kernels')
        == """\
KERNELS: dict[str, Kernel] = {
    "scale_rows": Kernel(
        name="scale_rows",
        function=scale_rows,
        index64=None,
        parameters=("x_ptr", "y_ptr", "N", "e", "lambda_"),
        types=("*D", "*D", "i32", "f32", "f32"),
        constants=("BLOCK_N",),
        dtypes=("f32", "f64", "f16", "bf16"),
        grid_axes=(0,),
        reads=("x_ptr",),
        writes=("y_ptr",),
        atomics=(),
        feature=None,
        backward=None,
        specialisations={
            "scale_rows__f32__8": scale_rows__f32__8,
            "scale_rows__f16__8": scale_rows__f16__8,
        },
        elements=lambda _grid, **_: {},
    ),
}"""
    )


def test_exports_are_sorted_as_linters_want(build: Build) -> None:
    kernel = build.kernel("zeta", [], parameters=[build.pointer("p")], constants=[build.const("B")])
    plan = build.plan(kernel, *(((DType.F32,), (size,)) for size in (64, 128, 1024)))
    tree = ast.parse(emit(plan).text)
    exports = next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    assert exports == [
        "KERNELS",
        "Kernel",
        "Launcher",
        "Zeta",
        "zeta",
        "zeta__f32__64",
        "zeta__f32__128",
        "zeta__f32__1024",
    ]


def test_helpers_are_there_only_where_they_are_used(build: Build) -> None:
    text = emit(scale_rows(build)).text
    helpers = re.findall(r"^@triton.jit\ndef (_\w+)", text, re.MULTILINE)
    assert helpers == ["_require_dtype", "_maximum", "_to_integer"]
    plain = build.plan(build.kernel("plain", [], parameters=[build.pointer("p")]))
    assert "@triton.jit\ndef _" not in emit(plain).text


def test_a_dtype_that_no_pointer_carries_is_a_parameter(build: Build) -> None:
    size, n = build.const("SIZE"), build.parameter("n")
    tile = build.tile(build.D, "SIZE")
    zeros = build.let(
        build.symbol("z", tile), build.call("zeros", [size], type_=tile, dtypes=[build.D])
    )
    kernel = build.kernel("free", [zeros], parameters=[n], constants=[size])
    text = emit(build.plan(kernel, ((DType.F16,), (4,)), ((DType.F64,), (4,)))).text
    assert "    SIZE: tl.constexpr,\n    D: tl.constexpr,\n):\n    z = tl.zeros([SIZE], D)" in text
    assert "    free(n, SIZE=4, D=tl.float32)" in text
    assert "    free(n, SIZE=4, D=tl.float64)" in text
    assert '        constants=("SIZE", "D"),' in text
    assert "    def __init__(self, size: int, d: tl.dtype) -> None:" in text
    assert '        super().__init__(KERNELS["free"], SIZE=size, D=d)' in text


def test_a_kernel_of_a_reserved_name_keeps_it_in_the_records(build: Build) -> None:
    local = build.let(build.symbol("is_", F32), 1.0)
    text = emit(build.plan(build.kernel("is", [local], parameters=[build.pointer("p")]))).text
    assert "def is_(" in text
    assert '    "is": Kernel(\n        name="is",\n        function=is_,' in text
    assert "    is__ = 1.0" in text


def test_an_unspecialised_kernel_without_choices_is_its_own_instance(build: Build) -> None:
    kernel = build.kernel("alone", [], parameters=[build.parameter("n")], dtype_parameters=())
    text = emit(build.plan(kernel, ((), ()))).text
    assert text.count("def alone") == 1
    assert '        specialisations={"alone": alone},' in text


def test_a_file_without_kernels_is_a_module_with_an_empty_table() -> None:
    text = emit().text
    assert "KERNELS: dict[str, Kernel] = {}" in text
    compile(text, "empty", "exec")


@pytest.mark.skipif(RUFF is None, reason="the formatter is not installed")
@pytest.mark.parametrize(
    "arguments",
    [["format", "--check", "--diff"], ["check", "--extend-ignore", "ERA001"]],
)
def test_formatter_and_linter_leave_it_alone(build: Build, arguments: list[str]) -> None:
    docs = (' Ends in a quote: "', "", "    code \\ path", " `x`")
    for text in (emit(scale_rows(build), quotients(build), docs=docs).text, emit().text):
        result = subprocess.run(
            [str(RUFF), *arguments, "--stdin-filename", str(ROOT / "generated" / "rows.py"), "-"],
            input=text,
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
        )
        assert result.returncode == 0, result.stdout + result.stderr


def test_the_same_input_gives_the_same_bytes(build: Build) -> None:
    plan = scale_rows(build)
    assert emit(plan).text == emit(plan).text
    assert emit(plan).line_map == emit(plan).line_map


# --- Line map ------------------------------------------------------------------------------------


def test_every_line_of_a_statement_maps_to_its_rust(build: Build) -> None:
    plan = scale_rows(build)
    emitted = emit(plan, docs=("def scale_rows(",))
    lines = emitted.text.split("\n")
    loop = plan.kernel.body.statements[2]
    line = next(index for index, text in enumerate(lines, 1) if "for n_start in" in text)
    assert emitted.line_map.rust_span(line) == loop.span
    definition = lines.index("def scale_rows(", 20) + 1
    assert emitted.line_map.rust_span(definition) == plan.kernel.span
    assert emitted.line_map.rust_span(1) is None
    tree = ast.parse(emitted.text)
    functions = [it for it in tree.body if isinstance(it, ast.FunctionDef) and it.name[0] != "_"]
    assert functions
    for function in functions:
        for statement in ast.walk(function):
            is_docs = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if isinstance(statement, ast.stmt) and not is_docs:
                assert emitted.line_map.rust_span(statement.lineno) is not None
                last = statement.end_lineno or statement.lineno
                assert emitted.line_map.rust_span(last) is not None


def test_a_line_map() -> None:
    entries = LineMap(((3, Span(0, 4)), (5, Span(6, 9))))
    assert entries.rust_span(5) == Span(6, 9)
    assert entries.rust_span(4) is None
    assert list(entries) == [(3, Span(0, 4)), (5, Span(6, 9))]
    assert len(entries) == 2


# --- Validation ----------------------------------------------------------------------------------


def test_text_that_does_not_compile_is_a_fault_of_the_compiler() -> None:
    with pytest.raises(EmissionError, match="does not compile"):
        compile_module("def f(:\n", "x.rs")
    with pytest.raises(EmissionError, match="does not compile"):
        compile_module("x = 1\ndef f(:\n", "x.rs", parts=[("def f(:", "def f(:")])
    first, second = "@property\ndef f(): pass", "def g():\n    pass"
    text = f"\n{first}\n\n\n{second}\ny = 1\n"
    parts = [(first, first), (second, None)]
    assert compile_module(text, "x.rs", parts=parts) == [2, 6]
    with pytest.raises(EmissionError, match="does not compile"):
        compile_module(text, "x.rs", parts=[(first, first), (second, "def g(:")])


def test_of_functions_with_statements_in_common_each_statement_is_compiled_once() -> None:
    common, left, right = (
        Evaluation(value=parse_spelling(text)) for text in ("check(x)", "call(x, 1)", "call(x, 2)")
    )
    parameters = (Parameter(name="x"),)

    def function(
        name: str, *statements: Evaluation, given: tuple[Parameter, ...] = parameters
    ) -> Function:
        return Function(
            name=name,
            decorator=Name("jit"),
            parameters=given,
            docs=(),
            body=Suite(statements=statements),
        )

    views = list(
        alike(
            function("a", common, left),
            function("b", common, right),
            function("c", common, right),
            function("d", common, given=(*parameters, Parameter(name="y"))),
        )
    )
    assert [view.text for view in views] == [
        "@jit\ndef a(x):\n    check(x)\n    call(x, 1)",
        "@jit\ndef b(x):\n    check(x)\n    call(x, 2)",
        "@jit\ndef c(x):\n    check(x)\n    call(x, 2)",
        "@jit\ndef d(x, y):\n    check(x)",
    ]
    assert [view.unproved for view in views] == [
        views[0].text,
        "@jit\ndef b(x):\n    call(x, 2)\n    pass",
        None,
        "@jit\ndef d(x, y):\n    pass",
    ]


def test_what_is_fixed_compiles_and_is_not_compiled_with_each_module() -> None:
    for name in FIXED:
        for has_plans in (False, True):
            compile_module(fixed_text(name, has_plans=has_plans), name)
    assert compile_module("x = 1\nx +\n", "x.rs", fixed=["x +\n"]) == []


def test_a_name_that_nothing_binds_is_a_fault_of_the_compiler() -> None:
    loop = For(
        target="i",
        iterable=parse_spelling("range(3)"),
        body=Suite(statements=(Evaluation(value=parse_spelling("tl.store(i, lost)")),)),
    )
    function = Function(
        name="f", decorator=Name("jit"), parameters=(), docs=(), body=Suite(statements=(loop,))
    )
    with pytest.raises(EmissionError, match="'f' reads lost,"):
        check_names([(function, names_read(function))], frozenset({"tl", "jit"}))
    check_names([(function, names_read(function))], frozenset({"tl", "jit", "lost"}))
