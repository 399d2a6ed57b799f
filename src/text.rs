//! Values as text: `1.5`, `0.3+0.4i`, `[[1, 2], [3, 4]]`.

use crate::value::{Value, element};
use adc_ir::{Const, numbers};
use adc_jit::Slice;

/// A value as a point on the command line takes it; reading it back gives the same bits.
pub fn value_text(v: &Value) -> String {
    abbreviated(v, usize::MAX)
}

/// As [`value_text`], but at most the first and last `keep` entries of each axis.
pub fn abbreviated(v: &Value, keep: usize) -> String {
    nested_text(v, keep, &text)
}

/// As [`abbreviated`], with numbers as `number` writes them.
pub fn nested_text(v: &Value, keep: usize, number: &dyn Fn(Const) -> String) -> String {
    let Some(elements) = v.elements() else { return number(v.scalar().expect("it is no array")) };
    let mut out = String::new();
    let level = Level { elements, keep, number };
    level.write(v.shape(), 0, &mut out);
    out
}

struct Level<'v> {
    elements: Slice<'v>,
    keep: usize,
    number: &'v dyn Fn(Const) -> String,
}

impl Level<'_> {
    /// The part of this shape that starts at an element.
    fn write(&self, shape: &[usize], at: usize, out: &mut String) {
        let [n, rest @ ..] = shape else {
            out.push_str(&(self.number)(element(self.elements, at)));
            return;
        };
        let stride: usize = rest.iter().product();
        let skips = self.keep.checked_mul(2).is_some_and(|shown| *n > shown);
        out.push('[');
        for i in 0..*n {
            if skips && (self.keep..n - self.keep).contains(&i) {
                if i == self.keep {
                    out.push_str(", …");
                }
                continue;
            }
            if i > 0 {
                out.push_str(", ");
            }
            self.write(rest, at + i * stride, out);
        }
        out.push(']');
    }
}

/// A number likewise.
pub fn text(c: Const) -> String {
    let complex = |re: String, im: String| {
        let plus = if im.starts_with('-') { "" } else { "+" };
        format!("{re}{plus}{im}i")
    };
    match c {
        Const::Bool(b) => b.to_string(),
        Const::I64(n) => n.to_string(),
        Const::F32(x) => numbers::single(x),
        Const::F64(x) => numbers::real(x),
        Const::C64(z) => complex(numbers::single(z.re), numbers::single(z.im)),
        Const::C128(z) => complex(numbers::real(z.re), numbers::real(z.im)),
    }
}
