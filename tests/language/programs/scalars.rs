//! Methods and functions of scalars.

// (5) = 5
// (-3) = -3
pub fn into1(n: i32) -> i64 {
    let q: i64 = n.into();
    q
}

// (5) = 2.5
// (255) = 127.5
pub fn into2(n: u8) -> f32 {
    let x: f32 = n.into();
    let q = x * 0.5;
    q
}

// (5) = 20000000000
// (-3) = -12000000000
pub fn from1(n: i32) -> i64 {
    let q = i64::from(n) * 4_000_000_000;
    q
}

// (5) = 2
// (-3) = 1
pub fn frombool(n: i32) -> i32 {
    let q = i32::from(n > 0) + 1;
    q
}

// (1.5) = 2.1213202
pub fn lit_method(x: f32) -> f32 {
    let q = 2.0_f32.sqrt() * x;
    q
}

// (1.5) = 12.0
pub fn lit_method2(x: f32) -> f32 {
    let q = x * (2.0_f32).powi(3);
    q
}

// (1.5) = 9.0
pub fn const_float(x: f32) -> f32 {
    const S: f32 = 2.0_f32 * 3.0;
    let q = x * S;
    q
}

// (1.5, 2.5) = 2.5
// (NaN, 1.0) = 1.0
pub fn assoc_max(a: f32, b: f32) -> f32 {
    let q = f32::max(a, b);
    q
}

// (3) = 38
pub fn assoc_pow(a: i32) -> i32 {
    let q = i32::pow(a, 3) + i32::pow(2, 3) + i32::abs(-a);
    q
}

// (3.0) = true
pub fn f32_nan(a: f32) -> bool {
    let n = f32::NAN;
    let q = n != n;
    q
}

// (3) = 1610612832
// (2147483649) = 805306416
// (0) = 0
pub fn rot(a: u32) -> u32 {
    let q = a.rotate_left(5) ^ a.rotate_right(3);
    q
}

// (3, 5) = 6917529027641081952
// (-7, 63) = -4611686018427387901
// (-7, 0) = -4611686018427387898
// (-7, 64) = -4611686018427387898
pub fn rot64(a: i64, k: u32) -> i64 {
    let q = a.rotate_left(k) ^ a.rotate_right(3);
    q
}

// (305419896) = 1715214426
pub fn bytes(a: u32) -> u32 {
    let q = a.swap_bytes() ^ a.reverse_bits();
    q
}

// (-3) = 31
// (7) = 3
pub fn lead1(a: i32) -> u32 {
    let q = a.leading_ones() + a.trailing_ones();
    q
}

// (5) = 8
// (8) = 8
// (0) = 1
// (1) = 1
pub fn nextpow(a: u32) -> u32 {
    let q = a.next_power_of_two();
    q
}

// (5) = 200
// (8) = 300
// (1) = 0
// (4294967295) = 3109
pub fn ilog(a: u32) -> u32 {
    let q = a.ilog2() * 100 + a.ilog10();
    q
}

// (5) = 1
// (8) = 1
// (1) = 0
// (4294967295) = 20
pub fn ilogb(a: u32) -> u32 {
    let q = a.ilog(3);
    q
}

// (5) = 2
// (8) = 2
// (1) = 1
// (4294967295) = 65535
pub fn isqrt(a: u32) -> u32 {
    let q = a.isqrt();
    q
}

// (5) = 2
// (8) = 2
// (1) = 1
// (9223372036854775807) = 3037000499
// (4611686014132420609) = 2147483647
pub fn isqrt64(a: i64) -> i64 {
    let q = a.isqrt();
    q
}

// (5, 3) = 2
// (-5, 3) = -1
pub fn divceil(a: i32, b: i32) -> i32 {
    let q = (a + b - 1) / b;
    q
}

// (5, 3) = 8
// (4294967295, 2) = 2147483648
pub fn divceilu(a: u32, b: u32) -> u32 {
    let q = a.div_ceil(b) + a.next_multiple_of(b);
    q
}

// (1.5) = 1069547520
// (-0.0) = 2147483648
pub fn bits(a: f32) -> u32 {
    let q = a.to_bits();
    q
}

// (1065353216) = 0.0
pub fn frombits(a: u32) -> f32 {
    let q = f32::from_bits(a) + f32::from_bits(a ^ 0x8000_0000);
    q
}

// (1.5) = 1.5
pub fn frombits64(a: f64) -> f64 {
    let q = f64::from_bits(a.to_bits() & !(1_u64 << 63));
    q
}

// (1.5) = false
// (NaN) = true
// (inf) = true
pub fn isnan(a: f32) -> bool {
    let q = a.is_nan() || a.is_infinite() || !a.is_finite();
    q
}

