//! Kernels that are right, though they come near to what lints look for.

#[kernel]
pub fn welford<T: Triton, D: Float, const BLOCK: i32>(x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, n: i32) {
    let row = T::program_id(Axis::X);
    let mut mean = T::zeros::<D>(&[1]);
    let mut m2 = T::zeros::<D>(&[1]);
    let zeros = T::zeros::<D>(&[BLOCK]);
    for t in 0..T::cdiv(n, BLOCK) {
        let cols = T::arange(0, BLOCK) + t * BLOCK;
        let mask = cols.lt(n);
        let x = T::load(x_ptr.add_offsets(row * n + cols), Some(mask), Some(zeros), &[], None, None, None, false);
        let mf = T::cast::<bool, D>(mask, None, false);
        let count = T::sum(mf, Some(0), true);
        let m = T::sum(x, Some(0), true) / count;
        let d = (x - m) * mf;
        m2 = m2 + T::sum(d * d, Some(0), true);
        mean = mean + m;
    }
    T::store(y_ptr.add_offsets(T::arange(0, 1) + row), m2 + mean, None, &[], None, None);
}

#[kernel]
pub fn masked_by_where_scalar_fill<T: Triton, D: Float, const BLOCK: i32>(x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, n: i32, neg_inf: f32) {
    let row = T::program_id(Axis::X);
    let cols = T::arange(0, BLOCK);
    let mask = cols.lt(n);
    let fill = T::cast::<f32, D>(T::full::<f32>(&[BLOCK], neg_inf), None, false);
    let x = T::load(x_ptr.add_offsets(row * n + cols), Some(mask), Some(fill), &[], None, None, None, false);
    let m = T::max(x, Some(0), true);
    let e = T::exp(x - T::broadcast_to(m, &[BLOCK]));
    let s = T::sum(e, Some(0), true);
    T::store(y_ptr.add_offsets(row * n + cols), e / T::broadcast_to(s, &[BLOCK]), Some(mask), &[], None, None);
}

#[kernel]
pub fn flash<T: Triton, const BM: i32, const BN: i32, const DH: i32>(q_ptr: T::Pointer<f32>, k_ptr: T::Pointer<f32>, v_ptr: T::Pointer<f32>, o_ptr: T::Pointer<f32>, n: i32, scale: f32) {
    let pid = T::program_id(Axis::X);
    let head = T::program_id(Axis::Y);
    let rows = T::arange(0, BM) + pid * BM;
    let d = T::arange(0, DH);
    let at = T::expand_dims(rows, 1) * DH + T::expand_dims(d, 0) + head * n * DH;
    let rmask = T::broadcast_to(T::expand_dims(rows.lt(n), 1), &[BM, DH]);
    let q = T::load(q_ptr.add_offsets(at), Some(rmask), Some(T::zeros::<f32>(&[BM, DH])), &[], None, None, None, false);
    let mut m_i = T::full::<f32>(&[BM, 1], -3.4e38_f32);
    let mut l_i = T::zeros::<f32>(&[BM, 1]);
    let mut acc = T::zeros::<f32>(&[BM, DH]);
    for t in 0..T::cdiv(n, BN) {
        let cols = T::arange(0, BN) + t * BN;
        let kat = T::expand_dims(cols, 1) * DH + T::expand_dims(d, 0) + head * n * DH;
        let cmask = T::broadcast_to(T::expand_dims(cols.lt(n), 1), &[BN, DH]);
        let k = T::load(k_ptr.add_offsets(kat), Some(cmask), Some(T::zeros::<f32>(&[BN, DH])), &[], None, None, None, false);
        let v = T::load(v_ptr.add_offsets(kat), Some(cmask), Some(T::zeros::<f32>(&[BN, DH])), &[], None, None, None, false);
        let s0 = T::dot::<f32, f32>(q, T::trans(k, &[1, 0]), None, InputPrecision::IEEE, None) * scale;
        let s = T::where_(T::broadcast_to(T::expand_dims(cols.lt(n), 0), &[BM, BN]), s0, T::full::<f32>(&[BM, BN], -3.4e38_f32));
        let m_new = T::maximum(m_i, T::max(s, Some(1), true));
        let p = T::exp(s - m_new);
        let alpha = T::exp(m_i - m_new);
        l_i = l_i * alpha + T::sum(p, Some(1), true);
        acc = acc * alpha + T::dot::<f32, f32>(p, v, None, InputPrecision::IEEE, None);
        m_i = m_new;
    }
    T::store(o_ptr.add_offsets(at), acc / l_i, Some(rmask), &[], None, None);
}

