//! Operand and result lists: short, and many.

use crate::module::Value;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

/// Operands or results of an instruction: a list of values in 16 bytes, which are all it takes up to three. Programs have
/// a list or two per instruction, and what the passes do most is to read them.
#[derive(Clone)]
pub struct Values(Repr);

#[derive(Clone)]
enum Repr {
    /// The first `len` count.
    Few { len: u8, values: [Value; FEW] },
    #[expect(clippy::box_collection, reason = "a `Vec` would make every list longer")]
    Many(Box<Vec<Value>>),
}

const FEW: usize = 3;

impl Values {
    /// No values.
    #[inline]
    pub const fn new() -> Values {
        Values(Repr::Few { len: 0, values: [Value(0); FEW] })
    }

    /// A copy of a list.
    #[inline]
    pub fn from_slice(list: &[Value]) -> Values {
        let few = |len, values| Values(Repr::Few { len, values });
        match *list {
            [] => Values::new(),
            [a] => few(1, [a, Value(0), Value(0)]),
            [a, b] => few(2, [a, b, Value(0)]),
            [a, b, c] => few(3, [a, b, c]),
            _ => Values(Repr::Many(Box::new(list.to_vec()))),
        }
    }

    /// The list.
    #[inline]
    pub fn as_slice(&self) -> &[Value] {
        self
    }

    /// Adds a value at the end.
    #[inline]
    pub fn push(&mut self, v: Value) {
        match &mut self.0 {
            Repr::Few { len, values } => match values.get_mut(*len as usize) {
                Some(place) => {
                    *place = v;
                    *len += 1;
                }
                None => self.0 = Repr::Many(Box::new([values.as_slice(), &[v]].concat())),
            },
            Repr::Many(list) => list.push(v),
        }
    }

    /// Takes a value out of the list.
    ///
    /// # Panics
    /// If there is none at this position.
    pub fn remove(&mut self, at: usize) -> Value {
        let mut list = self.to_vec();
        let v = list.remove(at);
        *self = list.into();
        v
    }
}

impl Default for Values {
    #[inline]
    fn default() -> Values {
        Values::new()
    }
}

impl Deref for Values {
    type Target = [Value];

    #[inline]
    fn deref(&self) -> &[Value] {
        match &self.0 {
            Repr::Few { len, values } => &values[..*len as usize],
            Repr::Many(list) => list,
        }
    }
}

impl DerefMut for Values {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Value] {
        match &mut self.0 {
            Repr::Few { len, values } => &mut values[..*len as usize],
            Repr::Many(list) => list,
        }
    }
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}

impl PartialEq for Values {
    #[inline]
    fn eq(&self, other: &Values) -> bool {
        self[..] == other[..]
    }
}

impl Eq for Values {}

impl Hash for Values {
    #[inline]
    fn hash<H: Hasher>(&self, h: &mut H) {
        self[..].hash(h)
    }
}

impl Extend<Value> for Values {
    #[inline]
    fn extend<I: IntoIterator<Item = Value>>(&mut self, more: I) {
        more.into_iter().for_each(|v| self.push(v))
    }
}

impl FromIterator<Value> for Values {
    #[inline]
    fn from_iter<I: IntoIterator<Item = Value>>(list: I) -> Values {
        let mut values = Values::new();
        values.extend(list);
        values
    }
}

impl From<&[Value]> for Values {
    #[inline]
    fn from(list: &[Value]) -> Values {
        Values::from_slice(list)
    }
}

impl From<Vec<Value>> for Values {
    #[inline]
    fn from(list: Vec<Value>) -> Values {
        if list.len() <= FEW { Values::from_slice(&list) } else { Values(Repr::Many(Box::new(list))) }
    }
}

impl<'a> IntoIterator for &'a Values {
    type Item = &'a Value;
    type IntoIter = std::slice::Iter<'a, Value>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Values {
    type Item = &'a mut Value;
    type IntoIter = std::slice::IterMut<'a, Value>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

/// The values of a list, one after the other.
pub struct IntoIter {
    list: Values,
    next: usize,
}

impl Iterator for IntoIter {
    type Item = Value;

    #[inline]
    fn next(&mut self) -> Option<Value> {
        let v = self.list.get(self.next).copied();
        self.next += 1;
        v
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.list.len().saturating_sub(self.next);
        (left, Some(left))
    }
}

impl ExactSizeIterator for IntoIter {}

impl IntoIterator for Values {
    type Item = Value;
    type IntoIter = IntoIter;

    #[inline]
    fn into_iter(self) -> IntoIter {
        IntoIter { list: self, next: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Inst;

    #[test]
    fn lists_of_any_length_keep_their_values() {
        for n in 0..9 {
            let list: Vec<Value> = (10..10 + n).map(Value).collect();
            let pushed: Values = list.iter().copied().collect();
            for values in [pushed, Values::from_slice(&list), list.clone().into()] {
                assert_eq!(values[..], list[..]);
                assert_eq!(values, Values::from_slice(&list));
            }
        }
    }

    /// What the linear passes move through memory.
    #[test]
    fn instructions_are_small() {
        assert_eq!(std::mem::size_of::<Values>(), 16);
        assert_eq!(std::mem::size_of::<Inst>(), 96);
    }
}