// (1.5) = true
// (NaN) = false
// (inf) = false
// (1e-40) = false
pub fn isnormal(a: f32) -> bool {
    let q = a.is_normal();
    q
}

// (1.5) = false
// (NaN) = false
// (inf) = false
// (1e-40) = true
pub fn issub(a: f32) -> bool {
    let q = a.is_subnormal();
    q
}

// (1.5) = 0.0
// (3.3) = -0.5999999
pub fn muladd(a: f32) -> f32 {
    let q = a.mul_add(2.0, 1.0).copysign(-1.0).fract();
    q
}

// (3.0) = 5.0
pub fn hypot(a: f32) -> f32 {
    let q = a.hypot(4.0);
    q
}

// (0.0) = 1.0
pub fn sincos(a: f32) -> f32 {
    let (s, c) = a.sin_cos();
    let q = s + c;
    q
}

// (180.0) = 10316.382
// (33.3) = 1908.5306
pub fn rad(a: f32) -> f32 {
    let q = a.to_radians() + a.to_degrees();
    q
}

// (3.0) = 0.33333334
pub fn recip(a: f32) -> f32 {
    let q = a.recip();
    q
}

// (2.5) = 2.0
// (3.5) = 4.0
// (-2.5) = -2.0
pub fn roundeven(a: f32) -> f32 {
    let q = a.round_ties_even();
    q
}

// (0.0) = 0.0
pub fn tanh(a: f32) -> f32 {
    let q = a.tan() + a.tanh() + a.sinh() + a.asin() + a.atan() + a.atan2(1.0);
    q
}

// (1.0) = 0.0
pub fn log10(a: f32) -> f32 {
    let q = a.log10() + a.ln_1p() * 0.0 + a.log(2.0) + (a - 1.0).exp_m1() + a.cbrt() - 1.0;
    q
}

// (2147483647) = 0
// (3) = 4
pub fn overflowing(a: i32) -> i32 {
    let (r, w) = a.overflowing_add(1);
    let q = if w { 0 } else { r };
    q
}

// (2147483648) = 0
// (3) = 4294967294
pub fn overflowing2(a: u32) -> u32 {
    let (r, w) = a.overflowing_mul(2);
    let (s, p) = a.overflowing_sub(5);
    let q = if w {
        0
    } else if p {
        s
    } else {
        r
    };
    q
}

// (3, 33) = 7
// (3, 2) = 13
pub fn wrapshl(a: i32, k: u32) -> i32 {
    let q = a.wrapping_shl(k) + a.wrapping_shr(1);
    q
}

// (2147483647) = 2147483647
// (3) = 6
// (-2147483648) = -2147483648
pub fn satmul(a: i32) -> i32 {
    let q = a.saturating_mul(2);
    q
}

// (2147483647) = 2147483647
// (3) = 9
// (-2147483648) = 2147483647
pub fn satpow(a: i32) -> i32 {
    let q = a.saturating_pow(2);
    q
}

// (2147483647) = -2
// (3) = -2
// (-2147483648) = 0
pub fn satneg(a: i32) -> i32 {
    let q = a.saturating_neg() ^ a.saturating_abs();
    q
}

// (3) = 4294967293
// (0) = 0
pub fn wneg(a: u32) -> u32 {
    let q = a.wrapping_neg();
    q
}

// (3, -5) = 4294967294
// (0, 1) = 1
pub fn waddsigned(a: u32, b: i32) -> u32 {
    let q = a.wrapping_add_signed(b);
    q
}

// (3) = 1
// (0) = 0
// (-4) = -1
pub fn signum(a: i32) -> i32 {
    let q = a.signum();
    q
}

// (3) = 4
// (0) = 7
// (-4) = 11
pub fn absdiff(a: i32) -> u32 {
    let q = a.abs_diff(7);
    q
}

// (3) = 4
// (0) = 7
// (9) = 2
pub fn absdiffu(a: u32) -> u32 {
    let q = a.abs_diff(7);
    q
}

// (3) = 6
// (0) = 1
// (9) = 14
pub fn cmpmin(a: i32) -> i32 {
    let q = std::cmp::min(a, 5) + core::cmp::max(a, 1);
    q
}

// (3) = 3
// (-2147483648) = 2147483648
pub fn unsignedabs(a: i32) -> u32 {
    let q = a.unsigned_abs();
    q
}

// (3.0) = false
// (-0.0) = true
pub fn ispos(a: f32) -> bool {
    let q = a.is_sign_negative() && !a.is_sign_positive();
    q
}

