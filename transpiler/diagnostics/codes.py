"""The one table of diagnostic codes: `--explain`, `docs/diagnostics.md` and the sink read it.

Families: E01 text and syntax, E02 names, E03 operations and their arguments, E04 types and shapes, E05 what Triton
refuses, E06 Rust that is not supported, E07 attributes and generics, E08 files and options. W: warnings, W06 for what
goes wrong on a GPU, W07 for names, W08 for options. R: remarks, R07 for what a file could have and has not, R08 for
what the optimiser did. 09 of each kind: operators.
"""

from __future__ import annotations

from transpiler.diagnostics.code import Code, error
from transpiler.diagnostics.host_codes import HOST_CODES
from transpiler.diagnostics.kernel_codes import KERNEL_CODES
from transpiler.diagnostics.remark_codes import REMARK_CODES
from transpiler.diagnostics.warning_codes import WARNING_CODES

_TABLE = (
    error(
        "E0101",
        "The file holds no Rust item",
        "A file to transpile holds at least one item: a kernel, or the host code around kernels. "
        "An empty file, or one of comments alone, is most often the wrong file.",
        wrong="// nothing here yet",
        right="#[kernel]\npub fn copy<T: Triton>(x_ptr: T::Pointer<f32>) {}",
    ),
    error(
        "E0102",
        "The file is not Rust",
        "Nothing in the text begins an item of Rust, or it holds NUL bytes as binary files do.",
        wrong="import torch",
        right="use teeny_triton::triton::*;",
    ),
    error(
        "E0103",
        "A string never ends",
        'A string runs from its `"` to the next one that no backslash precedes, over line ends '
        "too; a raw string ends with as many `#` as it began with.",
        wrong='const NAME: &str = "tile;',
        right='const NAME: &str = "tile";',
    ),
    error(
        "E0104",
        "A block comment never ends",
        "Block comments nest in Rust: each `/*` needs its own `*/`.",
        wrong="/* outer /* inner */\nfn host() {}",
        right="/* outer /* inner */ */\nfn host() {}",
    ),
    error(
        "E0105",
        "A delimiter is never closed",
        "Each `(`, `[` and `{` needs its partner. Where a brace is missing, the text balances "
        "somewhere else or nowhere; the place shown is where the indentation first disagrees with "
        "the braces.",
        wrong="fn host() {\n    if ready() {\n        start();\n}",
        right="fn host() {\n    if ready() {\n        start();\n    }\n}",
    ),
    error(
        "E0106",
        "A closing delimiter without its opening one",
        "There is a `)`, `]` or `}` more than was opened. Either it is superfluous, or one above "
        "it came too early.",
        wrong="fn host() {}\n}",
        right="fn host() {}",
    ),
    error(
        "E0107",
        "Something that is no item stands between the items",
        "Outside functions a file holds items only: functions, structs, impls, uses, constants, "
        "modules. A statement found there is most often the rest of a function that a superfluous "
        "`}` ended.",
        wrong="let x = 1;",
        right="const X: i32 = 1;",
    ),
    error(
        "E0108",
        "A semicolon is missing",
        "Statements end with `;`, but for those that end with a block, and the value of a block at "
        "its end.",
        wrong="let x = 1\nlet y = 2;",
        right="let x = 1;\nlet y = 2;",
    ),
    error(
        "E0109",
        "A comma is missing",
        "Arguments, parameters and elements are separated by commas.",
        wrong="T::arange(0 BLOCK)",
        right="T::arange(0, BLOCK)",
    ),
    error(
        "E0110",
        "The syntax is not Rust's",
        "Something stands where the grammar of Rust has no place for it. The message says what "
        "could stand there.",
        wrong="let = 1;",
        right="let x = 1;",
    ),
    error(
        "E0111",
        "Comparisons are chained",
        "Comparison operators do not associate: `a < b < c` means nothing. Generic arguments in an "
        "expression need `::` before their `<`, or they read as comparisons.",
        wrong="let inside = 0 <= i < n;",
        right="let inside = 0 <= i && i < n;",
    ),
    error(
        "E0112",
        "Ranges are chained",
        "`..` and `..=` do not associate: `a..b..c` means nothing.",
        wrong="for i in 0..n..2 {}",
        right="for i in 0..n {}",
    ),
    error(
        "E0113",
        "A comparison follows a cast",
        "After `as` and a type, `<` starts generic arguments of that type. Parentheses around the "
        "cast end it.",
        wrong="while n as i32 < end {}",
        right="while (n as i32) < end {}",
    ),
    error(
        "E0114",
        "A number is written wrongly",
        "The digits do not fit the base, or what follows them is no type of a number.",
        wrong="let x = 1.0_g32;",
        right="let x = 1.0_f32;",
    ),
    error(
        "E0115",
        "A character begins nothing in Rust",
        "Outside strings and comments only the letters, digits and marks of Rust stand; quotation "
        "marks and dashes that a word processor has made are not among them.",
        wrong="let x = a – b;",
        right="let x = a - b;",
    ),
    error(
        "E0116",
        "The text nests too deeply",
        "Items, blocks or parentheses are nested so deeply that no tree of them can be walked. "
        "Text that people write does not come near it.",
        wrong="((((…))))",
        right="let y = a + b;",
    ),
    error(
        "E0117",
        "No arm of a macro matches",
        "A call of a macro takes the first of its arms whose pattern matches "
        "all of the argument; none does.",
        wrong="macro_rules! unary {\n    ($name:ident, $op:ident) => { #[kernel] pub fn $name<T: "
        "Triton>() {} };\n}\nunary!(a);",
        right="macro_rules! unary {\n    ($name:ident, $op:ident) => { #[kernel] pub fn $name<T: "
        "Triton>() {} };\n}\nunary!(a, exp);",
    ),
    error(
        "E0118",
        "A macro expands without end",
        "What a macro expands to may hold calls of macros again, 128 deep.",
        wrong="macro_rules! twice {\n    () => { twice!(); #[kernel] pub fn a<T: Triton>() {} };\n}\n"
        "twice!();",
        right="macro_rules! once {\n    () => { #[kernel] pub fn a<T: Triton>() {} };\n}\nonce!();",
    ),
    # E0119 told of names that are a macro's and its caller's; they are kept apart now.
    error(
        "E0120",
        "The body of a macro does not fit its pattern",
        "What `$( … )` holds in the pattern repeats, and stands in the body under as many `$( … )`; "
        "those that stand there together repeat equally often.",
        wrong="macro_rules! sum { ($($x:expr),*) => { 0 + $x }; }\nlet y = sum!(n, 2);",
        right="macro_rules! sum { ($($x:expr),*) => { 0 $( + $x )* }; }\nlet y = sum!(n, 2);",
    ),
    error(
        "E0121",
        "A macro cannot be called here",
        "A `macro_rules!` macro is there from its definition to the end of the block or module that "
        "holds it. With `#[macro_export]` it can be called by `crate::name!` everywhere.",
        wrong="let y = twice!(n);\nmacro_rules! twice { ($x:expr) => { $x + $x }; }",
        right="macro_rules! twice { ($x:expr) => { $x + $x }; }\nlet y = twice!(n);",
    ),
    error(
        "E0122",
        "A macro gives no value where one is expected",
        "Where an expression stands, a macro makes one expression. Statements that lead to it stand "
        "in a block, with braces of their own.",
        wrong="macro_rules! square {\n    ($x:expr) => { let v = $x; v * v };\n}\nlet y = square!(n + 1);",
        right="macro_rules! square {\n    ($x:expr) => {{ let v = $x; v * v }};\n}\nlet y = square!(n + 1);",
    ),
    error(
        "E0123",
        "No such macro",
        "A kernel calls the `macro_rules!` macros of its file, and those of Rust that mean something on a "
        "GPU. Macros of other files and crates are not read.",
        wrong="let y = square!(n);",
        right="macro_rules! square { ($x:expr) => { $x * $x }; }\nlet y = square!(n);",
    ),
    *KERNEL_CODES,
    *WARNING_CODES,
    *REMARK_CODES,
    *HOST_CODES,
    error(
        "E0801",
        "No such file or folder",
        "A path on the command line leads nowhere. Several kernels are named with commas, "
        "`--kernel a,b`: a second name after a space would be read as a path.",
        wrong="teeny-transpile kernels/batch_norm.rs",
        right="teeny-transpile kernels/batchnorm.rs",
    ),
    error(
        "E0802",
        "Folder without Rust files",
        "Folders are searched for `*.rs` at every depth; hidden folders are left out. This one "
        "holds none.",
        wrong="teeny-transpile docs",
        right="teeny-transpile kernels",
    ),
    error(
        "E0803",
        "Not UTF-8",
        "Rust source is UTF-8. The message names the first byte that is not, counted from zero.",
        wrong="teeny-transpile kernels/latin1.rs",
        right="iconv -f latin1 -t utf-8 kernels/latin1.rs | teeny-transpile -",
    ),
    error(
        "E0804",
        "Binary file",
        "The file holds zero bytes: it is an object file, an archive or UTF-16 text rather than"
        " Rust source.",
        wrong="teeny-transpile target/release/libkernels.rlib",
        right="teeny-transpile kernels",
    ),
    error(
        "E0805",
        "Two files would be written to one place",
        "A module is named after the stem of its Rust file, so two inputs with one stem collide"
        " in one folder; and an output never replaces an input. Nothing is written until each "
        "output has a place of its own.",
        wrong="teeny-transpile a/norm.rs b/norm.rs",
        right="teeny-transpile a/norm.rs -o out/a/ && teeny-transpile b/norm.rs -o out/b/",
    ),
    error(
        "E0806",
        "File cannot be read",
        "The operating system refused to open or read the file; the message carries its reason.",
    ),
    error(
        "E0807",
        "Output cannot be written",
        "The folder cannot be made, or the file in it cannot be written; the message carries "
        "the operating system's reason. What was there before is unchanged.",
        wrong="teeny-transpile kernels/batchnorm.rs -o /proc/batchnorm.py",
        right="teeny-transpile kernels/batchnorm.rs -o out/",
    ),
    error(
        "E0808",
        "No such kernel",
        "`--kernel` names a `#[kernel]` function that no input has, or one that its `#[cfg(…)]`"
        " switches off under the features in force.",
        wrong="teeny-transpile kernels/batchnorm.rs --kernel batch_norm",
        right="teeny-transpile kernels/batchnorm.rs --kernel batch_norm_backward",
    ),
    error(
        "E0809",
        "No such const generic",
        "`--block` gives values to a const generic of the selected kernels, by its Rust name; "
        "none of them has this one.",
        wrong="teeny-transpile kernels/batchnorm.rs --block BLOCK=128",
        right="teeny-transpile kernels/batchnorm.rs --block BLOCK_N=128",
    ),
    error(
        "E0810",
        "Triton refused a specialisation",
        "Compiling for the target failed inside Triton; the message carries its reason. Not "
        "every target has every dtype or instruction, and large blocks may exceed what it can "
        "hold.",
        wrong="teeny-transpile kernels/batchnorm.rs --emit cubin --target sm_50",
        right="teeny-transpile kernels/batchnorm.rs --emit cubin --target sm_90",
    ),
    error(
        "E0811",
        "No kernel to emit",
        "The file has no `#[kernel]` function, or the features in force switch all of them off."
        " Files found by searching a folder may hold host code alone; a file named on the "
        "command line is expected to hold a kernel.",
        wrong="fn scale(x: f32) -> f32 { x * 2.0 }",
        right="#[kernel]\n"
        "pub fn scale<T: Triton, const BLOCK: i32>(x: T::Pointer<f32>, n: i32) { … }",
    ),
    error(
        "E0812",
        "Fault of the compiler",
        "The compiler failed where it should have given a module or a diagnostic. The Rust is not "
        "to blame; other files of the same run are not affected.",
    ),
)

CODES: dict[str, Code] = {entry.code: entry for entry in _TABLE}
