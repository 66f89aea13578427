// What host code is written against, and what asks each method of a `RuntimeOp`.
#![allow(warnings, arithmetic_overflow, unconditional_panic)]

pub mod teeny_core {
    pub mod dtype {
        pub trait Num: Copy + Send + Sync + 'static { const NAME: &'static str; }
        pub trait Float: Num {}
        impl Num for f32 { const NAME: &'static str = "f32"; }
        impl Num for f64 { const NAME: &'static str = "f64"; }
        impl Float for f32 {}
        impl Float for f64 {}
    }
    pub mod device {
        pub mod program {
            pub trait ArgVisitor {
                fn visit_ptr(&mut self, pointer: *mut core::ffi::c_void);
                fn visit_i32(&mut self, value: i32);
                fn visit_i64(&mut self, value: i64);
                fn visit_f32(&mut self, value: f32);
                fn visit_f64(&mut self, value: f64);
            }
        }
    }
    pub mod model {
        use super::device::program::ArgVisitor;
        pub type RawPtr = *mut core::ffi::c_void;
        type Inputs<'a> = &'a [(RawPtr, &'a [usize])];
        type Shape<'a> = &'a [usize];
        type Shapes<'a> = &'a [&'a [usize]];
        pub trait RuntimeOp {
            fn n_activation_inputs(&self) -> usize;
            fn param_shapes(&self, input_shapes: Shapes, output_shape: Shape) -> Vec<Vec<usize>>;
            fn param_names(&self) -> &'static [&'static str] { &[] }
            fn pack_args(&self, inputs: Inputs, params: &[RawPtr], output: RawPtr, output_shape: Shape, output_row_stride: i32, visitor: &mut dyn ArgVisitor);
            fn block(&self) -> [u32; 3];
            fn grid(&self, output_shape: Shape) -> [u32; 3];
            fn n_launches(&self) -> usize { 1 }
            fn pack_args_for_launch(&self, _launch: usize, inputs: Inputs, params: &[RawPtr], output: RawPtr, output_shape: Shape, output_row_stride: i32, visitor: &mut dyn ArgVisitor) {
                self.pack_args(inputs, params, output, output_shape, output_row_stride, visitor)
            }
            fn grid_for_launch(&self, _launch: usize, _input_shapes: Shapes, output_shape: Shape) -> [u32; 3] { self.grid(output_shape) }
            fn has_backward(&self) -> bool { false }
            fn pack_backward_args(&self, _inputs: Inputs, _params: &[RawPtr], _output: RawPtr, _output_shape: Shape, _grad_output: RawPtr, _grad_output_row_stride: i32, _grad_inputs: &[RawPtr], _grad_params: &[RawPtr], _visitor: &mut dyn ArgVisitor) {}
            fn backward_block(&self) -> [u32; 3] { [128, 1, 1] }
            fn backward_grid(&self, _input_shapes: Shapes, _output_shape: Shape) -> [u32; 3] { [0, 0, 0] }
            fn n_backward_launches(&self) -> usize { 1 }
            fn pack_backward_args_for_launch(&self, _launch: usize, inputs: Inputs, params: &[RawPtr], output: RawPtr, output_shape: Shape, grad_output: RawPtr, grad_output_row_stride: i32, grad_inputs: &[RawPtr], grad_params: &[RawPtr], visitor: &mut dyn ArgVisitor) {
                self.pack_backward_args(inputs, params, output, output_shape, grad_output, grad_output_row_stride, grad_inputs, grad_params, visitor)
            }
            fn backward_grid_for_launch(&self, _launch: usize, input_shapes: Shapes, output_shape: Shape) -> [u32; 3] { self.backward_grid(input_shapes, output_shape) }
            fn forward_output_row_elems(&self, shape: Shape) -> usize { shape.last().copied().unwrap_or(1) }
            fn forward_output_row_stride(&self, shape: Shape) -> usize { self.forward_output_row_elems(shape) }
            fn backward_grad_output_row_stride(&self, shape: Shape) -> usize { shape.last().copied().unwrap_or(1) }
        }
    }
}
pub mod teeny_macros { pub use core::marker::PhantomData as kernel; }
pub mod teeny_triton {
    pub mod triton {
        pub mod types { pub trait AddOffsets {} pub trait Comparison {} }
    }
}

pub mod asking {
    use super::teeny_core::{device::program::ArgVisitor, model::{RawPtr, RuntimeOp}};
    use std::panic::{catch_unwind, AssertUnwindSafe};

