"""Random kernels that are nests of loops, as Rust, and launches of them in which all arithmetic is exact.

What the kernels load are small integers, and what they make of them stays within the digits of f32: sums are the same
in every order, so that whatever reassociates them has to give the same bits. The magnitude of every value is known
while the kernel is written; what would not be exact is not summed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tests.properties.nest_launches import LONGEST, MOST, Memory, NestKernel
from tests.properties.nest_values import DIGITS, Accumulator, Axis, Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from random import Random


@dataclass(slots=True, kw_only=True)
class _Writer:
    """Writes one kernel."""

    random: Random
    dtype: str
    lines: list[str] = field(default_factory=list)
    memory: list[Memory] = field(default_factory=list)
    extents: set[str] = field(default_factory=set)
    blocks: dict[str, int] = field(default_factory=dict)
    programs: tuple[Axis, ...] = ()
    names: int = 0
    depth: int = 1

    # --- Words ------------------------------------------------------------------------------------

    def name(self, word: str) -> str:
        self.names += 1
        return f"{word}{self.names}"

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def number(self, value: float) -> str:
        if self.dtype == "i32":
            return {-math.inf: "-2147483648", math.inf: "2147483647"}.get(value) or str(int(value))
        kind = "f64" if self.dtype == "D" else "f32"
        text = {-math.inf: f"{kind}::NEG_INFINITY", math.inf: f"{kind}::INFINITY"}.get(value)
        text = text or f"{value}"
        return f"D::from_f64({text})" if self.dtype == "D" else text

    def full(self, tile: str | None, value: float) -> str:
        if value == 0 and self.chance(0.7):
            return f"T::zeros::<{self.dtype}>(&[{tile or 1}])"
        return f"T::full::<{self.dtype}>(&[{tile or 1}], {self.number(value)})"

    def extent(self, name: str) -> str:
        self.extents.add(name)
        return name

    # --- Memory -----------------------------------------------------------------------------------

    def new_memory(self, extents: Sequence[str], *, is_written: bool) -> Memory:
        odd = self.chance(0.15)
        memory = Memory(
            name=f"{'y' if is_written else 'x'}{len(self.memory)}_ptr",
            dtype=self.dtype,
            extents=tuple(extents),
            scale=self.random.choice((2, 3)) if odd else 1,
            shift=self.random.choice((1, 5)) if self.chance(0.1) else 0,
            is_written=is_written,
        )
        self.memory.append(memory)
        return memory

    def pointer(self, memory: Memory, axes: Sequence[Axis]) -> str:
        """The address of one element for each index; `axes` in the order of the memory's extents."""
        if self.chance(0.3) and axes:
            text = axes[0].index
            for axis in axes[1:]:
                text = f"({text}) * {axis.extent} + {axis.index}"
        else:
            terms = [
                " * ".join((axis.index, *(it.extent for it in axes[place + 1 :])))
                for place, axis in enumerate(axes)
            ]
            self.random.shuffle(terms)
            text = " + ".join(terms) or "0"
        if memory.scale != 1:
            text = f"({text}) * {memory.scale}"
        if memory.shift:
            text = f"{text} + {memory.shift}"
        offsets = text
        if not any(axis.tile for axis in axes):
            offsets = f"T::arange(0, 1) + ({text})"
        if self.chance(0.4):
            name = self.name("at")
            self.line(f"let {name} = {offsets};")
            offsets = name
        return f"{memory.name}.add_offsets({offsets})"

    def guard(self, axes: Sequence[Axis]) -> str | None:
        masks = [axis.mask for axis in axes if axis.mask is not None]
        return masks[0] if masks else None

    def load(
        self, axes: Sequence[Axis], fill: float | None = 0.0, memory: Memory | None = None
    ) -> Value:
        if memory is None:
            order = list(axes)
            self.random.shuffle(order)
            known = [it for it in self.memory if not it.is_written]
            same = [it for it in known if it.extents == tuple(axis.extent for axis in order)]
            if same and self.chance(0.4):
                memory = same[0]
            else:
                memory = self.new_memory([it.extent for it in order], is_written=False)
            axes = order
        pointer = self.pointer(memory, axes)
        tile = next((axis.tile for axis in axes if axis.tile), None)
        mask = self.guard(axes)
        if mask is not None and self.chance(0.15):
            axis = next(it for it in axes if it.mask == mask)
            mask = f"{mask} & {axis.index}.{self.random.choice(('ge(1)', 'lt(6)', 'ge(0)'))}"
        other = None if fill is None or mask is None else self.full(tile, fill)
        name = self.name("v")
        self.line(
            f"let {name} = T::load({pointer}, {_option(mask)}, {_option(other)}, &[], None, None, None, false);"
        )
        return Value(name=name, bound=MOST, grain=1.0, tile=tile)

    def store(self, value: Value, memory: Memory, axes: Sequence[Axis]) -> None:
        pointer = self.pointer(memory, axes)
        tile = next((axis.tile for axis in axes if axis.tile), None)
        if value.tile != tile:
            value = self.broadcast(value, tile)
        mask = self.guard(axes)
        if mask is not None and self.chance(0.1):
            axis = next(it for it in axes if it.mask == mask)
            mask = f"{mask} & {axis.index}.ge(1)"
        self.line(f"T::store({pointer}, {value.name}, {_option(mask)}, &[], None, None);")

    def output(self, axes: Sequence[Axis]) -> tuple[Memory, list[Axis]]:
        order = list(axes)
        self.random.shuffle(order)
        return self.new_memory([it.extent for it in order], is_written=True), order

    # --- Values -----------------------------------------------------------------------------------

    def broadcast(self, value: Value, tile: str | None) -> Value:
        if value.tile == tile or tile is None:
            return value
        name = self.name("b")
        self.line(f"let {name} = T::broadcast_to({value.name}, &[{tile}]);")
        return replace(value, name=name, tile=tile)

    def computed(self, values: Sequence[Value], axes: Sequence[Axis] = ()) -> Value:
        """Something made of some values."""
        value = self.random.choice(values)
        for _ in range(self.random.choice((0, 1, 1, 2, 3))):
            value = self.combined(value, self.random.choice(values), axes)
        return value

    def combined(self, left: Value, right: Value, axes: Sequence[Axis]) -> Value:
        tile = left.tile or right.tile
        bound, grain = max(left.bound, right.bound), min(left.grain, right.grain)
        total = left.bound + right.bound
        factor = self.random.choice((2.0, -1.0, 3.0))
        left = self.broadcast(left, tile)
        right = self.broadcast(right, tile)
        product = (left.bound * right.bound, left.grain * right.grain)
        half = self.full(tile, 0.5 if self.dtype != "i32" else 2)
        masks = [axis.mask for axis in axes if axis.mask is not None and axis.tile == tile]
        choices = [
            (f"{left.name} + {right.name}", total, grain),
            (f"{left.name} - {right.name}", total, grain),
            (f"{left.name} * {right.name}", *product),
            (
                f"{left.name} * {half}",
                left.bound * (2 if self.dtype == "i32" else 0.5),
                left.grain / 2,
            ),
            (f"{left.name} * {self.full(tile, factor)}", left.bound * abs(factor), left.grain),
            (f"T::maximum({left.name}, {right.name})", bound, grain),
            (f"T::minimum({left.name}, {right.name})", bound, grain),
            (f"T::abs({left.name})", left.bound, left.grain),
        ]
        if masks:
            choices.append((f"T::where_({masks[0]}, {left.name}, {right.name})", bound, grain))
        text, bound, grain = self.random.choice(choices)
        made = Value(name=self.name("c"), bound=bound, grain=grain, tile=tile)
        if not made.is_exact:
            return left
        self.line(f"let {made.name} = {text};")
        return made

    # --- Accumulators -----------------------------------------------------------------------------

    def accumulator(self, tile: str | None, longest: int) -> Accumulator:
        how = self.random.choice(("sum", "sum", "sum", "max", "min"))
        name = self.name("acc")
        identity = {"sum": 0.0, "max": -math.inf, "min": math.inf}[how]
        if self.chance(0.1):
            identity = self.random.choice((0.0, 1.0, -2.0))
        self.line(f"let mut {name} = {self.full(tile, identity)};")
        most = 2**DIGITS / (longest * 4) if how == "sum" else 2.0**DIGITS
        return Accumulator(name=name, how=how, tile=tile, term=most, grain=2.0**-4)

    def accumulate(self, into: Accumulator, value: Value) -> None:
        if value.bound / min(value.grain, into.grain) > into.term:
            return
        lane = value.name
        if value.tile is not None and into.tile is None:
            operation = {"sum": "sum", "max": "max", "min": "min"}[into.how]
            lane = f"T::{operation}({value.name}, {self.random.choice(('None', 'Some(0)'))}, true)"
        elif value.tile != into.tile:
            lane = self.broadcast(value, into.tile).name
        if self.chance(0.04):
            # Carried from iteration to iteration.
            self.line(f"{into.name} = {lane} - {into.name};")
        elif into.how == "sum":
            self.line(
                self.random.choice(
                    ("{0} = {0} + {1};", "{0} = {1} + {0};", "{0} = {0} + {1};")
                ).format(into.name, lane)
            )
        else:
            operation = "maximum" if into.how == "max" else "minimum"
            self.line(f"{into.name} = T::{operation}({into.name}, {lane});")

    def result(self, of: Accumulator) -> Value:
        bound = of.term if of.how != "sum" else 2.0 ** (DIGITS - 2)
        if of.tile is None:
            return Value(name=of.name, bound=bound, grain=of.grain)
        name = self.name("r")
        self.line(
            f"let {name} = T::{of.how}({of.name}, {self.random.choice(('None', 'Some(0)'))}, true);"
        )
        return Value(name=name, bound=bound, grain=of.grain)

    # --- Loops ------------------------------------------------------------------------------------

    def loops(self, outer: Sequence[Value], axes: Sequence[Axis]) -> list[Value]:
        """A loop, perhaps with another one in it; what it leaves behind."""
        is_nested = self.chance(0.3)
        extents = ["N", "M"] if self.chance(0.7) else ["M", "N"]
        kinds = [self.random.choice(("tile", "tile", "count", "flat"))]
        if is_nested:
            kinds = [
                self.random.choice(("count", "count", "tile")),
                self.random.choice(("tile", "count")),
            ]
        tiles = [self.block() if kind == "tile" else None for kind in kinds]
        extents = ["K", extents[0]] if is_nested else extents
        longest = math.prod(LONGEST[it] for it in extents)
        accumulators = [
            self.accumulator(self.random.choice((None, tiles[-1])), longest)
            for _ in range(self.random.choice((0, 1, 1, 2)))
        ]
        self.nested(kinds, tiles, extents, outer, axes, accumulators)
        return [self.result(it) for it in accumulators]

    def block(self) -> str:
        name = self.random.choice(("BLOCK", "BLOCK", "TILE"))
        self.blocks.setdefault(name, self.random.choice((4, 8, 16)))
        return name

    def nested(
        self,
        kinds: Sequence[str],
        tiles: Sequence[str | None],
        extents: Sequence[str],
        outer: Sequence[Value],
        axes: Sequence[Axis],
        accumulators: Sequence[Accumulator],
    ) -> None:
        inner_axes, end = self.head(kinds[0], tiles[0], extents)
        axes = (*axes, *inner_axes)
        values = list(outer)
        if len(kinds) > 1:
            if self.chance(0.4):
                values.append(self.load(self.some(axes, inner_axes)))
            own = (
                [self.accumulator(self.random.choice((None, tiles[-1])), LONGEST[extents[1]])]
                if self.chance(0.6)
                else []
            )
            behind = [it for it in accumulators if it.tile is None and self.chance(0.5)]
            inside = [it for it in accumulators if it not in behind]
            self.nested(kinds[1:], tiles[1:], extents[1:], values, axes, (*inside, *own))
            values += [self.result(it) for it in own]
            accumulators = behind
            tile = tiles[0]
        else:
            tile = tiles[0]
        self.body(values, axes, inner_axes, accumulators, tile, is_outer=len(kinds) > 1)
        if end is not None:
            self.line(end)
        self.depth -= 1
        self.line("}")

    def head(
        self, kind: str, tile: str | None, extents: Sequence[str]
    ) -> tuple[tuple[Axis, ...], str | None]:
        first = self.extent(extents[0])
        start = self.random.choice((1, 2, 3)) if self.chance(0.12) else 0
        counter = self.name("i")
        if kind == "tile":
            self.line(f"let mut {counter}: i32 = {start};")
            self.line(f"while {counter} < {first} {{")
            self.depth += 1
            index, mask = self.name("o"), self.name("mask")
            order = (f"T::arange(0, {tile}) + {counter}", f"T::arange(0, {tile}) + {counter}")
            self.line(f"let {index} = {self.random.choice(order)};")
            self.line(f"let {mask} = {index}.lt({first});")
            axis = Axis(index=index, extent=first, tile=tile, mask=mask)
            return (axis,), f"{counter} += {tile};"
        if kind == "flat":
            second = self.extent(extents[1])
            total = self.name("total")
            self.line(f"let {total} = {first} * {second};")
            stop = total
        else:
            stop = first
        end = None
        if self.chance(0.5):
            self.line(f"for {counter} in {start}..{stop} {{")
        else:
            self.line(f"let mut {counter}: i32 = {start};")
            self.line(f"while {counter} < {stop} {{")
            end = f"{counter} += 1;"
        self.depth += 1
        if kind != "flat":
            return (Axis(index=counter, extent=first),), end
        high, low = self.name("q"), self.name("r")
        self.line(f"let {high} = {counter} / {second};")
        self.line(f"let {low} = {counter} % {second};")
        return (Axis(index=high, extent=first), Axis(index=low, extent=second)), end

    def some(self, axes: Sequence[Axis], wanted: Iterable[Axis] = ()) -> list[Axis]:
        """Some axes, those wanted among them most of the time."""
        tiles = [it for it in axes if it.tile]
        kept = [it for it in axes if self.chance(0.65) or (it in wanted and self.chance(0.9))]
        if (
            len({it.tile for it in kept if it.tile} | {None}) > 2
            or len([it for it in kept if it.tile]) > 1
        ):
            kept = [it for it in kept if it not in tiles[:-1]]
        return kept

    def body(
        self,
        values: list[Value],
        axes: Sequence[Axis],
        inner: Sequence[Axis],
        accumulators: Sequence[Accumulator],
        tile: str | None,
        *,
        is_outer: bool,
    ) -> None:
        # Lanes of an outer loop's tiles are not there along with those of an inner one.
        seen = [it for it in axes if it.tile is None or it in inner]
        every = [it for it in values if it.tile in {None, tile}]
        fill = 0.0
        hows = {it.how for it in accumulators}
        if hows & {"max", "min"} and not self.chance(0.2):
            fill = -math.inf if "max" in hows else math.inf
        elif self.chance(0.08):
            fill = self.random.choice((1.0, -2.0))
        loaded = [
            self.load(self.some(seen, inner), fill) for _ in range(self.random.choice((1, 1, 2)))
        ]
        every += loaded
        for accumulator in accumulators:
            chosen = self.random.choice(loaded)
            value = chosen if fill else self.computed([chosen, *every], seen)
            if self.chance(0.7) and fill == 0.0:
                value = self.combined(chosen, self.computed(every, seen), seen)
            if not math.isfinite(fill) and self.chance(0.8):
                value = chosen
            self.accumulate(accumulator, value)
        wants_store = not accumulators and (not is_outer or self.chance(0.5))
        if wants_store or self.chance(0.25):
            self.stored_inside(
                every, seen, [it for it in axes if it.tile is None or it in inner], tile
            )

    def stored_inside(
        self, values: list[Value], seen: Sequence[Axis], axes: Sequence[Axis], tile: str | None
    ) -> None:
        if self.chance(0.06):
            axes = [it for it in axes if it in self.programs]
        memory, order = self.output(axes)
        value = self.computed(values, seen)
        if not math.isfinite(value.bound):
            return
        if self.chance(0.2):
            old = self.load(order, memory=memory)
            value = self.combined(old, value, seen)
        if tile is not None and not any(it.tile for it in order):
            value = next((it for it in values if it.tile is None), None) or self.load(
                [it for it in axes if it.tile is None]
            )
        self.store(value, memory, order)
        if self.chance(0.06) and not memory.shift:
            again = self.load(order, memory=memory)
            other, places = self.output(axes)
            self.store(again, other, places)

    # --- The whole --------------------------------------------------------------------------------

    def kernel(self) -> NestKernel:
        axes: list[str | None] = []
        programs = []
        count = self.random.choice((1, 1, 1, 2, 2, 3))
        for letter, extent in list(zip("XYZ", "PQR", strict=True))[:count]:
            if self.chance(0.08) and count > 1:
                axes.append(None)
                continue
            index = f"p{letter.lower()}"
            self.line(f"let {index} = T::program_id(Axis::{letter});")
            programs.append(Axis(index=index, extent=self.extent(extent)))
            axes.append(extent)
        self.random.shuffle(programs)
        self.programs = tuple(programs)
        values = [self.load(self.some(programs)) for _ in range(self.random.choice((0, 0, 1, 2)))]
        for _ in range(self.random.choice((1, 1, 1, 2, 2, 3))):
            if self.chance(0.12) and values:
                self.stored_once(values)
            hazard = self.hazard() if self.chance(0.08) else None
            values += self.loops(values, programs)
            if hazard is not None:
                values.append(self.load(hazard[1], memory=hazard[0]))
            if self.chance(0.5) and values:
                self.stored_once(values)
        if values:
            self.stored_once(values[-3:])
        if not any(it.is_written for it in self.memory):
            self.stored_once(values or [self.load(programs)])
        parameters = [f"{it.name}: T::Pointer<{it.dtype}>" for it in self.memory]
        numbers = tuple(sorted(self.extents))
        parameters += [f"{name}: i32" for name in numbers]
        generics = ["T: Triton", *(["D: Float"] if self.dtype == "D" else [])]
        generics += [f"const {name}: i32" for name in sorted(self.blocks)]
        head = f"#[kernel]\npub fn k<{', '.join(generics)}>({', '.join(parameters)}) {{"
        return NestKernel(
            rust="\n".join([head, *self.lines, "}", ""]),
            memory=tuple(self.memory),
            numbers=numbers,
            blocks=self.blocks,
            axes=tuple(axes),
            is_float=self.dtype != "i32",
        )

    def hazard(self) -> tuple[Memory, list[Axis]] | None:
        """Memory that is written here and read again behind the loop that follows."""
        memory, order = self.output(self.programs)
        self.store(self.load(self.programs), memory, order)
        return memory, order

    def stored_once(self, values: Sequence[Value]) -> None:
        one = [it for it in values if it.tile is None]
        if not one:
            return
        memory, order = self.output(self.programs)
        value = self.computed(one)
        if self.chance(0.35):
            old = self.load(order, memory=memory)
            value = self.combined(value, old, ())
        self.store(value, memory, order)


def _option(text: str | None) -> str:
    return "None" if text is None else f"Some({text})"


def nest_kernel(random: Random) -> NestKernel:
    """A random kernel."""
    writer = _Writer(random=random, dtype=random.choice(("D", "D", "D", "f32", "i32")))
    return writer.kernel()
