//! What stands around statements: attributes, names, blocks and items.

// (1) = 1
pub fn s_cfgoff(a: i32) -> i32 {
    let mut q = a;
    #[cfg(any())]
    {
        q = 7;
    }
    #[cfg(any())]
    let q = 9;
    q
}

// (1) = 2
pub fn s_unsafe(a: i32) -> i32 {
    let q = unsafe { a + 1 };
    q
}

// (1) = 2
pub fn s_raw(a: i32) -> i32 {
    let r#match = a;
    let r#in = r#match + 1;
    let q = r#in;
    q
}

// (1) = 3
pub fn s_uni(a: i32) -> i32 {
    let größe = a;
    let π = 3;
    let q = größe * π;
    q
}

// (1) = 2
pub fn s_paren(a: i32) -> i32 {
    let q: (i32) = (a) + (1);
    q
}

// (1) = 1
pub fn s_trail(a: i32) -> i32 {
    let t: (i32, i32) = (a, 1);
    let (x, y) = t;
    let q = i32::max(x, y);
    q
}

// (1) = 1
pub fn s_docs(a: i32) -> i32 {
    /// doc comment on a statement
    let x = a;
    /* block */
    let y = /* inner */ x;
    let q = y; // trailing
    q
}

// (1) = 1
pub fn s_empty(a: i32) -> i32 {
    let q = a;
    {}
    q
}

// (5) = 14
pub fn s_fn(a: i32) -> i32 {
    #[inline(always)]
    #[must_use]
    pub(crate) const fn twice(x: i32) -> i32 {
        x * 2
    }
    pub const fn half(x: i32) -> i32 where {
        return x / 2;
    }
    const N: i32 = twice(4);
    let q = twice(a) + half(N);
    q
}

// (5) = 6
pub fn s_fnin(a: i32) -> i32 {
    fn inner(mut x: i32) -> i32 {
        x += 1;
        x
    }
    let q = inner(a);
    q
}

// (5) = 13
pub fn s_mod(a: i32) -> i32 {
    mod m {
        pub const K: i32 = 4;
        pub fn f(x: i32) -> i32 {
            x + self::K
        }
    }
    fn top() -> i32 {
        100
    }
    let q = m::f(a) + m::K;
    q
}

// (5) = 30
pub fn s_gendef(a: i32) -> i32 {
    fn f<const N: i32>(x: i32) -> i32 {
        x * N
    }
    let q = f::<3>(a) + f::<{ 2 + 2 }>(a) + f::<-1>(a);
    q
}

// (5) = 5
pub fn s_letty(a: i32) -> i32 {
    let x: _ = a;
    let q: i32 = x;
    q
}
