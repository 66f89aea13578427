//! Ranges and loops.

// (2147483645) = 7
pub fn r_incmax(a: i32) -> i32 {
    let mut q = 0;
    for i in a..=i32::MAX {
        q += i % 7;
    }
    q
}

// (5) = 0
pub fn r_empty(a: i32) -> i32 {
    let mut q = 0;
    for i in a..a {
        q += 1;
    }
    for i in 5..2 {
        q += i;
    }
    for i in (5..2).rev() {
        q += i;
    }
    for i in 5..=4 {
        q += i;
    }
    q
}

// (0) = 0
// (10) = 306
// (11) = 346
// (12) = 386
pub fn r_revstep(a: i32) -> i32 {
    let mut q = 0;
    for i in (0..a).rev().step_by(3) {
        q = q * 3 + i;
    }
    q
}

// (0) = 0
// (10) = 306
// (11) = 306
// (12) = 306
pub fn r_steprev(a: i32) -> i32 {
    let mut q = 0;
    for i in (0..a).step_by(3).rev() {
        q = q * 3 + i;
    }
    q
}

// (10, 3) = 54
// (11, 1) = 44281
// (0, 4) = 0
pub fn r_rtstep(a: i32, s: i32) -> i32 {
    let mut q = 0;
    for i in (0..a).step_by(s as usize) {
        q = q * 3 + i;
    }
    q
}

// (10, 3) = 54
// (11, 1) = 44281
// (0, 4) = 0
pub fn r_rtstepu(a: i32, s: u32) -> i32 {
    let mut q = 0;
    for i in (0..a).step_by(s as usize) {
        q = q * 3 + i;
    }
    q
}

// (10, 3) = 6
pub fn r_stepcast(a: i32, s: i32) -> i32 {
    let mut q = 0;
    for i in (0..a).step_by((s * 2) as usize) {
        q = q * 3 + i;
    }
    q
}

// (600, 200) = 52612340
pub fn r_stepcast8(a: i32, s: u8) -> i32 {
    let mut q = 0;
    for i in (0..a).step_by((s + 100) as usize) {
        q = q * 3 + i;
    }
    q
}

// (10) = 20
pub fn r_steplit(a: i32) -> i32 {
    let mut q = 0;
    for i in (0..a).step_by(4usize) {
        q = q * 3 + i;
    }
    q
}

// (10) = 20
pub fn r_stepconst(a: i32) -> i32 {
    const S: usize = 4;
    let mut q = 0;
    for i in (0..a).step_by(S) {
        q = q * 3 + i;
    }
    q
}

// (10) = 45
pub fn r_usize(a: i32) -> i32 {
    let n = a as usize;
    let mut q = 0;
    for i in 0..n {
        q += i as i32;
    }
    q
}

// (10) = 17
// (-1) = -5
pub fn r_usize2(a: i32) -> i64 {
    let n = a as usize;
    let m: isize = -5;
    let q = (n * 2) as i64 + m as i64 + usize::MAX as i64 + 3_usize as i64;
    q
}

// (250) = 254
pub fn r_u8(a: u8) -> u8 {
    let mut q = 0;
    for i in a..255 {
        q ^= i;
    }
    q
}

// (250) = 1
pub fn r_u8inc(a: u8) -> u8 {
    let mut q = 0;
    for i in a..=255 {
        q ^= i;
    }
    q
}

// (5000000000) = 15000000003
pub fn r_i64(a: i64) -> i64 {
    let mut q = 0;
    for i in a..a + 3 {
        q += i;
    }
    q
}

// (4294967290) = 4294967294
pub fn r_u32(a: u32) -> u32 {
    let mut q = 0;
    for i in a..u32::MAX {
        q ^= i;
    }
    q
}

// (5) = -4102
pub fn r_neg(a: i32) -> i32 {
    let mut q = 0;
    for i in -a..a {
        q = q * 2 + i;
    }
    q
}

// (5) = 10
pub fn r_under(a: i32) -> i32 {
    let mut q = 0;
    for _ in 0..a {
        q += 2;
    }
    q
}

// (5) = 10
pub fn r_underi(a: i32) -> i32 {
    let mut q = 0;
    for _i in 0..a {
        q += 2;
    }
    q
}

// (5) = 20
pub fn r_mut(a: i32) -> i32 {
    let mut q = 0;
    for mut i in 0..a {
        i *= 2;
        q += i;
    }
    q
}