// (3.0) = 1.0
// (-5.0) = -1.0
// (NaN) = NaN
pub fn clampf(a: f32) -> f32 {
    let q = a.clamp(-1.0, 1.0);
    q
}

// (3.0) = 3.0
pub fn inferredmethod(a: f32) -> f32 {
    let mut q = 0.0;
    q = q + a;
    q = q.max(1.0);
    q
}

// (3.0) = 3.0
pub fn inferredmethod2(a: f32) -> f32 {
    let x = 0.0;
    let y = a + x;
    let q = y.max(x);
    q
}

// (3.0) = 27.0
pub fn castlit(a: f32) -> f32 {
    let q = a * (1 << 3) as f32 + (7 / 2) as f32;
    q
}

// (3) = 3
pub fn clone(a: i32) -> i32 {
    let q = a.clone() + i32::default();
    q
}

// (2147483647) = -2147483648
// (3) = 4
pub fn over_block(a: i32) -> i32 {
    let (r, w) = (a + 1).overflowing_mul({
        let z = a - 2;
        z * z
    });
    let q = if w { -r } else { r };
    q
}

// (3, 4) = 255
// (4, 3) = 100
// (255, 255) = 100
pub fn over_sub(a: u8, b: u8) -> u8 {
    let (r, w) = a.overflowing_sub(b);
    let q = if w { r } else { 100 };
    q
}

// (-128, -1) = -128
// (-1, -128) = -128
// (16, 8) = -128
// (-16, 8) = 77
// (0, 5) = 77
// (127, 1) = 77
pub fn over_mul8(a: i8, b: i8) -> i8 {
    let (r, w) = a.overflowing_mul(b);
    let q = if w { r } else { 77 };
    q
}

// (-9223372036854775808, -1) = 1
// (-1, -9223372036854775808) = 1
// (4294967296, 4294967296) = 1
// (3, 5) = 15
pub fn over_mul64(a: i64, b: i64) -> i64 {
    let (r, w) = a.overflowing_mul(b);
    let q = if w { 1 } else { r };
    q
}

// (18446744073709551615, 2) = 18446744073709551615
// (3, 5) = 15
// (4294967296, 4294967296) = 18446744073709551615
// (0, 7) = 0
pub fn sat_mul_u64(a: u64, b: u64) -> u64 {
    let q = a.saturating_mul(b);
    q
}

// (-2, 7) = -128
// (-2, 9) = -128
// (3, 5) = 127
// (-128, 1) = -128
// (2, 0) = 1
// (0, 3) = 0
// (11, 2) = 121
// (-12, 3) = -128
pub fn sat_pow8(a: i8, n: u32) -> i8 {
    let q = a.saturating_pow(n);
    q
}

// (2, 15) = 32768
// (2, 16) = 65535
// (255, 2) = 65025
// (256, 2) = 65535
// (0, 0) = 1
// (1, 500) = 1
pub fn sat_pow_u16(a: u16, n: u32) -> u16 {
    let q = a.saturating_pow(n);
    q
}

// (129, 1) = 99
// (129, 8) = 65
// (129, 0) = 65
// (129, 13) = 54
pub fn rot8(a: u8, n: u32) -> u8 {
    let q = a.rotate_left(n) ^ a.rotate_right(n + 1);
    q
}

// (1) = -32512
// (-2) = -32512
// (12345) = -23236
pub fn rev16(a: i16) -> i16 {
    let q = a.reverse_bits() ^ a.swap_bytes();
    q
}

// (0) = 0
// (1) = 1
// (255) = 15
// (224) = 14
// (225) = 15
pub fn isqrt8(a: u8) -> u8 {
    let q = a.isqrt();
    q
}

// (18446744073709551615) = 4294967295
// (18446744065119617025) = 4294967295
// (18446744065119617024) = 4294967294
// (4503599761588224) = 67108864
// (4503599761588223) = 67108864
pub fn isqrtu64(a: u64) -> u64 {
    let q = a.isqrt();
    q
}

// (0) = 1
// (1) = 1
// (2) = 2
// (3) = 4
// (128) = 128
// (127) = 128
pub fn nextpow8(a: u8) -> u8 {
    let q = a.next_power_of_two();
    q
}

// (0) = 1
// (1) = 1
// (9223372036854775807) = 9223372036854775808
pub fn nextpow64(a: u64) -> u64 {
    let q = a.next_power_of_two();
    q
}

// (3) = 360
pub fn powconst(a: i32) -> i32 {
    let q = a.pow(2) + a.pow(3) + a.pow(5) + 3_i32.pow(4);
    q
}

