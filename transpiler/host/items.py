"""Finds the implementations of `RuntimeOp` in a file, and what belongs to each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.diagnostics.sink import Sink
from transpiler.frozen import dataclass
from transpiler.passes.cfg import is_enabled
from transpiler.passes.items import Namespace, namespace_of
from transpiler.syntax import nodes as syntax

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from transpiler.ir import nodes as ir
    from transpiler.passes.cfg import Features

TRAIT = "RuntimeOp"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An implementation of the trait, with the struct, its other implementations, and where names are looked up."""

    impl: syntax.Impl
    name: str
    struct: syntax.Struct | None
    inherent: tuple[syntax.Impl, ...]
    home: Namespace


def implementations(file: syntax.File, features: Features) -> Iterator[Found]:
    """The implementations that the features keep, in the order of the file."""
    if not any(map(_may_hold, file.items)):
        return
    homes: dict[int, Namespace] = {}
    top = namespace_of(file.items, features, homes=homes)
    everything = list(_items(file.items, features, top))
    structs: dict[str, list[tuple[syntax.Struct, Namespace]]] = {}
    for item, home in everything:
        if isinstance(item, syntax.Struct):
            structs.setdefault(item.name, []).append((item, home))
    impls = [(item, home) for item, home in everything if isinstance(item, syntax.Impl)]
    for impl, home in impls:
        if impl.trait is None or not _is_trait(impl.trait, home):
            continue
        name = _name_of(impl.self_type)
        if name is None:
            continue
        # Where modules have structs of one name, that of the module of the implementation is meant.
        named = structs.get(name, [])
        own = [it for it in named if it[1] is home] if len(named) > 1 else named
        yield Found(
            impl=impl,
            name=name,
            struct=own[0][0] if len(own) == 1 else None,
            inherent=tuple(
                other
                for other, its_home in impls
                if other.trait is None
                and _name_of(other.self_type) == name
                and (len(named) < 2 or its_home is home)
            ),
            home=home,
        )


def _may_hold(item: syntax.Item) -> bool:
    return isinstance(item, syntax.Impl | syntax.Module)


def _items(
    items: Iterable[syntax.Item], features: Features, home: Namespace
) -> Iterator[tuple[syntax.Item, Namespace]]:
    for item in items:
        if not is_enabled(item.head.attributes, features, Sink()):
            continue
        match item:
            case syntax.Module(name=name, items=tuple(inner)):
                within = home.members.get(name)
                if isinstance(within, Namespace):
                    yield from _items(inner, features, within)
            case _:
                yield item, home


def _is_trait(trait: syntax.Type, home: Namespace) -> bool:
    if not isinstance(trait, syntax.PathType):
        return False
    return any(path[-1] == TRAIT for path in home.elsewhere(trait.path.names))


def _name_of(type_: syntax.Type) -> str | None:
    return type_.path.names[-1] if isinstance(type_, syntax.PathType) else None


def methods_of(impl: syntax.Impl, features: Features) -> Iterator[syntax.Function]:
    """The functions of an implementation that the features keep."""
    for item in impl.items:
        if isinstance(item, syntax.Function) and is_enabled(item.head.attributes, features, Sink()):
            yield item


def pair_holders(
    file: syntax.File, features: Features, kernels: Mapping[str, ir.Kernel]
) -> Iterator[tuple[ir.Kernel, ...]]:
    """The kernels of each struct that holds several kernels' structs; `kernels` are by the names of these."""
    top = namespace_of(file.items, features)
    for item, _ in _items(file.items, features, top):
        if not isinstance(item, syntax.Struct):
            continue
        held = [_name_of(field.type) for field in item.fields]
        found = tuple(kernels[name] for name in held if name is not None and name in kernels)
        if len(found) > 1:
            yield found
