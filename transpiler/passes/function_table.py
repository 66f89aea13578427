"""The functions of a file that its kernels have called so far."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.ir import nodes as ir
from transpiler.ir.visit import walk_block

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from transpiler.ir.types import Dimension, DtypeParameter, Type
    from transpiler.passes.items import Namespace
    from transpiler.syntax import nodes as syntax


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """What a function says of itself: its types are in terms of its own generics, without shapes.

    `home` is where its body looks up names, `hardware` the name of its `Triton` parameter, `generics` all its generics
    but lifetimes. `unbounded` names the dtype parameters whose bound is at fault.
    """

    function: syntax.Function
    body: syntax.Block
    home: Namespace
    hardware: str
    dtype_parameters: Mapping[str, DtypeParameter]
    unbounded: frozenset[str]
    generics: tuple[syntax.TypeParameter | syntax.ConstParameter, ...]
    parameters: tuple[Type, ...]
    result: Type

    @property
    def key(self) -> int:
        """Where the function starts, which tells it from all others of the file."""
        return self.function.span.start


@dataclass(frozen=True, slots=True, kw_only=True)
class CallShape:
    """What the body of a function depends on besides its signature.

    `parameters` are the types of its parameters with the shapes of what it is given, `constants` what its const
    generics are; `known` has, by place, the parameters given a value that is known at compile time, and that value.
    """

    parameters: tuple[Type, ...]
    constants: tuple[Dimension, ...]
    known: Mapping[int, Dimension]
    is_combine: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """A function as elaborated for calls of one shape."""

    function: ir.Function
    shape: CallShape

    def serves(self, shape: CallShape) -> bool:
        """Whether the body would be the same for a call of this shape."""
        mine = self.shape
        return (
            mine.parameters == shape.parameters
            and mine.constants == shape.constants
            and mine.is_combine == shape.is_combine
            and all(
                place in shape.known and shape.known[place] == mine.known[place]
                for place in self.function.symbol.constants
            )
        )


@dataclass(slots=True, kw_only=True)
class FunctionTable:
    """What is known of each function, by where it starts; None where it is at fault, which is told once."""

    signatures: dict[int, Signature | None] = field(default_factory=dict)
    instances: dict[int, list[Instance] | None] = field(default_factory=dict)
    count: int = 0

    def functions(self, kernels: Iterable[ir.Kernel]) -> tuple[ir.Function, ...]:
        """The functions that the kernels call, callees first."""
        if not self.instances:
            return ()
        known = {
            instance.function.symbol: instance.function
            for instances in self.instances.values()
            for instance in instances or ()
        }
        found: dict[ir.FunctionSymbol, None] = {}
        pending: list[ir.Routine] = list(kernels)
        while pending:
            for symbol in called(pending.pop()):
                if symbol not in found:
                    found[symbol] = None
                    pending.append(known[symbol])
        # A function is complete after those it calls.
        return tuple(known[symbol] for symbol in sorted(found, key=lambda symbol: symbol.id))


def called(routine: ir.Routine) -> Iterable[ir.FunctionSymbol]:
    """The functions that a kernel or a function names itself."""
    for node in walk_block(routine.body):
        match node:
            case ir.Call():
                yield node.function
            case ir.OpCall():
                for argument in node.arguments:
                    if isinstance(argument, ir.FunctionArgument):
                        yield argument.function
            case _:
                pass
