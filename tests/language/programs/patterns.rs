//! Patterns: match, if let, while let, let else, and enums.

// (0) = 1
// (1) = 2
pub fn m_enum(n: i32) -> i32 {
    #[derive(Clone, Copy)]
    enum Mode {
        A,
        B,
        C,
    }
    let m = if n == 0 { Mode::A } else { Mode::B };
    let q = match m {
        Mode::A => 1,
        Mode::B => 2,
        Mode::C => 3,
    };
    q
}

// (0) = 4
// (1) = 11
pub fn m_enum2(n: i32) -> i32 {
    #[derive(Clone, Copy, PartialEq)]
    #[repr(i32)]
    enum Mode {
        A = 3,
        B,
        C = 7,
    }
    let q = Mode::B as i32 + Mode::C as i32 * n;
    q
}

// (0) = 1
// (1) = 0
pub fn m_enumeq(n: i32) -> i32 {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Mode {
        A,
        B,
        C,
    }
    let m = if n == 0 { Mode::A } else { Mode::B };
    let q = if m == Mode::A { 1 } else { 0 };
    q
}

// (0, 1) = 1
// (1, 1) = 2
// (2, 9) = 9
// (5, 5) = 3
pub fn m_tuple(a: i32, b: i32) -> i32 {
    let q = match (a, b) {
        (0, _) => 1,
        (1, 1 | 2) => 2,
        (x, y) if x == y => 3,
        (_, n @ 3..=9) => n,
        _ => 0,
    };
    q
}

// (true, false) = 1
// (false, false) = 4
// (true, true) = 3
// (false, true) = 2
pub fn m_tupbool(a: bool, b: bool) -> i32 {
    let q = match (a, b) {
        (true, false) => 1,
        (false, true) => 2,
        (true, true) => 3,
        (false, false) => 4,
    };
    q
}

// (0) = 0
// (3) = 6
// (7) = 7
pub fn m_bind(a: i32) -> i32 {
    let q = match a {
        n @ 1..=5 => n * 2,
        n => n,
    };
    q
}

// (0) = 0
// (3) = 6
// (7) = 7
pub fn m_bindor(a: i32) -> i32 {
    let q = match a {
        n @ (1 | 3) => n * 2,
        x @ _ => x,
    };
    q
}

// (0) = 3
// (-3) = 1
// (-7) = 2
// (-2147483648) = 2
pub fn m_neg(a: i32) -> i32 {
    let q = match a {
        -3 => 1,
        i32::MIN..=-5 => 2,
        _ => 3,
    };
    q
}

// (0) = 3
// (4) = 1
// (5) = 2
pub fn m_const(a: i32) -> i32 {
    const K: i32 = 4;
    const L: i32 = K + 1;
    let q = match a {
        K => 1,
        L => 2,
        _ => 3,
    };
    q
}

// (0) = 1
// (4) = 2
// (5) = 2
pub fn m_constrange(a: i32) -> i32 {
    const K: i32 = 4;
    let q = match a {
        ..K => 1,
        K.. => 2,
    };
    q
}

// (0) = 1
// (4) = 2
// (255) = 3
pub fn m_halfopen(a: u8) -> i32 {
    let q = match a {
        0 => 1,
        1..=254 => 2,
        255 => 3,
    };
    q
}

// (0) = 1
// (4) = 2
// (255) = 2
pub fn m_u8excl(a: u8) -> i32 {
    let q = match a {
        0..4 => 1,
        4.. => 2,
    };
    q
}

// (0.0) = 1
// (4.0) = 2
pub fn m_float(a: f32) -> i32 {
    let q = match a {
        0.0 => 1,
        _ => 2,
    };
    q
}

// (0) = 1
// (4) = 5
pub fn m_mutbind(a: i32) -> i32 {
    let q = match a {
        0 => 1,
        mut n => {
            n += 1;
            n
        }
    };
    q
}

// (0, 1) = 2
// (1, 2) = 6
// (2, 3) = 9
pub fn m_nested(a: i32, b: i32) -> i32 {
    let q = match a {
        0 => match b {
            0 => 1,
            _ => 2,
        },
        1 => {
            let c = match b {
                2 => 5,
                _ => 6,
            };
            c + 1
        }
        _ => 9,
    };
    q
}

