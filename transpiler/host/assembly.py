"""Makes the operator of one implementation of `RuntimeOp`."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.host import constructor as constructors
from transpiler.host.choice import UnknownKernelError, chosen, plain_words
from transpiler.host.coverage import whole_gradients
from transpiler.host.launching import launch
from transpiler.host.lengths import constant_result, list_lengths, result_of, texts_of
from transpiler.host.plan import Argument, Operator
from transpiler.host.ranks import may_hold_sizes, ranks_of
from transpiler.host.roles import Packing, output_dtype, tensor_names
from transpiler.host.struct_names import snake_case
from transpiler.host.trait import PARAMETERS
from transpiler.host.types import HostError, UnknownError
from transpiler.ir.types import DType, Scalar
from transpiler.target.model import (
    Assignment,
    Attribute,
    Call,
    Name,
    Number,
    Parameter,
    Suite,
    dotted,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.host.constructor import Constructor
    from transpiler.host.items import Found
    from transpiler.host.kernels import Kernels
    from transpiler.host.launching import Launch
    from transpiler.host.methods import Methods
    from transpiler.host.packing import Mismatch
    from transpiler.ir import nodes as ir
    from transpiler.source import Span
    from transpiler.syntax import nodes as syntax
    from transpiler.target.model import Function

_NEEDED = ("n_activation_inputs", "param_shapes", "pack_args", "grid")
_NEVER_CALLED = frozenset({"block", "backward_block"})
_RESERVED = frozenset(
    {
        "dtype",
        "forms",
        "grad_output",
        "operator",
        "output_shape",
        "saved",
        "self",
        "shapes",
        "tensors",
    }
)
"""What the functions of an operator call something else."""

_TOLD = 2
"""How many levels of kernels hold those that the Rust names for this very purpose."""

_SUFFIX = "RuntimeOp"
_FLAG = Scalar(dtype=DType.BOOL)
_BLOCK = Number("256")
_SIDE = Number("32")
"""The default extent of blocks of several axes."""


class PackingError(Exception):
    """What is packed does not fit the kernel; an error of the Rust."""

    def __init__(self, kernel: ir.Kernel, mismatch: Mismatch, method: Span) -> None:
        super().__init__(kernel.name)
        self.kernel = kernel
        self.mismatch = mismatch
        self.method = method


class KernelError(UnknownError):
    """No kernel of the file is meant; where only some of them are translated, that is nothing to tell."""


class Assembly:
    """Makes the operator of one implementation."""

    def __init__(self, found: Found, methods: Methods, kernels: Kernels) -> None:
        self._found = found
        self._methods = methods
        self._owner = methods.owner
        self._kernels = kernels
        self._span = found.impl.self_type.span

    def operator(self) -> Operator:
        """The operator.

        Raises:
            HostError: it holds something that is outside the model.
            PackingError: it packs what its kernel does not take.
        """
        if self._owner.kernel is None:
            self._struct()
        for name in _NEEDED:
            if name not in self._methods:
                raise UnknownError(self._span, f"it has no `{name}`", f"write `{name}`")
        self._count()
        self._methods.closure(self._called())
        constructor = self._constructor()
        words = self._words()
        forward = self._chosen("pack_args", self._levels(constructor), (words,))
        backward = self._backward(forward.plan.kernel, constructor, words)
        launches = [
            launch(name, packing.plan.kernel, self._methods, constructor, self._span)
            for name, packing in (("forward_kernel", forward), ("backward_kernel", backward))
            if packing is not None
        ]
        return self._operator(constructor, forward, backward, launches)

    def _called(self) -> tuple[str, ...]:
        """The methods of the trait that the Rust has and the runtime calls."""
        return tuple(it for it in PARAMETERS if it in self._methods and it not in _NEVER_CALLED)

    def _count(self) -> None:
        """Note how many inputs and parameters there are, before what is packed is followed."""
        inputs = constant_result(self._methods.lowered("n_activation_inputs").function)
        if inputs == "0":
            span = self._owner.routines["n_activation_inputs"].function.name_span
            raise UnknownError(span, "it has no inputs", "launch its kernel")
        if inputs is not None and inputs.isdigit():
            self._owner.counts |= {"inputs": int(inputs), "grad_inputs": int(inputs)}
        shapes = list_lengths(self._methods.lowered("param_shapes").function)
        if shapes is not None and len(shapes) == 1:
            (count,) = shapes
            self._owner.counts |= {"params": count, "grad_params": count}

    # --- Kernels ----------------------------------------------------------------------------------

    def _constructor(self) -> Constructor:
        owner = self._owner
        if owner.kernel is not None:
            return constructors.of_kernel(owner.kernel)
        new = owner.routines.get("new")
        return constructors.of_struct(
            self._methods, self._struct(), None if new is None or new.takes_self else new
        )

    def _struct(self) -> syntax.Struct:
        if self._found.struct is None:
            raise UnknownError(
                self._span,
                f"the file has no struct `{self._owner.name}`",
                "define it in the file of its operator",
            )
        return self._found.struct

    def _words(self) -> tuple[str, ...]:
        words = plain_words(self._owner.name.removesuffix(_SUFFIX))
        return words[:-1] if len(words) > 1 and words[-1] == "op" else words

    def _levels(self, constructor: Constructor) -> list[tuple[ir.Kernel, ...]]:
        """The kernels that may be meant, those that the Rust names most plainly first."""
        own = self._owner.kernel
        told = self._told("forward_source", constructor) or self._told("kernel_name", constructor)
        return [(own,) if own is not None else (), told, self._held(constructor), self._kernels.all]

    def _told(self, accessor: str, constructor: Constructor) -> tuple[ir.Kernel, ...]:
        """The kernel whose source or name a method gives, from which whoever builds graphs takes it."""
        if accessor not in self._methods:
            return ()
        try:
            given = result_of(self._methods.lowered(accessor).function)
        except HostError:
            return ()
        match given:
            case Attribute(value=Name(text="self"), name=name) if name in constructor.values:
                given = constructor.values[name]
            case _:
                pass
        match given:
            case Attribute(value=Attribute(value=Name(text="self"), name=field), name=_) if (
                field in constructor.held
            ):
                return (self._kernels.plans[constructor.held[field]].kernel,)
            case Attribute(value=Call(function=Name(text=struct))) if struct in self._owner.kernels:
                return (self._owner.kernels[struct],)
            case _:
                return ()

    def _held(self, constructor: Constructor) -> tuple[ir.Kernel, ...]:
        """The kernels whose structs the struct holds or makes."""
        plans = self._kernels.plans
        made = [kernel for kernel, _ in constructor.kernels]
        made += [plans[name].kernel for name in constructor.held.values() if name in plans]
        made += self._made_by_methods()
        return tuple({kernel.name: kernel for kernel in made}.values())

    def _made_by_methods(self) -> Iterator[ir.Kernel]:
        """The kernels whose structs methods make, those among them that could be translated."""
        for name, routine in self._owner.routines.items():
            if routine.takes_self:
                with suppress(HostError):
                    yield from (it for it, _ in self._methods.lowered(name).body.constructed)

    def _chosen(
        self,
        method: str,
        levels: list[tuple[ir.Kernel, ...]],
        names: tuple[tuple[str, ...], ...],
    ) -> Packing:
        """The kernel that a method packs for, and what."""
        named = [method, f"{method}_for_launch"]
        packings = [self._methods.pushes(name) for name in named if name in self._methods]
        span = self._owner.routines[method].function.name_span
        is_backward = method == "pack_backward_args"
        try:
            found = chosen(
                packings,
                levels,
                names,
                self._methods.delegated,
                told=_TOLD,
                is_backward=is_backward,
            )
        except UnknownKernelError as error:
            several = " or ".join(f"`{it.name}`" for it in error.candidates)
            raise KernelError(
                span,
                f"it may pack for {several}" if several else "no kernel takes what it packs",
                "hold the kernel's struct in a field",
            ) from None
        if found.packed.mismatch is not None:
            raise PackingError(found.kernel, found.packed.mismatch, span)
        return Packing(plan=self._kernels.plans[found.kernel.name], packed=found.packed)

    def _backward(
        self, forward: ir.Kernel, constructor: Constructor, words: tuple[str, ...]
    ) -> Packing | None:
        if "pack_backward_args" not in self._methods or "backward_grid" not in self._methods:
            return None
        if "has_backward" not in self._methods or (
            constant_result(self._methods.lowered("has_backward").function) == "False"
        ):
            return None
        named = self._owner.kernel_of((forward.backward,)) if forward.backward else None
        partners = self._kernels.partners(forward)
        rest = tuple(it for it in self._held(constructor) if it is not forward)
        others = tuple(it for it in self._kernels.all if it is not forward)
        told = self._told("backward_source", constructor)
        levels = [(named,) if named is not None else (), told, rest, partners, others]
        return self._chosen("pack_backward_args", levels, (plain_words(forward.name), words))

    # --- What the runtime has to know -------------------------------------------------------------

    def _operator(
        self,
        constructor: Constructor,
        forward: Packing,
        backward: Packing | None,
        launches: list[Launch],
    ) -> Operator:
        owner = self._owner
        forward.check(owner.routines["pack_args"].function.name_span)
        if backward is not None:
            backward.check(owner.routines["pack_backward_args"].function.name_span)
        inputs, parameters, optional = self._tensors(constructor, forward, backward)
        tensors = [("inputs", place, name) for place, name in enumerate(inputs)]
        tensors += [("params", place, name) for place, name in enumerate(parameters)]
        kernel = forward.plan.kernel
        required = parameters[: len(parameters) - optional]
        packing = owner.routines["pack_args"].function.name_span
        dtype, like = output_dtype(forward, inputs, required, packing)
        functions, needs_dtype = self._functions(constructor, launches)
        is_like_input = self._is_like_input(forward)
        whole = self._whole_gradients(backward, len(parameters))
        return Operator(
            span=self._span,
            struct_name=owner.name,
            name=snake_case(owner.name.removesuffix(_SUFFIX)),
            docs=self._docs(),
            is_launcher=owner.kernel is not None,
            arguments=self._arguments(constructor, launches),
            needs_dtype=needs_dtype,
            methods=functions,
            forward=kernel,
            backward=None if backward is None else backward.plan.kernel,
            inputs=inputs,
            parameters=parameters,
            optional=optional,
            count=self._counts_inputs(constructor),
            updated=tuple(
                name
                for role, place, name in tensors
                if forward.touches(role, place, forward.written)
            ),
            gradients=tuple(
                name
                for role, place, name in tensors
                if backward is not None
                and backward.touches(_GRADIENTS[role], place, backward.written)
            ),
            whole_gradients=tuple(parameters[place] for place in sorted(whole)),
            saved=tuple(
                name
                for role, place, name in tensors
                if backward is not None and backward.touches(role, place, backward.all)
            ),
            saves_output=backward is not None and backward.touches("output", 0, backward.all),
            zeroes_output=forward.touches(
                "output", 0, {*forward.plan.facts.atomics, *forward.plan.facts.reads}
            ),
            output_dtype=dtype,
            output_like=like,
            takes_output_shape=not is_like_input,
            ranks=self._ranks(constructor, launches, len(inputs), is_like_input=is_like_input),
        )

    def _tensors(
        self, constructor: Constructor, forward: Packing, backward: Packing | None
    ) -> tuple[tuple[str, ...], tuple[str, ...], int]:
        """The names of the inputs and of the parameters, and how many of these may be left out."""
        span = self._owner.routines["n_activation_inputs"].function.name_span
        inputs = constant_result(self._methods.lowered("n_activation_inputs").function)
        if self._counts_inputs(constructor) is not None:
            inputs = "1"
        if inputs is None or not inputs.isdigit():
            raise HostError(
                span,
                "a number of inputs that is neither written nor an argument",
                "give a number or the field that holds one",
            )
        shapes = list_lengths(self._methods.lowered("param_shapes").function)
        if shapes is None:
            known = [forward, *([] if backward is None else [backward])]
            shapes = frozenset({max(it.places("params") for it in known)})
        written: tuple[str, ...] = ()
        if "param_names" in self._methods:
            written = texts_of(self._methods.lowered("param_names").function)
        taken = _RESERVED.union(it.name for it in constructor.arguments)
        names = tensor_names(forward, int(inputs), written, max(shapes), taken)
        return *names, max(shapes) - min(shapes)

    def _counts_inputs(self, constructor: Constructor) -> str | None:
        """The argument of the constructor that `n_activation_inputs` gives back, if it gives one."""
        fields = {field: argument for argument, field in constructor.stored.items()}
        match result_of(self._methods.lowered("n_activation_inputs").function):
            case Attribute(value=Name(text="self"), name=name):
                return fields.get(name)
            case _:
                return None

    def _is_like_input(self, forward: Packing) -> bool:
        """Whether the output has the shape of the first input: the kernel takes an index for the same in both."""
        rules = self._kernels.rules(forward.plan.kernel)
        symbols = {it.name: it for it in forward.plan.kernel.parameters}
        read = [symbols[name] for name in forward.named("inputs", 0)]
        written = [symbols[name] for name in forward.named("output", 0)]
        return (
            len(read) == 1
            and bool(written)
            and all(rules.mirrors(symbol, read[0]) for symbol in written)
        )

    def _ranks(
        self,
        constructor: Constructor,
        launches: list[Launch],
        inputs: int,
        *,
        is_like_input: bool,
    ) -> tuple[int | None, ...]:
        """How many dimensions the inputs have to have, where sizes are made of their extents alone.

        A field may hold a size too, and a const generic may be one, unless it is the extent of blocks.
        """
        called = self._called()
        found = self._methods.closure(called)
        free = {
            constructor.stored[argument]
            for each in launches
            for argument, symbol in each.constants
            if argument in constructor.stored and self._kernels.rules(each.kernel).is_free(symbol)
        }
        read = {name for it in found.values() for name in it.body.fields_read}
        has_sizes = any(
            name in read and may_hold_sizes(type_) and self._owner.python_field(name) not in free
            for name, type_ in self._owner.fields.items()
        ) or any(
            symbol.type != _FLAG and not self._kernels.rules(each.kernel).is_free(symbol)
            for each in launches
            for symbol in each.kernel.const_generics
        )
        if has_sizes or self._counts_inputs(constructor) is not None:
            return (None,) * inputs
        own = {name: found[name].function for name in called}
        return ranks_of(own, inputs, is_like_input=is_like_input)

    def _whole_gradients(self, backward: Packing | None, parameters: int) -> frozenset[int]:
        """The places of the parameters whose gradients the backward kernel stores wholly."""
        if backward is None:
            return frozenset()
        found = self._methods.closure(
            ("backward_grid", "n_backward_launches", "pack_backward_args", "param_shapes")
        )
        methods = {name: it.function for name, it in found.items()}
        rules = self._kernels.rules(backward.plan.kernel)
        return whole_gradients(backward, rules, methods, parameters)

    # --- The class --------------------------------------------------------------------------------

    def _arguments(self, constructor: Constructor, launches: list[Launch]) -> tuple[Argument, ...]:
        """The arguments of the constructor; extents of blocks have a default where any will do."""
        uses: dict[str, list[bool]] = {}
        for method, each in zip(("grid", "backward_grid"), launches, strict=False):
            rules = self._kernels.rules(each.kernel)
            for argument, symbol in each.constants:
                is_free = rules.is_free(symbol) and (
                    not rules.axes(symbol) or self._reads(method, symbol)
                )
                uses.setdefault(argument, []).append(is_free)
        free = {argument for argument, known in uses.items() if all(known)}
        default = _BLOCK if len(free) == 1 else _SIDE
        return tuple(
            replace(it, default=default) if it.name in free else it for it in constructor.arguments
        )

    def _reads(self, method: str, symbol: ir.Symbol) -> bool:
        """Whether the grid is computed with a constant."""
        names = [method, f"{method}_for_launch"]
        found = self._methods.closure(tuple(name for name in names if name in self._methods))
        return any(symbol.name.lower() in it.body.fields_read for it in found.values())

    def _functions(
        self, constructor: Constructor, launches: list[Launch]
    ) -> tuple[tuple[Function, ...], bool]:
        """The methods of the class, and whether one of them needs the dtype."""
        lowered = {}
        for name, routine in self._owner.routines.items():
            if name == "new" and not routine.takes_self:
                continue
            try:
                lowered[name] = self._methods.lowered(name)
            except HostError:
                if name in PARAMETERS and name not in _NEVER_CALLED:
                    raise
        needs_dtype = any(it.needs_dtype for it in self._methods.bodies())
        init = _with_dtype(constructor.function) if needs_dtype else constructor.function
        methods = [
            it.function
            if it.body.has_self
            else replace(it.function, decorator=Name("staticmethod"))
            for it in lowered.values()
        ]
        return (init, *(it.function for it in launches), *methods), needs_dtype

    def _docs(self) -> tuple[str, ...]:
        struct = self._found.struct
        docs = () if struct is None else struct.head.docs
        return docs or self._found.impl.head.docs or ()


_GRADIENTS = {"inputs": "grad_inputs", "params": "grad_params"}


def _with_dtype(init: Function) -> Function:
    """`__init__` with the dtype by keyword."""
    return replace(
        init,
        parameters=(
            *init.parameters,
            Parameter(name="*"),
            Parameter(name="dtype", annotation=dotted("torch.dtype")),
        ),
        body=Suite(
            statements=(
                *init.body.statements,
                Assignment(targets=("self.dtype",), value=Name("dtype")),
            ),
            closing_comments=init.body.closing_comments,
        ),
    )
