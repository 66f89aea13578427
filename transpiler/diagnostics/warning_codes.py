"""The codes of warnings: what compiles, and is probably not meant."""

from __future__ import annotations

from transpiler.diagnostics.code import Code, warning

WARNING_CODES: tuple[Code, ...] = (
    warning(
        "W0601",
        "Masked lanes change what a reduction gives",
        "A reduction takes in every lane of a tile, those a mask leaves out too. What they hold has "
        "to be the identity of the reduction: 0 for a sum, -infinity for a maximum, infinity for a "
        "minimum. A load without a fill leaves them undefined; and a fill that was the identity "
        "does not stay it: `exp(0)` is 1, and `0 - mean` is not 0. The fill is followed from the "
        "load through everything computed lane by lane; `T::where_` with the same mask puts the "
        "identity back. Accumulating over a loop whose mask moves along is a reduction too, "
        "and so is a matrix product, where one side has to be 0. Fills "
        "the compiler does not know, such as parameters, are not judged.",
        wrong="let x = T::load(ptrs, Some(mask), Some(zeros), &[], None, None, None, false);\n"
        "let total = T::sum(T::exp(x), Some(0), true);",
        right="let x = T::load(ptrs, Some(mask), Some(zeros), &[], None, None, None, false);\n"
        "let total = T::sum(T::where_(mask, T::exp(x), zeros), Some(0), true);",
    ),
    warning(
        "W0602",
        "A store without a mask goes past the bound of others",
        "Another access of the kernel, at the same offsets or along the same lanes, is masked by a "
        "bound; this store is not. In the last tile it writes behind the end of the tensor, or into "
        "the next row.",
        wrong="let x = T::load(x_ptr.add_offsets(offsets), Some(mask), None, &[], None, None, None, false);\n"
        "T::store(y_ptr.add_offsets(offsets), x, None, &[], None, None);",
        right="let x = T::load(x_ptr.add_offsets(offsets), Some(mask), None, &[], None, None, None, false);\n"
        "T::store(y_ptr.add_offsets(offsets), x, Some(mask), &[], None, None);",
    ),
    warning(
        "W0603",
        "A tile has an extent that is never a power of two",
        "Triton's tiles have extents that are powers of two. This one is an odd multiple of a const "
        "generic, so no block size makes it one. An extent given as a number is refused, by E0502.",
        wrong="let lanes = T::arange(0, 3 * BLOCK);",
        right="let lanes = T::arange(0, 4 * BLOCK);\nlet mask = lanes.lt(3 * BLOCK);",
    ),
    warning(
        "W0604",
        "Programs store to the same addresses",
        "The programs of a grid run in any order and at once. Where several store different values to "
        "one address, whichever comes last wins: because the offsets leave out a coordinate of the "
        "program that the value depends on, or because the step from program to program is shorter "
        "than the tile. Stores under a condition, or a mask, on that coordinate are not reported.",
        wrong="let lanes = T::arange(0, BLOCK);\n"
        "let x = T::load(x_ptr.add_offsets(lanes + T::program_id(Axis::X) * BLOCK), …);\n"
        "T::store(y_ptr.add_offsets(lanes), x, None, &[], None, None);",
        right="let lanes = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;\n"
        "let x = T::load(x_ptr.add_offsets(lanes), …);\n"
        "T::store(y_ptr.add_offsets(lanes), x, None, &[], None, None);",
    ),
    warning(
        "W0605",
        "A variance is the difference of two squares",
        "`sum(x * x) / n - mean * mean` subtracts two numbers that agree in most of their digits where "
        "the mean is large against the deviation: in f32, a mean of 1,000 and a deviation of 0.1 "
        "leave no digit right, and the result may be negative, which a square root makes NaN. Sum "
        "the squares of `x - mean` in a second pass, or update mean and deviation together.",
        wrong="let var = T::sum(x * x, None, true) * n_inv - mean * mean;",
        right="let d = x - mean;\nlet var = T::sum(d * d, None, true) * n_inv;",
    ),
    warning(
        "W0606",
        "Programs update the same address without an atomic",
        "A load, a change and a store of one address by several programs lose updates: another program "
        "may store in between. The offsets leave out a coordinate of the program that the kernel "
        "uses, such as `program / columns` beside `program % columns`.",
        wrong="let sum = T::load(sum_ptr.add_offsets(lanes), …);\n"
        "T::store(sum_ptr.add_offsets(lanes), sum + x, None, &[], None, None);",
        right="T::atomic_add(sum_ptr.add_offsets(lanes), x, None, None, None);",
    ),
    warning(
        "W0607",
        "A number may pass 2³¹ although the tensors are smaller",
        "Offsets are i32, and a launch is refused where a tensor has 2³¹ elements or more; so an offset "
        "inside a tensor fits, and sums that wrap on the way come out right. Two things do not. A "
        "mask that compares an index times a run-time size (`rows * n`) sees lanes far outside the "
        "tensor, which may have wrapped to negative numbers and pass: compare `rows` instead. And a "
        "product computed in 32 bits does not come back when it is converted to i64 afterwards.",
        wrong="let start = (row * stride) as i64;",
        right="let start = row as i64 * stride as i64;",
    ),
    warning(
        "W0701",
        "A parameter is never read",
        "Nothing in the kernel depends on it. Where the host has to pass it all the same, a name "
        "that starts with an underscore says so. Const generics are never reported: they name the "
        "specialisation.",
        wrong="pub fn k<T: Triton>(x_ptr: T::Pointer<f32>, n: i32) {}",
        right="pub fn k<T: Triton>(_x_ptr: T::Pointer<f32>, _n: i32) {}",
    ),
    warning(
        "W0702",
        "A variable is never read",
        "Its value is computed for nothing, or another name was meant where it should be read.",
        wrong="let last = end - 1;",
        right="let _last = end - 1;",
    ),
    warning(
        "W0703",
        "A variable is mutable and never assigned",
        "`mut` announces another value, which never comes.",
        wrong="let mut total = x;",
        right="let total = x;",
    ),
    warning(
        "W0704",
        "A name is another one in Python",
        "The name is a keyword of Python, or the generated module or Triton's launcher uses it itself; "
        "the new one ends in an underscore. Whoever calls the kernel with keywords has to know. "
        "Names of variables change where they have to without a word: nobody outside sees them.",
        wrong="pub fn shrink<T: Triton>(x_ptr: T::Pointer<f32>, lambda: f32) {}",
        right="pub fn shrink<T: Triton>(x_ptr: T::Pointer<f32>, threshold: f32) {}",
    ),
    warning(
        "W0705",
        "A comment allows what is no warning",
        "`// teeny: allow(W0601) the reason` above a kernel, a function or a statement, or behind code, "
        "takes that warning back there. Only codes of warnings stand in it.",
        wrong="// teeny: allow(W601) every mask is whole here",
        right="// teeny: allow(W0601) every mask is whole here",
    ),
    warning(
        "W0706",
        "No kernel has the struct that `backward` names",
        "`#[kernel(backward = Y)]` names the struct that the macro makes of the backward kernel: its "
        "name in `PascalCase`. No kernel of the file has this one, and no `use` brings it in; so the "
        "forward kernel has no gradients.",
        wrong="#[kernel(backward = ScaleBackwards)]\n"
        "pub fn scale<T: Triton>(x_ptr: T::Pointer<f32>) {}\n"
        "#[kernel]\n"
        "pub fn scale_backward<T: Triton>(x_ptr: T::Pointer<f32>) {}",
        right="#[kernel(backward = ScaleBackward)]\n"
        "pub fn scale<T: Triton>(x_ptr: T::Pointer<f32>) {}\n"
        "#[kernel]\n"
        "pub fn scale_backward<T: Triton>(x_ptr: T::Pointer<f32>) {}",
    ),
    warning(
        "W0801",
        "An option has no effect without another",
        "The flags of transforms and the remarks about them say something about `-O`, which was not "
        "given. The module is the one that is made without them. Where `-O0` is given as well, that "
        "is what was asked for, and nothing is said.",
        wrong="teeny-transpile kernels/batchnorm.rs -fblock-axis",
        right="teeny-transpile kernels/batchnorm.rs -O -fblock-axis",
    ),
)
