"""The `dataclass` of the compiler's own types: what the standard one makes, in a tenth of the time.

The standard decorator compiles half a dozen methods for every class when its module is imported, which for two hundred
classes takes a quarter of a whole run. Here the classes share their methods, and only `__init__` is compiled, when the
first instance is made: most runs make none of most classes.

A type checker sees the standard decorator. A class that asks for more than to be frozen or not, compared or not, with
defaults, factories and fields that do not count, gets the standard decorator too.
"""

from __future__ import annotations

import dataclasses
from copy import copy
from functools import cache
from operator import attrgetter
from types import MemberDescriptorType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - given on under its own name
else:

    def dataclass(**options: bool) -> Callable[[type], type]:
        """`dataclasses.dataclass`, with its options as keywords."""

        def decorate(cls: type) -> type:
            if options.keys() <= _OPTIONS and _is_plain(cls, is_compared=options.get("eq", True)):
                return _record(cls, options)
            return dataclasses.dataclass(cls, **options)

        return decorate


_OPTIONS = {"frozen", "slots", "kw_only", "eq"}


def _is_plain(cls: type, *, is_compared: bool) -> bool:
    """Whether neither methods of its own nor the wishes of its fields stand against the shared methods."""
    own = vars(cls)
    kept = {"__hash__"} if is_compared else {"__hash__", "__eq__"}
    return not own.keys() & _FROZEN.keys() - kept and all(
        value.init and value.repr and value.hash is None and not value.metadata
        for value in own.values()
        if isinstance(value, dataclasses.Field)
    )


def _record(cls: type, options: dict[str, bool]) -> type:
    """The class made once more, as slots have to be, with the shared methods."""
    namespace = dict(vars(cls))
    fields: dict[str, dataclasses.Field[object]] = {}
    for base in reversed(cls.__mro__[1:]):
        fields |= vars(base).get("__dataclass_fields__", {})
    own = [name for name, text in cls.__annotations__.items() if not text.startswith("ClassVar")]
    for name in own:
        default = namespace.pop(name, dataclasses.MISSING)
        fields[name] = _field(
            name, cls.__annotations__[name], default, kw_only=options.get("kw_only", False)
        )
    for name in ("__dict__", "__weakref__"):
        namespace.pop(name, None)
    methods = _FROZEN if options.get("frozen") else _MUTABLE
    compared = options.get("eq", True)
    for name, method in methods.items():
        if compared or name not in _COMPARISON:
            namespace.setdefault(name, method)
    namespace["__qualname__"] = cls.__qualname__
    if options.get("slots"):
        namespace["__slots__"] = tuple(own)
    namespace["__init__"] = _first_init
    namespace["__match_args__"] = tuple(name for name, it in fields.items() if not it.kw_only)
    namespace["__dataclass_fields__"] = fields
    namespace["__dataclass_params__"] = _parameters(**options)
    return type(cls)(cls.__name__, cls.__bases__, namespace)


def _field(
    name: str, annotation: type, default: object, *, kw_only: bool
) -> dataclasses.Field[object]:
    plain: dataclasses.Field[object] = dataclasses.field(
        default=default,  # type: ignore[arg-type] # the stubs know what stands in a class only
    )
    made: dataclasses.Field[object] = default if isinstance(default, dataclasses.Field) else plain
    made.kw_only = kw_only
    made.name = name
    made.type = annotation
    # What the standard decorator writes there and `replace` and `fields` look for; it has no public name.
    made._field_type = dataclasses._FIELD  # type: ignore[attr-defined] # noqa: SLF001
    return made


@cache
def _parameters(**options: bool) -> object:
    """What the standard decorator notes of its options."""
    made: object = copy(vars(_Example)["__dataclass_params__"])
    for name, value in options.items():
        if hasattr(made, name):  # which of them are noted depends on Python's version
            setattr(made, name, value)
    return made


# --- Methods that all classes share ---------------------------------------------------------------


def _first_init(self: object, *positional: object, **keywords: object) -> None:
    """Stands for `__init__` until there is a first instance, then puts the real one in place."""
    cls = next(cls for cls in type(self).__mro__ if vars(cls).get("__init__") is _first_init)
    init = _init(cls)
    type.__setattr__(cls, "__init__", init)
    init(self, *positional, **keywords)


def _init(cls: type) -> Callable[..., None]:
    """`__init__` of a class, compiled from its fields."""
    fields: dict[str, dataclasses.Field[object]] = cls.__dataclass_fields__  # type: ignore[attr-defined]
    names: dict[str, object] = {"missing": dataclasses.MISSING}
    parameters, lines = [], []
    for name, field in fields.items():
        value = name
        if field.default_factory is not dataclasses.MISSING:
            names[f"make_{name}"] = field.default_factory
            parameters.append(f"{name}=missing")
            value = f"make_{name}() if {name} is missing else {name}"
        elif field.default is not dataclasses.MISSING:
            names[f"default_{name}"] = field.default
            parameters.append(f"{name}=default_{name}")
        else:
            parameters.append(name)
        slot = getattr(cls, name, None)
        if isinstance(slot, MemberDescriptorType):
            names[f"set_{name}"] = slot.__set__
            lines.append(f" set_{name}(self, {value})")
        else:
            lines.append(f" self.__dict__[{name!r}] = {value}")
    split = sum(not field.kw_only for field in fields.values())
    if split < len(parameters):
        parameters.insert(split, "*")
    source = f"def __init__(self, {', '.join(parameters)}):\n" + ("\n".join(lines) or " pass")
    exec(source, names)  # noqa: S102 - as `dataclasses` does; the text is made of field names
    made: Callable[..., None] = names["__init__"]  # type: ignore[assignment]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


_values: dict[type, Callable[[object], object]] = {}


def _values_of(record: object) -> object:
    """The values of all fields that count, comparable with those of another record of the class."""
    cls = type(record)
    getter = _values.get(cls)
    if getter is None:
        fields: dict[str, dataclasses.Field[object]] = cls.__dataclass_fields__  # type: ignore[attr-defined]
        names = [name for name, field in fields.items() if field.compare]
        getter = _values[cls] = attrgetter(*names) if names else type
    return getter(record)


def _equal(self: object, other: object) -> object:
    if self is other:
        return True
    if type(self) is type(other):
        return _values_of(self) == _values_of(other)
    return NotImplemented


def _hash(self: object) -> int:
    return hash(_values_of(self))


def _represent(self: object) -> str:
    names = dataclasses.fields(self)  # type: ignore[arg-type]
    values = ", ".join(f"{it.name}={getattr(self, it.name)!r}" for it in names)
    return f"{type(self).__qualname__}({values})"


def _refuse_to_set(_self: object, name: str, _value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: object) -> list[object]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]  # type: ignore[arg-type]


def _restore(self: object, state: list[object]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):  # type: ignore[arg-type]
        object.__setattr__(self, field.name, value)


_COMPARISON: dict[str, object] = {"__eq__": _equal, "__hash__": _hash}
_FROZEN = _COMPARISON | {
    "__repr__": _represent,
    "__setattr__": _refuse_to_set,
    "__delattr__": _refuse_to_delete,
    "__getstate__": _state,
    "__setstate__": _restore,
}
_MUTABLE = _COMPARISON | {"__hash__": None, "__repr__": _represent}


@dataclasses.dataclass
class _Example:
    """Made by the standard decorator, for what it notes of its options."""
