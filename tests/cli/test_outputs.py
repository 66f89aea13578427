"""Where output goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.sources import DOUBLE, HOST_CODE, TWO_KERNELS, UNKNOWN_OPERATION

if TYPE_CHECKING:
    from tests.cli.conftest import Files, Invoke, Run


def test_a_module_lands_in_generated_under_the_stem(files: Files, run: Run) -> None:
    folder = files({"kernels/a.rs": TWO_KERNELS})
    done = run("kernels/a.rs")

    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout == b""
    module = (folder / "generated/a.py").read_text()
    compile(module, "a.py", "exec")
    assert "def double" in module
    assert "def square" in module


def test_the_summary_names_what_was_made(files: Files, run: Run) -> None:
    files({"a.rs": TWO_KERNELS})
    done = run("a.rs", "--dtype", "f32,f64", "--block", "BLOCK=128,256")
    lines = done.stderr.decode().splitlines()

    assert lines[0] == "a.rs -> generated/a.py (written)"
    assert lines[1].split() == ["kernel", "dtypes", "constants", "specialisations"]
    assert lines[2].split() == ["double", "f32", "f64", "BLOCK=128,256", "4"]
    assert lines[3].split() == ["square", "f32", "f64", "BLOCK=128,256", "4"]
    assert lines[2].index("f32") == lines[3].index("f32") == lines[1].index("dtypes")


@pytest.mark.parametrize(
    ("output", "where"),
    [
        pytest.param("out.py", "out.py", id="file"),
        pytest.param("deep/er/out", "deep/er/out", id="file in a folder to make"),
        pytest.param("there", "there/a.py", id="folder that exists"),
        pytest.param("new/", "new/a.py", id="folder by its slash"),
    ],
)
def test_output_names_a_file_or_a_folder(
    files: Files, invoke: Invoke, output: str, where: str
) -> None:
    folder = files({"a.rs": DOUBLE, "there/other.txt": ""})
    done = invoke("a.rs", "-o", output)

    assert done.exit_code == 0, done.stderr
    assert "def double" in (folder / where).read_text()
    assert not (folder / "generated").exists()


def test_output_can_be_stdout(files: Files, invoke: Invoke) -> None:
    folder = files({"a.rs": DOUBLE})
    done = invoke("a.rs", "-o", "-")

    assert "def double" in done.stdout
    assert "a.rs -> <stdout> (written)" in done.stderr
    assert [each.name for each in folder.iterdir()] == ["a.rs"]


def test_stdin_goes_to_stdout(invoke: Invoke) -> None:
    done = invoke("-", stdin=DOUBLE)

    assert done.exit_code == 0, done.stderr
    assert "def double" in done.stdout


def test_stdin_has_a_name_on_request(files: Files, invoke: Invoke) -> None:
    folder = files({})
    invoke("-", "--stdin-filename", "kernels/named.rs", "-o", "out/", stdin=DOUBLE)
    failed = invoke(
        "-", "--stdin-filename", "kernels/named.rs", "--message-format", "concise", stdin="fn f( {"
    )

    assert (folder / "out/named.py").exists()
    assert failed.exit_code == 1
    assert failed.stderr.startswith("kernels/named.rs:1:")


def test_several_inputs_make_a_module_each(files: Files, invoke: Invoke) -> None:
    folder = files({"b.rs": DOUBLE, "kernels/a.rs": DOUBLE, "kernels/deep/c.rs": DOUBLE})
    done = invoke("b.rs", "kernels", "kernels/a.rs", "-o", "out")

    assert done.exit_code == 0, done.stderr
    assert sorted(each.name for each in (folder / "out").iterdir()) == ["a.py", "b.py", "c.py"]
    heads = [line for line in done.stderr.splitlines() if " -> " in line]
    assert [head.split()[0] for head in heads] == ["b.rs", "kernels/a.rs", "kernels/deep/c.rs"]


def test_host_code_in_a_folder_is_passed_over(files: Files, invoke: Invoke) -> None:
    folder = files({"src/mod.rs": HOST_CODE, "src/a/mod.rs": "// soon\n", "src/a/k.rs": DOUBLE})
    done = invoke("src")

    assert done.exit_code == 0, done.stderr
    assert [each.name for each in (folder / "generated").iterdir()] == ["k.py"]


def test_a_folder_of_host_code_alone_is_an_error(files: Files, invoke: Invoke) -> None:
    files({"src/a.rs": HOST_CODE, "src/b.rs": HOST_CODE})
    done = invoke("src")

    assert done.exit_code == 1
    assert "error[E0811]" in done.stderr
    assert "2 files" in done.stderr


def test_two_inputs_of_one_stem_are_refused_and_nothing_is_written(
    files: Files, invoke: Invoke
) -> None:
    folder = files({"a/k.rs": DOUBLE, "b/k.rs": DOUBLE, "c.rs": DOUBLE})
    done = invoke("a/k.rs", "b/k.rs", "c.rs")

    assert done.exit_code == 1
    assert "error[E0805]" in done.stderr
    assert "`a/k.rs` and `b/k.rs`" in done.stderr
    assert not (folder / "generated").exists()


@pytest.mark.parametrize("output", ["a.rs", "./a.rs", "link.rs"])
def test_an_input_is_never_written_over(files: Files, invoke: Invoke, output: str) -> None:
    folder = files({"a.rs": DOUBLE})
    (folder / "link.rs").symlink_to("a.rs")
    done = invoke("a.rs", "-o", output)

    assert done.exit_code == 1
    assert "error[E0805]" in done.stderr
    assert (folder / "a.rs").read_text() == DOUBLE


def test_a_file_with_errors_leaves_the_others_alone(files: Files, invoke: Invoke) -> None:
    old = "# what was there before\n"
    folder = files(
        {
            "a.rs": DOUBLE,
            "bad.rs": UNKNOWN_OPERATION,
            "c.rs": DOUBLE,
            "generated/bad.py": old,
        }
    )
    done = invoke("a.rs", "bad.rs", "missing.rs", "c.rs")

    assert done.exit_code == 1
    assert "T::lod" in done.stderr
    assert "missing.rs" in done.stderr
    assert done.stderr.count(" (written)") == 2
    assert (folder / "generated/bad.py").read_text() == old
    assert sorted(each.name for each in (folder / "generated").iterdir()) == [
        "a.py",
        "bad.py",
        "c.py",
    ]


def test_an_unwritable_place_is_one_clear_diagnostic(files: Files, invoke: Invoke) -> None:
    files({"a.rs": DOUBLE, "b.rs": DOUBLE, "out": "a file"})
    done = invoke("a.rs", "-o", "out/a.py")

    assert done.exit_code == 1
    assert "error[E0807]: cannot write `out/a.py`: not a directory" in done.stderr
    assert done.stderr.endswith("1 error in 1 file\n")


def test_unchanged_output_keeps_its_time_stamp(files: Files, invoke: Invoke) -> None:
    module = files({"a.rs": DOUBLE}) / "generated/a.py"
    invoke("a.rs")
    before = module.stat().st_mtime_ns
    done = invoke("a.rs")

    assert "(unchanged)" in done.stderr
    assert module.stat().st_mtime_ns == before


def test_many_files_come_out_in_order_whatever_the_processes(files: Files, run: Run) -> None:
    padding = "// " + "x" * 90 + "\n"
    contents = {f"k/{number:02}.rs": DOUBLE + padding * 300 for number in range(12)}
    contents["k/05.rs"] += UNKNOWN_OPERATION
    folder = files(contents)
    done = run("k")

    assert done.returncode == 1
    heads = [line.split()[0] for line in done.stderr.decode().splitlines() if " -> " in line]
    assert heads == [f"k/{number:02}.rs" for number in range(12) if number != 5]
    assert len(list((folder / "generated").iterdir())) == 11


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("a.rs", "b.rs", "-o", "-"), id="two modules to stdout"),
        pytest.param(("a.rs", "b.rs", "-o", "out.py"), id="two modules to one file"),
        pytest.param(("a.rs", "b.rs", "-o", "c.rs"), id="two modules to a file that exists"),
        pytest.param(("a.rs", "-o", ""), id="empty output"),
        pytest.param((), id="no input"),
        pytest.param(("a.rs", "--stdin-filename", "x.rs"), id="a name for no stdin"),
    ],
)
def test_wrong_usage(files: Files, invoke: Invoke, arguments: tuple[str, ...]) -> None:
    folder = files({"a.rs": DOUBLE, "b.rs": DOUBLE, "c.rs": DOUBLE})
    done = invoke(*arguments)

    assert done.exit_code == 2
    assert done.stdout == ""
    assert "Error: " in done.stderr
    assert sorted(each.name for each in folder.iterdir()) == ["a.rs", "b.rs", "c.rs"]
