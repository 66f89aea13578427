"""The kernels and the operators of `cases/`, interpreted, against what torch computes."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch

from tests.conformance.tolerances import tolerance
from tests.host.interpreted import interpreted
from tests.host.loading import function_of, module_of
from tests.host.references import CASES, PAIRS, STUBS, Case
from transpiler.diagnostics.sink import Sink
from transpiler.frontend.macros.expansion import expand
from transpiler.frontend.macros.origins import ExpandedSource
from transpiler.frontend.parser import parse_file
from transpiler.ir.types import DType
from transpiler.source import SourceFile
from transpiler.syntax.nodes import Impl
from transpiler.syntax.printer import print_type

if TYPE_CHECKING:
    from types import ModuleType

    from torch import Tensor

FOLDER = Path(__file__).parent / "cases"
DTYPES = {torch.float32: DType.F32, torch.float64: DType.F64}
BLOCK = 16
SIZES = ((1,), (37,), (3, 50))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_reference_has_the_shape_and_the_gradients_that_its_case_says(case: Case) -> None:
    tensors = case.tensors(torch.float64)
    for place in case.gradients:
        tensors[place].requires_grad_()
    result = case.forward(*tensors)
    assert tuple(result.shape) == case.output
    assert result.dtype == (case.output_dtype or torch.float64)
    assert result.requires_grad == bool(case.gradients)
    if case.updates is not None:
        updates = case.updates(*tensors)
        assert [each.shape for each in updates] == [torch.Size(shape) for shape in case.params]


def test_each_operator_of_the_files_has_a_case() -> None:
    found = set()
    for path in sorted(FOLDER.glob("*.rs")):
        text = path.read_text("utf-8")
        sink = Sink()
        expansion = expand(text, sink)
        file = SourceFile(path.name, text)
        source = file if expansion is None else ExpandedSource(file, expansion)
        for item in parse_file(source, sink, expansion).items:
            if isinstance(item, Impl) and item.trait is not None:
                found.add((path.stem, print_type(item.self_type).split("<")[0]))
    expected = {(case.file, case.struct) for case in CASES}
    assert found == expected | {("stubs", name) for name in STUBS}


def close(found: Tensor, expected: Tensor, dtype: torch.dtype, key: str) -> None:
    relative, absolute = tolerance(key, DTYPES[dtype])
    torch.testing.assert_close(found, expected.to(found.dtype), rtol=relative, atol=absolute)


def module(stem: str) -> ModuleType:
    return module_of((FOLDER / f"{stem}.rs").read_text("utf-8"))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("place", range(len(PAIRS)), ids=lambda place: PAIRS[place].forward)
@interpreted
def test_the_kernels_of_a_pair_go_forward_and_back(place: int, dtype: torch.dtype) -> None:
    pair = PAIRS[place]
    generated = module("pairs")
    for shape in SIZES:
        x = torch.randn(shape, dtype=dtype, requires_grad=True)
        expected = pair.reference(x)
        gradient = torch.randn(shape, dtype=dtype)
        (expected_dx,) = torch.autograd.grad(expected, x, gradient)
        n = x.numel()
        grid = (-(-n // BLOCK),)
        plain, y, dx = x.detach(), torch.empty_like(gradient), torch.empty_like(gradient)
        getattr(generated, pair.forward)(BLOCK).launch(grid, plain, y, n, *pair.scalars)
        close(y, expected.detach(), dtype, "function")
        saved = y if pair.saves_output else plain
        backward = getattr(generated, pair.backward)(BLOCK)
        backward.launch(grid, gradient, saved, dx, n, *pair.scalars)
        close(dx, expected_dx, dtype, "function")


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", STUBS)
@interpreted
def test_the_kernel_of_a_stub_has_a_launcher(name: str, dtype: torch.dtype) -> None:
    generated = module("stubs")
    for shape in SIZES:
        x = torch.randn(shape, dtype=dtype)
        y = torch.empty_like(x)
        n = x.numel()
        getattr(generated, name)(BLOCK).launch((-(-n // BLOCK),), x, y, n)
        close(y, STUBS[name](x), dtype, "function")


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("place", range(len(CASES)), ids=lambda place: CASES[place].name)
@interpreted
def test_an_operator_computes_what_torch_does(place: int, dtype: torch.dtype) -> None:
    case = CASES[place]
    struct = getattr(module(case.file), case.struct)
    takes_dtype = "dtype" in inspect.signature(struct.__init__).parameters
    operator = struct(*case.arguments, **({"dtype": dtype} if takes_dtype else {}))
    tensors = case.tensors(dtype)
    references = [tensor.clone() for tensor in tensors]
    for each in case.gradients:
        tensors[each].requires_grad_()
        references[each].requires_grad_()
    updates = () if case.updates is None else case.updates(*references)
    count = len(case.inputs)
    found = operator(*tensors, output_shape=case.output)
    expected = case.forward(*references)
    assert found.dtype == expected.dtype
    assert tuple(found.shape) == case.output
    close(found.detach(), expected.detach(), dtype, "sum")
    for new, update in zip(tensors[count:], updates, strict=False):
        close(new, update, dtype, "sum")
    if case.gradients:
        gradient = torch.randn(case.output, dtype=dtype)
        found_gradients = torch.autograd.grad(
            found, [tensors[it] for it in case.gradients], gradient
        )
        expected_gradients = torch.autograd.grad(
            expected, [references[it] for it in case.gradients], gradient
        )
        for one, other in zip(found_gradients, expected_gradients, strict=True):
            close(one, other, dtype, "sum")


@pytest.mark.parametrize("place", range(len(CASES)), ids=lambda place: CASES[place].name)
@interpreted
def test_the_function_of_an_operator_takes_what_torch_style_callers_give(place: int) -> None:
    case = CASES[place]
    generated = module(case.file)
    struct = getattr(generated, case.struct)
    function = function_of(generated, case.struct)
    tensors = case.tensors(torch.float32)
    parameters = inspect.signature(function).parameters
    names = list(inspect.signature(struct.__init__).parameters)[1:]
    keywords = dict(zip(names, case.arguments, strict=False))
    given: list[Tensor | list[Tensor]] = list(tensors)
    if struct._is_variadic:
        given = [tensors]
    shape = {"output_shape": case.output} if "output_shape" in parameters else {}
    expected = case.forward(*tensors)
    keywords = {name: value for name, value in keywords.items() if name in parameters}
    found = function(*given, **keywords, **shape)
    assert tuple(found.shape) == case.output
    close(found, expected, torch.float32, "sum")
