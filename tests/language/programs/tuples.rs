//! Tuples: patterns, assignment, elements, and values of loops and blocks.

// (0) = 34
// (5) = 52
pub fn brk_tuple(a: i32) -> i32 {
    let (x, y) = loop {
        if a > 3 {
            break (a, 2);
        }
        break (3, 4);
    };
    let q = x * 10 + y;
    q
}

// (0) = 34
// (5) = 52
pub fn brk_block(a: i32) -> i32 {
    let (x, y) = 'a: {
        if a > 3 {
            break 'a (a, 2);
        }
        (3, 4)
    };
    let q = x * 10 + y;
    q
}

// (0) = 5
// (5) = 6
pub fn lettup(a: i32) -> i32 {
    let t;
    if a > 3 {
        t = (a, 1);
    } else {
        t = (2, 3);
    }
    let q = t.0 + t.1;
    q
}

// (0) = 0
pub fn let_unassigned2(a: i32) -> i32 {
    let x: i32;
    let q = a;
    q
}

// (0) = 5
// (5) = 10
pub fn letmutpat(a: i32) -> i32 {
    let (mut x, y): (i32, i32) = (a, 5);
    x += y;
    let q = x;
    q
}

// (0) = 5
// (5) = 10
pub fn nestpat(a: i32) -> i32 {
    let ((x, mut y), _) = ((a, 5), 6);
    y += x;
    let q = y;
    q
}

// (0) = 13
// (5) = 23
pub fn restpat(a: i32) -> i32 {
    let (x, ..) = (a, 5, 6);
    let (.., y) = (a, 5, 6);
    let (z, .., w) = (a, 5, 6, 7);
    let (..) = (a, 1);
    let q = x + y + z + w;
    q
}

// (0) = 3
// (5) = 53
pub fn assigntup(a: i32) -> i32 {
    let (mut x, mut y) = (a, 1);
    (x, y) = (y, x);
    (x, _) = (x + 1, 3);
    (x, ..) = (x + 1, 3);
    ((x, y), _) = ((y, x), 1);
    _ = x + y;
    let q = x * 10 + y;
    q
}

// (0) = 56
// (5) = 196
pub fn assignfield(a: i32) -> i32 {
    let mut t = (a, 2);
    t.0 = 7;
    t.1 += a;
    t.1 <<= 2;
    let q = t.0 * t.1;
    q
}

// (0) = 370
// (5) = 375
pub fn assignfieldtup(a: i32) -> i32 {
    let mut t = (a, (2, 3));
    t.1 .0 = 7;
    (t.0, t.1 .1) = (t.1 .1, t.0);
    let q = t.0 * 100 + t.1 .0 * 10 + t.1 .1;
    q
}

// (0) = 0
// (5) = 5
pub fn looptuple(a: i32) -> i32 {
    let mut t = (0, 1);
    for i in 0..a {
        t = (t.1, t.0 + t.1);
    }
    let q = t.0;
    q
}

// (0) = 0
// (5) = 15
pub fn looptuplef(a: i32) -> i32 {
    let mut t = (0, 1);
    let mut i = 0;
    while i < a {
        t.0 += t.1;
        t.1 += i;
        i += 1;
    }
    let q = t.0;
    q
}

// (0) = 2
// (3) = 6
pub fn unit2(a: i32) -> i32 {
    let mut q = a;
    let _ = if a > 1 {
        q += 1;
    };
    let () = {
        q += 2;
    };
    q
}

// (0) = false
// (3) = true
pub fn tupeq(a: i32) -> bool {
    let q = (a, 1) == (3, 1);
    q
}
