//! The order of evaluation, and what is not evaluated.

// (0) = 10
// (3) = 1
pub fn and_with_a_block(a: i32) -> i32 {
    let mut k = 0;
    let b = a > 1 && {
        k += 1;
        k > 0
    };
    let q = if b { k } else { k + 10 };
    q
}

// (0) = 0
// (3) = 4
pub fn and_for_its_effect(a: i32) -> i32 {
    let mut q = 0;
    let _ = a > 1 && {
        q = 4;
        true
    };
    q
}

// (0) = 4
// (3) = 0
pub fn or_as_a_statement(a: i32) -> i32 {
    let mut q = 0;
    a > 1 || {
        q = 4;
        true
    };
    q
}

// (0) = 2
// (3) = 12
pub fn block_in_an_arm(a: i32) -> i32 {
    let mut k = 0;
    let b = if a > 1 {
        1 + {
            k += 1;
            k
        }
    } else {
        2
    };
    let q = k * 10 + b;
    q
}

// (0) = 7
// (3) = 6
pub fn blocks_in_conditions(a: i32) -> i32 {
    let mut k = 0;
    if a > 1
        && {
            k += 1;
            k == 1
        }
        && a < 10
    {
        k += 5;
    } else if a == 0 || {
        k += 2;
        true
    } {
        k += 7;
    }
    let q = k;
    q
}

// (0) = 10
// (3) = 6
pub fn block_in_a_loop_condition(a: i32) -> i32 {
    let mut k = a;
    while k < 10 && {
        k += 1;
        k != 6
    } {
        k += 1;
    }
    let q = k;
    q
}

// (0) = false
// (3) = true
pub fn loop_after_and(a: i32) -> bool {
    let mut k = 0;
    let q = a > 1 && {
        while k < 3 {
            k += 1;
        }
        k == 3
    };
    q
}

// (0) = 0
// (3) = 31
pub fn negated_block(a: i32) -> i32 {
    let mut k = 0;
    let b = !(a > 1 && {
        k += 1;
        k > 0
    }) || {
        k += 20;
        false
    };
    let q = if b { k } else { k + 10 };
    q
}

// (0) = 200
// (3) = 203
pub fn read_before_a_block_assigns(a: i32) -> i32 {
    let mut x = a;
    let q = x
        + {
            x = 50;
            x
        } * 3
        + x;
    q
}

// (0) = 50500
// (3) = 50503
pub fn tuple_in_order(a: i32) -> i32 {
    let mut x = a;
    let t = (
        x,
        {
            x = 50;
            x
        },
        x,
    );
    let q = t.0 + t.1 * 10 + t.2 * 1000;
    q
}

// (0) = -4
// (3) = -2
pub fn arguments_in_order(a: i32) -> i32 {
    let mut x = a;
    let q = x.max({
        x = -5;
        1
    }) + x;
    q
}

// (0) = 51
// (3) = 51
pub fn compound_assignment_reads_last(a: i32) -> i32 {
    let mut x = a;
    x += {
        x = 50;
        1
    };
    let q = x;
    q
}

// (0) = 4
// (3) = 56
pub fn arms_assign(a: i32) -> i32 {
    let mut x = a;
    let q =
        x + if a > 1 {
            x = 50;
            3
        } else {
            4
        } + x;
    q
}

// (0) = 0
// (3) = 24
pub fn loop_assigns(a: i32) -> i32 {
    let mut x = a;
    let q = (x + 1)
        * loop {
            x += 5;
            if x > 7 {
                break x;
            }
        }
        - x;
    q
}
