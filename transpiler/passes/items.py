"""What the paths of a file lead to: its functions and constants, through modules and `use` aliases."""

from __future__ import annotations

import re
from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from transpiler.diagnostics.sink import Sink
from transpiler.frozen import dataclass
from transpiler.passes.cfg import is_enabled
from transpiler.syntax.nodes import (
    AliasedType,
    Const,
    Enumeration,
    Function,
    Module,
    OpaqueItem,
    PathType,
    Use,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from transpiler.passes.cfg import Features
    from transpiler.syntax.nodes import Item

_TREE_TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\s+|(?P<word>::|[{},*]|(?:r#)?\w+)", re.DOTALL)
_DEEPEST_ALIAS = 16


@dataclass(slots=True, kw_only=True, eq=False)
class Namespace:
    """The items of a file, a module or a block by name.

    `parent` is what `super` leads to; of a block, it is where a name is looked for that the block does not have.
    `aliases` are what `use` binds, `globs` the modules it takes all names of.
    """

    parent: Namespace | None = None
    is_block: bool = False
    members: dict[str, Member] = field(default_factory=dict)
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    globs: list[tuple[str, ...]] = field(default_factory=list)

    def resolve(self, names: tuple[str, ...]) -> Found | None:
        """The function, constant or type a path leads to, and where it stands; None where it leads elsewhere."""
        found = self._follow(names, 0)
        return found if found is None or not isinstance(found[0], Namespace) else None

    def elsewhere(self, names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        """The paths out of the file that one written here may stand for, itself first: `use` gives names to others."""
        yield names
        first, rest = names[0], names[1:]
        scope: Namespace | None = self
        while scope is not None:
            alias = scope.aliases.get(first)
            if alias is not None and alias != (first,):
                yield (*alias, *rest)
            member = scope.members.get(first)
            if isinstance(member, AliasedType) and isinstance(member.type, PathType):
                yield (*member.type.path.names, *rest)
            for glob in scope.globs:
                yield (*glob, *names)
            scope = scope.parent if scope.is_block else None

    def variant(self, names: tuple[str, ...]) -> tuple[Enumeration, str] | None:
        """The enum and the variant a path leads to; None where it leads elsewhere."""
        for path in self.elsewhere(names):
            found = self._follow(path[:-1], 0) if len(path) > 1 else None
            item = None if found is None else found[0]
            if isinstance(item, Enumeration) and any(v.name == path[-1] for v in item.variants):
                return item, path[-1]
        return None

    def imported(self, name: str) -> tuple[str, ...]:
        """The path that `use` gave the name to; the name itself where there is none."""
        scope: Namespace | None = self
        while scope is not None:
            if name in scope.aliases:
                return scope.aliases[name]
            scope = scope.parent if scope.is_block else None
        return (name,)

    def names(self) -> Iterable[str]:
        """The functions and constants that can be named here without a path."""
        scope: Namespace | None = self
        while scope is not None:
            yield from (n for n, member in scope.members.items() if isinstance(member, _ENDS))
            yield from scope.aliases
            scope = scope.parent if scope.is_block else None

    def module(self) -> Namespace:
        """The module this stands in: itself, but for a block."""
        scope = self
        while scope.is_block and scope.parent is not None:
            scope = scope.parent
        return scope

    def _follow(
        self, names: tuple[str, ...], depth: int, opened: _Opened = ()
    ) -> tuple[Member, Namespace] | None:
        first, *rest = names
        module = self.module()
        start: tuple[Member, Namespace] | None
        match first:
            case "self":
                start = module, module
            case "super":
                start = None if module.parent is None else (module.parent, module)
            case "crate":
                while module.parent is not None:
                    module = module.parent
                start = module, module
            case _:
                start = self._named(first, depth, opened)
        if start is None or not rest:
            return start
        member, _ = start
        if not isinstance(member, Namespace):
            return None
        return member._follow(tuple(rest), depth, opened)  # noqa: SLF001 - another of its own kind

    def _named(self, name: str, depth: int, opened: _Opened) -> tuple[Member, Namespace] | None:
        if depth == _DEEPEST_ALIAS:
            return None  # aliases of each other
        if name in self.members:
            return self.members[name], self
        alias = self.aliases.get(name)
        if alias is not None and alias != (name,):
            return self._follow(alias, depth + 1, opened)
        for glob in self.globs:
            if (self, glob) in opened:
                continue  # nothing is found through the glob whose module is being looked for
            found = self._follow(glob, depth + 1, (*opened, (self, glob)))
            if found is not None and isinstance(found[0], Namespace) and name in found[0].members:
                return found[0].members[name], found[0]
        if self.is_block and self.parent is not None:
            return self.parent._named(name, depth, opened)  # noqa: SLF001 - another of its own kind
        return None


_ENDS = (Function, Const, Enumeration)
Found: TypeAlias = "tuple[Member, Namespace]"
_Opened: TypeAlias = "tuple[tuple[Namespace, tuple[str, ...]], ...]"
"""The globs through which a name is being looked for."""
Member: TypeAlias = "Function | Const | Enumeration | AliasedType | OpaqueItem | Namespace"
"""An opaque item is a function that could not be read."""


def namespace_of(
    items: Iterable[Item],
    features: Features,
    *,
    parent: Namespace | None = None,
    is_block: bool = False,
    homes: dict[int, Namespace] | None = None,
) -> Namespace:
    """The namespace of items that the features keep; `homes` takes down where the body of each function looks up names.

    A malformed condition on an item leaves it out: where it matters, a kernel, it is reported elsewhere.
    """
    namespace = Namespace(parent=parent, is_block=is_block)
    homes = {} if homes is None else homes
    for item in items:
        if not is_enabled(item.head.attributes, features, Sink()):
            continue
        match item:
            case Function():
                namespace.members.setdefault(item.name, item)
                homes[item.span.start] = namespace
            case Const() | Enumeration() | AliasedType():
                namespace.members.setdefault(item.name, item)
            case OpaqueItem() if item.name:
                namespace.members.setdefault(item.name, item)
            case Module(items=tuple(inner)):
                namespace.members[item.name] = namespace_of(
                    inner, features, parent=namespace, homes=homes
                )
            case Use():
                for path, name in use_leaves(item.tree):
                    if name == "*":
                        namespace.globs.append(path)
                    else:
                        namespace.aliases[name] = path
            case _:
                pass
    return namespace


def use_leaves(tree: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """The paths of a `use` tree with the names they get; `*` for all names of a module."""
    tokens = [found["word"] for found in _TREE_TOKEN.finditer(tree) if found["word"]]
    yield from _leaves(tokens, ())


def _leaves(tokens: list[str], prefix: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Read one tree off the front of `tokens`."""
    path = prefix
    while tokens:
        word = tokens.pop(0)
        if word == "{":
            while tokens and tokens[0] != "}":
                yield from _leaves(tokens, path)
                if tokens and tokens[0] == ",":
                    tokens.pop(0)
            del tokens[:1]
            return
        if word == "*":
            yield path, "*"
            return
        if word != "::":
            path = path if word == "self" and path else (*path, word.removeprefix("r#"))
        if tokens[:1] == ["as"]:
            del tokens[:1]
            yield path, tokens.pop(0) if tokens else path[-1]
            return
        if tokens[:1] != ["::"] and word != "::":
            break
    if path:
        yield path, path[-1]
