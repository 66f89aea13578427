"""The codes of what is wrong inside a kernel: E02 to E07, and the warnings."""

from __future__ import annotations

from transpiler.diagnostics.code import Code, error, warning

KERNEL_CODES: tuple[Code, ...] = (
    error(
        "E0201",
        "A name is not known",
        "Every name in a kernel is a parameter, a const generic or a variable declared before it "
        "is read. A variable lives until the block that declares it ends.",
        wrong="let y = x + ofset;",
        right="let y = x + offset;",
    ),
    error(
        "E0202",
        "A name is defined twice",
        "Two kernels of one file, or two parameters of one kernel, cannot share a name: the second "
        "would hide the first in the generated module.",
        wrong="fn scale<T: Triton>(n: i32, n: i32) {}",
        right="fn scale<T: Triton>(n: i32, m: i32) {}",
    ),
    error(
        "E0203",
        "A variable is assigned that is not mutable",
        "Only a variable declared with `let mut`, or a `mut` parameter, can be given another "
        "value.",
        wrong="let row = 0;\nrow += 1;",
        right="let mut row = 0;\nrow += 1;",
    ),
    error(
        "E0301",
        "The operation is not known",
        "`T::…` calls name methods of the `Triton` trait. `docs/ops.md` lists those that are "
        "translated.",
        wrong="let y = T::rsqt(x);",
        right="let y = T::rsqrt(x);",
    ),
    error(
        "E0302",
        "The number of arguments is wrong",
        "Rust has no default arguments: every parameter of an operation is written out, optional "
        "ones as `None`.",
        wrong="T::store(ptrs, value);",
        right="T::store(ptrs, value, None, &[], None, None);",
    ),
    error(
        "E0303",
        "The number of generic arguments is wrong",
        "An operation takes at most the generic arguments its signature lists; those left out are "
        "inferred.",
        wrong="T::zeros::<f32, i32>(&[BLOCK])",
        right="T::zeros::<f32>(&[BLOCK])",
    ),
    error(
        "E0304",
        "An argument has the wrong form",
        "An `Option` is `Some(…)` or `None`, a list is `&[…]`, a flag is `true` or `false`, an "
        "enum is one of its members.",
        wrong="T::load(ptrs, mask, None, &[], None, None, None, false)",
        right="T::load(ptrs, Some(mask), None, &[], None, None, None, false)",
    ),
    error(
        "E0305",
        "A mask is not made of bools",
        "A mask says lane by lane whether memory is touched: it is a tensor of bool, as "
        "comparisons give.",
        wrong="T::load(ptrs, Some(offsets), None, &[], None, None, None, false)",
        right="T::load(ptrs, Some(offsets.lt(n)), None, &[], None, None, None, false)",
    ),
    error(
        "E0306",
        "A method or field is not known",
        "Tensors have the comparison methods `lt`, `le`, `gt`, `ge`, `eq` and `ne`; pointers have "
        "`add_offsets`; tuples have `.0`, `.1` and so on. Everything else is an operation: "
        "`T::op(…)`.",
        wrong="let mask = offsets.less(n);",
        right="let mask = offsets.lt(n);",
    ),
    error(
        "E0307",
        "A member of an enum is not known",
        "The enum has no member of this name.",
        wrong="T::program_id(Axis::W)",
        right="T::program_id(Axis::Z)",
    ),
    error(
        "E0308",
        "An operation cannot combine values by this",
        "`T::reduce` and `T::associative_scan` are given the name of a function of the file that "
        "makes one value of two of its own type, for single elements, and does nothing else: Triton "
        "calls it as often and in such order as it likes, and gives it nothing but the two values.",
        wrong="let total = T::reduce(x, 0, |a, b| a + b, false);",
        right="fn add<T: Triton, D: Num>(a: T::Tensor<D>, b: T::Tensor<D>) -> T::Tensor<D> { a + b }\n\n"
        "let total = T::reduce(x, 0, add::<T, D>, false);",
    ),
    error(
        "E0401",
        "Types do not match",
        "The language never converts on its own: both sides of an operator, an argument and its "
        "parameter, and the arms of an `if` have one dtype. Tensors are converted with `T::cast`, "
        "scalars with `as`, scalars to a generic dtype with `D::from_f64`.",
        wrong="let y = x * offsets;  // D and i32",
        right="let y = x * T::cast::<i32, D>(offsets, None, false);",
    ),
    error(
        "E0402",
        "Shapes do not go together",
        "Tensors broadcast where each dimension is equal or 1 on one side. Dimensions given by "
        "different const generics are different. A variable keeps its shape for as long as it "
        "lives.",
        wrong="let z = x + y;  // [BLOCK_M] and [BLOCK_N]",
        right="let z = T::expand_dims(x, 1) + T::expand_dims(y, 0);",
    ),
    error(
        "E0403",
        "A condition is not one bool",
        "`if` and `while` decide for the whole program, so their condition is a scalar `bool`. "
        "Lane by lane, `T::where_(mask, a, b)` chooses.",
        wrong="if x.lt(y) { … }",
        right="let z = T::where_(x.lt(y), a, b);",
    ),
    error(
        "E0404",
        "A value is of the wrong kind",
        "The operation needs a tensor, a tensor of pointers, a pointer or a scalar, and was given "
        "another of them.",
        wrong="T::load(x_ptr, None, None, &[], None, None, None, false)",
        right="T::load(x_ptr.add_offsets(offsets), None, None, &[], None, None, None, false)",
    ),
    error(
        "E0405",
        "A type is not known",
        "Kernels know the primitive dtypes, their own dtype parameters, `T::Pointer<D>`, "
        "`T::Tensor<D>`, `T::I32Tensor` and `T::BoolTensor`.",
        wrong="let mut i: i33 = 0;",
        right="let mut i: i32 = 0;",
    ),
    error(
        "E0406",
        "A constant does not fit its type",
        "A literal, or what a constant expression computes, is outside the values of its type. "
        "rustc refuses it too.",
        wrong="let n: i32 = 3_000_000_000;",
        right="let n: i64 = 3_000_000_000;",
    ),
    error(
        "E0407",
        "An operator is not defined for its operands",
        "Arithmetic is for numbers, `&` `|` `^` for bools and integers, `&&` `||` and comparisons "
        "for scalars. Tiles are compared with methods such as `.lt(…)`, and pointers moved with "
        "`.add_offsets(…)`.",
        wrong="let mask = offsets < n;",
        right="let mask = offsets.lt(n);",
    ),
    error(
        "E0408",
        "A dtype cannot be inferred",
        "Nothing in the kernel says which dtype this has.",
        wrong="let unused = T::zeros(&[BLOCK]);",
        right="let unused = T::zeros::<f32>(&[BLOCK]);",
    ),
    error(
        "E0501",
        "A value must be known at compile time",
        "Shapes, axes and the bounds of `arange` become part of the compiled kernel: they are "
        "literals, const generics, or computed from these.",
        wrong="T::arange(0, n)",
        right="T::arange(0, BLOCK)",
    ),
    error(
        "E0502",
        "The extent of a tile is refused by Triton",
        "Every dimension of a tile is a power of two, and a tile has at most 1,048,576 elements. "
        "Take the next power of two and mask what is too much.",
        wrong="T::arange(0, 100)",
        right="T::arange(0, 128)  // with a mask: `.lt(100)`",
    ),
    error(
        "E0503",
        "A tile is empty",
        "A tile has at least one element in each dimension.",
        wrong="T::arange(0, 0)",
        right="T::arange(0, 1)",
    ),
    error(
        "E0504",
        "An operation is not defined for a dtype or an option",
        "The operation's bound, or Triton, admits fewer dtypes than the kernel's own parameter "
        "does, or Triton does not have the option: loads and stores have different cache "
        "modifiers. A kernel is offered for the dtypes that all its operations have; where none is "
        "left, that is this error as well.",
        wrong="fn k<T: Triton, D: Num>(…) { T::exp(x) }",
        right="fn k<T: Triton, D: Float>(…) { T::exp(x) }",
    ),
    error(
        "E0505",
        "A value for masked lanes without a mask",
        "`other` is what a load gives where its mask is off; without a mask Triton refuses it.",
        wrong="T::load(ptrs, None, Some(zeros), &[], None, None, None, false)",
        right="T::load(ptrs, Some(mask), Some(zeros), &[], None, None, None, false)",
    ),
    error(
        "E0601",
        "A construct is not supported in a kernel",
        "The construct is Rust, but not of the part that kernels are translated from: "
        "straight-line code, `if`, `while`, `for` over ranges, scalars, tensors and tuples of "
        "them.",
        wrong="let total = values.iter().map(|x| x + 1);",
        right="let total = values + 1;",
    ),
    error(
        "E0602",
        "A function calls itself",
        "Triton has no recursion: a function that kernels call can lead back to itself neither "
        "directly nor through others.",
        wrong="fn power(x: i32, n: i32) -> i32 { if n == 0 { 1 } else { x * power(x, n - 1) } }",
        right="let mut power = 1;\nfor _ in 0..n { power *= x; }",
    ),
    error(
        "E0603",
        "A `match` does not cover every value",
        "The arms of a `match` cover every value of the type, as in rustc; an arm with an `if` "
        "guard does not count.",
        wrong="let q = match n { 0 => 4, 1 => 8 };",
        right="let q = match n { 0 => 4, 1 => 8, _ => 16 };",
    ),
    error(
        "E0604",
        "A jump has no target",
        "`break` and `continue` stand in a loop, and a label they name is that of a loop or block "
        "around them.",
        wrong="if n > end { break; }",
        right="for i in 0..n { if i > end { break; } }",
    ),
    error(
        "E0701",
        "A kernel has no `Triton` parameter",
        "A kernel is generic over the hardware: exactly one type parameter, `T` by custom, is "
        "bounded by `Triton`, and all operations are its methods.",
        wrong="pub fn scale<T>(x_ptr: T::Pointer<f32>) {}",
        right="pub fn scale<T: Triton>(x_ptr: T::Pointer<f32>) {}",
    ),
    error(
        "E0702",
        "A type parameter is not a dtype",
        "Every type parameter but the hardware is a dtype, bounded by `Float`, `Int`, `Num`, "
        "`Bool` or `Dtype`; the bound tells which specialisations there are.",
        wrong="fn k<T: Triton, D: Copy>() {}",
        right="fn k<T: Triton, D: Float>() {}",
    ),
    error(
        "E0703",
        "An argument of `#[kernel(…)]` is not known",
        "The attribute takes `backward = Name`, the struct of the backward kernel, and `dtypes = "
        "[f32, f64]`, the dtypes to offer.",
        wrong="#[kernel(dtype = [f32])]",
        right="#[kernel(dtypes = [f32])]",
    ),
    error(
        "E0704",
        "The signature of a kernel is refused",
        "A kernel takes pointers and scalars, has const generics that are integers or bools, and "
        "returns nothing.",
        wrong="pub fn k<T: Triton>(x: T::Tensor<f32>) -> i32 { 0 }",
        right="pub fn k<T: Triton>(x_ptr: T::Pointer<f32>) {}",
    ),
    error(
        "E0706",
        "A `cfg` condition is malformed",
        'Conditions are `feature = "…"`, and `all(…)`, `any(…)` and `not(…)` of conditions.',
        wrong="#[cfg(feature(training))]",
        right='#[cfg(feature = "training")]',
    ),
    error(
        "E0707",
        "An attribute is misspelt",
        "Without `#[kernel]` a function is host code, and the module would lack it.",
        wrong="#[kernal]\npub fn k<T: Triton>(n: i32) {}",
        right="#[kernel]\npub fn k<T: Triton>(n: i32) {}",
    ),
    warning(
        "W0501",
        "A kernel does not offer the dtypes asked for",
        "`--dtype` asked for dtypes alone that the kernel's bounds, its `dtypes` attribute or its "
        "operations do not admit, or for one the bounds do and an operation does not. The kernel is "
        "written, without these specialisations.",
        wrong="teeny-transpile --dtype i32 float_kernels.rs",
        right="teeny-transpile --dtype f32 float_kernels.rs",
    ),
)
