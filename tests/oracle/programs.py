"""Random programs: kernels that rustc and this compiler both take, word for word."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tests.oracle.expressions import Function, Variable
from tests.oracle.statements import Output, Statements
from tests.oracle.tree import Hole, Node
from tests.oracle.values import DTYPES, FLOATS, INTEGERS, NUMBERS, literal, smallest, value

if TYPE_CHECKING:
    from collections.abc import Iterator

ELEMENTS = 8
"""How many elements each output has; programs store all over them."""

_SMALLEST = smallest()

Arguments = tuple[int | float | bool, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A kernel `name` with what it calls, the types of what it is given, and values for those.

    `constants` are its const generics, each with its dtype and value.
    """

    name: str
    items: tuple[Node, ...]
    parameters: tuple[str, ...]
    constants: tuple[tuple[str, str, int], ...]
    outputs: tuple[Output, ...]
    body: tuple[Node, ...]
    calls: tuple[Arguments, ...]

    @property
    def text(self) -> str:
        """The Rust."""
        generics = "".join(f", const {name}: {dtype}" for name, dtype, _ in self.constants)
        pointers = [f"{output.name}: T::Pointer<{output.dtype}>" for output in self.outputs]
        scalars = [f"x{index}: {dtype}" for index, dtype in enumerate(self.parameters)]
        head = f"#[kernel]\npub fn {self.name}<T: Triton{generics}>({', '.join(pointers + scalars)}) {{\n"
        return "".join(map(str, self.items)) + head + "".join(map(str, self.body)) + "}\n"

    def variants(self) -> Iterator[Program]:
        """Programs that are this one with something left out or made simpler."""
        for index in range(len(self.body)):
            yield replace(self, body=self.body[:index] + self.body[index + 1 :])
        for index in range(len(self.items)):
            yield replace(self, items=self.items[:index] + self.items[index + 1 :])
        if len(self.outputs) > 1:
            for output in self.outputs:
                yield replace(self, outputs=tuple(each for each in self.outputs if each != output))
        for index, statement in enumerate(self.body):
            for variant in statement.variants(_SMALLEST):
                yield replace(self, body=(*self.body[:index], variant, *self.body[index + 1 :]))


