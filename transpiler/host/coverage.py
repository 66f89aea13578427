"""Which gradients of parameters a backward kernel stores every element of, so that none has to be there before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.host.trait import PARAMETERS
from transpiler.target.model import (
    Assignment,
    Binary,
    List,
    Name,
    Number,
    Return,
    Rows,
    Starred,
    Subscript,
    Tuple,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.analysis.launch_rules import LaunchRules
    from transpiler.host.roles import Packing
    from transpiler.target.model import Expression, Function


def whole_gradients(
    backward: Packing, rules: LaunchRules, methods: Mapping[str, Function], parameters: int
) -> frozenset[int]:
    """The places of parameters whose gradients are vectors, each element stored by the program of its number along x.

    The extent of the vector and that of the grid have to be the same expression of shapes: the methods are the Rust's,
    and are compared with their variables put in.
    """
    if "n_backward_launches" in methods or "backward_grid" not in methods:
        return frozenset()
    shapes = _elements(_result("param_shapes", methods))
    packed = _elements(_result("pack_backward_args", methods))
    grid = _elements(_result("backward_grid", methods))
    kernel = backward.plan.kernel
    if len(packed) != len(kernel.parameters) or not grid or grid[0] == _OTHER:
        return frozenset()
    facts = backward.plan.facts
    return frozenset(
        place
        for place, shape in zip(range(parameters), shapes, strict=False)
        for symbol, given in zip(kernel.parameters, packed, strict=True)
        if given == Subscript(Name("grad_params"), Number(str(place)))
        and _elements(shape) == grid[:1]
        and backward.named("grad_params", place) == [symbol.name]
        and symbol.name not in {*facts.reads, *facts.atomics}
        and rules.stores_one_each(symbol)
    )


def _result(name: str, methods: Mapping[str, Function]) -> Expression | None:
    """What a method without branches gives, in terms of the parameters as the trait names them."""
    function = methods[name]
    own = [it.name for it in function.parameters if it.name != "self"]
    known: dict[str, Expression] = {
        it: Name(role) for it, role in zip(own, PARAMETERS[name], strict=False)
    }
    for statement in function.body.statements:
        match statement:
            case Assignment(targets=(target,), value=value, operator=None) if target not in known:
                found = _put_in(value, known)
                if found is not None:
                    known[target] = found
            case Return(value=value) if value is not None:
                return _put_in(value, known)
            case _:
                return None
    return None


def _put_in(node: Expression, known: Mapping[str, Expression]) -> Expression | None:
    """An expression with the variables put in; None where it is more than arithmetic and lists."""
    match node:
        case Number():
            return node
        case Name(text=text):
            return known.get(text)
        case Binary(operator=operator, left=left, right=right):
            one, two = _put_in(left, known), _put_in(right, known)
            return None if one is None or two is None else Binary(operator, one, two)
        case Subscript(value=value, index=Number() as index):
            base = _put_in(value, known)
            return None if base is None else Subscript(base, index)
        case List(elements=elements) | Tuple(elements=elements) if not any(
            isinstance(it, Starred) for it in elements
        ):
            return List(tuple(_put_in(it, known) or _OTHER for it in elements))
        case Rows(rows=rows) if not any(isinstance(it.value, Starred) for it in rows):
            return List(tuple(_put_in(it.value, known) or _OTHER for it in rows))
        case _:
            return None


_OTHER = Name("")
"""What stands for an element that is more: it is neither a gradient nor the extent of one."""


def _elements(node: Expression | None) -> tuple[Expression, ...]:
    return node.elements if isinstance(node, List) else ()
