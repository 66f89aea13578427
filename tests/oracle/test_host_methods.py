"""The methods of translated `RuntimeOp`s say what the Rust says, as rustc understands it."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.host.loading import module_of
from tests.host.references import CASES
from tests.numerics.modules import OWN_RUST, REFERENCE_RUST
from tests.oracle.runtime_ops import Question, answers_of_python, answers_of_rust, differences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.runtime_ops import Answers, Shape

FOLDER = Path(__file__).parents[1] / "host" / "cases"
EPS = 1e-5

pytestmark = pytest.mark.skipif(shutil.which("rustc") is None, reason="rustc is not installed")


_MACRO_KERNEL = re.compile(r"^[ ]+#\[kernel", re.MULTILINE)


def _batch_norms(file: str) -> list[Question]:
    """The operators of a batch norm file: `[N, C]`, and `[B, C, H, W]` where it has one of those."""
    line, image = (6, 5), (2, 3, 4, 5)
    return [
        Question(
            file=file,
            struct=struct,
            arguments=arguments,
            inputs=inputs,
            params=params,
            output=output,
        )
        for struct, arguments, inputs, params, output in (
            ("BatchNormStatsRuntimeOp", (16, EPS, 0.1), (line,), 2, (10,)),
            ("BatchNormNormalizeRuntimeOp", (16,), (line, (10,)), 2, line),
            ("BatchNorm2dNchwInferenceRuntimeOp", (16, EPS), (image,), 4, image),
            *(
                [("BatchNormInferenceRuntimeOp", (16, EPS), (line,), 4, line)]
                if file == "own_batchnorm"
                else []
            ),
        )
    ]


def _texts() -> dict[str, str]:
    paths = {path.stem: path for path in sorted(FOLDER.glob("*.rs"))}
    paths["own_batchnorm"] = OWN_RUST.path
    if REFERENCE_RUST.path.exists():
        paths["reference_batchnorm"] = REFERENCE_RUST.path
    texts = {name: path.read_text("utf-8") for name, path in paths.items()}
    # The structs of kernels are made from the text of these, which a macro would have to write first.
    return {name: text for name, text in texts.items() if not _MACRO_KERNEL.search(text)}


def _odd(question: Question) -> Iterator[Question]:
    """The question with shapes that nobody would give, of which Rust refuses several."""
    inputs, output = question.inputs, question.output
    yield question
    yield replace(question, dtype="f64")
    for change in (_grown, _emptied, _shorter, _longer, _narrow):
        yield replace(question, inputs=tuple(map(change, inputs)), output=change(output))
        yield replace(question, output=change(output))
    yield replace(question, output=())
    yield replace(question, inputs=inputs[:-1])
    yield replace(question, inputs=(*inputs, inputs[0]))
    if question.params:
        yield replace(question, params=question.params - 1)
    # Blocks of no elements never come to the end of a tensor: loops of `free_form.rs` do not end.
    for first in (1,) if question.file == "free_form" else (1, 0):
        yield replace(question, arguments=(first, *question.arguments[1:]))


def _grown(shape: Shape) -> Shape:
    return tuple(extent + place + 2 for place, extent in enumerate(shape))


def _emptied(shape: Shape) -> Shape:
    return (*shape[:-1], 0)


def _shorter(shape: Shape) -> Shape:
    return shape[1:]


def _longer(shape: Shape) -> Shape:
    return (*shape, 3)


def _narrow(shape: Shape) -> Shape:
    return (1,) * len(shape)


def _questions() -> list[Question]:
    own = [
        Question(
            file=case.file,
            struct=case.struct,
            arguments=case.arguments,
            inputs=case.inputs,
            params=len(case.params),
            output=case.output,
        )
        for case in CASES
        if case.file in _texts()
    ]
    own += _batch_norms("own_batchnorm")
    if REFERENCE_RUST.path.exists():
        own += _batch_norms("reference_batchnorm")
    return [odd for question in own for odd in _odd(question)]


QUESTIONS = _questions()
STRUCTS = sorted({(it.file, it.struct) for it in QUESTIONS})


@pytest.fixture(scope="module")
def rust(tmp_path_factory: pytest.TempPathFactory) -> dict[Question, Answers | str]:
    answers = answers_of_rust(_texts(), QUESTIONS, tmp_path_factory.mktemp("runtime_ops"))
    return dict(zip(QUESTIONS, answers, strict=True))


@cache
def _file(name: str) -> str:
    return _texts()[name]


def test_an_offset_that_differs_by_one_is_seen(tmp_path: Path) -> None:
    text = _file("packed_statistics")
    changed = {"packed_statistics": text.replace(".add(c)", ".add(c + 1)")}
    (question,) = (
        it
        for it in QUESTIONS
        if (it.struct, it.inputs, it.dtype, it.arguments, it.params, it.output)
        == ("ChannelMomentsRuntimeOp", ((2, 3, 50),), "f64", (32, 2.0**-10, 0.25), 2, (6,))
    )
    (rust,) = answers_of_rust(changed, [question], tmp_path)
    python = answers_of_python(module_of(text).ChannelMomentsRuntimeOp, question)
    assert [it.split(":")[0] for it in differences(rust, python)] == ["pack_args"]


@pytest.mark.parametrize(("file", "struct"), STRUCTS, ids=lambda name: name)
def test_the_methods_of_an_operator_say_what_rust_says(
    file: str, struct: str, rust: dict[Question, Answers | str]
) -> None:
    struct_class = getattr(module_of(_file(file)), struct)
    found = []
    for question in QUESTIONS:
        if (question.file, question.struct) == (file, struct):
            python = answers_of_python(struct_class, question)
            found += [f"{question}\n    {it}" for it in differences(rust[question], python)]
    assert not found, "\n".join(found)
