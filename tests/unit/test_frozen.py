"""`transpiler.frozen.dataclass` makes what the standard decorator makes."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from functools import cached_property
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


@dataclass(slots=True, kw_only=True)
class State:
    """A class whose instances change, with a factory and a field that does not count."""

    items: list[int] = dataclasses.field(default_factory=list)
    note: str = dataclasses.field(default="", compare=False)


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """A class with an identity of its own."""

    id: int
    name: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and other.id == self.id

    def __hash__(self) -> int:
        return self.id


@dataclass(slots=True, eq=False)
class Alone:
    """A class whose instances are equal to themselves only."""

    id: int


@dataclass(frozen=True)
class Text:
    """A class without slots, which holds what is computed once."""

    text: str

    @cached_property
    def words(self) -> list[str]:
        """The words of the text."""
        return self.text.split()


class Quoted(Text):
    """A plain class that makes its base."""

    def __init__(self, text: str) -> None:
        super().__init__(f"<{text}>")


@dataclass(frozen=True, slots=True, order=True)
class Ordered:
    """A class that the standard decorator has to make."""

    left: int


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


def test_instances_of_a_class_that_is_not_frozen_change_and_have_no_hash() -> None:
    state = State()
    state.items.append(1)
    state.note = "x"
    assert (state, State()) == (State(items=[1], note="y"), State(items=[]))
    assert repr(state) == "State(items=[1], note='x')"
    assert copy.deepcopy(state).items == [1]
    with pytest.raises(TypeError, match="unhashable"):
        hash(state)


def test_a_class_that_is_not_compared_keeps_its_own_equality() -> None:
    assert Named(1, "a") == Named(1, "b")
    assert len({Named(1, "a"), Named(1, "b")}) == 1
    alone = Alone(1)
    assert alone == alone  # noqa: PLR0124 - this is what is asked
    assert alone != Alone(1)
    assert hash(alone) == hash(alone)


def test_a_class_without_slots_keeps_what_is_computed() -> None:
    text = Text("a b")
    assert text.words is text.words == ["a", "b"]
    assert text == Text("a b")
    with pytest.raises(dataclasses.FrozenInstanceError):
        text.text = "x"  # type: ignore[misc]


def test_a_first_instance_may_be_one_of_a_plain_class_below() -> None:
    assert Quoted("a").text == "<a>"
    assert Text("a").text == "a"


def test_what_is_not_offered_is_left_to_the_standard_decorator() -> None:
    assert Ordered(1) < Ordered(2)


def test_a_standard_dataclass_may_extend_one() -> None:
    @dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
    class Extended(Leaf):
        more: list[int] = dataclasses.field(default_factory=list)

    assert Extended(span=(0, 0), text="") == Extended(span=(0, 0), text="", more=[])


@dataclass(frozen=True, slots=True)
class Placed(Node):
    """A class with a field given in order behind one of its base given by name."""

    text: str
    is_raw: bool = False


def test_fields_in_order_stand_before_those_by_name() -> None:
    made = Placed("a", True, span=(0, 1))
    assert (made.text, made.is_raw, made.span) == ("a", True, (0, 1))
    assert Placed("b", span=(0, 1)).is_raw is False
