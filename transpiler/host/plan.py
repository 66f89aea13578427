"""What the host side of a generated module is printed from: launchers, operators, and how these use their kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from transpiler.ir.nodes import Kernel
    from transpiler.ir.types import DType
    from transpiler.source import Span
    from transpiler.target.model import Expression, Function


DEFAULT_NAMESPACE = "teeny"
"""That of the torch operators, where the user asks for no other."""

GRID = "Sequence[int]"
"""The annotation of how many programs there are along each axis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """A parameter of an operator behind its tensors: a constructor argument of the Rust struct.

    `annotation` is `int`, `float`, `bool` or that of a grid; `default` is None where the caller has to give it.
    """

    name: str
    annotation: str
    default: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """An `impl RuntimeOp for X` whose bodies could be translated, or a pair of kernels that needs none.

    Attributes:
        span: the impl, or the name of the kernel.
        struct_name: `X`, and the name of the Python class.
        name: of the torch operator: `struct_name` without `RuntimeOp`, in snake case.
        docs: the doc comment of the struct, or else of the impl, a line each.
        is_launcher: whether `X` is the struct of the kernel itself, so that the class is its launcher too.
        arguments: the arguments of the constructor, in the order of the Rust.
        needs_dtype: whether the constructor takes the dtype of `D` as well, by keyword: `size_of::<D>()` was written.
        methods: `__init__`, `forward_kernel`, `backward_kernel` where there is one, then the methods of the Rust.
        forward: the kernel that `pack_args` packs for.
        backward: the kernel that `pack_backward_args` packs for, if there is one.
        inputs: the names of the tensors taken from the graph, those of the kernel's pointers without `_ptr`.
        count: the argument of the constructor that says how many inputs there are, where the one of `inputs` stands for
            as many as the caller gives.
        parameters: the names of the parameter buffers: `param_names()`, or those of the kernel's pointers.
        optional: how many of `parameters`, the last ones, an operator may be without: `param_shapes` tells.
        updated: which of `inputs` and `parameters` the forward kernel writes to, in place.
        gradients: which of `inputs` and `parameters` the backward kernel computes the gradient of.
        whole_gradients: which of `gradients` the backward kernel stores every element of, whatever was there: the
            others are zeroed before the launch.
        saved: which of `inputs` and `parameters` the backward kernel reads; of the others it needs the shapes at most.
        saves_output: whether it reads the output as well.
        zeroes_output: whether the output has to be zero before the launch: it is accumulated, or not wholly written.
        output_dtype: None for that of `output_like`; concrete where the kernel's pointer is.
        output_like: the input whose dtype the output has, or else the parameter.
        ranks: how many dimensions each of `inputs` has to have, None for any number of them. Methods that have sizes
            from certain extents of an input, and from nothing else, would leave the elements of further dimensions out.
        takes_output_shape: whether the caller has to give the shape of the output, as the Rust leaves it open.
            Otherwise it is the shape of the first input.
    """

    span: Span
    struct_name: str
    name: str
    docs: tuple[str, ...]
    is_launcher: bool
    arguments: tuple[Argument, ...]
    needs_dtype: bool
    methods: tuple[Function, ...]
    forward: Kernel
    backward: Kernel | None
    inputs: tuple[str, ...]
    parameters: tuple[str, ...]
    optional: int = 0
    count: str | None = None
    updated: tuple[str, ...]
    gradients: tuple[str, ...]
    saved: tuple[str, ...]
    saves_output: bool
    zeroes_output: bool
    output_dtype: DType | None
    output_like: str
    takes_output_shape: bool
    ranks: tuple[int | None, ...] = ()
    whole_gradients: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A kernel and the one that `#[kernel(backward = Y)]` names."""

    forward: Kernel
    backward: Kernel


@dataclass(frozen=True, slots=True, kw_only=True)
class HostPlan:
    """The host side of a module; every kernel has a launcher besides.

    `functions` are those of the Rust that operators call, callees and callers in any order; `support` are the texts of
    functions that stand for arithmetic of Rust's.
    """

    operators: tuple[Operator, ...] = ()
    pairs: tuple[Pair, ...] = ()
    functions: tuple[Function, ...] = ()
    support: tuple[str, ...] = ()