#[kernel]
pub fn grouped_matmul<T: Triton, const BM: i32, const BN: i32, const BK: i32, const G: i32>(a_ptr: T::Pointer<f32>, b_ptr: T::Pointer<f32>, c_ptr: T::Pointer<f32>, m: i32, n: i32, k: i32) {
    let pid = T::program_id(Axis::X);
    let nm = T::cdiv(m, BM);
    let nn = T::cdiv(n, BN);
    let per = G * nn;
    let group = pid / per;
    let first = group * G;
    let rem = nm - first;
    let size = if rem < G { rem } else { G };
    let pm = first + (pid % per) % size;
    let pn = (pid % per) / size;
    let rm = T::arange(0, BM) + pm * BM;
    let rn = T::arange(0, BN) + pn * BN;
    let mut acc = T::zeros::<f32>(&[BM, BN]);
    for t in 0..T::cdiv(k, BK) {
        let rk = T::arange(0, BK) + t * BK;
        let a = T::load(a_ptr.add_offsets(T::expand_dims(rm, 1) * k + T::expand_dims(rk, 0)), Some(T::expand_dims(rm.lt(m), 1) & T::expand_dims(rk.lt(k), 0)), Some(T::zeros::<f32>(&[BM, BK])), &[], None, None, None, false);
        let b = T::load(b_ptr.add_offsets(T::expand_dims(rk, 1) * n + T::expand_dims(rn, 0)), Some(T::expand_dims(rk.lt(k), 1) & T::expand_dims(rn.lt(n), 0)), Some(T::zeros::<f32>(&[BK, BN])), &[], None, None, None, false);
        acc = T::dot::<f32, f32>(a, b, Some(acc), InputPrecision::IEEE, None);
    }
    let cm = T::expand_dims(rm.lt(m), 1) & T::expand_dims(rn.lt(n), 0);
    T::store(c_ptr.add_offsets(T::expand_dims(rm, 1) * n + T::expand_dims(rn, 0)), acc, Some(cm), &[], None, None);
}

#[kernel]
pub fn swizzled<T: Triton, const BM: i32, const BN: i32>(x_ptr: T::Pointer<f32>, c_ptr: T::Pointer<f32>, m: i32, n: i32) {
    let i = T::program_id(Axis::X);
    let j = T::program_id(Axis::Y);
    let (pm, pn) = T::swizzle2d(i, j, m, n, 8);
    let at = T::expand_dims(T::arange(0, BM) + pm * BM, 1) * n * BN + T::expand_dims(T::arange(0, BN) + pn * BN, 0);
    let x = T::load(x_ptr.add_offsets(at), None, None, &[], None, None, None, false);
    T::store(c_ptr.add_offsets(at), x, None, &[], None, None);
}

#[kernel]
pub fn persistent<T: Triton, const BLOCK: i32>(x_ptr: T::Pointer<f32>, y_ptr: T::Pointer<f32>, n: i32) {
    let mut tile = T::program_id(Axis::X);
    while tile < T::cdiv(n, BLOCK) {
        let at = T::arange(0, BLOCK) + tile * BLOCK;
        let x = T::load(x_ptr.add_offsets(at), Some(at.lt(n)), None, &[], None, None, None, false);
        T::store(y_ptr.add_offsets(at), x + x, Some(at.lt(n)), &[], None, None);
        tile += T::num_programs(Axis::X);
    }
}

#[kernel]
pub fn full_then_tail<T: Triton, const BLOCK: i32>(x_ptr: T::Pointer<f32>, y_ptr: T::Pointer<f32>, n: i32) {
    let row = T::program_id(Axis::X);
    let mut start = 0;
    while start + BLOCK <= n {
        let at = T::arange(0, BLOCK) + start;
        let x = T::load(x_ptr.add_offsets(row * n + at), None, None, &[], None, None, None, false);
        T::store(y_ptr.add_offsets(row * n + at), x, None, &[], None, None);
        start += BLOCK;
    }
    let at = T::arange(0, BLOCK) + start;
    let x = T::load(x_ptr.add_offsets(row * n + at), Some(at.lt(n)), None, &[], None, None, None, false);
    T::store(y_ptr.add_offsets(row * n + at), x, Some(at.lt(n)), &[], None, None);
}

