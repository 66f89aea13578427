"""The pairs of a file: kernels and those that `#[kernel(backward = Y)]` names, and operators of them where they fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.diagnostics.model import Label
from transpiler.host.counterparts import MismatchError, correspondence
from transpiler.host.pair_operators import Freedom, pair_operator
from transpiler.host.places import Places
from transpiler.host.plan import HostPlan, Pair
from transpiler.host.struct_names import struct_name
from transpiler.passes.cfg import Features
from transpiler.passes.elaboration import near_match
from transpiler.passes.items import namespace_of
from transpiler.syntax import nodes as syntax
from transpiler.target.names import HOST_NAMES, MODULE_NAMES, python_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from transpiler.diagnostics.sink import Sink
    from transpiler.host.counterparts import Correspondence
    from transpiler.ir.description import KernelPlan
    from transpiler.ir.nodes import Kernel, Module
    from transpiler.passes.items import Namespace

_FORWARD = "_forward"
_BACKWARD = "_backward"


def pair_plan(
    module: Module,
    plans: tuple[KernelPlan, ...],
    file: syntax.File,
    sink: Sink,
    used: frozenset[str] = frozenset(),
) -> HostPlan:
    """The pairs among the kernels of `plans`, and an operator of each whose parameters correspond.

    A kernel of `used` is launched by an operator already, and makes no other. A name that leads nowhere is reported,
    and so is what keeps two kernels from being an operator.
    """
    by_struct = {struct_name(plan.kernel.name): plan for plan in plans}
    found: list[tuple[Pair, tuple[KernelPlan, KernelPlan], Correspondence]] = []
    pairs: list[Pair] = []
    for forward in plans:
        backward = _named(forward.kernel, by_struct, file, sink)
        if backward is None:
            continue
        pair = Pair(forward=forward.kernel, backward=backward.kernel)
        pairs.append(pair)
        if forward.kernel.name in used:
            continue
        try:
            _check_names(pair)
            both = (forward, backward)
            found.append((pair, both, correspondence(forward, backward)))
        except MismatchError as error:
            sink.emit(
                "R0701",
                f"`{forward.kernel.name}` and `{backward.kernel.name}` make no operator:"
                f" {error.reason}",
                forward.kernel.backward_span,
                label="each has a launcher all the same",
                related=(Label(span=error.span, message="this keeps them apart"),),
            )
    names = _operator_names([pair.forward for pair, _, _ in found], frozenset(by_struct))
    taken = frozenset(plan.kernel.name for plan in plans)
    return HostPlan(
        pairs=tuple(pairs),
        operators=tuple(
            pair_operator(pair, both, match, _freedom(module, both, match), own, taken)
            for (pair, both, match), own in zip(found, names, strict=True)
        ),
    )


# --- What the attribute names ---------------------------------------------------------------------


def _named(
    kernel: Kernel, by_struct: dict[str, KernelPlan], file: syntax.File, sink: Sink
) -> KernelPlan | None:
    """The kernel whose struct the attribute names, if it is translated."""
    if kernel.backward is None:
        return None
    if kernel.backward in by_struct:
        return by_struct[kernel.backward]
    path = _home(kernel, file).imported(kernel.backward)
    structs = {struct_name(it.name) for it in _kernel_functions(file.items)}
    if path[-1] not in structs and len(path) == 1:
        sink.emit(
            "W0706",
            f"no kernel of this file has the struct `{kernel.backward}`",
            kernel.backward_span,
            help=near_match(kernel.backward, structs)
            or "the struct of a kernel `scale_backward` is `ScaleBackward`",
        )
    return by_struct.get(path[-1])


def _home(kernel: Kernel, file: syntax.File) -> Namespace:
    """Where the names around a kernel are looked up."""
    homes: dict[int, Namespace] = {}
    top = namespace_of(file.items, Features(frozenset(), default_features=True), homes=homes)
    return homes.get(kernel.span.start, top)


def _kernel_functions(items: Iterable[syntax.Item]) -> Iterator[syntax.Function]:
    """All kernels, those too that the features leave out."""
    for item in items:
        match item:
            case syntax.Function(head=head) if any(it.name == "kernel" for it in head.attributes):
                yield item
            case syntax.Module(items=tuple() as inner):
                yield from _kernel_functions(inner)
            case _:
                pass


# --- What the operator is -------------------------------------------------------------------------


def _check_names(pair: Pair) -> None:
    """Hold the kernels to structs whose names are those of their launchers."""
    for kernel in (pair.forward, pair.backward):
        if struct_name(kernel.name) in HOST_NAMES | MODULE_NAMES:
            raise MismatchError(
                kernel.name_span, f"the module uses the name `{struct_name(kernel.name)}` itself"
            )


def _operator_names(kernels: list[Kernel], structs: frozenset[str]) -> list[tuple[str, str]]:
    """The names of classes and operators: those of the kernels, without `_forward` where that tells them apart."""
    short = [it.name.removeprefix("r#").removesuffix(_FORWARD) for it in kernels]
    names: dict[str, str] = {}
    backward = {f"{name}{_BACKWARD}" for name in short}
    for kernel, name in zip(kernels, short, strict=True):
        own = name if name and short.count(name) == 1 else kernel.name.removeprefix("r#")
        if own in backward:  # torch knows the backward half of another by this name
            own += "_op"
        taken = structs.union(names, HOST_NAMES, MODULE_NAMES)
        names[python_name(f"{struct_name(own)}Op", taken, frozenset())] = own
    return list(names.items())


def _freedom(
    module: Module, plans: tuple[KernelPlan, KernelPlan], found: Correspondence
) -> Freedom:
    """What kernels that go to the same places leave no choice in.

    Where the output is stored at the very elements that the first input is loaded from, it has its shape. Where the
    backward kernel loads the gradient of the output at the offsets that the forward kernel stores the output to, and
    stores those of inputs at the offsets that it loads the inputs from, its programs are those of the forward kernel.
    """
    functions = {function.symbol: function for function in module.functions}
    forward, backward = (Places(plan.kernel, functions) for plan in plans)
    gradients = [
        (it.symbol, parameter)
        for it, parameter in zip(found.backward, plans[1].kernel.parameters, strict=True)
        if it.is_gradient
    ]
    return Freedom(
        has_shape_of_input=forward.are_same(found.inputs[0], found.output),
        has_grid_of_forward=plans[0].facts.grid_axes == plans[1].facts.grid_axes
        and all(
            (own := forward.offsets(symbol)) is not None and own == backward.offsets(parameter)
            for symbol, parameter in gradients
        ),
    )
