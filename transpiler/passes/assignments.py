"""Elaboration of assignments: to variables, to elements of tuples, and to several of these at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import (
    POISON,
    Never,
    Poison,
    Tensor,
    TupleType,
    Type,
    TypeVariable,
    Unit,
    shape_text,
)
from transpiler.passes.advice import conversion_help
from transpiler.passes.annotations import check_annotation
from transpiler.passes.control_flow import ControlFlowElaborator
from transpiler.passes.elaboration import is_poison, unknown_name
from transpiler.passes.merging import merge_types
from transpiler.passes.operators import binary, has_python_form
from transpiler.syntax import nodes as syntax

if TYPE_CHECKING:
    from transpiler.passes.elaboration import Elaboration
    from transpiler.source import Span


class AssignmentElaborator(ControlFlowElaborator):
    """Turns assignments into typed IR; other statements are left to the subclass."""

    def assignment(self, node: syntax.Assignment, layout: ir.Layout) -> list[ir.Statement]:
        """`place = value;`, `place += value;`, `(a, b) = value;`, `_ = value;`."""
        value = self.expression(node.value)
        if node.operator is None:
            return self._into(node.target, value, node.span, layout)
        operator = ir.BinaryOperator(node.operator.value)
        return self._assign(node.target, value, operator, node.span, layout)

    def _into(
        self, target: syntax.Expression, value: ir.Expression, span: Span, layout: ir.Layout
    ) -> list[ir.Statement]:
        while isinstance(target, syntax.Parenthesized):
            target = target.inner
        if isinstance(target, syntax.Tuple):
            return self._take_apart(target, value, span, layout)
        if _is_ignored(target):
            if is_poison(value):
                return []
            return [ir.Evaluate(span=span, layout=layout, value=value)]
        return self._assign(target, value, None, span, layout)

    def _take_apart(
        self, target: syntax.Tuple, value: ir.Expression, span: Span, layout: ir.Layout
    ) -> list[ir.Statement]:
        """`(a, b) = value;`: every element is computed before any is assigned."""
        state = self.state
        type_ = state.type_of(value)
        elements = None
        if isinstance(type_, TupleType):
            elements = _targets(target, len(type_.elements))
        if elements is None or not isinstance(type_, TupleType):
            if not isinstance(type_, Poison):
                state.sink.emit(
                    "E0401",
                    f"a tuple of {len(target.elements)} cannot be taken from `{state.text(type_)}`",
                    target.span,
                )
            return []
        symbols = tuple(
            None
            if element is None or _is_ignored(element)
            else state.symbol(_name(element), ir.SymbolKind.LOCAL, element_type, element.span)
            for element, element_type in zip(elements, type_.elements, strict=True)
        )
        result: list[ir.Statement] = [
            ir.LetTuple(span=span, layout=layout, symbols=symbols, value=value)
        ]
        for element, symbol in zip(elements, symbols, strict=True):
            if element is not None and symbol is not None:
                read = ir.Read(span=element.span, type=symbol.type, symbol=symbol)
                result.extend(self._into(element, read, element.span, ir.PLAIN))
        return result

    def _assign(
        self,
        place: syntax.Expression,
        value: ir.Expression,
        operator: ir.BinaryOperator | None,
        span: Span,
        layout: ir.Layout,
    ) -> list[ir.Statement]:
        state = self.state
        found = self._place_named(place)
        if found is None:
            return []
        symbol, path = found
        whole = ir.Read(span=place.span, type=symbol.type, symbol=symbol)
        if path:
            element = self._element(whole, path, place)
            if element is None or is_poison(value):
                return []
            result = value if operator is None else binary(state, operator, element, value, span)
            name = f"{symbol.name}.{'.'.join(map(str, path))}"
            if is_poison(result) or not self._fits(name, state.type_of(element), result, span):
                return []
            changed = _with_element(state, whole, path, result)
            return [ir.Assign(span=span, layout=layout, symbol=symbol, value=changed)]
        result = value if operator is None else binary(state, operator, whole, value, span)
        if is_poison(result, whole) or not self._check_assignment(symbol, result, span):
            return []
        if not has_python_form(state, operator, symbol.type, value):
            value, operator = result, None
        return [ir.Assign(span=span, layout=layout, symbol=symbol, value=value, operator=operator)]

    def _place_named(self, place: syntax.Expression) -> tuple[ir.Symbol, tuple[int, ...]] | None:
        """The variable that is assigned, and the way to the element of it; None where an error was reported."""
        state = self.state
        root, path = place, []
        while isinstance(root, syntax.Field | syntax.Parenthesized):
            if isinstance(root, syntax.Parenthesized):
                root = root.inner
                continue
            if not root.name.isdecimal():
                break
            path.append(int(root.name))
            root = root.base
        name = root.path.identifier if isinstance(root, syntax.PathExpression) else None
        if name is None or not isinstance(root, syntax.PathExpression):
            state.unsupported(
                "assignment to anything but a variable or an element of a tuple", place.span
            )
            return None
        symbol = state.scopes.find(name, root.context)
        if symbol is None:
            state.sink.emit(
                "E0201",
                f"cannot find `{name}` in this scope",
                root.span,
                help=unknown_name(state, name, root.context),
            )
            return None
        if isinstance(state.solver.resolve_type(symbol.type), Poison):
            return None
        if not symbol.is_mutable and (path or symbol not in state.deferred):
            state.sink.emit(
                "E0203",
                f"`{name}` is not mutable",
                place.span,
                help=f"declare it with `let mut {name}`"
                if symbol.kind is ir.SymbolKind.LOCAL
                else f"start a variable from it: `let mut {name} = {name};`",
            )
            return None
        return symbol, tuple(reversed(path))

    def _element(
        self, whole: ir.Expression, path: tuple[int, ...], place: syntax.Expression
    ) -> ir.Expression | None:
        element = whole
        for index in path:
            type_ = self.state.type_of(element)
            if not isinstance(type_, TupleType) or index >= len(type_.elements):
                self.state.sink.emit(
                    "E0306", f"`{self.state.text(type_)}` has no field `{index}`", place.span
                )
                return None
            element = ir.TupleElement(
                span=place.span, type=type_.elements[index], operand=element, index=index
            )
        return element

    # --- Types ------------------------------------------------------------------------------------

    def _check_assignment(self, symbol: ir.Symbol, value: ir.Expression, span: Span) -> bool:
        target = self.state.solver.resolve_type(symbol.type)
        if isinstance(target, TypeVariable) and not isinstance(value.type, Poison | Never):
            return self._give_type(symbol, target, value)
        return self._fits(symbol.name, target, value, span)

    def _give_type(self, symbol: ir.Symbol, target: TypeVariable, value: ir.Expression) -> bool:
        """Take the type of a variable from the first value it is assigned."""
        state = self.state
        found, annotation = state.type_of(value), state.deferred.get(symbol)
        if isinstance(found, Unit):
            state.sink.emit("E0404", "this gives no value to bind", value.span)
            found = POISON
        elif annotation is not None and not check_annotation(state, annotation, found):
            state.sink.emit(
                "E0401",
                f"mismatched types: expected `{written_type(state, annotation)}`, "
                f"found `{state.text(found)}`",
                value.span,
            )
            found = POISON
        state.solver.bind_type(target, state.solver.resolve_type(found))
        return not isinstance(found, Poison)

    def _fits(self, name: str, target: Type, value: ir.Expression, span: Span) -> bool:
        """Whether a value may take the place of one of type `target`; reported where not."""
        state = self.state
        found = state.type_of(value)
        if merge_types(state, target, found) is not None:
            return True
        if (
            isinstance(target, Tensor)
            and isinstance(found, Tensor)
            and state.solver.unify(target.dtype, found.dtype)
        ):
            state.sink.emit(
                "E0402",
                f"`{name}` has shape `{shape_text(target.shape)}` and is assigned "
                f"`{shape_text(found.shape)}`",
                span,
                help="a variable keeps its shape; bind the new value with `let`",
            )
            return False
        state.sink.emit(
            "E0401",
            f"mismatched types: `{name}` is `{state.text(target)}`, "
            f"the value is `{state.text(found)}`",
            span,
            help=conversion_help(target, found),
        )
        return False


def _is_ignored(target: syntax.Expression) -> bool:
    return isinstance(target, syntax.PathExpression) and target.path.identifier == "_"


def _name(target: syntax.Expression) -> str:
    """What to call a value on its way into a place."""
    match target:
        case syntax.PathExpression(path=path) if path.identifier is not None:
            return path.identifier
        case syntax.Tuple():
            return "pair"
        case _:
            return "value"


def _targets(target: syntax.Tuple, count: int) -> list[syntax.Expression | None] | None:
    """A place for each of `count` elements, None for those that `..` skips; None where their number differs."""
    rests = [
        index
        for index, each in enumerate(target.elements)
        if isinstance(each, syntax.Range) and each.start is None and each.end is None
    ]
    if not rests:
        return [*target.elements] if len(target.elements) == count else None
    before, after = target.elements[: rests[0]], target.elements[rests[0] + 1 :]
    skipped = count - len(before) - len(after)
    if skipped < 0 or len(rests) > 1:
        return None
    return [*before, *[None] * skipped, *after]


def _with_element(
    state: Elaboration, whole: ir.Expression, path: tuple[int, ...], value: ir.Expression
) -> ir.Expression:
    """The tuple with one element, however deep inside it, replaced."""
    if not path:
        return value
    type_ = state.type_of(whole)
    if not isinstance(type_, TupleType):
        raise TypeError(f"{type_} has no elements")
    elements = [
        ir.TupleElement(span=value.span, type=each, operand=whole, index=index)
        for index, each in enumerate(type_.elements)
    ]
    changed = _with_element(state, elements[path[0]], path[1:], value)
    return ir.TupleValue(
        span=value.span,
        type=type_,
        elements=tuple(
            changed if index == path[0] else element for index, element in enumerate(elements)
        ),
    )


def written_type(state: Elaboration, annotation: Type) -> str:
    """A type that was written, for a message."""
    # The one unknown dimension of an annotation stands for any shape: showing `[?]` would say less than nothing.
    text = state.text(annotation)
    if isinstance(annotation, Tensor):
        return f"a tensor of {text.removesuffix('[?]')}"
    return text
