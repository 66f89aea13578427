"""`transpiler.frozen.dataclass` makes what the standard decorator makes."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import ClassVar

import pytest

from transpiler.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """The base of a small tree."""

    span: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf(Node):
    """A node with a default, a constant of the class and a property."""

    KIND: ClassVar[str] = "leaf"

    text: str
    is_raw: bool = False

    @property
    def length(self) -> int:
        """How long the text is."""
        return len(self.text)


@dataclass(frozen=True, slots=True)
class Pair:
    """A class whose fields are given in order."""

    left: object
    right: object = None


@dataclass(frozen=True, slots=True)
class Empty:
    """A class without fields."""


@dataclass(frozen=True, slots=True)
class WithList:
    """A class that the standard decorator has to make."""

    items: list[int] = dataclasses.field(default_factory=list)


LEAF = Leaf(span=(0, 3), text="abc")


def test_fields_defaults_and_members() -> None:
    assert (LEAF.span, LEAF.text, LEAF.is_raw) == ((0, 3), "abc", False)
    assert (LEAF.length, LEAF.KIND) == (3, "leaf")
    assert Leaf(span=(0, 3), text="abc", is_raw=True).is_raw
    assert (Pair(1).left, Pair(1).right, Pair(1, right=2).right) == (1, None, 2)
    assert [field.name for field in dataclasses.fields(LEAF)] == ["span", "text", "is_raw"]
    assert dataclasses.is_dataclass(Leaf)


def test_equality_and_hash_are_by_class_and_values() -> None:
    same = Leaf(span=(0, 3), text="abc")
    assert same == LEAF
    assert hash(same) == hash(LEAF)
    assert same != Leaf(span=(0, 3), text="abd")
    assert Node(span=(0, 3)) != LEAF
    assert Empty() == Empty()
    assert len({Pair(1, 2), Pair(1, 2), Pair(2, 1)}) == 2


def test_instances_are_frozen_and_have_slots() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'text'"):
        LEAF.text = "x"  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'text'"):
        del LEAF.text
    assert not hasattr(LEAF, "__dict__")


@pytest.mark.parametrize("arguments", [{}, {"span": (0, 1)}, {"span": (0, 1), "text": "", "x": 1}])
def test_wrong_arguments_are_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(TypeError, match=r"Leaf\.__init__\(\)"):
        Leaf(**arguments)  # type: ignore[arg-type]


def test_keyword_only_fields_are_not_positional() -> None:
    with pytest.raises(TypeError):
        Leaf((0, 1), "abc")  # type: ignore[call-arg]


def test_patterns_match() -> None:
    match Pair(1, LEAF):
        case Pair(1, Leaf(text=text)):
            assert text == "abc"
        case _:
            pytest.fail("no pattern matched")


def test_replace_copy_and_pickle() -> None:
    assert dataclasses.replace(LEAF, text="x") == Leaf(span=(0, 3), text="x")
    assert copy.deepcopy(Pair(LEAF, [1])) == Pair(LEAF, [1])
    assert pickle.loads(pickle.dumps(Pair(LEAF, 2))) == Pair(LEAF, 2)  # noqa: S301 - made on this line


def test_representation_is_the_standard_one() -> None:
    assert repr(LEAF) == "Leaf(span=(0, 3), text='abc', is_raw=False)"
    assert repr(Empty()) == "Empty()"


def test_what_is_not_plain_is_left_to_the_standard_decorator() -> None:
    assert WithList().items == []
    assert WithList() == WithList()


def test_a_standard_dataclass_may_extend_one() -> None:
    @dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
    class Extended(Leaf):
        more: list[int] = dataclasses.field(default_factory=list)

    assert Extended(span=(0, 0), text="") == Extended(span=(0, 0), text="", more=[])