    /// What a constructor is given, from a number that is none where it is no number.
    pub trait Given { fn given(value: f64) -> Self; }
    macro_rules! given { ($($t:ty),*) => { $(
        impl Given for $t { fn given(value: f64) -> $t { value as $t } }
        impl Given for Option<$t> { fn given(value: f64) -> Option<$t> { if value.is_nan() { None } else { Some(value as $t) } } }
    )* } }
    given!(i32, i64, u32, u64, usize, f32, f64);
    impl Given for bool { fn given(value: f64) -> bool { value != 0.0 } }
    pub fn given<T: Given>(value: f64) -> T { T::given(value) }

    pub trait Json { fn json(&self) -> String; }
    macro_rules! json { ($($t:ty),*) => { $(impl Json for $t { fn json(&self) -> String { self.to_string() } })* } }
    json!(bool, i32, i64, u32, u64, usize);
    impl Json for &str { fn json(&self) -> String { format!("{self:?}") } }
    impl<T: Json> Json for [T] { fn json(&self) -> String { format!("[{}]", self.iter().map(Json::json).collect::<Vec<_>>().join(",")) } }
    impl<T: Json> Json for Vec<T> { fn json(&self) -> String { self.as_slice().json() } }
    impl<T: Json, const N: usize> Json for [T; N] { fn json(&self) -> String { self.as_slice().json() } }
    impl<T: Json> Json for &[T] { fn json(&self) -> String { (**self).json() } }

    #[derive(Default)]
    pub struct Visits(Vec<String>);
    impl ArgVisitor for Visits {
        fn visit_ptr(&mut self, pointer: RawPtr) { self.0.push(format!("[\"pointer\",{}]", pointer as usize)) }
        fn visit_i32(&mut self, value: i32) { self.0.push(format!("[\"i32\",{value}]")) }
        fn visit_i64(&mut self, value: i64) { self.0.push(format!("[\"i64\",{value}]")) }
        fn visit_f32(&mut self, value: f32) { self.0.push(format!("[\"f32\",{}]", value.to_bits())) }
        fn visit_f64(&mut self, value: f64) { self.0.push(format!("[\"f64\",{}]", value.to_bits())) }
    }
    impl Json for Visits { fn json(&self) -> String { format!("[{}]", self.0.join(",")) } }

    #[derive(Default)]
    struct Answers(Vec<String>);
    impl Answers {
        fn ask<T: Json>(&mut self, name: &str, question: impl FnOnce() -> T) -> Option<T> {
            let answer = catch_unwind(AssertUnwindSafe(question)).ok();
            self.0.push(format!("{name:?}:{}", answer.as_ref().map_or("\"panic\"".into(), |it| it.json())));
            answer
        }
        fn visits(&mut self, name: &str, question: impl FnOnce(&mut dyn ArgVisitor)) {
            self.ask(name, || { let mut visits = Visits::default(); question(&mut visits); visits });
        }
    }

    /// A pointer that its role and its place among those of the role can be read off.
    fn pointer(role: usize, place: usize) -> RawPtr { (role << 44 | (place + 1) << 36) as RawPtr }
    fn pointers(role: usize, count: usize) -> Vec<RawPtr> { (0..count).map(|place| pointer(role, place)).collect() }

    type Maker = fn(&[f64]) -> Box<dyn RuntimeOp>;

    fn shape(text: &str) -> Vec<usize> { text.split_whitespace().map(|it| it.parse().unwrap()).collect() }

