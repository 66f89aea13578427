"""Which kernels and specialisations are emitted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.cli.sources import DOUBLE, TWO_KERNELS, UNKNOWN_OPERATION, kernel

if TYPE_CHECKING:
    from tests.cli.conftest import Files, Invoke


def specialisations(invoke: Invoke, *arguments: str) -> list[str]:
    """The names of all specialisations, from `--emit json`."""
    done = invoke("a.rs", "--emit", "json", *arguments)
    assert done.exit_code == 0, done.stderr
    return [
        each["name"]
        for file in json.loads(done.stdout)["files"]
        for found in file["kernels"]
        for each in found["specialisations"]
    ]


_ONE = ("--dtype", "f32", "--block", "BLOCK=64")


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        pytest.param((), ["double", "square"], id="all"),
        pytest.param(("--kernel", "square"), ["square"], id="one"),
        pytest.param(("--kernel", "square,double"), ["double", "square"], id="commas"),
        pytest.param(("--kernel", "square double"), ["double", "square"], id="spaces"),
        pytest.param(
            ("--kernel", "square", "--kernel", "double"), ["double", "square"], id="repeated"
        ),
        pytest.param(("--no-default-features",), ["double"], id="no features"),
        pytest.param(
            ("--no-default-features", "--features", "training"), ["double", "square"], id="named"
        ),
        pytest.param(("--no-default-features", "--features", "other"), ["double"], id="another"),
        pytest.param(("--features", "other"), ["double", "square"], id="all are on by default"),
    ],
)
def test_kernels(
    files: Files, invoke: Invoke, arguments: tuple[str, ...], names: list[str]
) -> None:
    files({"a.rs": TWO_KERNELS})

    assert specialisations(invoke, *_ONE, *arguments) == [f"{name}__f32__64" for name in names]


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        pytest.param(
            ("--dtype", "f64,f16", "--block", "BLOCK=32"),
            {"double__f64__32", "double__f16__32"},
            id="dtypes",
        ),
        pytest.param(
            ("--dtype", "f32", "--dtype", "bf16", "--block", "BLOCK=32"),
            {"double__f32__32", "double__bf16__32"},
            id="repeated",
        ),
        pytest.param(
            ("--dtype", "f32", "--block", "BLOCK=32,64,32"),
            {"double__f32__32", "double__f32__64"},
            id="each value once",
        ),
        pytest.param(
            ("--dtype", "f32", "--block", "BLOCK=32", "--block", "BLOCK=64"),
            {"double__f32__32", "double__f32__64"},
            id="a name given twice",
        ),
    ],
)
def test_dtypes_and_blocks(
    files: Files, invoke: Invoke, arguments: tuple[str, ...], names: set[str]
) -> None:
    files({"a.rs": DOUBLE})
    found = specialisations(invoke, *arguments)

    assert set(found) == names
    assert len(found) == len(names)


def test_an_unknown_kernel_is_an_error_with_a_near_match_and_the_list(
    files: Files, invoke: Invoke
) -> None:
    folder = files({"a.rs": TWO_KERNELS})
    done = invoke("a.rs", "--kernel", "sqare")

    assert done.exit_code == 1
    assert "error[E0808]: no kernel is called `sqare`" in done.stderr
    assert "the kernels are `double`, `square`" in done.stderr
    assert "did you mean `square`?" in done.stderr
    assert not (folder / "generated").exists()


def test_a_kernel_that_is_switched_off_is_no_unknown_one(files: Files, invoke: Invoke) -> None:
    files({"a.rs": TWO_KERNELS})
    done = invoke("a.rs", "--kernel", "square", "--no-default-features")

    assert done.exit_code == 1
    assert "the kernel `square` is switched off" in done.stderr
    assert "--features" in done.stderr


def test_a_kernel_of_one_input_selects_that_input(files: Files, invoke: Invoke) -> None:
    folder = files({"a.rs": DOUBLE, "b.rs": kernel("triple", value="x + x + x")})
    done = invoke("a.rs", "b.rs", "--kernel", "triple")

    assert done.exit_code == 0, done.stderr
    assert [each.name for each in (folder / "generated").iterdir()] == ["b.py"]


def test_unknown_names_are_not_guessed_at_where_a_file_does_not_parse(
    files: Files, invoke: Invoke
) -> None:
    files({"a.rs": DOUBLE, "b.rs": "#[kernel]\npub fn triple<T: Triton>( {"})
    done = invoke("a.rs", "b.rs", "--kernel", "triple")

    assert done.exit_code == 1
    assert "E0808" not in done.stderr
    assert "b.rs:" in done.stderr


def test_a_second_name_after_a_space_is_explained(files: Files, invoke: Invoke) -> None:
    files({"a.rs": TWO_KERNELS})
    done = invoke("a.rs", "--kernel", "double", "square")

    assert done.exit_code == 1
    assert "--kernel double,square" in done.stderr


def test_an_unknown_const_generic_is_an_error(files: Files, invoke: Invoke) -> None:
    folder = files({"a.rs": DOUBLE})
    done = invoke("a.rs", "--block", "BLOK=64")

    assert done.exit_code == 1
    assert "error[E0809]: no kernel has a const generic `BLOK`" in done.stderr
    assert "did you mean `BLOCK`?" in done.stderr
    assert not (folder / "generated").exists()


def test_errors_in_a_kernel_that_is_not_selected(files: Files, invoke: Invoke) -> None:
    files({"a.rs": DOUBLE + UNKNOWN_OPERATION})

    assert invoke("a.rs", "--kernel", "broken").exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--dtype", "float"), "f32, "),
        (("--dtype", ","), "no dtype"),
        (("--block", "BLOCK"), "BLOCK_N=128,256"),
        (("--block", "=1"), "BLOCK_N=128,256"),
        (("--block", "BLOCK="), "no integer"),
        (("--block", "BLOCK=1.5"), "no integer"),
        (("--block", "BLOCK=4294967296"), "does not fit i32"),
        (("--kernel", ","), "no name"),
        (("--features", " "), "no name"),
        (("--emit", "cuda"), "triton"),
        (("--target", "sm_90"), "--emit ttir"),
        (("--emit", "ptx", "--target", "h100"), "sm_90"),
        (("--message-format", "xml"), "sarif"),
        (("--color", "blue"), "always"),
        (("--colour", "always"), "--color"),
    ],
    ids=lambda value: value if isinstance(value, str) else "_".join(value),
)
def test_wrong_usage(files: Files, invoke: Invoke, arguments: tuple[str, ...], words: str) -> None:
    folder = files({"a.rs": DOUBLE})
    done = invoke("a.rs", *arguments)

    assert done.exit_code == 2
    assert words in done.stderr
    assert [each.name for each in folder.iterdir()] == ["a.rs"]


def test_the_namespace_of_operators_is_a_name(invoke: Invoke, files: Files) -> None:
    files({"a.rs": DOUBLE})
    done = invoke("a.rs", "--op-namespace", "mine", "-o", "-")
    assert "# Options: --op-namespace mine\n" in done.stdout
    refused = invoke("a.rs", "--op-namespace", "mi-ne")
    assert refused.exit_code == 2
    assert "'mi-ne' is no name" in refused.stderr
