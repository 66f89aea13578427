"""The dtypes a kernel is offered for: what its bounds, its attribute and its operations have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import transpiler
from tests.unit.passes.kernels import LOAD, kernel, store
from transpiler.ir.types import DType

if TYPE_CHECKING:
    from transpiler.diagnostics.model import Diagnostic

_NUM = "T: Triton, D: Num, const BLOCK: i32"
_TWO = "T: Triton, D: Num, O: Num, const SIDE: i32"
_ADD = LOAD + "T::atomic_add(y_ptr.add_offsets(offsets), x, None, None, None);\n"
_DOT = (
    "let i = T::arange(0, SIDE);\n"
    "let at = T::expand_dims(i, 1) * SIDE + T::expand_dims(i, 0);\n"
    "let a = T::load(x_ptr.add_offsets(at), None, None, &[], None, None, None, false);\n"
    "let p = T::dot::<{}>(a, a, None, InputPrecision::IEEE, None);\n"
    "T::store(y_ptr.add_offsets(at), p, None, &[], None, None);\n"
)
_ATOMIC = ["f32", "f64", "f16", "bf16", "i32", "i64", "u32", "u64"]


def result(rust: str, dtypes: str = "") -> transpiler.Result:
    """The translation, with `--dtype` where dtypes are given."""
    asked = tuple(DType(dtype) for dtype in dtypes.split(",")) if dtypes else None
    return transpiler.transpile(rust, transpiler.Options(dtypes=asked))


def offered(rust: str) -> list[str]:
    """The dtypes the kernel says it is for."""
    found = result(rust)
    assert found.ok, [each.message for each in found.diagnostics]
    return [dtype.value for dtype in found.plans[0].kernel.dtypes]


def specialised(rust: str, dtypes: str = "") -> list[str]:
    """The dtypes of the specialisations, each combination once."""
    return list(
        dict.fromkeys(
            "/".join(dtype.value for dtype in each.dtypes)
            for each in result(rust, dtypes).plans[0].specialisations
        )
    )


def refused(found: transpiler.Result) -> list[Diagnostic]:
    """The diagnostics on dtypes."""
    return [each for each in found.diagnostics if each.code == "W0501"]


def test_an_operation_takes_the_dtypes_it_does_not_have() -> None:
    rust = kernel(_ADD, generics=_NUM)
    assert offered(rust) == _ATOMIC
    text = result(rust).text
    assert text is not None
    assert 'dtypes=("f32", "f64", "f16", "bf16", "i32", "i64", "u32", "u64")' in text


def test_several_operations_leave_what_all_have() -> None:
    body = _ADD + "T::atomic_max(y_ptr.add_offsets(offsets), x, None, None, None);\n"
    assert offered(kernel(body, generics=_NUM)) == ["f32", "f64", "i32", "i64", "u32", "u64"]


def test_the_attribute_is_narrowed_too() -> None:
    rust = kernel(_ADD, generics=_NUM, attributes="#[kernel(dtypes = [i8, i32, f16])]")
    assert offered(rust) == ["i32", "f16"]
    assert specialised(rust) == ["i32", "f16"]


def test_a_product_has_integers_in_pairs() -> None:
    def product(generics: str, out: str) -> str:
        return kernel(
            _DOT.format(generics),
            generics="T: Triton, D: Num, const SIDE: i32",
            parameters=f"x_ptr: T::Pointer<D>, y_ptr: T::Pointer<{out}>",
        )

    assert offered(product("D, D", "D")) == ["f32", "f64", "f16", "bf16"]
    assert offered(product("D, f32", "f32")) == ["f32", "f16", "bf16"]
    assert offered(product("D, i32", "i32")) == ["i8"]


def test_two_parameters_have_a_set_each() -> None:
    rust = kernel(
        _DOT.format("D, O"), generics=_TWO, parameters="x_ptr: T::Pointer<D>, y_ptr: T::Pointer<O>"
    )
    rust = rust.replace("SIDE", "BLOCK")
    both = ["f32/f32", "f64/f64", "f16/f32", "f16/f16", "bf16/f32", "bf16/bf16"]
    assert specialised(rust) == both
    assert specialised(rust, "f16") == ["f16/f16"]
    # What is meant for one parameter alone leaves the other its own.
    assert specialised(rust, "i8") == ["i8/i32"]
    assert specialised(rust, "f16,f32") == ["f16/f16", "f16/f32", "f32/f32"]


@pytest.mark.parametrize("asked", ["i8", "i8,u16", "i16"])
def test_what_is_asked_for_and_not_offered_is_told_with_the_operation(asked: str) -> None:
    found = result(kernel(_ADD, generics=_NUM), asked)
    (warning,) = refused(found)
    assert warning.code == "W0501"
    assert warning.help == f"it offers {', '.join(_ATOMIC)}"
    first = asked.partition(",")[0]
    assert warning.related[0].message == f"`atomic_add` is not defined for `{first}`"
    assert found.plans[0].specialisations == ()


def test_some_of_what_is_asked_for_is_made_and_the_rest_is_told() -> None:
    rust = kernel(_ADD, generics=_NUM)
    (warning,) = refused(result(rust, "i8,i32"))
    assert warning.message == "`k` does not offer `i8`"
    assert specialised(rust, "i8,i32") == ["i32"]


def test_what_the_bound_excludes_is_no_fault_beside_what_it_admits() -> None:
    assert refused(result(kernel(LOAD + store("x")), "f32,i32")) == []


def test_nothing_left_is_an_error_at_the_operation() -> None:
    rust = kernel(_ADD, generics=_NUM, attributes="#[kernel(dtypes = [i8, i16])]")
    (error,) = result(rust).diagnostics
    assert error.code == "E0504"
    assert error.message == "`atomic_add` leaves `k` no dtype"
    assert error.notes == ("without it, `D` may be i8, i16",)
    assert error.primary is not None
    span = error.primary.span
    assert rust[span.start : span.end].startswith("T::atomic_add(")


def test_a_product_no_dtypes_have() -> None:
    rust = kernel(
        _DOT.format("i32, i32"),
        generics="T: Triton, const SIDE: i32",
        parameters="x_ptr: T::Pointer<i32>, y_ptr: T::Pointer<i32>",
    )
    (error,) = result(rust).diagnostics
    assert error.code == "E0504"
    assert error.message.endswith("this is (i32, i32)")


_FUNCTION = """\
fn add<T: Triton, A: Num>(to: T::Tensor<T::Pointer<A>>, x: T::Tensor<A>) {
    T::atomic_add(to, x, None, None, None);
}
"""


def test_the_operations_of_a_function_count_where_it_is_called() -> None:
    body = LOAD + "add::<T, D>(y_ptr.add_offsets(offsets), x);\n"
    assert offered(_FUNCTION + kernel(body, generics=_NUM)) == _ATOMIC
    rust = _FUNCTION + kernel(body.replace("D>", "i8>"), generics=_NUM).replace("<D>", "<i8>")
    (error,) = result(rust).diagnostics
    assert error.code == "E0504"
    assert error.message == f"`atomic_add` is defined for {', '.join(_ATOMIC)}; this is i8"
