//! Functions that kernels call: where they return, what they are given, what they are made of.

// (5, 2) = 53
// (2, 5) = 55
// (-3, 0) = 3
pub fn return_in_an_arm(a: i32, b: i32) -> i32 {
    fn larger(a: i32, b: i32) -> i32 {
        if a > b {
            return a;
        }
        b
    }
    let q = larger(a, b) * 10 + larger(b, 3);
    q
}

// (10, 20) = 405
// (0, 20) = -101
// (10, 0) = 101
pub fn return_in_a_loop(n: i32, limit: i32) -> i32 {
    fn first_square_above(n: i32, limit: i32) -> i32 {
        for i in 0..n {
            if i * i > limit {
                return i;
            }
        }
        -1
    }
    let q = first_square_above(n, limit) + 100 * first_square_above(n, limit / 2);
    q
}

// (30) = 2015
// (1) = 1001
// (97) = 97001
pub fn return_in_nested_loops(n: i32) -> i32 {
    fn factors(n: i32) -> (i32, i32) {
        let mut i = 2;
        while i < n {
            let mut j = 2;
            while j < n {
                if i * j == n {
                    return (i, j);
                }
                if i * j > n {
                    break;
                }
                j += 1;
            }
            i += 1;
        }
        (n, 1)
    }
    let (a, b) = factors(n);
    let q = a * 1000 + b;
    q
}

// (0) = 300
// (1) = 400
// (7) = 308
// (12) = 312
pub fn return_from_match(n: i32) -> i32 {
    fn class(n: i32) -> i32 {
        match n {
            0 => return 100,
            1..=5 => 200,
            k if k % 2 == 0 => return k,
            _ => 300,
        }
    }
    let q = class(n) + class(n + 1);
    q
}

// (3, true) = 12
// (3, false) = 6
pub fn return_at_the_end(n: i32, up: bool) -> i32 {
    fn step(n: i32, up: bool) -> i32 {
        if up {
            return n + 1;
        } else {
            return n - 1;
        }
    }
    let q = step(step(n, up), !up) * step(n, up);
    q
}

// (7) = 78713
// (-7) = -81313
pub fn division_by_what_it_is_given(n: i32) -> i32 {
    fn parts(n: i32, by: i32) -> (i32, i32) {
        (n / by, n % by)
    }
    let (a, b) = parts(n, 2);
    let (c, d) = parts(-7, 2);
    let (e, f) = parts(n, -3);
    let q = a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f;
    q
}

// (7) = -20003
// (-7) = -403
// (1) = -203
pub fn division_of_a_result(n: i32) -> i32 {
    fn less(n: i32, by: i32) -> i32 {
        n - by
    }
    let q = less(1, 8) / 2 + less(n, 9) / 4 * 100 + less(n, 9) % 4 * 10000;
    q
}

// (0.1) = -0.005555555
// (3.3) = 0.26333332
pub fn singles_are_rounded(x: f32) -> f32 {
    fn third(x: f32) -> f32 {
        x / 3.0
    }
    fn tenth() -> f32 {
        0.1
    }
    fn chosen(x: f32) -> f32 {
        if x > 1.0 { 0.3 } else { x }
    }
    let q = third(x) * third(0.7) + tenth() * tenth() + chosen(x) * tenth() - third(tenth());
    q
}

// (0.1) = 0.1504
// (1e300) = 3.8400000000000004e299
pub fn doubles_keep_their_precision(x: f64) -> f64 {
    fn scaled(x: f64, by: f64) -> f64 {
        x * by + 0.1
    }
    let q = scaled(x, 0.3) + scaled(0.7, x) * scaled(0.1, 0.2);
    q
}

// (250, 10) = 47
// (1, 255) = 52
pub fn narrow_numbers_wrap(a: u8, b: u8) -> u8 {
    fn sum(a: u8, b: u8) -> u8 {
        a + b
    }
    let q = sum(a, b) / 2 + sum(200, 100) + sum(a, 7);
    q
}

// (9000000000) = 38000000019
// (-1) = 11000000016
pub fn long_numbers(n: i64) -> i64 {
    fn grown(n: i64, by: i64) -> i64 {
        n * 3 + by
    }
    let q = grown(n, 4000000000) + grown(5, 7000000000) + grown(1, 1);
    q
}

// (3) = 31006
// (8) = 81036
pub fn a_mutable_parameter(n: i32) -> i32 {
    fn sum_to(mut n: i32) -> i32 {
        let mut total = 0;
        while n > 0 {
            total += n;
            n -= 1;
        }
        total
    }
    let kept = n;
    let q = sum_to(n) + sum_to(4) * 100 + kept * 10000;
    q
}

// (2.5) = 0.5625
// (-0.5) = 0.1875
pub fn a_mutable_single(x: f32) -> f32 {
    fn halved(mut x: f32, times: i32) -> f32 {
        for _ in 0..times {
            x *= 0.5;
        }
        x
    }
    let q = halved(x, 3) + halved(1.0, 2);
    q
}

// (5) = 0
// (40) = 6600
pub fn functions_of_functions(n: i32) -> i32 {
    fn square(n: i32) -> i32 {
        n * n
    }
    fn near(n: i32, to: i32) -> bool {
        let gap = n - to;
        return square(gap) < 100;
    }
    fn nearest(n: i32) -> i32 {
        if near(n, 0) {
            return 0;
        }
        if near(n, 50) {
            return 50;
        }
        square(n)
    }
    let q = nearest(n) + nearest(n + 1) * 100;
    q
}