#[kernel]
pub fn split_sum<T: Triton, const BLOCK: i32>(x_ptr: T::Pointer<f32>, y_ptr: T::Pointer<f32>, n: i32) {
    let at = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let x = T::load(x_ptr.add_offsets(at), Some(at.lt(n)), Some(T::zeros::<f32>(&[BLOCK])), &[], None, None, None, false);
    T::atomic_add(y_ptr.add_offsets(T::arange(0, 1)), T::sum(x, Some(0), true), None, None, None);
}

#[kernel]
pub fn column_sums<T: Triton, const BLOCK: i32>(x_ptr: T::Pointer<f32>, y_ptr: T::Pointer<f32>, rows: i32, n: i32) {
    // one program for a tile of columns; the other axis does other columns
    let tile = T::program_id(Axis::X) + T::program_id(Axis::Y) * T::num_programs(Axis::X);
    let cols = T::arange(0, BLOCK) + tile * BLOCK;
    let mut s = T::zeros::<f32>(&[BLOCK]);
    for r in 0..rows {
        s = s + T::load(x_ptr.add_offsets(cols + r * n), Some(cols.lt(n)), None, &[], None, None, None, false);
    }
    T::store(y_ptr.add_offsets(cols), s, Some(cols.lt(n)), &[], None, None);
}

#[kernel]
pub fn in_place<T: Triton, const BLOCK: i32>(x_ptr: T::Pointer<f32>, n: i32) {
    let p = T::program_id(Axis::X);
    let b = p / n;
    let c = p % n;
    let at = T::arange(0, BLOCK) + (b * n + c) * BLOCK;
    let x = T::load(x_ptr.add_offsets(at), None, None, &[], None, None, None, false);
    T::store(x_ptr.add_offsets(at), x * 2.0, None, &[], None, None);
}

#[kernel]
pub fn scatter<T: Triton, const BLOCK: i32>(i_ptr: T::Pointer<i32>, x_ptr: T::Pointer<f32>, y_ptr: T::Pointer<f32>, n: i32) {
    let at = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let mask = at.lt(n);
    let i = T::load(i_ptr.add_offsets(at), Some(mask), Some(T::zeros::<i32>(&[BLOCK])), &[], None, None, None, false);
    let x = T::load(x_ptr.add_offsets(at), Some(mask), Some(T::zeros::<f32>(&[BLOCK])), &[], None, None, None, false);
    T::store(y_ptr.add_offsets(i), x, Some(mask), &[], None, None);
}

#[kernel]
pub fn counts<T: Triton, const BLOCK: i32>(x_ptr: T::Pointer<i32>, y_ptr: T::Pointer<i32>, n: i32, k: i32) {
    let at = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let mask = at.lt(n);
    let x = T::load(x_ptr.add_offsets(at), Some(mask), Some(T::full::<i32>(&[BLOCK], -1)), &[], None, None, None, false);
    let hit = T::eq_scalar(x, k);
    let c = T::sum(T::cast::<bool, i32>(hit, None, false), Some(0), true);
    T::atomic_add(y_ptr.add_offsets(T::arange(0, 1)), c, None, None, None);
}

#[kernel]
pub fn l2_normalise<T: Triton, D: Float, const BLOCK: i32>(x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, n: i32, eps: f32) {
    let row = T::program_id(Axis::X);
    let cols = T::arange(0, BLOCK);
    let mask = cols.lt(n);
    let x = T::load(x_ptr.add_offsets(row * n + cols), Some(mask), Some(T::zeros::<D>(&[BLOCK])), &[], None, None, None, false);
    let norm = T::sqrt(T::sum(x * x, Some(0), true) + T::cast::<f32, D>(T::full::<f32>(&[1], eps), None, false));
    let y = x / T::broadcast_to(norm, &[BLOCK]);
    let back = T::sum(y * x, Some(0), true);
    T::store(y_ptr.add_offsets(row * n + cols), y - back, Some(mask), &[], None, None);
}

