"""Random functions of host code, of the Rust that is modelled.

Conversions between integers are written `.as_u32()`: rustc gets them as methods that tell whether the number fits, and
the compiler as `as u32`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import random

Arguments: TypeAlias = tuple[object, ...]

UNSIGNED = ("usize", "u32", "u8")
SIGNED = ("i32", "i64")
INTEGERS = ("usize", "usize", "usize", "u32", "i32", "i32", "i64", "u8")
RESULTS = (*INTEGERS, "bool", "f32", "list", "option")
RUST_TYPES = {"list": "Vec<usize>", "option": "Option<usize>"}

PARAMETERS = {
    "xs": "list",
    "p": "usize",
    "q": "usize",
    "u": "u32",
    "i": "i32",
    "j": "i32",
    "b": "u8",
    "x": "f32",
    "o": "option",
}
SIGNATURE = (
    "xs: &[usize], p: usize, q: usize, u: u32, i: i32, j: i32, b: u8, x: f32, o: Option<usize>"
)

SAMPLE = "&[1], 2, 3, 4, 5, 6, 7, 1.0, None"
"""Arguments as Rust writes them."""

_CONVERSION = re.compile(r"\.as_(\w+)\(\)")
_HOLE = re.compile(r"\$\[([^\]]*)\]|\$([a-z]+\d*)(_0)?")

# `$usize` is a value, `$usize_0` a name or a number, `$[a b]` one of several words, `$t` the type itself, `$integer` a
# value of any integer type and `$same` one more of that type.
_INTEGER_FORMS = (
    *("($t $[+ + * - - / % & | ^] $t)",) * 3,
    "($t $[<< >>] $[0 1 2 3 5])",
    "$t.$[min max wrapping_add wrapping_sub wrapping_mul saturating_sub saturating_add rem_euclid]($t)",
    "$t.$[min max wrapping_sub saturating_sub rem_euclid]($t)",
    "$t.clamp($[0 1 2], $[2 5 9])",
    "$t.pow($[0 1 2 3])",
    "($integer.abs_diff($same).as_T())",
    "($integer.$[leading_zeros count_ones ilog2]().as_T())",
    "($i32.unsigned_abs().as_T())",
    "($i64.unsigned_abs().as_T())",
    "$t.isqrt()",
    *("($integer.as_T())",) * 2,
    "($f32.as_T())",
    "($bool as T)",
    *("(if $bool { $t } else { $t })",) * 2,
    "(match $usize { $[0 1] => $t, 2 | 3 => $t_0, 4..=9 => $t_0, n if n > 20 && $bool_0 => $t_0, _ => $t })",
    "(match $i32 { -1 => $t, 2 | 3 => $t_0, -9..=0 => $t_0, _ => $t })",
    "$t.$[checked_add checked_sub checked_mul checked_div checked_rem]($t).unwrap_or($t_0)",
    "({ let inner: T = $t; inner.max($t) })",
    "$option.map_or($t_0, |n| n.as_T())",
    "($usize.as_T())",
    "std::cmp::$[min max]($t, $t)",
)
_UNSIGNED_FORMS = (
    "$t.div_ceil($t)",
    "$t.$[div_ceil next_multiple_of]($t)",
    "$t.next_power_of_two()",
)
_SIGNED_FORMS = ("$t.abs()", "(-$t)")
_SIZE_FORMS = (
    "xs[$usize_0]",
    "xs.len()",
    "xs[$usize_0 % 3]",
    "xs[xs.len() - 1]",
    "$option.unwrap_or($usize_0)",
    "$option.unwrap_or_default()",
    "$option.unwrap()",
    "(if let Some(n) = $option { n + 1 } else { $usize_0 })",
    "(match $option { Some(0) => 9, Some(n) => n, None => $usize_0 })",
    "$iter.$[sum product]::<usize>()",
    "$iter.$[sum product]::<usize>()",
    "$iter.count()",
    "$iter.fold($usize_0, |a, e| a + e)",
    "$iter.fold(1usize, |a, e| a.max(e))",
    "$iter.$[max min]().unwrap_or($usize_0)",
    "xs.iter().rev().skip(1).copied().sum::<usize>()",
    "xs.iter().position(|&e| $test).unwrap_or(77)",
    "xs.windows($[1 2 3]).map(|w| w[0] * w[w.len() - 1]).sum::<usize>()",
    "xs.chunks($[1 2 3]).map(|c| c.iter().product::<usize>()).sum::<usize>()",
    "xs.windows($usize_0).count()",
    "xs.chunks($usize_0).count()",
    "xs.iter().$[max min]_by_key(|&&e| e % 3).copied().unwrap_or(5)",
    "$list.len()",
    "xs[$[0 1 2]..].iter().product::<usize>()",
    "xs[..$[0 1 2 p]].iter().sum::<usize>()",
    "xs[$[0 1 p]..$[1 2 q]].iter().sum::<usize>()",
)
_FORMS = {
    "bool": (
        "($integer $[< <= > >= == !=] $same)",
        "($integer $[< <= > >= == !=] $same)",
        "($f32 $[< <= > >= == !=] $f32)",
        "($bool $[&& || ^ & == !=] $bool)",
        "(!$bool)",
        "$iter.$[any all](|e| $test)",
        "$option.$[is_some is_none]()",
        "$option.is_some_and(|e| $test)",
        "$usize.is_power_of_two()",
        "$usize.is_multiple_of($usize_0)",
        "xs.is_empty()",
        "xs.contains(&$usize)",
        "xs.$[starts_with ends_with](&[$usize_0])",
        "($list == xs.to_vec())",
        "(2..9).contains(&$usize)",
        "matches!($usize, 1 | 3..=5)",
        "($option == $option_0)",
    ),
    "f32": (
        *("($f32 $[+ - * / %] $f32)",) * 3,
        "($integer as f32)",
        "$f32.$[abs sqrt floor ceil trunc recip]()",
        "$f32.$[min max]($f32)",
        "(-$f32)",
        "$f32.clamp(-1.0, 1.5)",
        "(if $bool { $f32 } else { $f32 })",
    ),
    "list": (
        "vec![$usize, $usize]",
        "vec![$usize; $[0 1 3]]",
        "$iter.collect::<Vec<usize>>()",
        "xs[$[0 1 2]..].to_vec()",
        "xs[..$[0 1 2 p]].to_vec()",
        "xs.iter().rev().copied().collect::<Vec<_>>()",
        "(0..$usize_0.min(5)).rev().collect::<Vec<usize>>()",
        "[xs, &[$usize]].concat()",
        "(if $bool { $list } else { $list })",
        "xs.split_at($[0 1 2]).$[0 1].to_vec()",
    ),
    "option": (
        "Some($usize)",
        "xs.get($usize).copied()",
        "xs.$[first last]().copied()",
        "$option.map(|e| $item)",
        "$option.and_then(|e| e.checked_sub($[1 2 3]))",
        "$option.and_then(|e| xs.get(e)).copied()",
        "$option.filter(|&e| $test)",
        "$option.or($option_0)",
        "$iter.$[max min last next]()",
        "$iter.nth($[0 1 2])",
        "$iter.find(|&e| $test)",
        "$iter.position(|e| $test)",
        "$bool.then(|| $usize)",
        "$usize.$[checked_add checked_sub checked_mul checked_div checked_rem]($usize)",
        "(if $bool { $option } else { None })",
    ),
    "test": ("e > 1", "e % 2 == 0", "e != 3", "e < $usize_0", "(e == 1 || e == 4)"),
    "item": ("e", "e + 1", "e * 2", "e.max($usize_0)", "e - 1", "e % 3", "e / $usize_0", "xs[e]"),
    "iter": (
        "xs.iter().copied()",
        "xs.iter().copied()",
        "(0..$usize_0)",
        "($usize_0..6)",
        "$list.into_iter()",
    ),
    "step": (
        ".filter(|&e| $test)",
        ".map(|e| $item)",
        ".map(|e| $item)",
        ".skip($[0 1 2 p])",
        ".take($[0 1 2 3 q])",
        ".step_by($[1 2 3])",
        ".enumerate().map(|(k, e)| k + e)",
        ".zip(xs.iter()).map(|(e, f)| e * f)",
        ".chain(xs.iter().copied())",
        ".take_while(|&e| $test)",
        ".skip_while(|&e| $test)",
        ".filter_map(|e| if $test { Some(e + 1) } else { None })",
        ".flat_map(|e| vec![e, 1])",
    ),
}
_LEAVES = {
    "bool": ("true", "false"),
    "f32": ("0.1f32", "1.0f32", "2.5f32", "3f32"),
    "list": ("vec![1usize, 2, 3]", "vec![0usize; 2]", "Vec::<usize>::new()"),
    "option": ("None::<usize>", "Some(3usize)", "xs.first().copied()"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFunction:
    """A function, as rustc gets it."""

    name: str
    text: str

    @property
    def source(self) -> str:
        """What the compiler gets."""
        return _CONVERSION.sub(r" as \1", self.text)


def arguments(rng: random.Random) -> Arguments:
    """What a function is called with, in the order of `SIGNATURE`."""
    extents = (0, 1, 1, 2, 3, 4, 5, 7, 16, 33)
    signed = (0, 1, -1, 2, -2, 3, -5, 7, -8, 100)
    return (
        [rng.choice(extents) for _ in range(rng.choice((0, 1, 1, 2, 3, 4, 5)))],
        rng.choice(extents),
        rng.choice(extents),
        rng.choice((*extents, 1000)),
        rng.choice(signed),
        rng.choice(signed),
        rng.choice((0, 1, 2, 5, 100, 255)),
        rng.choice((0.0, 1.0, -1.0, 0.1, 2.5, -3.7, 1e10, 16777217.0)),
        rng.choice((None, *extents)),
    )


@dataclass(slots=True, kw_only=True)
class Writer:
    """Writes one function."""

    rng: random.Random
    scope: dict[str, str] = field(default_factory=lambda: dict(PARAMETERS))
    count: int = 0

    def function(self, name: str) -> HostFunction:
        """A function of a random result."""
        result = self.rng.choice(RESULTS)
        body = "".join(f"    {self._statement()}\n" for _ in range(self.rng.choice((0, 1, 2, 3))))
        type_ = RUST_TYPES.get(result, result)
        text = f"fn {name}({SIGNATURE}) -> {type_} {{\n{body}    {self.value(result, 3)}\n}}\n"
        return HostFunction(name=name, text=text)

    def _statement(self) -> str:
        write = self.rng.choice(
            (self._let, self._let, self._tuple, self._else, self._loop, self._for, self._pushes)
        )
        return write()

    def _fresh(self, type_: str) -> str:
        self.count += 1
        name = f"v{self.count}"
        self.scope[name] = type_
        return name

    def _let(self) -> str:
        type_ = self.rng.choice(RESULTS)
        value = self.value(type_, 2)
        return f"let {self._fresh(type_)}: {RUST_TYPES.get(type_, type_)} = {value};"

    def _tuple(self) -> str:
        first, second = self.rng.choice(INTEGERS), self.rng.choice(("bool", "usize", "list"))
        values = f"({self.value(first, 2)}, {self.value(second, 1)})"
        return f"let ({self._fresh(first)}, {self._fresh(second)}) = {values};"

    def _else(self) -> str:
        value = self.value("option", 1)
        return f'let Some({self._fresh("usize")}) = {value} else {{ panic!("none") }};'

    def _loop(self) -> str:
        limit = self.value("usize", 1)
        self.count += 1
        name = f"w{self.count}"
        self.scope[name] = "usize"
        type_ = self.rng.choice(("usize", "i32"))
        given, step = self.value(type_, 1), self.rng.choice("123")
        return (
            f"let mut {name} = 0usize; let {self._fresh(type_)}: {type_} = loop {{ "
            f"if {name} >= ({limit}).min(9) {{ break {given}; }} {name} += {step}; }};"
        )

    def _for(self) -> str:
        type_ = self.rng.choice(("usize", "i32", "u32"))
        first = self.value(type_, 0)
        source = self.expand(
            self.rng.choice(("$list", "0..$usize.min(7)", "xs.iter().copied()", "$iter")), 1
        )
        name = self._fresh(type_)
        self.scope["e"] = "usize"
        update = self.rng.choice((f"{name} += $value;", f"if $bool {{ {name} = $value; }}"))
        skip = self.rng.choice(("", "", "if $bool { continue; } ", "if $bool { break; } "))
        inner = self.expand((skip + update).replace("$value", f"${type_}"), 1)
        del self.scope["e"]
        return f"let mut {name}: {type_} = {first}; for e in {source} {{ {inner} }}"

    def _pushes(self) -> str:
        change = self.rng.choice(
            ("push($usize)", "extend($list_0)", "reverse()", "insert(0, $usize)")
        )
        text = self.expand(f"if $bool {{ NAME.{change}; }}", 1)
        name = self._fresh("list")
        return f"let mut {name}: Vec<usize> = xs.to_vec(); {text.replace('NAME', name)}"

    def value(self, type_: str, depth: int) -> str:
        """A value of a type, in parentheses where it is more than a name or a call."""
        if type_ not in {"iter", "item", "test"} and (depth <= 0 or self.rng.random() < 0.1):
            return self._leaf(type_)
        if type_ in INTEGERS:
            forms = _INTEGER_FORMS + (
                _UNSIGNED_FORMS * 3 if type_ in UNSIGNED else _SIGNED_FORMS * 2
            )
            if type_ == "usize" and self.rng.random() < 0.5:
                forms = _SIZE_FORMS
            form = re.sub(r"\bT\b", type_, self.rng.choice(forms).replace("as_T", f"as_{type_}"))
            return self.expand(
                re.sub(r"\$t\b", f"${type_}", form).replace("$t_0", f"${type_}_0"), depth - 1
            )
        text = self.expand(self.rng.choice(_FORMS[type_]), depth - 1)
        if type_ == "iter":
            for _ in range(self.rng.choice((0, 1, 1, 2, 3))):
                text += self.expand(self.rng.choice(_FORMS["step"]), depth - 1)
        return text

    def expand(self, form: str, depth: int) -> str:
        """A form with its holes filled."""
        integer = self.rng.choice(INTEGERS)

        def fill(hole: re.Match[str]) -> str:
            words, type_, is_leaf = hole.groups()
            if words is not None:
                return str(self.rng.choice(words.split()))
            type_ = integer if type_ in {"integer", "same"} else type_
            return self.value(type_, 0 if is_leaf else depth)

        return _HOLE.sub(fill, form)

    def _leaf(self, type_: str) -> str:
        names = [name for name, it in self.scope.items() if it == type_]
        if names and self.rng.random() < 0.75:
            name = self.rng.choice(names)
            return f"{name}.to_vec()" if type_ == "list" else name
        if type_ in _LEAVES:
            return self.rng.choice(_LEAVES[type_])
        return self.rng.choice(("0", "1", "2", "3", "7", "8", "10")) + type_
