"""Random kernels that do a row or a column in one tile, or several with what they carry from one to the next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

POINTERS = "xwys"
_AROUND = (
    "for i in 0..3 {{ {} }}",
    "for i in 0..n {{ {} }}",
    "if n > 3 {{ {} }}",
    "if p > 2 {{ {} }}",
    "for i in 0..3 {{ if p + i < 4 {{ {} }} }}",
    "if p * 2 < n {{ for i in 0..2 {{ {} }} }}",
)
_BINARY = ("{} + {}", "{} - {}", "T::maximum({}, {})", "T::minimum({}, {})", "{} * {}")
_REDUCTIONS = ("sum", "max", "min")
_ADDRESSES = ("p * n + {}", "p * (n + 1) + {}", "{} * m + p", "{} * (m + 2) + p + 1")


def rust(random: Random) -> str:
    """A kernel `k` of pointers `x_ptr`, `w_ptr`, `y_ptr`, `s_ptr`, numbers `n` and `m`, and `m` programs."""
    body = "\n".join(_Body(random).statements())
    pointers = ", ".join(f"{it}_ptr: T::Pointer<D>" for it in POINTERS)
    return (
        f"#[kernel]\npub fn k<T: Triton, D: Float, const BLOCK: i32>({pointers}, n: i32, m: i32) {{\n"
        f"let p = T::program_id(Axis::X);\nlet one = T::arange(0, 1) + p;\n{body}\n}}\n"
    )


@dataclass(slots=True)
class _Body:
    """Numbers stay small and whole, so that sums are exact in any order."""

    random: Random
    tiles: list[str] = field(default_factory=list)
    ones: list[str] = field(default_factory=list)
    count: int = 0

    def statements(self) -> list[str]:
        random = self.random
        lines: list[str] = []
        if random.random() < 0.25:
            lines.append(f"if p >= {random.choice(('m', 'n', 'm - 1'))} {{ return; }}")
        address = random.choice(_ADDRESSES)
        lines += ["let o = T::arange(0, BLOCK);", "let mask = o.lt(n);"]
        lines += [*self._loaded("x", address.format("o")), *self._loaded("w", "o")]
        lines += [f"let each = {_load('w', 'one', 'None', 'None')};"]
        self.ones.append("each")
        for _ in range(random.randint(2, 7)):
            lines += random.choice((self._computed, self._reduced, self._carried, self._chosen))()
        target = random.choice("xyy")
        value = random.choice(self.tiles)
        store = _store(target, address.format("o"), value, "Some(mask)")
        lines.append(f"if p != 2 {{ {store} }}" if random.random() < 0.2 else store)
        if random.random() < 0.3:
            lines.append(
                f"T::atomic_add(s_ptr.add_offsets(o), {random.choice(self.tiles)}, Some(mask), None, None);"
            )
        else:
            lines.append(_store("s", "one", random.choice(self.ones), "None"))
        return lines

    def _named(self, value: str) -> tuple[str, str]:
        self.count += 1
        name = f"v{self.count}"
        return name, f"let {name} = {value};"

    def _kept(self, value: str, *, is_tile: bool) -> list[str]:
        shape = "BLOCK" if is_tile else "1"
        least, most = (f"T::full::<D>(&[{shape}], D::from_f64({it}))" for it in ("-4.0", "4.0"))
        name, line = self._named(f"T::minimum(T::maximum({value}, {least}), {most})")
        (self.tiles if is_tile else self.ones).append(name)
        return [line]

    def _loaded(self, pointer: str, address: str) -> list[str]:
        fill = f"Some(T::full::<D>(&[BLOCK], D::from_f64({self.random.choice(('0.0', '-2.0'))})))"
        name, line = self._named(_load(pointer, address, "Some(mask)", fill))
        self.tiles.append(name)
        return [line]

    def _tile(self) -> str:
        if self.random.random() < 0.25:
            return f"T::broadcast_to({self.random.choice(self.ones)}, &[BLOCK])"
        return self.random.choice(self.tiles)

    def _computed(self) -> list[str]:
        is_tile = self.random.random() < 0.7
        pick = self._tile if is_tile else (lambda: self.random.choice(self.ones))
        value = self.random.choice(_BINARY).format(pick(), pick())
        return self._kept(value, is_tile=is_tile)

    def _reduced(self) -> list[str]:
        tile = self.random.choice(self.tiles)
        if self.random.random() < 0.2:
            return self._kept(f"T::cumsum({tile}, 0, false)", is_tile=True)
        axis = self.random.choice(("Some(0)", "None", "Some(-1)"))
        keep = f"T::{self.random.choice(_REDUCTIONS)}({tile}, {axis}, true)"
        return self._kept(keep, is_tile=False)

    def _chosen(self) -> list[str]:
        condition = self.random.choice(
            ("mask", f"T::gt({self._tile()}, {self._tile()})", "o.lt(p)")
        )
        value = f"T::where_({condition}, {self._tile()}, {self._tile()})"
        return self._kept(value, is_tile=True)

    def _carried(self) -> list[str]:
        """A variable that a loop, or a branch, assigns."""
        is_tile = self.random.random() < 0.6
        pick = self._tile if is_tile else (lambda: self.random.choice(self.ones))
        shape = "BLOCK" if is_tile else "1"
        start = self.random.choice((f"T::zeros::<D>(&[{shape}])", pick()))
        self.count += 1
        name = f"a{self.count}"
        change = f"{name} = T::minimum({pick()}, {pick()}) - {name};"
        around = self.random.choice(_AROUND)
        return [
            f"let mut {name} = {start};",
            around.format(change),
            *self._kept(name, is_tile=is_tile),
        ]


def _load(pointer: str, offsets: str, mask: str, fill: str) -> str:
    return f"T::load({pointer}_ptr.add_offsets({offsets}), {mask}, {fill}, &[], None, None, None, false)"


def _store(pointer: str, offsets: str, value: str, mask: str) -> str:
    return f"T::store({pointer}_ptr.add_offsets({offsets}), {value}, {mask}, &[], None, None);"