#[kernel]
pub fn difference_of_products<T: Triton, D: Float, const BLOCK: i32>(x_ptr: T::Pointer<D>, z_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, n: i32) {
    let row = T::program_id(Axis::X);
    let cols = T::arange(0, BLOCK);
    let mask = cols.lt(n);
    let zeros = T::zeros::<D>(&[BLOCK]);
    let x = T::load(x_ptr.add_offsets(row * n + cols), Some(mask), Some(zeros), &[], None, None, None, false);
    let z = T::load(z_ptr.add_offsets(row * n + cols), Some(mask), Some(zeros), &[], None, None, None, false);
    let a = T::sum(x * x, Some(0), true);
    let b = T::sum(x * z, Some(0), true);
    let c = T::sum(z * z, Some(0), true);
    T::store(y_ptr.add_offsets(T::arange(0, 1) + row), a * c - b * b, None, &[], None, None);
}

#[kernel]
pub fn bce<T: Triton, D: Float, const BLOCK: i32>(p_ptr: T::Pointer<D>, t_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, n: i32) {
    let at = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let mask = at.lt(n);
    let zeros = T::zeros::<D>(&[BLOCK]);
    let one = T::cast::<f32, D>(T::full::<f32>(&[BLOCK], 1.0), None, false);
    let lo = T::cast::<f32, D>(T::full::<f32>(&[BLOCK], 1e-7), None, false);
    let p = T::load(p_ptr.add_offsets(at), Some(mask), Some(zeros), &[], None, None, None, false);
    let t = T::load(t_ptr.add_offsets(at), Some(mask), Some(zeros), &[], None, None, None, false);
    let q = T::maximum(p, lo);
    let l = zeros - (t * T::log(q) + (one - t) * T::log(one - q));
    T::atomic_add(y_ptr.add_offsets(T::arange(0, 1)), T::sum(l, Some(0), true), None, None, None);
}

#[kernel]
pub fn flag<T: Triton, const BLOCK: i32>(x_ptr: T::Pointer<f32>, f_ptr: T::Pointer<i32>, n: i32) {
    let at = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let x = T::load(x_ptr.add_offsets(at), Some(at.lt(n)), Some(T::zeros::<f32>(&[BLOCK])), &[], None, None, None, false);
    let bad = T::max(T::cast::<bool, i32>(T::gt(x, T::zeros::<f32>(&[BLOCK])), None, false), Some(0), true);
    T::store(f_ptr.add_offsets(T::arange(0, 1)), T::full::<i32>(&[1], 1), Some(T::gt_scalar(bad, 0)), &[], None, None);
}

#[kernel]
pub fn transpose<T: Triton, const B: i32>(x_ptr: T::Pointer<f32>, y_ptr: T::Pointer<f32>, m: i32, n: i32) {
    let r = T::arange(0, B) + T::program_id(Axis::X) * B;
    let c = T::arange(0, B) + T::program_id(Axis::Y) * B;
    let mask = T::expand_dims(r.lt(m), 1) & T::expand_dims(c.lt(n), 0);
    let x = T::load(x_ptr.add_offsets(T::expand_dims(r, 1) * n + T::expand_dims(c, 0)), Some(mask), None, &[], None, None, None, false);
    let back = T::expand_dims(c.lt(n), 1) & T::expand_dims(r.lt(m), 0);
    T::store(y_ptr.add_offsets(T::expand_dims(c, 1) * m + T::expand_dims(r, 0)), T::trans(x, &[1, 0]), Some(back), &[], None, None);
}

#[kernel]
pub fn all_true<T: Triton, const BLOCK: i32>(x_ptr: T::Pointer<f32>, f_ptr: T::Pointer<f32>, n: i32) {
    let at = T::arange(0, BLOCK);
    let x = T::load(x_ptr.add_offsets(at), Some(at.lt(n)), Some(T::full::<f32>(&[BLOCK], 1.0)), &[], None, None, None, false);
    let ok = T::min(T::cast::<bool, f32>(T::gt(x, T::zeros::<f32>(&[BLOCK])), None, false), Some(0), true);
    T::store(f_ptr.add_offsets(T::arange(0, 1)), ok, None, &[], None, None);
}

