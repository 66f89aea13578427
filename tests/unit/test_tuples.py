"""`transpiler.tuples.NamedTuple` makes what the standard one makes."""

from __future__ import annotations

import copy
import pickle

import pytest

from transpiler.tuples import NamedTuple


class Place(NamedTuple):
    """Fields, one with a default, a property and a method."""

    line: int
    column: int = 1

    @property
    def is_first(self) -> bool:
        """Whether nothing stands before it on its line."""
        return self.column == 1

    def moved(self, by: int) -> Place:
        """The place so many columns further on."""
        return self._replace(column=self.column + by)


class Single(NamedTuple):
    """One field, of a name that the code of the constructor might use."""

    new: object


class Nothing(NamedTuple):
    """No field."""


def test_fields_defaults_and_members() -> None:
    assert (Place(3).line, Place(3).column, Place(3, 4).column, Place(line=3, column=4)) == (
        *(3, 1, 4),
        (3, 4),
    )
    assert Place(3).is_first
    assert Place(3).moved(2) == Place(3, 3) == (3, 3)
    assert Place._fields == ("line", "column")
    assert Place._field_defaults == {"column": 1}
    assert Place(3)._asdict() == {"line": 3, "column": 1}
    assert Place._make([1, 2]) == Place(1, 2)
    assert Single(5).new == 5
    assert Nothing() == ()
    assert isinstance(Place(3), tuple)
    assert Place.__doc__ is not None


def test_it_unpacks_matches_and_is_hashed_as_a_tuple() -> None:
    line, column = Place(3, 4)
    assert (line, column) == (3, 4)
    match Place(3, 4):
        case Place(3, column=found):
            assert found == 4
        case _:
            pytest.fail("no pattern matched")
    assert hash(Place(3, 4)) == hash((3, 4))


def test_instances_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Place(3).line = 4  # type: ignore[misc]
    with pytest.raises(AttributeError):
        Place(3).other = 4  # type: ignore[attr-defined]


@pytest.mark.parametrize("arguments", [{}, {"line": 1, "x": 1}])
def test_wrong_arguments_are_refused(arguments: dict[str, int]) -> None:
    with pytest.raises(TypeError, match=r"Place\.__new__\(\)"):
        Place(**arguments)


def test_copy_pickle_and_representation() -> None:
    assert type(copy.deepcopy(Place(3))) is Place
    loaded = pickle.loads(pickle.dumps(Place(3, 4)))  # noqa: S301 - made on this line
    assert (type(loaded), loaded) == (Place, Place(3, 4))
    assert repr(Place(3)) == "Place(line=3, column=1)"
    assert repr(Nothing()) == "Nothing()"
