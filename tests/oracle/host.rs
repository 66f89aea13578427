#![allow(warnings, arithmetic_overflow, unconditional_panic, overflowing_literals)]
// The operations that programs use, on one element of memory at a time.
use std::ops::{Add, Div, Mul, Neg, Rem, Sub};

pub trait Dtype: Copy + PartialEq + PartialOrd {}
pub trait Num: Dtype + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Rem<Output = Self> {}
pub trait Float: Num + Neg<Output = Self> {
    fn from_f64(value: f64) -> Self;
}
pub trait Int: Num {}
macro_rules! numbers { ($($t:ty: $bound:ident),*) => { $(impl Dtype for $t {} impl Num for $t {})* } }
numbers!(i8: Int, i16: Int, i32: Int, i64: Int, u8: Int, u16: Int, u32: Int, u64: Int, f32: Float, f64: Float);
macro_rules! ints { ($($t:ty),*) => { $(impl Int for $t {})* } }
ints!(i8, i16, i32, i64, u8, u16, u32, u64);
impl Dtype for bool {}
impl Float for f32 { fn from_f64(value: f64) -> f32 { value as f32 } }
impl Float for f64 { fn from_f64(value: f64) -> f64 { value } }

#[derive(Clone, Copy)]
pub struct Tile<D>(D);
impl Add<i32> for Tile<i32> { type Output = Tile<i32>; fn add(self, offset: i32) -> Tile<i32> { Tile(self.0.wrapping_add(offset)) } }

#[derive(Clone, Copy)]
pub struct Ptr<D>(*mut D);
pub trait AddOffsets<D>: Copy { fn add_offsets(self, offsets: Tile<i32>) -> Tile<Ptr<D>>; }
impl<D: Copy> AddOffsets<D> for Ptr<D> {
    fn add_offsets(self, offsets: Tile<i32>) -> Tile<Ptr<D>> { Tile(Ptr(unsafe { self.0.offset(offsets.0 as isize) })) }
}

pub trait Triton {
    type Pointer<D: Copy>: AddOffsets<D>;
    fn arange(start: i32, end: i32) -> Tile<i32>;
    fn full<D>(shape: &[i32], value: D) -> Tile<D>;
    fn store<D: Copy>(pointer: Tile<Ptr<D>>, value: Tile<D>, mask: Option<bool>, check: &[i32], cache: Option<i32>, eviction: Option<i32>);
}
pub struct Host;
impl Triton for Host {
    type Pointer<D: Copy> = Ptr<D>;
    fn arange(start: i32, end: i32) -> Tile<i32> { Tile(start) }
    fn full<D>(shape: &[i32], value: D) -> Tile<D> { Tile(value) }
    fn store<D: Copy>(pointer: Tile<Ptr<D>>, value: Tile<D>, mask: Option<bool>, check: &[i32], cache: Option<i32>, eviction: Option<i32>) {
        unsafe { *pointer.0 .0 = value.0 }
    }
}

pub trait Shown { fn shown(self) -> u64; }
macro_rules! shown { ($($t:ty),*) => { $(impl Shown for $t { fn shown(self) -> u64 { (self as u64) & (u64::MAX >> (64 - 8 * std::mem::size_of::<$t>())) } })* } }
shown!(i8, i16, i32, i64, u8, u16, u32, u64, bool);
impl Shown for f32 { fn shown(self) -> u64 { self.to_bits() as u64 } }
impl Shown for f64 { fn shown(self) -> u64 { self.to_bits() } }
pub fn show<D: Shown + Copy>(values: &[D]) -> String { values.iter().map(|v| v.shown().to_string()).collect::<Vec<_>>().join(" ") }