#[kernel]
pub fn running<T: Triton, D: Float, const BLOCK: i32>(x_ptr: T::Pointer<D>, r_ptr: T::Pointer<D>, hw: i32, c: i32) {
    let ch = T::program_id(Axis::X);
    let b = T::program_id(Axis::Y);
    let at = T::arange(0, BLOCK);
    let x = T::load(x_ptr.add_offsets(b * c * hw + ch * hw + at), Some(at.lt(hw)), Some(T::zeros::<D>(&[BLOCK])), &[], None, None, None, false);
    let s = T::sum(x, Some(0), true);
    let p = r_ptr.add_offsets(T::arange(0, 1) + ch);
    if b == 0 {
        let old = T::load(p, None, None, &[], None, None, None, false);
        T::store(p, old + s, None, &[], None, None);
    }
}

#[kernel]
pub fn running_mask<T: Triton, D: Float, const BLOCK: i32>(x_ptr: T::Pointer<D>, r_ptr: T::Pointer<D>, hw: i32, c: i32) {
    let ch = T::program_id(Axis::X);
    let b = T::program_id(Axis::Y);
    let at = T::arange(0, BLOCK);
    let x = T::load(x_ptr.add_offsets(b * c * hw + ch * hw + at), Some(at.lt(hw)), Some(T::zeros::<D>(&[BLOCK])), &[], None, None, None, false);
    let s = T::sum(x, Some(0), true);
    let first = T::lt_scalar(T::full::<i32>(&[1], b), 1);
    let p = r_ptr.add_offsets(T::arange(0, 1) + ch);
    let old = T::load(p, Some(first), None, &[], None, None, None, false);
    T::store(p, old + s, Some(first), &[], None, None);
}

#[kernel]
pub fn early<T: Triton, D: Float, const BLOCK: i32>(x_ptr: T::Pointer<D>, r_ptr: T::Pointer<D>, hw: i32) {
    let b = T::program_id(Axis::X);
    if b > 0 { return; }
    let at = T::arange(0, BLOCK);
    let x = T::load(x_ptr.add_offsets(b * hw + at), Some(at.lt(hw)), Some(T::zeros::<D>(&[BLOCK])), &[], None, None, None, false);
    T::store(r_ptr.add_offsets(T::arange(0, 1)), T::sum(x, Some(0), true), None, &[], None, None);
}

#[kernel]
pub fn strided_pool<T: Triton, const BLOCK: i32>(x_ptr: T::Pointer<f32>, y_ptr: T::Pointer<f32>, h: i32, oh: i32, stride: i32, pad: i32, k: i32) {
    let o = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let mut acc = T::full::<f32>(&[BLOCK], -3.4028235e38_f32);
    for i in 0..k {
        let at = o * stride + i - pad;
        let mask = at.ge(0) & at.lt(h);
        let x = T::load(x_ptr.add_offsets(at), Some(mask), Some(T::full::<f32>(&[BLOCK], -3.4028235e38_f32)), &[], None, None, None, false);
        acc = T::maximum(acc, x);
    }
    T::store(y_ptr.add_offsets(o), acc, Some(o.lt(oh)), &[], None, None);
}

#[kernel]
pub fn average_pool<T: Triton, const BLOCK: i32>(x_ptr: T::Pointer<f32>, y_ptr: T::Pointer<f32>, h: i32, oh: i32, stride: i32, pad: i32, k: i32) {
    let o = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let mut acc = T::zeros::<f32>(&[BLOCK]);
    let mut cnt = T::zeros::<f32>(&[BLOCK]);
    for i in 0..k {
        let at = o * stride + i - pad;
        let mask = at.ge(0) & at.lt(h);
        let x = T::load(x_ptr.add_offsets(at), Some(mask), Some(T::zeros::<f32>(&[BLOCK])), &[], None, None, None, false);
        acc = acc + x;
        cnt = cnt + T::where_(mask, T::full::<f32>(&[BLOCK], 1.0), T::zeros::<f32>(&[BLOCK]));
    }
    T::store(y_ptr.add_offsets(o), acc / cnt, Some(o.lt(oh)), &[], None, None);
}

