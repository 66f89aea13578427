"""The corpus compiled to machine code for NVIDIA's and AMD's GPUs, with none there.

Without `--whole-corpus`, two kernels a topic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.compiled_stages import binary_of, planned_stages
from tests.corpus.catalogue import all_cases
from tests.corpus.model import Run
from tests.corpus.runner import signature, translated
from tests.optimising import only_planned
from transpiler.harness import aot

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.corpus.model import Case

_ELF = b"\x7fELF"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The longest kernel of each topic and one more, or all of them, each for both targets."""
    cases = all_cases()
    if not metafunc.config.getoption("--whole-corpus"):
        cases = tuple(_chosen(cases))
    if "compiled" in metafunc.fixturenames:
        metafunc.parametrize(
            ("compiled", "target"),
            [
                pytest.param(Run(case=case, shape=case.shapes[0], dtype=dtype), target)
                for case in cases
                for target, dtype in (("sm_90", case.dtypes[0]), ("gfx942", case.dtypes[-1]))
            ],
            ids=_id,
        )
    if "staged" in metafunc.fixturenames:
        planned = all_cases() if metafunc.config.getoption("--optimised") else ()
        metafunc.parametrize("staged", planned, ids=lambda case: case.kernel)
    if "with_ones" in metafunc.fixturenames:
        runs = [Run(case=case, shape=case.shapes[0], dtype=case.dtypes[0]) for case in cases]
        metafunc.parametrize("with_ones", runs, ids=_id)


def _id(each: Run | str) -> str:
    return each.name if isinstance(each, Run) else each


def _chosen(cases: tuple[Case, ...]) -> Iterator[Case]:
    """Of each topic the case with most constants and arguments, and the last one."""
    for topic in dict.fromkeys(case.topic for case in cases):
        of_topic = [case for case in cases if case.topic == topic]
        widest = max(of_topic, key=lambda case: len(_types(case)))
        yield widest
        if of_topic[-1] is not widest:
            yield of_topic[-1]


def _types(case: Case) -> dict[str, str]:
    run = Run(case=case, shape=case.shapes[0], dtype=case.dtypes[0])
    return {**signature(run), **dict.fromkeys(run.launch().constants, "constexpr")}


@pytest.fixture(autouse=True)
def _fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing compiled by an earlier run is taken for compiled now."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))


def machine_code(
    run: Run, target: str, *, form: str = "", integer: str = "i32", ones: bool = False
) -> bytes:
    """What Triton makes of a run's kernel, or of the `form` of it with that behind its name.

    `integer` is what Triton takes integer arguments for: those beyond 2^31 - 1 for i64. `ones` makes constants of all
    of them, as a launch does of those that are 1.
    """
    # Slow, and optional.
    import triton  # noqa: PLC0415
    from triton.backends.compiler import GPUTarget  # noqa: PLC0415
    from triton.compiler import ASTSource  # noqa: PLC0415

    architecture = aot.parse_target(target)
    constants = run.launch().constants
    with aot.loaded(translated(run.case.topic).text, f"corpus_{run.case.topic}") as generated:
        function = getattr(generated, f"{run.case.kernel}{form}")
        # A parameter such as `lambda` has another name in Python.
        types = dict(zip(function.arg_names, signature(run).values(), strict=False))
        assert set(function.arg_names[len(types) :]) == set(constants)
        ones_by_name = {name: 1 for name, type_ in types.items() if ones and type_ == "i32"}
        fixed = {**constants, **ones_by_name}
        given = {name: integer if type_ == "i32" else type_ for name, type_ in types.items()}
        source = ASTSource(
            fn=function,
            signature={**given, **dict.fromkeys(fixed, "constexpr")},
            constexprs=fixed,
        )
        gpu = GPUTarget(architecture.backend, architecture.architecture, architecture.warp_size)
        made = triton.compile(source, target=gpu, options={"enable_fp_fusion": True})
    binary = made.asm[architecture.artefact(aot.Stage.BINARY)]
    assert isinstance(binary, bytes)
    return binary


def test_it_becomes_machine_code(compiled: Run, target: str) -> None:
    assert machine_code(compiled, target).startswith(_ELF)


@pytest.mark.parametrize("target", ["sm_90", "gfx942"])
def test_stages_become_machine_code(staged: Case, target: str) -> None:
    made, gpu = translated(staged.topic), aot.parse_target(target)
    only_planned(made.plans, staged.kernel)
    done: list[tuple[object, dict[str, object], int]] = []
    with aot.loaded(made.text, f"corpus_{staged.topic}") as generated:
        for shape in staged.shapes:
            run = Run(case=staged, shape=shape, dtype=staged.dtypes[0])
            launch, types = run.launch(), signature(run)
            numbers = {name: int(launch.numbers[name]) for name in types if types[name] == "i32"}
            given = tuple(types.values())
            for stage in planned_stages(
                generated, staged.kernel, given, numbers, launch.constants, launch.grid
            ):
                key = (stage.function, stage.constants, stage.num_warps)
                if key not in done:
                    done.append(key)
                    assert binary_of(generated, staged.kernel, stage, given, gpu).startswith(_ELF)
    if not done:
        pytest.skip("the plan is for none of the shapes")


def test_integer_arguments_equal_to_one_compile(with_ones: Run) -> None:
    assert machine_code(with_ones, "sm_90", ones=True).startswith(_ELF)


def test_its_form_with_64_bit_offsets_becomes_machine_code(compiled: Run, target: str) -> None:
    integer = "i64" if target == "sm_90" else "i32"
    code = machine_code(compiled, target, form="__index64", integer=integer)
    assert code.startswith(_ELF)


def test_integer_arguments_equal_to_one_compile_in_that_form_too(with_ones: Run) -> None:
    assert machine_code(with_ones, "sm_90", form="__index64", ones=True).startswith(_ELF)
