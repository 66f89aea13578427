#[kernel]
pub fn k<T: Triton, D: Float, const BLOCK: i32, const WIDTH: i32>(
    x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, rows: i32, n: i32, a: f32,
) {
    let offsets = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let mask = offsets.lt(n);
    let x = T::load(x_ptr.add_offsets(offsets), Some(mask), None, &[], None, None, None, false);
    // …
    T::store(y_ptr.add_offsets(offsets), x, Some(mask), &[], None, None);
}
