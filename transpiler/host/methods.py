"""The methods of an operator in Python, with what they push and what they need, each lowered when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.diagnostics.sink import Sink
from transpiler.frontend.parser import parse_body
from transpiler.frozen import dataclass
from transpiler.host.body import Body
from transpiler.host.trait import PARAMETERS
from transpiler.host.types import HostError

if TYPE_CHECKING:
    from transpiler.host.pushes import Delegated, Push
    from transpiler.host.surroundings import Implementation, Routine
    from transpiler.source import SourceFile
    from transpiler.syntax import nodes as syntax
    from transpiler.target.model import Function


@dataclass(frozen=True, slots=True, kw_only=True)
class Lowered:
    """A method in Python, and the state in which lowering it ended."""

    function: Function
    body: Body


class Bodies:
    """The bodies of a file's functions as trees, each parsed once."""

    def __init__(self, source: SourceFile) -> None:
        self._source = source
        self._known: dict[int, syntax.Block | None] = {}

    def of(self, function: syntax.Function) -> syntax.Block | None:
        """The body of a function; None where there is none, or none that could be parsed."""
        key = function.name_span.start
        if key not in self._known:
            self._known[key] = parse_body(function, self._source, Sink())
        return self._known[key]


class Methods:
    """The methods of one implementation."""

    def __init__(self, owner: Implementation, bodies: Bodies) -> None:
        self.owner = owner
        self._bodies = bodies
        self._lowered: dict[str, Lowered] = {}
        self.constructor: Body | None = None
        """The state in which lowering `new` ended, where there is one that takes no `self`."""
        self._resolving: list[Routine] = []

    def __contains__(self, name: str) -> bool:
        return name in self.owner.routines

    def lowered(self, name: str) -> Lowered:
        """A method of the struct by its name.

        Raises:
            HostError: it holds something that host code is not translated for.
        """
        if name not in self._lowered:
            routine = self.owner.routines[name]
            body = Body(self.owner, routine, has_self=routine.takes_self)
            function = body.lower(
                self.owner.python_method(name),
                self.block(routine.function),
                PARAMETERS.get(name, ()),
            )
            self._lowered[name] = Lowered(function=function, body=body)
        return self._lowered[name]

    def block(self, function: syntax.Function) -> syntax.Block:
        """The body of a function as a tree."""
        block = self._bodies.of(function)
        if block is None:
            raise HostError(function.name_span, f"the body of `{function.name}`", "write Rust")
        return block

    def pushes(self, name: str) -> tuple[Push, ...]:
        """What a method packs, in order."""
        return tuple(self.lowered(name).body.pushes)

    def delegated(self, push: Delegated) -> tuple[Push, ...]:
        """What a function packs that a method calls, about the arguments it is given."""
        if push.routine in self._resolving:
            raise HostError(push.routine.function.name_span, "packing by recursion", "write a loop")
        self._resolving.append(push.routine)
        try:
            body = Body(
                self.owner,
                push.routine,
                has_self=push.routine.takes_self,
                origins=tuple(it.origins for it in push.arguments),
            )
            function = push.routine.function
            body.lower(function.name, self.block(function), ())
            return tuple(body.pushes)
        finally:
            self._resolving.pop()

    def bodies(self) -> list[Body]:
        """The states in which lowering ended, that of `new` among them."""
        found = [it.body for it in self._lowered.values()]
        return found if self.constructor is None else [*found, self.constructor]

    def known(self) -> tuple[Lowered, ...]:
        """The methods that were lowered so far."""
        return tuple(self._lowered.values())

    def closure(self, names: tuple[str, ...]) -> dict[str, Lowered]:
        """These methods and all that they call, in the order of the Rust."""
        found: dict[str, Lowered] = {}
        pending = list(names)
        while pending:
            name = pending.pop()
            if name not in found and name in self.owner.routines:
                found[name] = self.lowered(name)
                pending += found[name].body.methods_called
        return {name: found[name] for name in self.owner.routines if name in found}
