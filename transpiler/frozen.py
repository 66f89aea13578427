"""The `dataclass` of the compiler's own types: what the standard one makes, in a tenth of the time.

The standard decorator compiles half a dozen methods for every class when its module is imported, which for two hundred
classes takes a quarter of a whole run. Here the classes share their methods, and only `__init__` is their own. It is
made when there is a first instance, since most runs make none of most classes, from code that classes of as many fields
share.

A type checker sees the standard decorator. A class that asks for more than to be frozen or not, compared or not, with
defaults, factories and fields that do not count, gets the standard decorator too.
"""

from __future__ import annotations

import dataclasses
from copy import copy
from enum import Enum
from functools import cache
from operator import attrgetter
from types import CodeType, FunctionType, MemberDescriptorType
from typing import TYPE_CHECKING, TypeAlias, cast

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


_Given: TypeAlias = tuple[object, str, bool]
"""What a class says of a field: its default, the standard decorator's `field` or nothing; its type; whether it is given
by name alone."""


def _record(cls: type, options: dict[str, bool]) -> type:
    """The class made once more, as slots have to be, with the shared methods."""
    namespace = dict(vars(cls))
    fields: dict[str, _Given] = {}
    for base in reversed(cls.__mro__[1:]):
        fields |= _given_by(base)
    own = [name for name, text in cls.__annotations__.items() if not text.startswith("ClassVar")]
    by_name = options.get("kw_only", False)
    for name in own:
        default = namespace.pop(name, dataclasses.MISSING)
        fields[name] = default, cls.__annotations__[name], by_name
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
    namespace["__match_args__"] = tuple(name for name, it in fields.items() if not it[2])
    namespace[_GIVEN] = fields
    namespace[_STANDARD] = _StandardFields()
    namespace["__dataclass_params__"] = _parameters(**options)
    return type(cls)(cls.__name__, cls.__bases__, namespace)


_GIVEN, _STANDARD = "__given_fields__", "__dataclass_fields__"


def _given_by(base: type) -> dict[str, _Given]:
    """The fields that a class has of its own accord, also of one that the standard decorator made."""
    own = vars(base)
    if _GIVEN in own:
        return cast("dict[str, _Given]", own[_GIVEN])
    fields: dict[str, dataclasses.Field[object]] = own.get(_STANDARD, {})
    return {name: (it, str(it.type), it.kw_only is True) for name, it in fields.items()}


class _StandardFields:
    """What `dataclasses.fields` and `is_dataclass` read off a class: made when they do, which is for few classes."""

    def __get__(self, _instance: object, owner: type) -> dict[str, dataclasses.Field[object]]:
        cls = next(cls for cls in owner.__mro__ if vars(cls).get(_STANDARD) is self)
        made = {name: _field(name, given) for name, given in _given_by(cls).items()}
        type.__setattr__(cls, _STANDARD, made)
        return made


def _field(name: str, given: _Given) -> dataclasses.Field[object]:
    default, annotation, by_name = given
    plain: dataclasses.Field[object] = dataclasses.field(
        default=default,  # type: ignore[arg-type] # the stubs know what stands in a class only
    )
    made: dataclasses.Field[object] = default if isinstance(default, dataclasses.Field) else plain
    made.kw_only = by_name
    made.name = name
    made.type = annotation
    # What the standard decorator writes there and `fields` looks for; it has no public name.
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


class _Place(Enum):
    """Where a field's value goes, and whether a factory makes it where it is not given."""

    SLOT = " set_{0}(self, p{0})"
    SLOT_MADE = " set_{0}(self, make_{0}() if p{0} is missing else p{0})"
    DICT = " self.__dict__[name_{0}] = p{0}"
    DICT_MADE = " self.__dict__[name_{0}] = make_{0}() if p{0} is missing else p{0}"


def _init(cls: type) -> Callable[..., None]:
    """`__init__` of a class, made from the code for as many fields."""
    fields = _given_by(cls)
    used: dict[str, object] = {"missing": dataclasses.MISSING}
    defaults: dict[str, object] = {}
    places: list[_Place] = []
    positional = [name for name, (_, _, by_name) in fields.items() if not by_name]
    keywords = [name for name, (_, _, by_name) in fields.items() if by_name]
    for number, name in enumerate((*positional, *keywords)):
        default, is_made = fields[name][0], False
        if isinstance(default, dataclasses.Field):
            is_made = default.default_factory is not dataclasses.MISSING
            if is_made:
                used[f"make_{number}"] = default.default_factory
                defaults[name] = dataclasses.MISSING
            default = default.default
        if default is not dataclasses.MISSING:
            defaults[name] = default
        slot = getattr(cls, name, None)
        if isinstance(slot, MemberDescriptorType):
            used[f"set_{number}"] = slot.__set__
            places.append(_Place.SLOT_MADE if is_made else _Place.SLOT)
        else:
            used[f"name_{number}"] = name
            places.append(_Place.DICT_MADE if is_made else _Place.DICT)
    code = _code(tuple(places)).replace(
        co_argcount=1 + len(positional),
        co_kwonlyargcount=len(keywords),
        co_varnames=("self", *positional, *keywords),
    )
    made = FunctionType(
        code, used, "__init__", tuple(defaults[name] for name in positional if name in defaults)
    )
    made.__kwdefaults__ = {name: defaults[name] for name in keywords if name in defaults}
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


@cache
def _code(places: tuple[_Place, ...]) -> CodeType:
    """The code of an `__init__` whose fields go to such places: most classes have it in common with others."""
    parameters = "".join(f", p{number}" for number in range(len(places)))
    lines = [place.value.format(number) for number, place in enumerate(places)]
    text = "\n".join((f"def __init__(self{parameters}):", *(lines or [" pass"])))
    (code,) = (it for it in compile(text, __file__, "exec").co_consts if isinstance(it, CodeType))
    return code


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
