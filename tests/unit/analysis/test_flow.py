"""Which definition a read sees."""

from __future__ import annotations

from tests.unit.analysis.elaborated import Analysed
from transpiler.analysis.flow import Bound, Counted, Given, Merge, Updated
from transpiler.ir import nodes as ir

END = "T::store(x_ptr.add_offsets(T::arange(0, BLOCK) + q), T::zeros::<D>(&[BLOCK]), None, &[], None, None);\n"


def test_a_read_sees_what_is_above_it() -> None:
    kernel = Analysed("let mut q = n;\nlet r = q;\nq = m;\nlet s = q;\n" + END)
    first, second, third = map(kernel.facts.flow.definition, kernel.reads("q"))
    assert isinstance(first, Bound)
    assert isinstance(second, Bound)
    assert first is not second
    assert second is third
    (given,) = map(kernel.facts.flow.definition, kernel.reads("n"))
    assert isinstance(given, Given)


def test_arms_meet() -> None:
    kernel = Analysed("let mut q = n;\nif n < m { q = m; }\nlet r = q;\n" + END)
    definition = kernel.facts.flow.definition(kernel.last("q"))
    assert isinstance(definition, Merge)
    assert len(definition.inputs) == 2
    assert isinstance(definition.condition, ir.Binary)


def test_an_arm_that_returns_meets_nothing_and_leaves_its_condition() -> None:
    kernel = Analysed("let mut q = n;\nif n < m { q = m; return; }\n" + END)
    assert isinstance(kernel.facts.flow.definition(kernel.last("q")), Bound)
    (site,) = kernel.facts.flow.stores
    assert [(guard.holds, guard.is_loop) for guard in site.guards] == [(False, False)]


def test_a_loop_carries_what_it_assigns() -> None:
    kernel = Analysed("let mut q = 0;\nlet mut r = n;\nwhile q < r { q += 4; }\n" + END)
    flow = kernel.facts.flow
    (carried,) = flow.carried
    assert carried.symbol.name == "q"
    assert isinstance(carried.initial, Bound)
    (back,) = carried.backs
    assert isinstance(back, Updated)
    assert back.previous is carried
    assert flow.definition(kernel.last("q")) is carried
    assert isinstance(flow.definition(kernel.last("r")), Bound), "the loop leaves it alone"


def test_a_break_brings_what_it_has() -> None:
    kernel = Analysed("let mut q = 0;\nloop { q = 7; if n < m { break; } q = 9; }\n" + END)
    definition = kernel.facts.flow.definition(kernel.last("q"))
    assert isinstance(definition, Merge)
    assert any(isinstance(each, Bound) for each in definition.inputs)


def test_continue_is_a_way_back() -> None:
    kernel = Analysed("let mut q = 0;\nfor i in 0..n { if i > m { continue; } q = i; }\n" + END)
    (carried,) = kernel.facts.flow.carried
    assert len(carried.backs) == 2
    assert isinstance(kernel.facts.flow.definition(kernel.reads("i")[0]), Counted)


def test_stores_know_the_loops_and_conditions_around_them() -> None:
    kernel = Analysed("let mut q = 0;\nwhile q < n { if m > 3 {\n" + END + "} q += 1; }\n")
    (site,) = kernel.facts.flow.stores
    assert [guard.is_loop for guard in site.guards] == [True, False]
    assert len(site.loops) == 1
