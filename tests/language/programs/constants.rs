//! Constants of the dtypes and of the standard library.

// (3) = -2147483614
pub fn assoc_consts(a: i32) -> i32 {
    let q = a + i32::BITS as i32 + (u32::MAX >> 1) as i32;
    q
}

// (3.0) = 3.4028235e38
pub fn f32_consts(a: f32) -> f32 {
    let q = if a > f32::MIN_POSITIVE {
        f32::MAX
    } else {
        f32::MIN
    };
    q
}

// (3.0) = 9.424778
pub fn stdpi(a: f32) -> f32 {
    let q = a * std::f32::consts::PI;
    q
}

// (3.0) = 9.424778
pub fn usepi(a: f32) -> f32 {
    use core::f32::consts::PI;
    let q = a * PI;
    q
}

// (3.0) = 10.117926
pub fn usepi2(a: f32) -> f32 {
    use std::f32::consts::{LN_2 as L, PI};
    let q = a * PI + L;
    q
}

// (3.0) = 4.079242
pub fn usepi3(a: f32) -> f32 {
    use std::f32::consts;
    let q = a * consts::FRAC_PI_3 + consts::LOG10_2 + consts::FRAC_2_PI;
    q
}

// (3.0) = 9.424778
pub fn usepi4(a: f32) -> f32 {
    use std::f32;
    let q = a * f32::consts::PI;
    q
}

// (3.0) = 9.424778
pub fn globpi(a: f32) -> f32 {
    use std::f32::consts::*;
    let q = a * PI;
    q
}

// (3) = 3
pub fn oldmax(a: i32) -> i32 {
    let q = a & std::i32::MAX;
    q
}

// (3) = 3
pub fn usei32max(a: i32) -> i32 {
    use std::i32::MAX;
    let q = a & MAX;
    q
}

// (1.0) = -2147483600.0
pub fn foldconst(a: f32) -> f32 {
    const A: f32 = 2.0_f32 / 0.0;
    const B: f32 = f32::INFINITY - f32::INFINITY;
    const C: f32 = 7.5 % 2.0;
    const N: i32 = i32::MAX.wrapping_add(2);
    let q = if A > a && B != B { C + N as f32 } else { 0.0 };
    q
}

// (1) = 97
pub fn bitsconst(a: u32) -> u32 {
    let q = a + f32::MANTISSA_DIGITS + u64::BITS + i8::BITS;
    q
}
