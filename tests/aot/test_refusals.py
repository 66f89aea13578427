"""What Triton refuses to compile is told at the line of the Rust, in Triton's own words.

`transpiler.load` compiles at the first launch. Without a GPU a driver stands in that names a target and does no more:
Triton's compiler is the real one, and a launch that only warms up ends before the GPU would be asked for.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

RUST = """macro_rules! at_least {
    ($n:expr, $least:expr) => {
        T::static_assert($n >= $least, "the tile is too small");
    };
}

fn filled<T: Triton, const N: i32>(n: i32) -> T::Tensor<i32> {
    T::static_assert(N > 64, "N is too small");
    T::full::<i32>(&[N], n)
}

#[kernel]
pub fn middle<T: Triton, const BLOCK: i32>(x_ptr: T::Pointer<i32>, n: i32) {
    let offsets = T::arange(0, BLOCK);
    T::static_assert(BLOCK > 64, "BLOCK is too small");
    T::store(x_ptr.add_offsets(offsets), T::full::<i32>(&[BLOCK], n), None, &[], None, None);
}

#[kernel]
pub fn from_macro<T: Triton, const BLOCK: i32>(x_ptr: T::Pointer<i32>, n: i32) {
    let offsets = T::arange(0, BLOCK);
    at_least!(BLOCK, 128);
    T::store(x_ptr.add_offsets(offsets), T::full::<i32>(&[BLOCK], n), None, &[], None, None);
}

#[kernel]
pub fn from_function<T: Triton, const BLOCK: i32>(x_ptr: T::Pointer<i32>, n: i32) {
    let offsets = T::arange(0, BLOCK);
    T::store(x_ptr.add_offsets(offsets), filled::<T, BLOCK>(n), None, &[], None, None);
}
"""

WORDS = {
    "middle": ("BLOCK is too small", 'T::static_assert(BLOCK > 64, "BLOCK is too small")'),
    "from_macro": ("the tile is too small", "at_least!(BLOCK, 128)"),
    "from_function": ("N is too small", 'T::static_assert(N > 64, "N is too small")'),
}

FIRST_LAUNCH = """
import sys
import torch
from triton.backends.compiler import GPUTarget
from triton.runtime import driver

class Driver:
    def get_current_target(self):
        return GPUTarget("cuda", 90, 32)
    def get_current_device(self):
        return 0
    def get_current_stream(self, device):
        return 0

driver.set_active(Driver())
import transpiler
module = transpiler.load("k.rs", transpiler.Options(blocks=(("BLOCK", (64,)),)))
function = getattr(module, sys.argv[1])
constants = {} if "__" in sys.argv[1] else {"BLOCK": 64}
function.warmup(torch.zeros(64, dtype=torch.int32), 5, grid=(1,), **constants)
"""


def line_of(rust: str) -> int:
    """The line that a piece of the Rust stands on."""
    return RUST[: RUST.index(rust)].count("\n") + 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "k.rs").write_text(RUST)
    return tmp_path


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root), "TRITON_INTERPRET": "0"}
    environment["TRITON_CACHE_DIR"] = str(folder / "cache")
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def is_shown(output: str, function: str, kernel: str) -> bool:
    reason, rust = WORDS[kernel]
    place = f"--> k.rs:{line_of(rust)}:"
    return all(
        part in output for part in (f"Triton refused `{function}`", place, rust, f"^ {reason}")
    )


@pytest.mark.parametrize("kernel", WORDS)
def test_on_the_command_line(kernel: str, folder: Path) -> None:
    options = ["--emit", "ptx", "--block", "BLOCK=64", "--kernel", kernel, "-o", "out/"]
    done = run(folder, "-m", "transpiler.cli", "k.rs", *options)
    assert done.returncode == 1
    assert is_shown(done.stderr, f"{kernel}__64", kernel), done.stderr
    assert "Traceback" not in done.stderr


def test_what_several_specialisations_are_refused_for_is_told_once(folder: Path) -> None:
    options = ["--emit", "ttir", "--block", "BLOCK=16,32,64", "--kernel", "middle", "-o", "out/"]
    done = run(folder, "-m", "transpiler.cli", "k.rs", *options)
    assert "Triton refused `middle__16`, `middle__32` and 1 more for sm_90" in done.stderr
    assert done.stderr.count("error[E0810]") == 1


@pytest.mark.parametrize("kernel", WORDS)
@pytest.mark.parametrize("suffix", ["", "__64"])
def test_at_the_first_launch(kernel: str, suffix: str, folder: Path) -> None:
    done = run(folder, "-c", FIRST_LAUNCH, kernel + suffix)
    assert done.returncode == 1
    # Triton's own error is raised as it is; the note follows it.
    assert "CompilationError" in done.stderr or "CompileTimeAssertionFailure" in done.stderr
    assert is_shown(done.stderr, kernel + suffix, kernel), done.stderr


def test_errors_that_are_not_about_the_code_are_left_alone(folder: Path) -> None:
    broken = FIRST_LAUNCH.replace("return 0\n", 'raise OSError("no device")\n', 1)
    done = run(folder, "-c", broken, "middle")
    assert done.stderr.rstrip().endswith("OSError: no device")