// (0) = 3
// (1) = 4
// (2) = 0
pub fn m_stmt(a: i32) -> i32 {
    let mut q = 0;
    match a {
        0 => q = 3,
        1 => {
            q += 4;
        }
        _ => {}
    }
    q
}

// (0) = 1
// (4) = 4
pub fn m_ret(a: i32) -> i32 {
    let q;
    match a {
        0 => q = 1,
        _ => {
            q = 4;
        }
    }
    q
}

// (0) = 0
pub fn m_unit(a: i32) -> i32 {
    let q = match () {
        () => a,
    };
    q
}

// (0, 1) = 2
// (1, 2) = 1
// (2, 3) = 3
pub fn m_guardor(a: i32, b: i32) -> i32 {
    let q = match a {
        0 | 1 if b > 1 => 1,
        0 => 2,
        _ => 3,
    };
    q
}

// (0, 1) = 6
// (1, 2) = 12
// (2, 3) = 23
pub fn m_tmut(a: i32, b: i32) -> i32 {
    let mut x = a;
    let q = match (x, b) {
        (0, k) => {
            x = 5;
            k + x
        }
        (k, _) => {
            x += 1;
            k * 10 + x
        }
    };
    q
}

// (0, 1) = 1
// (1, 2) = 3
// (2, 3) = 5
pub fn m_nesttup(a: i32, b: i32) -> i32 {
    let q = match ((a, b), a + b) {
        ((0, _), 1) => 1,
        ((x, y), z) if z > 3 => x + y,
        (_, z) => z,
    };
    q
}

// (0, 1) = 1
// (1, 2) = 2
// (2, 3) = 2
pub fn m_resttup(a: i32, b: i32) -> i32 {
    let q = match (a, b, 3) {
        (0, ..) => 1,
        (.., 3) => 2,
        _ => 3,
    };
    q
}

// (0) = 6
// (1) = 5
pub fn iflet1(a: i32) -> i32 {
    let q = if let 1 = a { 5 } else { 6 };
    q
}

// (0) = 6
// (1) = 5
pub fn iflet2(a: i32) -> i32 {
    let q = if let 1 | 2 = a { 5 } else { 6 };
    q
}

// (0, 1) = 6
// (1, 2) = 2
pub fn iflet3(a: i32, b: i32) -> i32 {
    let q = if let (1, x) = (a, b) { x } else { 6 };
    q
}

// (0, 1) = 3
// (1, 2) = 3
pub fn iflet4(a: i32, b: i32) -> i32 {
    let q = if let n @ 1..=4 = a {
        n + b
    } else if let 0 = a {
        3
    } else {
        6
    };
    q
}

// (0) = 0
// (4) = 10
pub fn whilelet(a: i32) -> i32 {
    let mut q = a;
    while let 1..=9 = q {
        q += 1;
    }
    q
}

// (0) = 1
// (1) = 7
pub fn letelse(a: i32) -> i32 {
    let mut q = 1;
    loop {
        let 1..=5 = a else { break };
        q = 7;
        break;
    }
    q
}

// (0, 1) = 1
// (1, 6) = 6
pub fn letelse2(a: i32, b: i32) -> i32 {
    let mut q = 1;
    'b: {
        let (1, x) = (a, b) else { break 'b };
        q = x;
    }
    q
}

// (0) = 2
// (4) = 5
pub fn let2nd_br(a: i32) -> i32 {
    let x;
    if a > 1 {
        x = 1;
    } else {
        x = 2;
    }
    let q = x + a;
    q
}

// (0) = 3
// (3) = 7
pub fn let_mut_later(a: i32) -> i32 {
    let mut x;
    if a > 1 {
        x = 1;
        x += 5;
    } else {
        x = 2;
    }
    x += 1;
    let q = x;
    q
}

// (0) = 1
// (1) = 5
// (7) = 8
pub fn en_use(n: i32) -> i32 {
    #[derive(Clone, Copy, PartialEq)]
    enum Mode {
        A,
        B,
        C,
    }
    use Mode::*;
    let m = if n == 0 {
        A
    } else if n == 1 {
        B
    } else {
        C
    };
    let q = match m {
        A | B if n > 0 => 5,
        A => 1,
        B | C => {
            if m != C {
                7
            } else {
                8
            }
        }
    };
    q
}

