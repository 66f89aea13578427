"""The codes of the host side: implementations of `RuntimeOp`, from which operators are made."""

from __future__ import annotations

from transpiler.diagnostics.code import error, remark, warning

HOST_CODES = (
    error(
        "E0901",
        "What is packed does not fit the kernel",
        "The order of what `pack_args` and `pack_backward_args` push is all that tells an argument "
        "from another: `visit_ptr` for a pointer, `visit_i32` for an `i32`, and so on, one for each "
        "parameter of the kernel, those it never reads among them. Rust compiles any other order, "
        "and the kernel then takes a size for an address.",
        wrong="fn pack_args(&self, …) {\n    visitor.visit_i32(n);\n    visitor.visit_ptr(output);\n}",
        right="fn pack_args(&self, …) {\n    visitor.visit_ptr(output);\n    visitor.visit_i32(n);\n}",
    ),
    warning(
        "W0901",
        "An implementation of `RuntimeOp` becomes no operator",
        "The methods of an operator are translated to Python: numbers, slices, iterators, options, "
        "closures, branches and loops, calls of the file's own functions. What is outside of that "
        "costs this operator alone; its kernel has a launcher, whose grid the caller gives.",
        wrong="visitor.visit_i32(TABLE.lock().unwrap()[0]);",
        right="visitor.visit_i32(self.first);",
    ),
    remark(
        "R0901",
        "An implementation of `RuntimeOp` is not written yet",
        "All its methods only panic, so there is nothing to launch its kernel by. The kernel has a "
        "launcher, whose grid the caller gives.",
        wrong="impl RuntimeOp for Scale {\n"
        "    fn grid(&self, output_shape: &[usize]) -> [u32; 3] { todo!() }\n}",
        right="impl RuntimeOp for Scale {\n"
        "    fn grid(&self, output_shape: &[usize]) -> [u32; 3] { [output_shape[0] as u32, 1, 1] }\n}",
    ),
)