// (5) = 120
pub fn r_shadow(a: i32) -> i32 {
    let i = 100;
    let mut q = 0;
    for i in 0..a {
        let i = i * 2;
        q += i;
    }
    q += i;
    q
}

// (5) = 40
pub fn r_bound(a: i32) -> i32 {
    let mut n = a;
    let mut q = 0;
    for i in 0..n {
        n += 1;
        q += n;
    }
    q
}

// (5) = 10
// (50) = 45
pub fn r_brk(a: i32) -> i32 {
    let mut q = 0;
    for i in 0..a {
        if i == 10 {
            break;
        }
        q += i;
    }
    q
}

// (5) = 5
// (50) = 800
pub fn r_cont(a: i32) -> i32 {
    let mut q = 0;
    for i in 0..a {
        if i % 3 == 1 {
            continue;
        }
        q += i;
    }
    q
}

// (5) = 510
// (50) = 534
pub fn r_nestlab(a: i32) -> i32 {
    let mut q = 0;
    'out: for i in 0..a {
        for j in 0..i {
            if j == 4 {
                continue 'out;
            }
            if i == 9 {
                break 'out;
            }
            q += j;
        }
        q += 100;
    }
    q
}

// (5) = 10
// (50) = 1000
pub fn r_ret(a: i32) -> i32 {
    let mut q = 0;
    for i in 0..a {
        if i == 10 {
            q = 1000;
            break;
        }
        q += i;
    }
    q
}

// (9) = 28
// (10) = 94
pub fn r_step_incl(a: i32) -> i32 {
    let mut q = 0;
    for i in (1..=a).step_by(3) {
        q = q * 3 + i;
    }
    q
}

// (2147483640) = 2147483645
pub fn r_step_maxincl(a: i32) -> i32 {
    let mut q = 0;
    for i in (a..=i32::MAX).step_by(3) {
        q ^= i;
    }
    q
}

// (3) = 3
pub fn r_unusedlabel(a: i32) -> i32 {
    let mut q = 0;
    'unused: for i in 0..a {
        q += i;
    }
    'w: while q > 10 {
        q -= 1;
    }
    q
}

// (18446744073709551610) = 18446744073709551316
pub fn r_u64rev(a: u64) -> u64 {
    let mut q = 0;
    for i in (a..u64::MAX).rev() {
        q = q * 3 + i;
    }
    q
}

// (18446744073709551610) = 18446744073709549611
pub fn r_u64inc(a: u64) -> u64 {
    let mut q = 0;
    for i in a..=u64::MAX {
        q = q * 3 + i;
    }
    q
}

// (3) = true
// (7) = false
pub fn r_contains(a: i32) -> bool {
    let q = (1..5).contains(&a) || (0..=1).contains(&a);
    q
}

// (3) = 6
pub fn w_postinc(a: i32) -> i32 {
    let mut i = 0;
    let mut q = 0;
    loop {
        i += 1;
        if i > a {
            break;
        }
        q += i;
    }
    q
}

// (3) = 17
pub fn w_dec(a: i32) -> i32 {
    let mut i = a;
    let mut q = 0;
    while i > 0 {
        q = q * 2 + i;
        i -= 1;
    }
    q
}

// (300) = 9
pub fn w_half(a: i32) -> i32 {
    let mut i = a;
    let mut q = 0;
    while i > 0 {
        i /= 2;
        q += 1;
    }
    q
}

// (3) = 8
pub fn w_ret2(a: i32) -> i32 {
    let mut q = a;
    while true {
        q += 1;
        if q > 7 {
            break;
        }
    }
    q
}

// (3) = 192
pub fn l_value(a: i32) -> i32 {
    let mut i = a;
    let q = loop {
        i *= 2;
        if i > 100 {
            break i;
        }
    };
    q
}

// (3) = 7
pub fn l_nest(a: i32) -> i32 {
    let q = 'x: loop {
        let y = loop {
            if a > 2 {
                break 'x 7;
            }
            break 3;
        };
        break y + 1;
    };
    q
}

// (3) = 18
pub fn l_while(a: i32) -> i32 {
    let mut n = a;
    let q = loop {
        n += 1;
        let k = if n > 5 { break n * 2 } else { n };
        n += k;
    };
    q
}
