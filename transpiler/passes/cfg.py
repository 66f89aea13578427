"""`#[cfg(…)]`: which items a set of features keeps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from transpiler.syntax.nodes import TextLiteral

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from transpiler.diagnostics.sink import Sink
    from transpiler.syntax.nodes import Attribute, MetaItem

_STRING = re.compile(r'"(.*)"', re.DOTALL)


class Features:
    """The features that are on: all of them, or exactly those named."""

    def __init__(self, enabled: frozenset[str], *, default_features: bool) -> None:
        self._enabled = enabled
        self._default_features = default_features

    def has(self, name: str) -> bool:
        """Whether feature `name` is on."""
        return self._default_features or name in self._enabled


def _is_near_feature(name: str | None) -> bool:
    """Whether `feature` was probably meant."""
    return name is not None and name.rstrip("s") in {"feature", "featur", "fature", "feture"}


def cfg_conditions(attributes: Iterable[Attribute]) -> Iterator[MetaItem]:
    """The conditions of the `cfg` attributes; an item is kept where all hold."""
    for attribute in attributes:
        if attribute.name == "cfg" and attribute.meta is not None:
            yield from attribute.meta.items or ()


def is_enabled(attributes: Iterable[Attribute], features: Features, sink: Sink) -> bool:
    """Whether an item under `attributes` is kept; a condition that is no condition is an error."""
    held = [holds(item, features, sink) for item in cfg_conditions(attributes)]
    return all(held)


def holds(item: MetaItem, features: Features, sink: Sink) -> bool:
    """Whether the features meet a condition; one that is no condition is an error."""
    name = item.path.identifier if item.path is not None else None
    if item.items is not None:
        results = [holds(inner, features, sink) for inner in item.items]
        if name == "all":
            return all(results)
        if name == "any":
            return any(results)
        if name == "not" and len(results) == 1:
            return not results[0]
    elif name == "feature" and isinstance(item.value, TextLiteral):
        found = _STRING.search(item.value.text)
        if found is not None:
            return features.has(found.group(1))
    elif isinstance(item.value, TextLiteral) and item.value.text and _is_near_feature(name):
        pass
    elif name is not None:
        # `test`, `unix`, `target_os = "linux"` … describe a Rust build, which this is not.
        return False
    sink.emit(
        "E0706",
        "this is not a `cfg` condition",
        item.span,
        help='write `feature = "…"`, `all(…)`, `any(…)` or `not(…)`',
    )
    return True
