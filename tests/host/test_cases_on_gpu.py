"""The operators of `cases/` on a GPU: numbers beside torch's, and what torch's own checks and compiler make of them."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import pytest
import torch

from tests.host.loading import function_of
from tests.host.references import CASES, Case
from tests.host.test_cases import close, module
from transpiler.host.struct_names import snake_case

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.gpu

FIRST = list({case.struct: case for case in CASES}.values())
"""One case of each operator."""


@pytest.fixture(autouse=True)
def _on_a_gpu() -> None:
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")


def name_of(case: Case) -> str:
    return case.name


def called(case: Case) -> Callable[..., Any]:
    """The function of an operator with all but its tensors given, which it takes one by one."""
    generated = module(case.file)
    struct = getattr(generated, case.struct)
    function = function_of(generated, case.struct)
    parameters = inspect.signature(function).parameters
    names = list(inspect.signature(struct.__init__).parameters)[1:]
    given: dict[str, Any] = dict(zip(names, case.arguments, strict=False))
    keywords = {name: value for name, value in given.items() if name in parameters}
    if "output_shape" in parameters:
        keywords["output_shape"] = case.output

    def call(*tensors: Any) -> Any:
        return function(*([tensors] if struct._is_variadic else tensors), **keywords)

    return call


def on_device(case: Case, dtype: torch.dtype) -> list[Any]:
    tensors: list[Any] = [tensor.cuda() for tensor in case.tensors(dtype)]
    for place in case.gradients:
        tensors[place].requires_grad_()
    return tensors


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_an_operator_computes_what_torch_does(case: Case, dtype: torch.dtype) -> None:
    tensors = on_device(case, dtype)
    copies = [each.detach().clone().requires_grad_(each.requires_grad) for each in tensors]
    found, expected = called(case)(*tensors), case.forward(*copies)
    assert tuple(found.shape) == case.output
    close(found.detach(), expected.detach(), dtype, "sum")
    if case.gradients:
        gradient = torch.randn_like(expected)
        mine = torch.autograd.grad(found, [tensors[it] for it in case.gradients], gradient)
        theirs = torch.autograd.grad(expected, [copies[it] for it in case.gradients], gradient)
        for one, other in zip(mine, theirs, strict=True):
            close(one, other, dtype, "sum")


@pytest.mark.filterwarnings("ignore")  # Inductor, while it is imported and compiles, of itself.
@pytest.mark.parametrize("case", FIRST, ids=name_of)
def test_a_compiled_operator_is_one_graph_and_gives_the_same(case: Case) -> None:
    torch.compiler.reset()
    call = called(case)
    tensors = on_device(case, torch.float32)
    compiled = torch.compile(call, fullgraph=True)
    found = compiled(*[each.detach().clone() for each in tensors])
    expected = call(*[each.detach().clone() for each in tensors])
    torch.testing.assert_close(found, expected, rtol=0, atol=0)


# Where an input comes of another, the gradient of the Rust is that of both steps.
@pytest.mark.parametrize(
    "case",
    [it for it in FIRST if it.gradients and not it.updates and not it.derived],
    ids=name_of,
)
def test_gradients_are_those_of_differences(case: Case) -> None:
    call = called(case)
    tensors = on_device(case, torch.float64)
    torch.autograd.gradcheck(call, tensors)


@pytest.mark.filterwarnings("ignore")  # Inductor, while it is imported and compiles, of itself.
@pytest.mark.parametrize("case", FIRST, ids=name_of)
def test_torch_finds_no_fault_in_a_definition(case: Case) -> None:
    generated = module(case.file)
    struct = getattr(generated, case.struct)
    definition = getattr(torch.ops.teeny, snake_case(case.struct.removesuffix("RuntimeOp"))).default
    names = list(inspect.signature(struct.__init__).parameters)[1:]
    known: dict[str, Any] = dict(zip(names, case.arguments, strict=False))
    tensors: list[Any] = on_device(case, torch.float32)
    rest = iter([tensors] if struct._is_variadic else tensors)
    known["output_shape"] = list(case.output)
    given = [
        known[each.name] if each.name in known else next(rest, None)
        for each in definition._schema.arguments
    ]
    torch.library.opcheck(definition, tuple(given))