// (0) = 0
// (5) = 5
pub fn en_loop(n: i32) -> i32 {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        Start,
        Run,
        Stop,
    }
    let mut s = State::Start;
    let mut k = 0;
    while s != State::Stop {
        s = match s {
            State::Start => State::Run,
            State::Run if k < n => {
                k += 1;
                State::Run
            }
            _ => State::Stop,
        };
    }
    let q = k;
    q
}

// (0) = 145
// (5) = 150
pub fn en_repr(n: i32) -> i32 {
    #[repr(u8)]
    #[derive(Clone, Copy, PartialEq)]
    enum Op {
        Add = 200,
        Sub,
    }
    let q = n + Op::Sub as i8 as i32 + Op::Add as i32;
    q
}

// (0) = 1
// (1) = 2
// (2) = 2
pub fn en_pair(n: i32) -> i32 {
    #[derive(Clone, Copy)]
    enum Op {
        Add,
        Sub,
    }
    let w = if n > 0 { Op::Sub } else { Op::Add };
    let q = match (w, n) {
        (Op::Add, 0) => 1,
        (Op::Sub, 1..) => 2,
        (Op::Add, k) | (Op::Sub, k) => k,
    };
    q
}

// (0.5) = 4.0
pub fn alias1(n: f32) -> f32 {
    type F = f32;
    let z: F = n * 2.0;
    let q = z.max(F::MIN_POSITIVE) + 3_i32 as F + F::from_bits(0);
    q
}

// (5) = 40
pub fn constin(n: i32) -> i32 {
    const A: i32 = 4;
    const B: i32 = A * 2;
    let q = n * B;
    q
}

// (1, 2) = 0
// (2, 3) = 3
// (7, 1) = 6
pub fn letelse3(a: i32, b: i32) -> i32 {
    let mut q = 0;
    for i in 0..a {
        let (0..=3, k) = (i, i * b) else { continue };
        q += k;
    }
    q
}

// (3) = 6
// (0) = 0
pub fn whilelet2(a: i32) -> i32 {
    let mut x = a;
    let mut q = 0;
    while let n @ 1.. = x {
        q += n;
        x -= 1;
    }
    q
}

// (3, 4) = 9
// (0, 1) = 0
pub fn whilelet3(a: i32, b: i32) -> i32 {
    let mut x = a;
    let mut y = b;
    let mut q = 0;
    while let (1.., n) = (x, y) {
        q += n;
        y += 1;
        x -= 1;
        if q > 8 {
            break;
        }
    }
    q
}

// (3) = 9
// (0) = 6
pub fn iflet_eff(a: i32) -> i32 {
    let mut q = 1;
    if let 3 = a {
        q = 9;
    } else if a > 5 {
        q = 4;
    } else if let 0 | 1 = a {
        q = 6;
    }
    q
}

// (3) = 8
pub fn iflet_irref(a: i32) -> i32 {
    let q = if let n = a + 1 { n * 2 } else { 0 };
    q
}

// (3, true) = 3
pub fn let_or(a: i32, b: bool) -> i32 {
    let (x, true | false) = (a, b);
    let q = x;
    q
}

// (3) = 13
pub fn let_at(a: i32) -> i32 {
    let x @ _ = a;
    let t @ (y, z) = (a, 4);
    let q = x + t.0 + z + y;
    q
}

// (18446744073709551615) = 4
// (0) = 1
// (9223372036854775808) = 3
pub fn u64match(a: u64) -> i32 {
    let q = match a {
        0 => 1,
        1..=0x7fff_ffff_ffff_ffff => 2,
        0x8000_0000_0000_0000..=0xffff_ffff_ffff_fffe => 3,
        u64::MAX => 4,
    };
    q
}

// (-128) = 1
// (127) = 4
// (0) = 2
// (5) = 3
pub fn i8match(a: i8) -> i32 {
    let q = match a {
        i8::MIN..=-1 => 1,
        0 => 2,
        1..=126 => 3,
        i8::MAX => 4,
    };
    q
}