// (true, 4) = 207
// (false, 4) = 209
// (true, 0) = 201
pub fn as_a_condition(on: bool, n: i32) -> i32 {
    fn is_even(n: i32) -> bool {
        n % 2 == 0
    }
    let mut q = 0;
    if on && is_even(n) {
        q += 1;
    }
    while is_even(q) || q < n {
        q += 3;
    }
    q += if is_even(q) { 100 } else { 200 };
    q
}

// (6) = 4112
// (-6) = 2301
pub fn tuples_of_tuples(n: i32) -> i32 {
    fn split(n: i32) -> ((i32, bool), i32) {
        if n < 0 {
            return ((-n, true), 1);
        }
        ((n, false), 2)
    }
    fn joined(pair: (i32, bool), by: i32) -> i32 {
        if pair.1 { pair.0 * by } else { pair.0 + by }
    }
    let (pair, kind) = split(n);
    let q = joined(pair, 5) * 10 + kind + joined((2, true), kind) * 1000;
    q
}

// (5) = 82004
// (1) = 22012
pub fn of_constants(n: i32) -> i32 {
    const BASE: i32 = 7;
    const fn doubled(n: i32) -> i32 {
        n * 2
    }
    const WIDE: i32 = doubled(BASE) + 1;
    fn scaled<const BY: i32>(n: i32) -> i32 {
        n * BY + BASE
    }
    let q = scaled::<3>(n) + scaled::<WIDE>(n) * 1000 + scaled::<{ WIDE - 20 }>(n);
    q
}

// (5) = 61
// (50) = 162
pub fn a_path_to_a_function(n: i32) -> i32 {
    mod shapes {
        pub fn area(n: i32) -> i32 {
            super_side(n) * super_side(n)
        }
        fn super_side(n: i32) -> i32 {
            if n > 9 { 9 } else { n }
        }
    }
    use shapes::area as size;
    let q = shapes::area(n) + size(n + 1);
    q
}

// (5) = 10
// (-5) = -6
pub fn names_of_python(n: i32) -> i32 {
    fn lambda(n: i32) -> i32 {
        n + 1
    }
    fn range(n: i32) -> i32 {
        n * 2
    }
    fn tl(result: i32) -> i32 {
        if result > 3 {
            return lambda(result);
        }
        range(result)
    }
    let lambda_ = 3;
    let q = tl(n) + lambda(lambda_);
    q
}

// (4) = 16
// (5) = 62
pub fn a_call_in_a_loop_bound(n: i32) -> i32 {
    fn bound(n: i32) -> i32 {
        if n % 2 == 0 {
            return n;
        }
        n + 1
    }
    let mut q = 0;
    for i in bound(1)..bound(n) {
        q += i * bound(i);
    }
    q
}

// (300) = 75044
// (-300) = -74788
pub fn conversions(n: i32) -> i32 {
    fn to_byte(n: i32) -> u8 {
        n as u8
    }
    fn to_single(n: i32) -> f32 {
        n as f32 * 0.25
    }
    let q = to_byte(n) as i32 + to_single(n) as i32 * 1000 + to_single(3) as i32;
    q
}

// (0) = -5
// (3) = 216
// (10) = 416
pub fn a_tail_that_never_ends_in_a_value(n: i32) -> i32 {
    fn root(n: i32) -> i32 {
        let mut i = 0;
        loop {
            if i * i >= n {
                return i;
            }
            i += 1;
        }
    }
    fn sign(n: i32) -> i32 {
        if n > 2 { return 1 } else { return -1 }
    }
    fn kind(n: i32) -> i32 {
        match n {
            0 => return 5,
            _ => return 6,
        }
    }
    let q = root(n) * 100 + sign(n) * 10 + kind(n);
    q
}

// (4) = -996
// (40) = -972
pub fn a_value_of_a_labelled_block(n: i32) -> i32 {
    fn capped(n: i32) -> i32 {
        let m = 'found: {
            for i in 0..n {
                if i > 20 {
                    return -1;
                }
                if i * 3 > n {
                    break 'found i;
                }
            }
            n
        };
        m * 2
    }
    let q = capped(n) + capped(100) * 1000;
    q
}

// (7) = -3068900
// (-7) = -3130938
// (1) = -3098918
pub fn numbers_that_are_negative_somewhere(n: i32) -> i32 {
    fn inner(a: i32, b: i32) -> i32 {
        a / b * 10 + a % b
    }
    fn outer(a: i32, b: i32) -> i32 {
        inner(a - 9, b) + inner(b, 3)
    }
    fn of_pair(pair: (i32, i32)) -> i32 {
        pair.0 / pair.1 * 10 + pair.0 % pair.1
    }
    let mut q = outer(n, 4) + of_pair((n, 2)) * 1000 + of_pair((-7, 2)) * 100000;
    for i in 0..3 {
        q += outer(i, -4) * 7;
    }
    q
}

// (7) = 58768
// (1) = 1
pub fn numbers_that_are_never_negative(n: i32) -> i32 {
    fn place(i: i32, width: i32) -> (i32, i32) {
        (i / width, i % width)
    }
    let mut q = 0;
    for i in 0..n {
        let (row, column) = place(i * 3 + 1, 4);
        q = q * 5 + row * 10 + column;
    }
    q
}