// (3.5) = 5.686719
pub fn floatlit32(a: f32) -> f32 {
    let q = a.max(0.1) + a.hypot(0.1) + a.atan2(0.3) + a.clamp(0.1, 0.7) + a.copysign(-0.1);
    q
}

// (0.0) = 0.0
// (-0.5) = -2.5334766
// (30.0) = 16029711000000.0
// (inf) = inf
// (NaN) = NaN
pub fn hyps(a: f32) -> f32 {
    let q = a.sinh() + a.tanh() + a.atan() + a.exp_m1() + a.ln_1p();
    q
}

// (0.0) = 3.1415927
// (-0.5) = 3.6651917
// (1.0) = 1.5707964
// (-1.0) = 4.712389
// (2.0) = NaN
pub fn acosasin(a: f32) -> f32 {
    let q = a.acos() * 2.0 + a.asin();
    q
}

// (0.0, 0.0) = 0.0
// (inf, NaN) = inf
// (NaN, 1.0) = NaN
// (3e30, 4e30) = 5e30
// (1e-30, 1e-30) = 1.4142136e-30
pub fn hypots(a: f32, b: f32) -> f32 {
    let q = a.hypot(b);
    q
}

// (27.0) = 3.0
// (-8.0) = -2.0
// (0.0) = 0.0
// (-0.0) = -0.0
// (inf) = inf
// (-inf) = -inf
// (NaN) = NaN
// (1e-40) = 4.6415806e-14
pub fn cbrts(a: f32) -> f32 {
    let q = a.cbrt();
    q
}

// (0.5) = 0.0
// (-0.5) = -0.0
// (1.5) = 2.0
// (2.5) = 2.0
// (-2.5) = -2.0
// (2.4) = 2.0
// (1e300) = 1e300
// (NaN) = NaN
// (-0.2) = -0.0
pub fn roundevens(a: f64) -> f64 {
    let q = a.round_ties_even();
    q
}

// (1.0) = 1010.7957
pub fn folds1(a: f32) -> f32 {
    let q = a
        * (2.0_f32.powi(-3)
            + 0.1_f32.mul_add(3.0, 1.0)
            + (-2.5_f32).round()
            + 7.9_f32.trunc()
            + 1e-3_f32.recip()
            + 9.0_f32.sqrt()
            + 0.3_f32.fract()
            + 90.0_f32.to_radians()
            + (2.5_f32 % 2.0));
    q
}

// (1) = -2147483463
pub fn folds2(a: i32) -> i32 {
    let q = a
        + (-7_i32).div_euclid(2)
        + (-7_i32).rem_euclid(2)
        + 5_i32.saturating_sub(i32::MIN)
        + 0xff_u8.count_ones() as i32
        + 1_u8.leading_zeros() as i32
        + 8_i64.trailing_zeros() as i32
        + 0x12_u8.rotate_left(6) as i32
        + 1000_i32.ilog10() as i32
        + 17_u32.isqrt() as i32
        + 17_u32.next_power_of_two() as i32
        + (-5_i32).signum();
    q
}

// (1) = 940979236
pub fn folds3(a: u32) -> u32 {
    let q = a
        + 1.5_f32.to_bits()
        + (-3_i32).unsigned_abs()
        + (-3_i32).abs_diff(7)
        + 7_u32.div_ceil(2)
        + 0x1234_5678_u32.swap_bytes()
        + i32::MIN.unsigned_abs();
    q
}

// (200, true) = 401
pub fn into3(a: u8, b: bool) -> i64 {
    let x: i64 = a.into();
    let y: i64 = b.into();
    let z: i64 = x.into();
    let q = x + y + z;
    q
}

// (true, false) = true
// (false, false) = false
pub fn boolops(a: bool, b: bool) -> bool {
    let q = (a & !b | a ^ b) && a != b && (a > b || a <= b);
    q
}

// (1) = true
// (0) = false
pub fn booleq(a: i32) -> bool {
    let q = (a > 0) == (a < 5);
    q
}

// (1) = 3
pub fn boolthen(a: i32) -> i32 {
    let q = (a > 0) as i32 + i32::from(a < 3) * 2;
    q
}

// (3, 9) = 7
// (200, 3) = 89
pub fn wrapshl8(a: u8, k: u32) -> u8 {
    let q = a.wrapping_shl(k) | a.wrapping_shr(k);
    q
}

// (3) = 5
// (250) = 200
pub fn cmpmix(a: u8) -> u8 {
    let q = core::cmp::max(a, 5).min(200);
    q
}

// (3.0) = 1.0
// (-1.0) = 0.0
pub fn maxmeth(a: f32) -> f32 {
    let z = 0.0_f32;
    let q = z.max(a).min(1.0).max(-1.0).abs().sqrt();
    q
}
