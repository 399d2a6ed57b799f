//! Types of IR values.

use std::fmt;

words! {
    /// The element types of the language.
    Scalar {
        /// Truth value.
        Bool "bool",
        /// 64-bit signed integer; overflow is a run-time error.
        I64 "i64",
        /// IEEE binary32.
        F32 "f32",
        /// IEEE binary64.
        F64 "f64",
        /// Two `f32`: real and imaginary part.
        C64 "c64",
        /// Two `f64`: real and imaginary part.
        C128 "c128",
    }
}

impl Scalar {
    /// `f32` or `f64`.
    pub fn is_real(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64)
    }

    /// `c64` or `c128`.
    pub fn is_complex(self) -> bool {
        matches!(self, Scalar::C64 | Scalar::C128)
    }

    /// Real or complex: the types that carry derivatives.
    pub fn is_float(self) -> bool {
        self.is_real() || self.is_complex()
    }

    /// `f32`, `c64`: the types of single precision.
    pub fn is_single(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::C64)
    }

    /// The real type of the same precision (`c128` gives `f64`); itself if it is not complex.
    pub fn real(self) -> Scalar {
        match self {
            Scalar::C64 => Scalar::F32,
            Scalar::C128 => Scalar::F64,
            Scalar::Bool | Scalar::I64 | Scalar::F32 | Scalar::F64 => self,
        }
    }

    /// The complex type of the same precision (`f32` gives `c64`), if there is one.
    pub fn complex(self) -> Option<Scalar> {
        match self {
            Scalar::F32 | Scalar::C64 => Some(Scalar::C64),
            Scalar::F64 | Scalar::C128 => Some(Scalar::C128),
            Scalar::Bool | Scalar::I64 => None,
        }
    }

    /// Number of independent real coordinates that a derivative has along it: 0, 1 or 2.
    pub fn coordinates(self) -> usize {
        match self {
            Scalar::Bool | Scalar::I64 => 0,
            Scalar::F32 | Scalar::F64 => 1,
            Scalar::C64 | Scalar::C128 => 2,
        }
    }

    /// Size in memory.
    pub fn bytes(self) -> usize {
        match self {
            Scalar::Bool => 1,
            Scalar::F32 => 4,
            Scalar::I64 | Scalar::F64 | Scalar::C64 => 8,
            Scalar::C128 => 16,
        }
    }
}

/// Axes an array may have.
pub const MAX_RANK: usize = 8;

/// The type of an IR value. The sizes of an array are not part of it: they stand beside it, in
/// [`ValueData`](crate::ValueData).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// One element.
    Scalar(Scalar),
    /// A row-major array of such elements with 1 to [`MAX_RANK`] axes.
    Array(Scalar, u8),
}

impl Type {
    /// `bool`
    pub const BOOL: Type = Type::Scalar(Scalar::Bool);
    /// `i64`
    pub const I64: Type = Type::Scalar(Scalar::I64);
    /// `f64`
    pub const F64: Type = Type::Scalar(Scalar::F64);
    /// `c128`
    pub const C128: Type = Type::Scalar(Scalar::C128);

    /// The type of arrays with `rank` axes; the element type itself if there are none.
    pub fn of_rank(elem: Scalar, rank: usize) -> Type {
        if rank == 0 { Type::Scalar(elem) } else { Type::Array(elem, rank.min(u8::MAX as usize) as u8) }
    }

    /// The element type.
    pub fn scalar(self) -> Scalar {
        match self {
            Type::Scalar(s) | Type::Array(s, _) => s,
        }
    }

    /// Number of axes; 0 for a scalar.
    pub fn rank(self) -> usize {
        match self {
            Type::Scalar(_) => 0,
            Type::Array(_, rank) => rank as usize,
        }
    }

    /// Whether it is an array type.
    pub fn is_array(self) -> bool {
        self.rank() > 0
    }

    /// Whether values of the type carry derivatives.
    pub fn is_differentiable(self) -> bool {
        self.scalar().is_float()
    }
}

impl From<Scalar> for Type {
    fn from(s: Scalar) -> Type {
        Type::Scalar(s)
    }
}

/// Sizes are not known here: `f64[_, _]`.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Scalar(s) => write!(f, "{s}"),
            Type::Array(s, rank) => write!(f, "{s}[{}]", vec!["_"; *rank as usize].join(", ")),
        }
    }
}
