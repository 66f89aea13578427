"""Asks the methods of a `RuntimeOp` of rustc and of the Python that it becomes."""

from __future__ import annotations

import inspect
import json
import re
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from torch import Tensor

Shape: TypeAlias = tuple[int, ...]
Argument: TypeAlias = int | float | bool | None
Answers: TypeAlias = dict[str, object]

PRELUDE = Path(__file__).with_name("runtime_ops.rs")
FLAGS = ("-C", "opt-level=0", "-C", "overflow-checks=on", "-C", "debuginfo=0", "--edition", "2021")
"""As a debug build has it: sums and products that do not fit panic."""

PANIC = "panic"
INPUT, PARAM, OUTPUT, GRAD_OUTPUT, GRAD_INPUT, GRAD_PARAM = range(1, 7)
"""The roles of pointers, as `runtime_ops.rs` counts them."""

PATIENCE = 60
_LAUNCHES = 4
_DTYPES = {"f32": torch.float32, "f64": torch.float64}

_KERNEL = re.compile(
    r"^#\[kernel[^\n]*\]\n(?:#\[[^\n]*\]\n)*(?:pub )?fn (\w+)<(.*?)>\s*\(.*?^\}\n",
    re.DOTALL | re.MULTILINE,
)
_DEVICE_FUNCTION = re.compile(r"^(?:pub )?fn \w+<\s*T: Triton.*?^\}\n", re.DOTALL | re.MULTILINE)
_CONSTANT = re.compile(r"const (\w+): (\w+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A struct of a file, made of arguments, with tensors of some shapes."""

    file: str
    struct: str
    arguments: tuple[Argument, ...]
    inputs: tuple[Shape, ...]
    params: int
    output: Shape
    dtype: str = "f32"


def without_kernels(text: str) -> str:
    """A file with the structs that its kernels' attributes make, and without what runs on the device."""
    return _DEVICE_FUNCTION.sub("", _KERNEL.sub(_struct, text))


def _struct(found: re.Match[str]) -> str:
    function, generics = found.groups()
    constants = _CONSTANT.findall(generics)
    rest = [it.strip() for it in generics.split(",") if "const " not in it and "Triton" not in it]
    types = [it for it in rest if it]
    names = [it.split(":")[0].strip() for it in types]
    name = "".join(part.capitalize() for part in function.split("_"))
    fields = "".join(f"pub {constant.lower()}: {type_}, " for constant, type_ in constants)
    given = ", ".join(f"{constant.lower()}: {type_}" for constant, type_ in constants)
    said = [f'"{function}"', *(f"{it}::NAME" for it in names)]
    said += [constant.lower() for constant, _ in constants]
    parts = ", ".join(f"{it}.to_string()" for it in said)
    own = "".join(f"{constant.lower()}, " for constant, _ in constants)
    marker = f"core::marker::PhantomData<({''.join(f'{it},' for it in names)})>"
    head, tail = (f"<{', '.join(types)}>", f"<{', '.join(names)}>") if names else ("", "")
    return (
        f"pub struct {name}{head} {{ pub name: &'static str, pub id: String, pub source: String, "
        f"{fields}_types: {marker} }}\n"
        f"impl{head} {name}{tail} {{ pub fn new({given}) -> Self {{ Self {{ "
        f'name: "{function}", id: [{parts}].join("__"), source: String::new(), '
        f"{own}_types: core::marker::PhantomData }} }} }}\n"
    )


def answers_of_rust(
    files: Mapping[str, str], questions: Sequence[Question], folder: Path
) -> list[Answers | str]:
    """What each question's methods say; `PANIC` where `new` panics."""
    bare = {name: without_kernels(text) for name, text in files.items()}
    modules = "".join(
        f"mod {name} {{\n{text}\nuse crate::{{teeny_core, teeny_macros, teeny_triton}};\n}}\n"
        for name, text in bare.items()
    )
    # One function a struct; what it is asked comes on lines, since each call takes rustc its time.
    makers = {_maker(it, bare[it.file]): None for it in questions}
    places = {maker: place for place, maker in enumerate(makers)}
    table = "".join(f"|a| Box::new({maker}),\n" for maker in makers)
    main = f"fn main() {{\nasking::ask_all(&[\n{table}]);\n}}\n"
    source, binary = folder / "runtime_ops_all.rs", folder / "runtime_ops_all"
    source.write_text(f"{PRELUDE.read_text('utf-8')}{modules}{main}", encoding="utf-8")
    subprocess.run(
        ["rustc", *FLAGS, "--cfg", 'feature="training"', "-o", binary, source], check=True
    )
    lines = "".join(_line(it, places[_maker(it, bare[it.file])]) for it in questions)
    done = subprocess.run(
        [binary], check=True, input=lines, capture_output=True, text=True, timeout=PATIENCE
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def _maker(question: Question, text: str) -> str:
    """What makes the struct, of a list of numbers."""
    generics = f"::<{question.dtype}>" if f"struct {question.struct}<" in text else ""
    given = ", ".join(f"asking::given(a[{place}])" for place in range(len(question.arguments)))
    return f"{question.file}::{question.struct}{generics}::new({given})"


def _line(question: Question, maker: int) -> str:
    arguments = " ".join("NaN" if it is None else repr(float(it)) for it in question.arguments)
    inputs = ",".join(_written(shape) for shape in question.inputs)
    count = len(question.inputs)
    return f"{maker};{arguments};{count};{inputs};{question.params};{_written(question.output)}\n"


def _written(shape: Shape) -> str:
    return " ".join(map(str, shape))


class _Pointers:
    """Tensors without memory, by the roles that they were made for."""

    def __init__(self) -> None:
        self._roles: dict[int, tuple[int, int]] = {}
        self._kept: list[Tensor] = []

    def tensor(self, shape: Shape, dtype: torch.dtype, role: int, place: int) -> Tensor:
        made = torch.empty(shape, dtype=dtype, device="meta")
        self._kept.append(made)
        self._roles[made.untyped_storage()._cdata] = (role, place)
        return made

    def address(self, tensor: Tensor) -> int:
        """What `runtime_ops.rs` calls the tensor, and how many bytes behind."""
        role, place = self._roles[tensor.untyped_storage()._cdata]
        return (role << 44 | (place + 1) << 36) + int(
            tensor.storage_offset()
        ) * tensor.element_size()


def answers_of_python(struct_class: type, question: Question) -> Answers | str:
    """What the methods of a generated class say, in the words of `runtime_ops.rs`.

    Methods that neither the class nor its base has are left out, and `block` where a constant has that name.
    """
    dtype = _DTYPES[question.dtype]
    takes_dtype = "dtype" in inspect.signature(struct_class).parameters
    try:
        operator = struct_class(*question.arguments, **({"dtype": dtype} if takes_dtype else {}))
    except Exception:  # noqa: BLE001 - whatever it is, it is Rust's panic
        return PANIC
    pointers = _Pointers()

    def tensors(role: int, shapes: Sequence[Shape]) -> list[Tensor]:
        return [pointers.tensor(it, dtype, role, place) for place, it in enumerate(shapes)]

    # Rust gives no more of a parameter than its pointer.
    hidden = [(1 << 20,)] * question.params
    shape = question.output
    whole = (1 << 20,)
    inputs, params = tensors(INPUT, question.inputs), tensors(PARAM, hidden)
    (output,), (grad_output,) = tensors(OUTPUT, [whole]), tensors(GRAD_OUTPUT, [whole])
    grad_inputs, grad_params = tensors(GRAD_INPUT, question.inputs), tensors(GRAD_PARAM, hidden)
    answers: Answers = {}

    def ask(name: str, *arguments: object, launch: int | None = None) -> object:
        method = getattr(operator, name, None)
        if not callable(method):
            return None
        given = arguments if launch is None else (launch, *arguments)
        try:
            found = method(*given)
        except Exception:  # noqa: BLE001 - whatever it is, it is Rust's panic
            found = PANIC
        answers[name if launch is None else f"{name} {launch}"] = _plain(found, pointers.address)
        return found

    shapes = [it.shape for it in inputs]
    ask("n_activation_inputs")
    ask("param_shapes", shapes, shape)
    ask("param_names")
    ask("block")
    ask("forward_output_row_elems", shape)
    stride = ask("forward_output_row_stride", shape)
    grad_stride = ask("backward_grad_output_row_stride", shape)
    packed = (inputs, params, output, shape, 0 if stride == PANIC else stride)
    ask("pack_args", *packed)
    ask("grid", shape)
    for launch in _launches(ask("n_launches")):
        ask("pack_args_for_launch", *packed, launch=launch)
        ask("grid_for_launch", shapes, shape, launch=launch)
    if ask("has_backward") is True:
        ask("backward_block")
        grads = (grad_output, 0 if grad_stride == PANIC else grad_stride, grad_inputs, grad_params)
        saved = (*packed[:4], *grads)
        ask("pack_backward_args", *saved)
        ask("backward_grid", shapes, shape)
        for launch in _launches(ask("n_backward_launches")):
            ask("pack_backward_args_for_launch", *saved, launch=launch)
            ask("backward_grid_for_launch", shapes, shape, launch=launch)
    return answers


def _launches(count: object) -> range:
    return range(min(count, _LAUNCHES)) if isinstance(count, int) else range(0)


def _plain(value: object, address: Callable[[Tensor], int]) -> object:
    """A result as it would be in JSON, its tensors as their addresses."""
    match value:
        case torch.Tensor():
            return address(value)
        case list() | tuple():
            return [_plain(it, address) for it in value]
        case _:
            return value


def differences(rust: Answers | str, python: Answers | str) -> Iterator[str]:
    """Where the answers are not the same."""
    if isinstance(rust, str) or isinstance(python, str):
        if rust != python:
            yield f"new: Rust {rust}, Python {python}"
        return
    for name, expected in rust.items():
        if name not in python:
            if not _may_lack(name, rust):
                yield f"{name}: Rust {expected}, Python has none"
            continue
        found = python[name]
        visited = name.startswith("pack") and expected != PANIC
        same = _are_packed(expected, found) if visited else _are_same(expected, found)
        if not same:
            yield f"{name}: Rust {expected}, Python {found}"


def _may_lack(name: str, rust: Answers) -> bool:
    """Whether nothing asks for the method, or what it says is said otherwise."""
    match name.split(maxsplit=1)[0]:
        case "pack_args_for_launch" | "grid_for_launch":
            return rust["n_launches"] == 1
        case "pack_backward_args_for_launch" | "backward_grid_for_launch":
            return rust["n_backward_launches"] == 1
        case "param_names":
            return rust[name] == []
        case "block" | "backward_block":
            return True
        case _:
            return False


def _are_same(expected: object, found: object) -> bool:
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(map(_are_same, expected, found))
    return type(expected) is type(found) and expected == found


def _are_packed(expected: object, found: object) -> bool:
    """Whether the arguments that a launch gets are those that were visited."""
    if not isinstance(expected, list) or not isinstance(found, list):
        return False
    return len(expected) == len(found) and all(map(_is_argument, expected, found))


def _is_argument(expected: list[object], found: object) -> bool:
    kind, value = expected
    match found:
        case float():
            code = {"f32": "<f", "f64": "<d"}.get(str(kind))
            return code is not None and _bits(code, found) == value
        case None:
            return kind == "pointer" and value == 0
        case bool():
            return False
        case int():
            return kind in {"pointer", "i32", "i64"} and found == value
        case _:
            return False


def _bits(code: str, number: float) -> int:
    return int.from_bytes(struct.pack(code, number), "little")
