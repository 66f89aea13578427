"""The `NamedTuple` of the compiler's own tuples: what the standard one makes, in a third of the time.

The standard one compiles code for every class when its module is imported. Here classes of as many fields share theirs,
and all share the other methods. A type checker sees the standard one.
"""

from __future__ import annotations

from collections import namedtuple
from functools import cache
from types import CodeType, FunctionType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414 - given on under its own name
    from typing import Self
else:

    class _Making(type):
        """Makes a plain class of tuples where another one is to be based on `NamedTuple`."""

        def __new__(cls, name: str, bases: tuple[type, ...], members: dict[str, object]) -> type:
            return _tuple_class(name, members) if bases else super().__new__(cls, name, (), members)

    class NamedTuple(metaclass=_Making):
        """`typing.NamedTuple`, as a base alone."""


class _Tuple(tuple[object, ...]):
    """The methods of all such tuples."""

    __slots__ = ()
    _fields: tuple[str, ...] = ()

    @classmethod
    def _make(cls, values: Iterable[object]) -> Self:
        return tuple.__new__(cls, values)

    def _replace(self, **changes: object) -> Self:
        return type(self)(**{**self._asdict(), **changes})

    def _asdict(self) -> dict[str, object]:
        return dict(zip(self._fields, self, strict=True))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
        return f"{type(self).__name__}({values})"

    def __getnewargs__(self) -> tuple[object, ...]:
        return tuple(self)


def _tuple_class(name: str, members: dict[str, object]) -> type:
    annotations = members.get("__annotations__")
    fields = tuple(annotations) if isinstance(annotations, dict) else ()
    defaults = {field: members[field] for field in fields if field in members}
    return type(
        name,
        (_Tuple,),
        {
            **members,
            **dict(zip(fields, _PLACES[: len(fields)], strict=True)),
            "__slots__": (),
            "__new__": _new(name, fields, defaults),
            "__match_args__": fields,
            "_fields": fields,
            "_field_defaults": defaults,
        },
    )


_Places = namedtuple("_Places", "a b c d e f g h i j k l m n o p q r s t u v w x")  # noqa: PYI024 - they are no fields
_PLACES = [vars(_Places)[letter] for letter in _Places._fields]
"""What reads the element at each place: the very descriptors of the standard class."""


def _new(name: str, fields: tuple[str, ...], defaults: dict[str, object]) -> Callable[..., object]:
    """`__new__` of a class, made of the code for as many fields."""
    code = _code(len(fields)).replace(co_varnames=("_cls", *fields))
    made = FunctionType(code, {"new": tuple.__new__}, "__new__", tuple(defaults.values()))
    made.__qualname__ = f"{name}.__new__"
    return made


@cache
def _code(fields: int) -> CodeType:
    """The code of `__new__` for so many fields."""
    names = "".join(f"p{place}, " for place in range(fields))
    text = f"def __new__(_cls, {names}): return new(_cls, ({names}))"
    (code,) = (it for it in compile(text, __file__, "exec").co_consts if isinstance(it, CodeType))
    return code
