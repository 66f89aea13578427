"""Macros mean what rustc makes of them: random programs whose macros and callers share their names, and some by hand.

`MACRO_PROGRAMS=5000` in the environment runs that many instead of 300.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

import transpiler
from tests.interpreter.process import InterpreterProcess, Request, Slice
from tests.oracle.macro_programs import MacroGenerator, MacroProgram

if TYPE_CHECKING:
    from pathlib import Path

COUNT = int(os.environ.get("MACRO_PROGRAMS", "300"))
CHUNK = 50
ARGUMENTS = ((5, -7), (123456789, 4))

pytestmark = pytest.mark.skipif(shutil.which("rustc") is None, reason="rustc is not installed")

BY_HAND = [
    MacroProgram(
        items="""macro_rules! using_a { ($e:expr) => {{ let a = 42; $e }}; }""",
        body="let a = x0; let q = using_a!(a / 10);",
    ),
    MacroProgram(
        items="""macro_rules! block_value { ([$($s:stmt;)*] $e:expr) => {{ $($s;)* $e }}; }""",
        body="let t = x1; let q = block_value!([let t = x0; let u = t + 1;] t * u);",
    ),
    MacroProgram(
        items="""macro_rules! nested { ($($row:ident: $($v:expr),*);* $(;)?) => {
            $( let mut $row = 0; $( $row = $row * 2 + $v; )* )*
        }; }""",
        body="nested!(r: x0, 1, x1; s: 2, r; t:;); let q = r ^ s ^ t;",
    ),
    MacroProgram(
        items="""macro_rules! op { ($a:expr, $op:tt, $b:expr) => { $a $op $b }; }
            macro_rules! compare { ($a:expr, $op:tt, $b:expr) => { if $a $op $b { 1 } else { 2 } }; }""",
        body="let q = op!(op!(x0, -, 3), *, op!(x1, <<, 2)) + compare!(x0, >=, x1) + compare!(x0, !=, 5) \
            + op!(x0, >>, 1);",
    ),
    MacroProgram(
        items="""macro_rules! choose {
            (0) => { 10 }; (-1) => { 20 }; (x0) => { 30 }; ($e:literal) => { $e * 2 }; ($e:expr) => { $e + 1 };
        }""",
        body="let q = choose!(0) + choose!(-1) * 2 + choose!(x0) + choose!(7) + choose!(x1) + choose!(-5);",
    ),
    MacroProgram(
        items="""macro_rules! with { ($f:ident, $($arg:tt)*) => { $f!($($arg)*) }; }
            macro_rules! add { ($a:expr, $b:expr) => { $a + $b }; }
            macro_rules! pass { ($e:expr) => { negate!($e) }; }
            macro_rules! negate { ($e:expr) => { -$e }; }""",
        body="let q = with!(add, x0 * 2, x1) * pass!(x0 - x1);",
    ),
    MacroProgram(
        items="""macro_rules! shadow { ($x:ident) => { let $x = $x + 1; let x = $x * 2; let $x = x + $x; }; }""",
        body="let x = x0; shadow!(x); let q = x;",
    ),
    MacroProgram(
        items="""macro_rules! make { ($name:ident, $e:expr) => { macro_rules! $name {
            ($v:expr) => { $v * $e };
        } }; }""".replace("($v:expr) => { $v * $e }", "() => { $e }"),
        body="let t = x0; make!(now, t + 1); let t = x1; let q = now!() - t;",
    ),
    MacroProgram(
        items="""macro_rules! outer { ($e:expr) => {{ let t = $e; inner!(t, $e) }}; }
            macro_rules! inner { ($a:ident, $e:expr) => {{ let t = $a + 1; t * $a - $e }}; }""",
        body="let t = x0; let q = outer!(t - x1);",
    ),
    MacroProgram(
        items="""macro_rules! ranges { ($e:expr, $($p:pat => $v:expr),+ $(,)?) => { match $e { $($p => $v),+ } }; }""",
        body="let q = ranges!(x0 & 7, 0 | 1 => 3, 2..=4 => x1, n if n > 5 => n, _ => 9,);".replace(
            "n if n > 5 => n", "5 => 8"
        ),
    ),
    MacroProgram(
        items="""macro_rules! counted { ($($t:tt)*) => { 0 $(+ counted!(@one $t))* }; }""".replace(
            "{ ($($t", "{ (@one $t:tt) => { 1 }; ($($t"
        ),
        body="let q = x0 * counted!(a (b c) [d] { e } f) - counted!();",
    ),
    MacroProgram(
        items="""macro_rules! typed { ($t:ty, $e:expr) => { ($e as $t) as i32 }; }
            macro_rules! max { ($t:ty) => { <$t>::MAX }; ($t:ident, least) => { $t::MIN }; }""",
        body="let q = typed!(i8, x0 * 3) + typed!(i64, x1) + max!(i16) as i32 + max!(i8, least) as i32;",
    ),
]


def rust_values(programs: list[MacroProgram], folder: Path) -> list[int]:
    """The result of every program for each of the arguments, from rustc."""
    functions = [
        f"mod p{index} {{\n{program.items}\n#[inline(never)]\n"
        f"pub fn k(x0: i32, x1: i32) -> i32 {{\n{program.body}\nq\n}}\n}}"
        for index, program in enumerate(programs)
    ]
    lines = [
        f'println!("{{}}", p{index}::k({x0}, {x1}));'
        for index in range(len(programs))
        for x0, x1 in ARGUMENTS
    ]
    source = folder / "programs.rs"
    main = "\n".join(lines)
    source.write_text("\n".join(("#![allow(warnings)]", *functions, f"fn main() {{\n{main}\n}}")))
    binary = folder / "programs"
    flags = ["--edition", "2021", "-C", "overflow-checks=off"]
    subprocess.run(["rustc", *flags, "-o", binary, source], check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run([binary], check=True, capture_output=True, text=True)
    return [int(line) for line in done.stdout.split()]


def kernels(programs: list[MacroProgram]) -> str:
    """The programs as kernels that store their results."""
    return "".join(
        f"mod p{index} {{\n{program.items}\n#[kernel]\n"
        f"pub fn k{index}<T: Triton>(o: T::Pointer<i32>, x0: i32, x1: i32) {{\n"
        f"{program.body}\nT::store(o.add_offsets(T::arange(0, 1)), "
        f"T::full::<i32>(&[1], q), None, &[], None, None);\n}}\n}}\n"
        for index, program in enumerate(programs)
    )


def agree(programs: list[MacroProgram], interpreter: InterpreterProcess, folder: Path) -> None:
    """Run the programs both ways, and compare."""
    expected = iter(rust_values(programs, folder))
    result = transpiler.transpile(kernels(programs))
    assert result.text is not None, [
        (found.message, found.primary and result.source.slice(found.primary.span))
        for found in result.diagnostics
    ]
    path = folder / f"{folder.name}.py"
    path.write_text(result.text)
    for index, program in enumerate(programs):
        for numbers in ARGUMENTS:
            out = torch.from_numpy(np.zeros(1, "int32"))
            request = Request(
                path=path,
                function=f"k{index}",
                arguments=(Slice(buffer=out, start=0, shape=(1,)), *numbers),
                constants={},
                grid=(1,),
            )
            (after,) = interpreter.run(request)
            assert int(after[0]) == next(expected), (program, numbers)


@pytest.mark.parametrize("program", BY_HAND, ids=lambda program: program.items.split()[1])
def test_programs_by_hand_agree_with_rustc(
    program: MacroProgram, interpreter: InterpreterProcess, tmp_path: Path
) -> None:
    agree([program], interpreter, tmp_path)


@pytest.mark.parametrize("seed", range(-(-COUNT // CHUNK)))
def test_programs_agree_with_rustc(
    seed: int, interpreter: InterpreterProcess, tmp_path: Path
) -> None:
    generator = MacroGenerator(seed=seed)
    agree([generator.program() for _ in range(CHUNK)], interpreter, tmp_path)
