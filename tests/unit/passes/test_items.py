"""What names lead to where `use` takes all names of modules."""

from __future__ import annotations

from transpiler.passes.items import Namespace


def test_modules_elsewhere_are_looked_for_through_each_other_once() -> None:
    globs: list[tuple[str, ...]] = [
        ("first", "a"),
        ("second", "b"),
        ("third", "c"),
        ("fourth", "d"),
    ]
    assert Namespace(globs=globs).resolve(("Name",)) is None


def test_the_module_of_a_glob_may_come_from_another_glob() -> None:
    item = Namespace()
    inner = Namespace(members={"item": item})
    outer = Namespace(members={"inner": inner})
    root = Namespace(members={"outer": outer}, globs=[("inner",), ("outer",)])
    assert root._follow(("item",), 0) == (item, inner)
