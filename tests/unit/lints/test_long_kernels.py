"""Long chains of variables cost no more than their length, and never the translation."""

from __future__ import annotations

import pytest

import transpiler

# Each step doubles the paths back to the first, so that following them one by one would not end; the longer chain is
# deeper than Python's stack.
LENGTHS = (40, 600)
BEGINNING = """\
    let lanes = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let m0 = lanes.lt(n);
    let x0 = T::load(x_ptr.add_offsets(lanes), Some(m0), Some(T::zeros::<D>(&[BLOCK])), &[], None, None, None, false);
    let i0 = n;
"""
END = """\
    let sum = T::sum({last}, Some(0), true);
    let total = T::max(T::abs({last}), Some(0), true) + T::sum({last} * {last}, Some(0), true) - sum * sum;
    T::store(y_ptr.add_offsets(lanes + {offset}), {last} + total, Some({mask}), &[], None, None);
"""


def chain(step: str, length: int) -> str:
    """A kernel with a step for each number up to `length`, on what the step before gave."""
    steps = "".join(
        "    " + step.format(old=number, new=number + 1) + "\n" for number in range(length)
    )
    names = {
        name: f"{name}{length}" if f"let {name}{{new}}" in step else f"{name}0" for name in "xim"
    }
    end = END.format(last=names["x"], offset=names["i"], mask=names["m"])
    return (
        "#[kernel]\npub fn k<T: Triton, D: Float, const BLOCK: i32>(\n"
        "    x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, n: i32,\n) {\n"
        f"{BEGINNING}{steps}{end}}}\n"
    )


@pytest.mark.parametrize(
    "step",
    [
        "let x{new} = x{old} + x{old};",
        "let x{new} = x{old} * x{old};",
        "let x{new} = T::exp(x{old});",
        "let i{new} = i{old} + i{old} / 3;",
        "let i{new} = i{old} * i{old};",
        "let i{new} = (i{old} + n) * (i{old} - 1);",
        "let m{new} = m{old} & m{old};",
    ],
)
@pytest.mark.parametrize("length", LENGTHS)
def test_a_chain(step: str, length: int) -> None:
    assert transpiler.transpile(chain(step, length)).ok


def test_a_variable_of_a_loop_in_a_chain() -> None:
    steps = "".join(f"        let x{i + 1} = x{i} + x{i};\n" for i in range(60))
    loop = (
        "    let mut x = T::zeros::<D>(&[BLOCK]);\n"
        f"    for _ in 0..n {{\n        let x0 = x;\n{steps}        x = x60;\n    }}\n"
    )
    assert transpiler.transpile(chain("", 0).replace("    let sum", f"{loop}    let sum")).ok
