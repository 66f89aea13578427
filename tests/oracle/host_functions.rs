// Conversions that tell whether a number fits, and results in words.
#![allow(warnings, arithmetic_overflow, unconditional_panic)]

pub trait Convert: Copy {
    fn wide(self) -> i128;
    fn as_usize(self) -> usize { fits(self.wide(), usize::MAX as i128) as usize }
    fn as_u32(self) -> u32 { fits(self.wide(), u32::MAX as i128) as u32 }
    fn as_i32(self) -> i32 { fits(self.wide(), i32::MAX as i128) as i32 }
    fn as_i64(self) -> i64 { fits(self.wide(), i64::MAX as i128) as i64 }
    fn as_u8(self) -> u8 { self.wide() as u8 }
}
/// Of 32 bits and more, a number that is too large stays what it is in Python.
fn fits(value: i128, most: i128) -> i128 { if value > most { panic!("does not fit") } value }
macro_rules! convert { ($($t:ty),*) => { $(impl Convert for $t { fn wide(self) -> i128 { self as i128 } })* } }
macro_rules! convert_float { ($($name:ident: $t:ty),*) => { impl Convert for f32 {
    fn wide(self) -> i128 { self as i128 }
    $(fn $name(self) -> $t { if <$t>::BITS >= 32 { fits((self as i128).abs(), <$t>::MAX as i128); } self as $t })*
} } }
convert_float!(as_usize: usize, as_u32: u32, as_i32: i32, as_i64: i64, as_u8: u8);
convert!(usize, u32, i32, i64, u8, u64);

pub trait Json { fn json(&self) -> String; }
macro_rules! json { ($($t:ty),*) => { $(impl Json for $t { fn json(&self) -> String { self.to_string() } })* } }
json!(bool, i32, i64, u8, u32, usize);
impl Json for f32 { fn json(&self) -> String { if self.is_nan() { "\"nan\"".into() } else { format!("\"f32 {}\"", self.to_bits()) } } }
impl Json for Vec<usize> { fn json(&self) -> String { format!("{self:?}") } }
impl Json for Option<usize> { fn json(&self) -> String { self.map_or("null".into(), |it| it.to_string()) } }

pub fn tell<T: Json>(call: impl FnOnce() -> T) {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)) {
        Ok(result) => println!("{}", result.json()),
        Err(error) => {
            let text = error.downcast_ref::<String>().cloned().or(error.downcast_ref::<&str>().map(|it| it.to_string()));
            println!("{:?}", format!("panic {}", text.unwrap_or_default()));
        }
    }
}
