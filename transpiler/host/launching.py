"""How the kernel of an operator is made: the Python of `forward_kernel` and `backward_kernel`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.host.types import UnknownError
from transpiler.target.model import (
    Attribute,
    Call,
    Function,
    Name,
    Number,
    Parameter,
    Return,
    Suite,
    Unary,
)
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.host.constructor import Constructor
    from transpiler.host.methods import Methods
    from transpiler.ir import nodes as ir
    from transpiler.source import Span
    from transpiler.target.model import Expression


class Launch(NamedTuple):
    """A kernel of an operator: the method that makes its launcher, and which arguments its constants are."""

    kernel: ir.Kernel
    function: Function
    constants: tuple[tuple[str, ir.Symbol], ...]


def launch(
    name: str,
    kernel: ir.Kernel,
    methods: Methods,
    constructor: Constructor,
    span: Span,
) -> Launch:
    """The method `name`, which gives the launcher of the kernel.

    Raises:
        UnknownError: the struct does not tell the kernel's constants.
    """
    owner = methods.owner
    if owner.kernel is kernel:
        symbols = zip(constructor.stored, kernel.const_generics, strict=True)
        return Launch(kernel, _method(name, Name("self")), tuple(symbols))
    made = next((given for each, given in constructor.kernels if each is kernel), None)
    arguments = _arguments(kernel, made or ())
    for field, held in constructor.held.items():
        if held == kernel.name:
            return Launch(kernel, _method(name, Attribute(Name("self"), field)), arguments)
    constants = _of_fields(made, constructor) if made is not None else None
    constants = constants or _of_methods(kernel, methods) or _by_name(kernel, constructor, methods)
    if constants is None:
        raise UnknownError(
            span,
            f"nothing tells the constants of the kernel `{kernel.name}`",
            f"hold `{owner.struct_of(kernel)}` in a field",
        )
    fields = {field: argument for argument, field in constructor.stored.items()}
    known = tuple(
        (fields[each.name], symbol)
        for each, symbol in zip(constants, kernel.const_generics, strict=True)
        if isinstance(each, Attribute) and each.value == Name("self") and each.name in fields
    )
    made_anew = Call(Name(owner.struct_of(kernel)), tuple(constants))
    return Launch(kernel, _method(name, made_anew), arguments or known)


def _method(name: str, value: Expression) -> Function:
    return Function(
        name=name,
        parameters=(Parameter(name="self"),),
        docs=(),
        body=Suite(statements=(Return(value=value),)),
    )


def _arguments(kernel: ir.Kernel, made: Iterable[Expression]) -> tuple[tuple[str, ir.Symbol], ...]:
    """The arguments of the constructor that are constants of the kernel."""
    return tuple(
        (each.text, symbol)
        for each, symbol in zip(made, kernel.const_generics, strict=False)
        if isinstance(each, Name)
    )


def _of_fields(
    made: tuple[Expression, ...], constructor: Constructor
) -> tuple[Expression, ...] | None:
    """The constants that `new` makes a kernel with, by the fields that keep them."""
    found: list[Expression] = []
    for each in made:
        match each:
            case Name(text=text) if text in constructor.stored:
                found.append(Attribute(Name("self"), constructor.stored[text]))
            case Number() | Unary(operand=Number()) | Name(text="True" | "False"):
                found.append(each)
            case _:
                return None
    return tuple(found)


def _of_methods(kernel: ir.Kernel, methods: Methods) -> tuple[Expression, ...] | None:
    """The constants that a method makes the kernel with, where they are fields."""
    for each in methods.known():
        for made, constants in each.body.constructed:
            if made is kernel and all(map(_is_plain, constants)):
                return constants
    return None


def _is_plain(expression: Expression) -> bool:
    match expression:
        case Attribute(value=value):
            return value == Name("self") or _is_plain(value)
        case Number() | Name(text="True" | "False"):
            return True
        case _:
            return False


def _by_name(
    kernel: ir.Kernel, constructor: Constructor, methods: Methods
) -> tuple[Expression, ...] | None:
    """The constants by fields of their names, those of the struct or of a kernel's struct that it holds."""
    owner = methods.owner
    kernels = {each.name: each for each in owner.kernels.values()}
    found: list[Expression] = []
    for symbol in kernel.const_generics:
        name = symbol.name.lower()
        if name in owner.fields:
            found.append(Attribute(Name("self"), owner.python_field(name)))
            continue
        holder = next(
            (
                field
                for field, held in constructor.held.items()
                if any(it.name.lower() == name for it in kernels[held].const_generics)
            ),
            None,
        )
        if holder is None:
            if owner.kernel is None or not any(
                it.name.lower() == name for it in owner.kernel.const_generics
            ):
                return None
            found.append(Attribute(Name("self"), name))
        else:
            found.append(Attribute(Attribute(Name("self"), holder), name))
    return tuple(found)