    /// Answers each line of what comes in: a struct, what its `new` takes, inputs, how many parameters, an output.
    pub fn ask_all(makers: &[Maker]) {
        std::panic::set_hook(Box::new(|_| {}));
        for line in std::io::stdin().lines() {
            let line = line.unwrap();
            let [maker, arguments, count, inputs, params, output] = line.split(';').collect::<Vec<_>>().try_into().unwrap();
            let arguments: Vec<f64> = arguments.split_whitespace().map(|it| it.parse().unwrap()).collect();
            let inputs: Vec<Vec<usize>> = inputs.split(',').take(count.parse().unwrap()).map(shape).collect();
            let inputs: Vec<&[usize]> = inputs.iter().map(|it| &it[..]).collect();
            let maker = makers[maker.parse::<usize>().unwrap()];
            ask(|| maker(&arguments), &inputs, params.parse().unwrap(), &shape(output));
        }
    }

    /// Prints what every method says.
    fn ask(make: impl FnOnce() -> Box<dyn RuntimeOp>, shapes: &[&[usize]], params: usize, shape: &[usize]) {
        let Ok(op) = catch_unwind(AssertUnwindSafe(make)) else { println!("\"panic\""); return };
        let op = &*op;
        let inputs: Vec<(RawPtr, &[usize])> = pointers(1, shapes.len()).into_iter().zip(shapes.iter().copied()).collect();
        let (params, grad_params) = (&pointers(2, params)[..], &pointers(6, params)[..]);
        let (inputs, grad_inputs) = (&inputs[..], &pointers(5, shapes.len())[..]);
        let (output, grad_output) = (pointer(3, 0), pointer(4, 0));
        let mut answers = Answers::default();
        answers.ask("n_activation_inputs", || op.n_activation_inputs());
        answers.ask("param_shapes", || op.param_shapes(shapes, shape));
        answers.ask("param_names", || op.param_names());
        answers.ask("block", || op.block());
        answers.ask("forward_output_row_elems", || op.forward_output_row_elems(shape));
        let stride = answers.ask("forward_output_row_stride", || op.forward_output_row_stride(shape)).unwrap_or(0) as i32;
        let grad_stride = answers.ask("backward_grad_output_row_stride", || op.backward_grad_output_row_stride(shape)).unwrap_or(0) as i32;
        answers.visits("pack_args", |visitor| op.pack_args(inputs, params, output, shape, stride, visitor));
        answers.ask("grid", || op.grid(shape));
        let launches = answers.ask("n_launches", || op.n_launches()).unwrap_or(0);
        for launch in 0..launches.min(4) {
            answers.visits(&format!("pack_args_for_launch {launch}"), |visitor| op.pack_args_for_launch(launch, inputs, params, output, shape, stride, visitor));
            answers.ask(&format!("grid_for_launch {launch}"), || op.grid_for_launch(launch, shapes, shape));
        }
        let has_backward = answers.ask("has_backward", || op.has_backward());
        if has_backward == Some(true) {
            answers.ask("backward_block", || op.backward_block());
            answers.visits("pack_backward_args", |visitor| op.pack_backward_args(inputs, params, output, shape, grad_output, grad_stride, grad_inputs, grad_params, visitor));
            answers.ask("backward_grid", || op.backward_grid(shapes, shape));
            let launches = answers.ask("n_backward_launches", || op.n_backward_launches()).unwrap_or(0);
            for launch in 0..launches.min(4) {
                answers.visits(&format!("pack_backward_args_for_launch {launch}"), |visitor| op.pack_backward_args_for_launch(launch, inputs, params, output, shape, grad_output, grad_stride, grad_inputs, grad_params, visitor));
                answers.ask(&format!("backward_grid_for_launch {launch}"), || op.backward_grid_for_launch(launch, shapes, shape));
            }
        }
        println!("{{{}}}", answers.0.join(","));
    }
}
