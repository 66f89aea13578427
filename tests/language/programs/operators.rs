//! Casts, operators and literals.

// (18446744073709551615) = 1.8446744e19
// (16777217) = 16777216.0
// (9223372036854775809) = 9.223372e18
// (36028797018963969) = 3.6028797e16
pub fn c_u64f32(a: u64) -> f32 {
    let q = a as f32;
    q
}

// (-9223372036854775808) = -9.223372e18
// (16777217) = 16777216.0
// (36028797018963969) = 3.6028797e16
pub fn c_i64f32(a: i64) -> f32 {
    let q = a as f32;
    q
}

// (18446744073709551615) = 1.8446744073709552e19
// (9007199254740993) = 9007199254740992.0
pub fn c_u64f64(a: u64) -> f64 {
    let q = a as f64;
    q
}

// (-1.0) = 0
// (1e30) = 18446744073709551615
// (NaN) = 0
// (inf) = 18446744073709551615
// (9.3e18) = 9300000300729368576
// (3.9) = 3
pub fn c_f32u64(a: f32) -> u64 {
    let q = a as u64;
    q
}

// (-1.5) = -1
// (1e30) = 9223372036854775807
// (-1e30) = -9223372036854775808
// (NaN) = 0
// (-inf) = -9223372036854775808
pub fn c_f32i64(a: f32) -> i64 {
    let q = a as i64;
    q
}

// (-1.5) = -1
// (127.9) = 127
// (128.0) = 127
// (-129.0) = -128
// (NaN) = 0
pub fn c_f64i8(a: f64) -> i8 {
    let q = a as i8;
    q
}

// (-1.5) = 0
// (255.9) = 255
// (256.0) = 255
// (NaN) = 0
pub fn c_f32u8(a: f32) -> u8 {
    let q = a as u8;
    q
}

// (true) = 2
// (false) = 0
pub fn c_boolint(a: bool) -> i64 {
    let q = a as i64 + a as u8 as i64;
    q
}

// (4294967295) = -1
// (-129) = 127
// (300) = 44
pub fn c_narrow(a: i64) -> i8 {
    let q = a as i8;
    q
}

// (-1) = 4294967294
// (5) = 10
pub fn c_signs(a: i32) -> u64 {
    let q = a as u32 as u64 + a as u64;
    q
}

// (1e300) = inf
// (0.1) = 0.1
// (1e-320) = 0.0
pub fn c_f64f32(a: f64) -> f32 {
    let q = a as f32;
    q
}

// (3, 4) = -48
pub fn c_prec(a: i32, b: i32) -> i32 {
    let q = a as i64 as i32 + b * -a as i32 - (a as i32) << 2;
    q
}

// (3) = 100
pub fn c_byte(a: i32) -> i32 {
    let q = b'a' as i32 + a;
    q
}

// (3, 4) = true
pub fn c_ltcast(a: i32, b: i64) -> bool {
    let q = (a as i64) < b;
    q
}

// (5, 3) = 6
// (-7, 2) = -45
pub fn o_prec1(a: i32, b: i32) -> i32 {
    let q = a + b * a - b / 2 % 3 << 1 & a | b ^ a & 7;
    q
}

// (5, 3) = true
// (-7, 2) = true
pub fn o_prec2(a: i32, b: i32) -> bool {
    let q = a & b == 1 && a | 1 > b || !(a < b) ^ true;
    q
}

// (5, 3) = true
// (-7, 2) = true
pub fn o_prec2b(a: i32, b: i32) -> bool {
    let q = (a & b) == 1 && (a | 1) > b || !(a < b) ^ true;
    q
}

// (5, 3) = -9
// (-7, 2) = -10
pub fn o_prec3(a: i32, b: i32) -> i32 {
    let q = -a.abs() + !b & -b | -(a - b) - -a;
    q
}

// (5) = 59
// (-9) = 219
pub fn o_compound(a: i32) -> i32 {
    let mut q = a;
    q += 3;
    q -= 1;
    q *= 7;
    q /= 2;
    q %= 50;
    q <<= 2;
    q >>= 1;
    q |= 8;
    q &= 0xff;
    q ^= 3;
    q
}

// (250) = 117
pub fn o_compu8(a: u8) -> u8 {
    let mut q = a;
    q += 10;
    q <<= 1;
    q = !q;
    q >>= 2;
    q -= 200;
    q
}

// (true) = true
pub fn o_notbool(a: bool) -> bool {
    let mut q = !a;
    q |= a;
    q &= !q;
    q ^= true;
    q
}

// (5, 3) = 62
pub fn o_shift(a: i32, b: u8) -> i32 {
    let q = (a << b) + (a >> 1u64) + (a << 2_i8);
    q
}

// (-5) = -3
pub fn o_shiftneg(a: i32) -> i32 {
    let q = a >> 1;
    q
}

// (5.5, 2.0) = 1.5
// (-5.5, 2.0) = -1.5
// (5.5, -2.0) = 1.5
// (inf, 2.0) = NaN
pub fn o_fmod(a: f32, b: f32) -> f32 {
    let q = a % b;
    q
}

// (5.5) = inf
// (0.0) = NaN
// (-1.0) = -inf
pub fn o_fdiv0(a: f32) -> f32 {
    let q = a / 0.0;
    q
}

// (-7, 2) = -301
// (7, -2) = -299
// (-7, -2) = 299
pub fn o_idiv(a: i32, b: i32) -> i32 {
    let q = a / b * 100 + a % b;
    q
}

// (-2147483648) = 2147483647
pub fn o_min(a: i32) -> i32 {
    let q = a - 1;
    q
}

// (1) = 1696
pub fn l_1(a: i32) -> i32 {
    let q = a + 0x_ff + 0b1010_1010 + 0o17 + 1_000_i32 + 0xFFi32;
    q
}

// (1.0) = 1107.1005
pub fn l_2(a: f32) -> f32 {
    let q = a + 1e3 + 1_000.5e-3_f32 + 2. + 1e-7 + 1E+2 + 0.1 + 3f32;
    q
}

// (1.0) = 123456790.22345679
pub fn l_3(a: f64) -> f64 {
    let q = a + 0.1 + 1e-310 + 123456789.123456789 + 5e-324;
    q
}

// (1) = 1.1
pub fn l_4(a: i32) -> f64 {
    let x = 0.1;
    let q = x + a as f64;
    q
}

// (1) = 3000000001
pub fn l_5(a: i64) -> i64 {
    let x = 3_000_000_000;
    let q = x + a;
    q
}

// (1) = -127
pub fn l_8(a: i8) -> i8 {
    let q = a + -128;
    q
}

// (1) = 0
pub fn l_9(a: u8) -> u8 {
    let q = a + 0xff;
    q
}

// (1.0) = 16777216.0
pub fn l_11(a: f32) -> f32 {
    let q = 16777217.0 + a * 0.1_f32 + 0.3;
    q
}

// (7) = 20
pub fn l_12(a: i32) -> i32 {
    let x = 10;
    let y = x / 4 * a;
    let q = y + 7 / 2 - -7 / 2;
    q
}

// (1) = -2
pub fn l_max(a: i64) -> i64 {
    let q = a ^ -9223372036854775808 ^ 0x7fff_ffff_ffff_ffff;
    q
}