#[kernel]
pub fn mask_of_loaded<T: Triton, const BLOCK: i32>(x_ptr: T::Pointer<f32>, k_ptr: T::Pointer<i32>, y_ptr: T::Pointer<f32>, n: i32) {
    let row = T::program_id(Axis::X);
    let at = T::arange(0, BLOCK);
    let inside = at.lt(n);
    let keep = T::load(k_ptr.add_offsets(at + row * n), Some(inside), Some(T::zeros::<i32>(&[BLOCK])), &[], None, None, None, false);
    let mask = inside & T::ne_scalar(keep, 0);
    let x = T::load(x_ptr.add_offsets(at + row * n), Some(mask), Some(T::zeros::<f32>(&[BLOCK])), &[], None, None, None, false);
    let mean = T::sum(x, Some(0), true) / T::sum(T::cast::<i32, f32>(keep, None, false), Some(0), true);
    let d = T::where_(mask, x - mean, T::zeros::<f32>(&[BLOCK]));
    T::store(y_ptr.add_offsets(T::arange(0, 1) + row), T::sum(d * d, Some(0), true), None, &[], None, None);
}

#[kernel]
pub fn smooth_l1<T: Triton, D: Float, const BLOCK: i32>(p_ptr: T::Pointer<D>, t_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, n: i32, beta: f32) {
    let at = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let mask = at.lt(n);
    let zeros = T::zeros::<D>(&[BLOCK]);
    let b = T::cast::<f32, D>(T::full::<f32>(&[BLOCK], beta), None, false);
    let half = T::cast::<f32, D>(T::full::<f32>(&[BLOCK], 0.5), None, false);
    let p = T::load(p_ptr.add_offsets(at), Some(mask), Some(zeros), &[], None, None, None, false);
    let t = T::load(t_ptr.add_offsets(at), Some(mask), Some(zeros), &[], None, None, None, false);
    let d = T::abs(p - t);
    let l = T::where_(T::lt(d, b), half * d * d / b, d - half * b);
    T::atomic_add(y_ptr.add_offsets(T::arange(0, 1)), T::sum(l, Some(0), true), None, None, None);
}

#[kernel]
pub fn first_power<T: Triton>(y_ptr: T::Pointer<i32>, n: i32) {
    let mut power = 1;
    let found = loop {
        power *= 2;
        if power >= n {
            break power;
        }
    };
    T::store(y_ptr.add_offsets(T::full::<i32>(&[1], 0)), T::full::<i32>(&[1], found), None, &[], None, None);
}

#[kernel]
pub fn split_product<T: Triton, const BM: i32, const BN: i32, const BK: i32, const SPLIT: i32>(a_ptr: T::Pointer<f32>, b_ptr: T::Pointer<f32>, c_ptr: T::Pointer<f32>, m: i32, n: i32, k: i32) {
    let rows = T::expand_dims(T::arange(0, BM) + T::program_id(Axis::X) * BM, 1);
    let columns = T::expand_dims(T::arange(0, BN) + T::program_id(Axis::Y) * BN, 0);
    let mut sum = T::zeros::<f32>(&[BM, BN]);
    let mut start = T::program_id(Axis::Z) * BK;
    while start < k {
        let across = T::expand_dims(T::arange(0, BK) + start, 0);
        let down = T::expand_dims(T::arange(0, BK) + start, 1);
        let a = T::load(a_ptr.add_offsets(rows * k + across), Some(rows.lt(m) & across.lt(k)), Some(T::zeros::<f32>(&[BM, BK])), &[], None, None, None, false);
        let b = T::load(b_ptr.add_offsets(down * n + columns), Some(down.lt(k) & columns.lt(n)), Some(T::zeros::<f32>(&[BK, BN])), &[], None, None, None, false);
        sum = T::dot::<f32, f32>(a, b, Some(sum), InputPrecision::TF32, None);
        start += BK * SPLIT;
    }
    let inside = rows.lt(m) & columns.lt(n);
    if SPLIT == 1 {
        T::store(c_ptr.add_offsets(rows * n + columns), sum, Some(inside), &[], None, None);
    } else {
        T::atomic_add(c_ptr.add_offsets(rows * n + columns), sum, Some(inside), None, None);
    }
}
