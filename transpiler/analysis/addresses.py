"""Where loads, stores and atomics go: the parameter they point into and the offsets as a polynomial."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.flow import Given
from transpiler.analysis.polynomial import Polynomial, constant
from transpiler.analysis.values import Values, named_value
from transpiler.ir import nodes as ir
from transpiler.ir.types import Pointer, PointerTensor
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from transpiler.analysis.flow import Site


class Address(NamedTuple):
    """The elements at `offsets` from a pointer parameter; `pointers` is the expression that says so."""

    root: ir.Symbol
    offsets: Polynomial
    pointers: ir.Expression


def address_of(values: Values, site: Site) -> Address | None:
    """Where a call goes; None where it is not known to be offsets from one parameter."""
    pointers = pointers_of(site)
    if pointers is None:
        return None
    offsets = constant(0)
    node = values.value(pointers)
    while isinstance(node, ir.OffsetPointer):
        offsets += values.polynomial(node.offsets)
        node = values.value(node.pointer)
    if not isinstance(node, ir.Read):
        return None
    definition = values.flow.definition(node)
    return Address(definition.symbol, offsets, pointers) if isinstance(definition, Given) else None


def pointers_of(site: Site) -> ir.Expression | None:
    """The argument that says where a call goes, if it is a pointer or a tile of them."""
    return next(
        (
            argument
            for argument in site.call.arguments
            if not isinstance(argument, ir.PLAIN_ARGUMENTS)
            and isinstance(argument.type, Pointer | PointerTensor)
        ),
        None,
    )


def mask_of(site: Site) -> ir.Expression | None:
    """The mask of a call, None where it has none."""
    return named_value(site.call, "mask")
