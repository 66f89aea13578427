"""Kernels as their author wrote them, with the analyses of them."""

from __future__ import annotations

from tests.unit.passes.kernels import GENERICS, PARAMETERS, kernel
from transpiler.analysis.facts import Facts
from transpiler.analysis.polynomial import (
    LaneAtom,
    OpaqueAtom,
    ProgramAtom,
    SymbolAtom,
    VariableAtom,
)
from transpiler.diagnostics.sink import Sink
from transpiler.frontend.parser import parse_file
from transpiler.ir import nodes as ir
from transpiler.ir.visit import walk_block
from transpiler.passes.cfg import Features
from transpiler.passes.elaborate import elaborate
from transpiler.source import SourceFile


class Analysed:
    """The facts of a kernel of these statements; the variables by their names."""

    def __init__(
        self, body: str, *, generics: str = GENERICS, parameters: str = PARAMETERS
    ) -> None:
        source = SourceFile("k.rs", kernel(body, generics=generics, parameters=parameters))
        sink = Sink()
        features = Features(frozenset(), default_features=True)
        module = elaborate(parse_file(source, sink), source, features, sink, frozenset())
        assert not sink.has_errors, sink.diagnostics
        (found,) = module.kernels
        functions = {function.symbol: function for function in module.functions}
        self.source = source
        self.facts = Facts(found, functions)

    def reads(self, name: str) -> list[ir.Read]:
        """Every read of a variable, in the order of the text."""
        found = [
            node
            for node in walk_block(self.facts.flow.routine.body)
            if isinstance(node, ir.Read) and node.symbol.name == name
        ]
        return sorted(found, key=lambda node: node.span)

    def last(self, name: str) -> ir.Read:
        """The last read of a variable."""
        return self.reads(name)[-1]


def shown(analysed: Analysed, name: str) -> str:
    """The polynomial of a variable as text."""
    values = analysed.facts.values

    def atom(index: int) -> str:
        match values.atoms[index]:
            case SymbolAtom(symbol=symbol):
                return symbol.name
            case ProgramAtom(axis=axis):
                return f"program {axis}"
            case LaneAtom(dimension=dimension):
                return f"lane[{dimension}]"
            case VariableAtom():
                return "variable"
            case OpaqueAtom(key=key):
                return f"`{analysed.source.slice(values.expressions[key].span)}`"

    terms = []
    for product, factor in values.polynomial(analysed.last(name)).terms:
        factors = [str(factor)] if factor != 1 or not product else []
        terms.append(" * ".join([*factors, *sorted(map(atom, product))]))
    return " + ".join(sorted(terms)) or "0"