@dataclass(slots=True, kw_only=True)
class Generator:
    """Makes programs; the same `seed` makes the same.

    Those for a device leave out what it computes approximately; `fuses` says whether `mul_add` rounds once where the
    program is to run: see `deviations`.
    """

    seed: int
    calls: int = 2
    is_for_device: bool = False
    fuses: bool = True
    _made: int = 0
    _rng: random.Random = field(init=False)

    def __post_init__(self) -> None:
        """Starts the sequence."""
        self._rng = random.Random(self.seed)  # noqa: S311 - no secret

    def program(self) -> Program:
        """The next program."""
        rng = self._rng
        name = f"k{self._made}"
        self._made += 1
        parameters = tuple(rng.choice(DTYPES) for _ in range(rng.randint(1, 4)))
        if not set(parameters) & set(NUMBERS):
            parameters = (*parameters, rng.choice(INTEGERS))
        constants = tuple(
            (f"N{index}", "bool" if rng.random() < 0.2 else "i32", 0)
            for index in range(rng.choice((0, 0, 1, 2)))
        )
        constants = tuple(
            (
                constant,
                dtype,
                rng.randrange(2) if dtype == "bool" else rng.choice((1, 2, 3, 8, 31, -1, 0)),
            )
            for constant, dtype, _ in constants
        )
        make = Statements(
            rng=rng, elements=ELEMENTS, is_for_device=self.is_for_device, fuses=self.fuses
        )
        items = tuple(self._item(make, name, index) for index in range(rng.choice((0, 0, 1, 2))))
        make.outputs = [
            Output(name=f"o{index}", dtype=rng.choice(DTYPES)) for index in range(rng.randint(1, 3))
        ]
        make.scope += _named(parameters)
        make.scope += [
            Variable(name=constant, dtype=dtype, is_known=True) for constant, dtype, _ in constants
        ]
        body = [make.statement(3) for _ in range(rng.randint(1, 4))]
        if rng.random() < 0.15:
            body.append(self._early(make))
            body += [make.statement(3) for _ in range(rng.randint(1, 2))]
        for output in make.outputs:
            place = "T::arange(0, 1)"
            body.append(make.store(output, Hole(node=make.expression(output.dtype, 2)), place))
        return Program(
            name=name,
            items=items,
            parameters=parameters,
            constants=constants,
            outputs=tuple(make.outputs),
            body=tuple(body),
            calls=tuple(
                tuple(value(rng, dtype) for dtype in parameters) for _ in range(self.calls)
            ),
        )

    def _early(self, make: Statements) -> Node:
        """A return under a condition."""
        condition = Hole(node=make.condition(2))
        with make.block():
            before = make.statements(self._rng.randint(0, 1), 1)
        return Node(sort="statement", pieces=("if ", condition, " {\n", *before, "return;\n}\n"))

    def _item(self, make: Statements, program: str, index: int) -> Node:
        """A constant, or a function that what follows may call."""
        rng = self._rng
        name = f"{program}_{index}"
        form = rng.random()
        if form < 0.2:
            dtype, name = rng.choice(NUMBERS), name.upper()
            make.scope.append(Variable(name=name, dtype=dtype, is_known=True))
            return Node(
                sort="", pieces=(f"const {name}: {dtype} = ", Hole(node=literal(rng, dtype)), ";\n")
            )
        if form < 0.35:
            return self._generic(make, name)
        if form < 0.45:
            return self._macro(make, name)
        parameters = (*(rng.choice(DTYPES) for _ in range(rng.randint(0, 2))), rng.choice(NUMBERS))
        result = rng.choice(DTYPES)
        generics, written = "", ""
        with make.block():
            make.scope += _named(parameters)
            if rng.random() < 0.3:
                generics, written = "<const N: i32>", f"::<{rng.choice((0, 1, 3, 7))}>"
                make.scope.append(Variable(name="N", dtype="i32", is_known=True))
            statements = make.statements(rng.randint(0, 2), 2)
            if rng.random() < 0.3:
                condition = Hole(node=make.condition(1))
                early = Hole(node=make.expression(result, 1))
                statements += ["if ", condition, " {\nreturn ", early, ";\n}\n"]
                statements += make.statements(rng.randint(0, 1), 1)
            last = Hole(node=make.expression(result, 2))
        names = [f"x{i}: {dtype}" for i, dtype in enumerate(parameters)]
        head = f"fn {name}{generics}({', '.join(names)}) -> {result} {{\n"
        make.functions.append(Function(name=name + written, parameters=parameters, result=result))
        return Node(sort="", pieces=(head, *statements, last, "\n}\n"))

    def _macro(self, make: Statements, name: str) -> Node:
        """A macro of two values of one dtype."""
        rng = self._rng
        dtype = rng.choice(NUMBERS)
        first, second = rng.choices("+-*", k=2)
        forms = (
            f"$x {first} $y {second} $x",
            f"{{ let a = $x; let b = a {first} $y; b {second} a }}",
            f"if $x < $y {{ $x {first} $y }} else {{ $y {second} $y }}",
        )
        text = f"macro_rules! {name} {{ ($x:expr, $y:expr) => {{ {rng.choice(forms)} }}; }}\n"
        make.functions.append(Function(name=f"{name}!", parameters=(dtype, dtype), result=dtype))
        return Node(sort="", pieces=(text,))

    def _generic(self, make: Statements, name: str) -> Node:
        """A function over a dtype parameter."""
        rng = self._rng
        bound = rng.choice(("Num", "Float"))
        dtype = rng.choice(FLOATS if bound == "Float" else NUMBERS)
        operators = rng.choices("+-*", k=2)
        text = f"if x {rng.choice(('<', '>=', '=='))} y {{ x {operators[0]} y }} else {{ y {operators[1]} x * x }}"
        if bound == "Float" and "/" in make.arithmetic(dtype):
            text = f"let h = D::from_f64({rng.choice(('0.1', '2.5', '-1e-3'))});\n{text.replace('x * x', 'h / x')}"
        written = f"{name}::<{dtype}>" if rng.random() < 0.5 else name
        make.functions.append(Function(name=written, parameters=(dtype, dtype), result=dtype))
        return Node(sort="", pieces=(f"fn {name}<D: {bound}>(x: D, y: D) -> D {{\n{text}\n}}\n",))


def _named(parameters: tuple[str, ...]) -> list[Variable]:
    return [Variable(name=f"x{index}", dtype=dtype) for index, dtype in enumerate(parameters)]
