"""The sink: order, repetition, severity."""

from __future__ import annotations

from transpiler.diagnostics.sink import Sink
from transpiler.source import Span


def test_findings_come_in_the_order_of_the_text_and_those_without_a_place_first() -> None:
    sink = Sink()
    sink.emit("E0801", "later", Span(9, 10))
    sink.emit("E0801", "earlier", Span(2, 3))
    sink.emit("E0802", "anywhere")

    assert [each.message for each in sink.diagnostics] == ["anywhere", "earlier", "later"]
    assert sink.has_errors


def test_an_exact_repetition_is_told_once() -> None:
    sink = Sink()
    sink.emit("E0801", "same", Span(0, 1))
    sink.emit("E0801", "same", Span(0, 1))
    sink.emit("E0801", "same", Span(0, 1), label="not the same")

    assert len(sink.diagnostics) == 2


def test_a_new_sink_has_no_errors() -> None:
    assert not Sink().has_errors
    assert Sink().diagnostics == ()
