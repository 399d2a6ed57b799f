//! What instructions do.

use crate::dims::Dim;
use crate::module::{Const, FuncId};
use crate::ops::Op;
use crate::types::{Scalar, Type};

/// What an [`Inst::Assert`](Kind::Assert) guards.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Guard {
    /// An `assert` of the source, with its text.
    Assert(String),
    /// A parameter's declared domain; the text names parameter and domain.
    Domain(String),
}

/// What an instruction does. Indices and sizes are `i64`; arrays are values, in-place update is what a back end makes
/// of an [`Kind::Update`] whose operand nobody else needs.
///
/// Elementwise operations are [`Kind::Build`]s; scalar ops stay on scalars.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A literal; no operands.
    Const(Const),
    /// An op of the table on scalars.
    Op(Op),
    /// A call of a function of the module; operands are the callee's dimensions, then its arguments. As many results
    /// as the callee has; their sizes are the callee's with the operands substituted.
    Call(FuncId),
    /// One `bool` operand; two regions without parameters that yield the results: taken if true, if false.
    If,
    /// One `bool` operand, no result: a run-time error if it is false. Never removed, never reordered
    /// with other assertions.
    Assert(Box<Guard>),
    /// A size as an `i64`; no operands but the values in it.
    Size(Box<Dim>),
    /// An array that holds the operand (a scalar or an array) once for every index of the result's leading axes.
    Fill,
    /// At least one operand, all of one type: their array, with a new leading axis.
    Pack,
    /// An array and one to rank indices: the element or the sub-array.
    Index,
    /// An array, a value and one to rank indices: the array with that element or sub-array replaced.
    Update,
    /// As [`Kind::Update`], but the value is added to what is there.
    AddAt,
    /// An array and a start: the part along the first axis that the result's size says.
    Slice,
    /// An array, another one and a start: the first with the second written over its part along the first axis.
    UpdateSlice,
    /// As [`Kind::UpdateSlice`], but the second is added to what is there.
    AddSlice,
    /// The same elements in row-major order under the result's shape.
    Reshape,
    /// An array by its elements. One region with an index parameter for each of the result's `rank` leading axes,
    /// which yields one value. Iterations are independent.
    Build {
        /// Number of indices.
        rank: u8,
    },
    /// A reduction of what its region yields for the one parameter i = lo, lo + step, … below hi. Operands: lo, hi, step
    /// (a literal of at least 1). [`ReduceOp`] says in which order.
    Reduce(ReduceOp),
    /// A loop with carried values. Operands: lo, hi, step (positive, else a run-time error), initial carries; region
    /// parameters: i, carries. The region yields the next carries, then a term of each sum, then an element of each
    /// collected array; the results are the last carries, the sums, the arrays. The number of iterations is known at entry.
    /// With collected arrays lo is the literal 0 and step the literal 1: hi is their leading size.
    For(Loop),
    /// A loop with carried values. Operands: initial carries. Both regions have the carries as parameters; the first
    /// yields one `bool`, whether to go on, the second the next carries, then an element of each collected array. The
    /// results are the last carries and, if there are collected arrays, the number of iterations and the arrays, of which
    /// it is the leading size. There are no sums.
    While(Loop),
    /// The product of two matrices or vectors, real or complex, without conjugation. A vector stands as a column on
    /// the right, as a row on the left; of two vectors it is a scalar.
    MatMul,
    /// A matrix with its axes swapped, without conjugation.
    Transpose,
    /// Linear algebra on a square matrix.
    Linalg(LinalgOp),
}

/// The pattern of families of kinds: `match kind { Kind::Index => …, kinds!(Array | Loop) => …, … }`.
///
/// Each kind but `Const`, `Op`, `Call`, `If`, `Assert` and `Size` is of one family, and a match that leaves out a kind does not
/// compile.
#[macro_export]
macro_rules! kinds {
    // All on arrays, without regions.
    (Array) => { $crate::kinds!(Read | Write | Form | Matrix) };
    // A part of an array.
    (Read) => { $crate::Kind::Index | $crate::Kind::Slice };
    // An array with a part that is another.
    (Write) => {
        $crate::Kind::Update | $crate::Kind::AddAt | $crate::Kind::UpdateSlice | $crate::Kind::AddSlice
    };
    // An array of what there is already, elsewhere or more than once.
    (Form) => {
        $crate::Kind::Fill | $crate::Kind::Pack | $crate::Kind::Reshape | $crate::Kind::Transpose
    };
    // Sums of products.
    (Matrix) => { $crate::Kind::MatMul | $crate::Kind::Linalg(_) };
    // With regions that may run more than once.
    (Loop) => {
        $crate::Kind::Build { .. } | $crate::Kind::Reduce(_) | $crate::Kind::For(_) | $crate::Kind::While(_)
    };
    ($one:ident | $($more:ident)|+) => { $crate::kinds!($one) | $crate::kinds!($($more)|+) };
}

/// What a loop gives beside its carries, and what its derivative may store.
///
/// Collected arrays are ordinary arrays whose leading size is the trip count, an ordinary integer. So the residuals of a loop
/// need nothing special: its reverse is a `for` that reads them, and can be differentiated again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Loop {
    /// Number of sums, of `i64`, real or complex scalars or arrays; each is that of a [`ReduceOp::Sum`].
    pub sums: u32,
    /// Number of collected arrays: what the iterations yielded, with a new leading axis.
    pub collects: u32,
    /// `#[checkpoint(…)]`
    pub checkpoint: Option<Checkpoint>,
}

impl Loop {
    /// Without sums.
    pub fn collecting(collects: usize) -> Loop {
        Loop { collects: collects as u32, ..Loop::default() }
    }
}

/// What reverse mode keeps of the iterations of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Checkpoint {
    /// Everything it needs, whatever the memory limit.
    All,
    /// Nothing but the initial carries.
    None,
    /// The carries of about √n of n iterations.
    Sqrt,
    /// The carries of so many iterations.
    Revolve(u32),
}

impl Kind {
    /// The kinds that are a word and operands, nothing else, with that word.
    pub const PLAIN: [(&'static str, Kind); 25] = [
        ("fill", Kind::Fill),
        ("pack", Kind::Pack),
        ("index", Kind::Index),
        ("update", Kind::Update),
        ("add_at", Kind::AddAt),
        ("slice", Kind::Slice),
        ("update_slice", Kind::UpdateSlice),
        ("add_slice", Kind::AddSlice),
        ("reshape", Kind::Reshape),
        ("matmul", Kind::MatMul),
        ("transpose", Kind::Transpose),
        ("solve", Kind::Linalg(LinalgOp::Solve)),
        ("solve_adjoint", Kind::Linalg(LinalgOp::SolveAdjoint)),
        ("cholesky", Kind::Linalg(LinalgOp::Cholesky)),
        ("inv", Kind::Linalg(LinalgOp::Inv)),
        ("det", Kind::Linalg(LinalgOp::Det)),
        ("logdet", Kind::Linalg(LinalgOp::LogDet)),
        ("eigh_values", Kind::Linalg(LinalgOp::EighValues)),
        ("eigh_vectors", Kind::Linalg(LinalgOp::EighVectors)),
        ("qr_q", Kind::Linalg(LinalgOp::QrQ)),
        ("svd_values", Kind::Linalg(LinalgOp::SvdValues)),
        ("svd_vectors", Kind::Linalg(LinalgOp::SvdVectors)),
        ("lu", Kind::Linalg(LinalgOp::Lu)),
        ("lu_solve", Kind::Linalg(LinalgOp::LuSolve)),
        ("lu_solve_adjoint", Kind::Linalg(LinalgOp::LuSolveAdjoint)),
    ];

    /// Whether programs of scalars without loops have it.
    pub fn is_scalar(&self) -> bool {
        matches!(self, Kind::Const(_) | Kind::Op(_) | Kind::Call(_) | Kind::If | Kind::Assert(_))
    }

    /// Number of nested regions.
    pub fn regions(&self) -> usize {
        match self {
            Kind::If | Kind::While(_) => 2,
            Kind::Build { .. } | Kind::Reduce(_) | Kind::For(_) => 1,
            Kind::Const(_)
            | Kind::Op(_)
            | Kind::Call(_)
            | Kind::Assert(_)
            | Kind::Size(_)
            | kinds!(Array) => 0,
        }
    }

    /// Whether it computes a number or finds a part of an array, so that it may run for each element of an array instead of once.
    pub fn is_small(&self) -> bool {
        matches!(
            self,
            Kind::Const(_) | Kind::Op(_) | Kind::Assert(_) | Kind::Size(_) | Kind::Index | Kind::Slice
        )
    }

    /// Whether the regions may run more than once.
    pub fn is_loop(&self) -> bool {
        self.regions() > 0 && *self != Kind::If
    }

    /// What a loop with carries gives beside them.
    pub fn as_loop(&self) -> Option<Loop> {
        match self {
            Kind::For(l) | Kind::While(l) => Some(*l),
            _ => None,
        }
    }

    /// The position of the first operand that is an initial carry, for loops with carries.
    pub fn first_carry(&self) -> Option<usize> {
        match self {
            Kind::For(_) => Some(3),
            Kind::While(_) => Some(0),
            _ => None,
        }
    }

    /// Whether sizes of the result are part of what the instruction does: operands and regions do not give them.
    pub fn has_own_shape(&self) -> bool {
        matches!(self, Kind::Fill | Kind::Slice | Kind::Reshape | Kind::Build { .. })
    }
}

/// Partial sums of a [`ReduceOp::Sum`] of real or complex scalars: as many as keep vector units of any width busy.
pub const PARTIALS: usize = 16;

words! {
    /// How a [`Kind::Reduce`] combines.
    ReduceOp {
        /// Sum of `i64`, real or complex scalars or arrays. Of real or complex scalars iteration k is added to partial sum
        /// k mod [`PARTIALS`]; these begin with +0 and are added up in a tree at the end: p(j) + p(j + 8), of these
        /// j and j + 4, then j and j + 2, then the last two. Others are added one after the other, from 0.
        Sum "sum",
        /// Product from 1, of `i64`, real or complex scalars or arrays.
        Prod "prod",
        /// The largest, as op `max`; of `i64` or real scalars or arrays. Empty: a run-time error.
        Max "max",
        /// The smallest, as op `min`; of `i64` or real scalars or arrays. Empty: a run-time error.
        Min "min",
        /// Whether one of the booleans is true.
        Any "any",
        /// Whether all of the booleans are true.
        All "all",
        /// The first i at which the largest `i64` or real scalar, or the first NaN, is attained (−0 = 0). Empty: a
        /// run-time error.
        ArgMax "argmax",
        /// As [`ReduceOp::ArgMax`] with the smallest.
        ArgMin "argmin",
    }
}

words! {
    /// What a [`Kind::Linalg`] computes, of real or complex matrices.
    LinalgOp {
        /// Operands A and b (a vector or a matrix): x with A x = b. An exactly singular A is a run-time error.
        Solve "solve",
        /// As [`LinalgOp::Solve`], x with Aᴴ x = b, by the factors of A itself: what a pullback of `solve` asks for, so that both
        /// can share them.
        SolveAdjoint "solve_adjoint",
        /// Lower L with L Lᴴ = A, zeros above the diagonal; only A's lower triangle is read. A pivot that is not
        /// positive is the run-time error of a singular matrix.
        Cholesky "cholesky",
        /// The inverse. An exactly singular matrix is a run-time error.
        Inv "inv",
        /// The determinant.
        Det "det",
        /// log |det A|, real also for complex A.
        LogDet "logdet",
        /// The eigenvalues of a Hermitian matrix in ascending order, a real vector; only A's lower triangle is read, and its
        /// diagonal taken for real. NaN if an element is not finite.
        EighValues "eigh_values",
        /// Their eigenvectors, the columns of a unitary matrix. Of each, the first element that has 0.9 of the largest modulus
        /// is positive.
        EighVectors "eigh_vectors",
        /// Q of A = Q R for a matrix A with no fewer rows than columns: of A's shape, with orthonormal columns and such phases that
        /// the diagonal of the upper triangular R is real and not negative. NaN if an element is not finite, or if there are fewer rows.
        QrQ "qr_q",
        /// The singular values of a matrix with no fewer rows than columns, in descending order, a real vector. NaN as there.
        SvdValues "svd_values",
        /// V above U, with A = U diag(σ) Vᴴ of a matrix of m ≥ n rows: n + m rows, n columns. V is unitary, the columns of U are
        /// orthonormal, those of V have the phases of [`LinalgOp::EighVectors`]. NaN as there.
        SvdVectors "svd_vectors",
        /// The factors of A with P A = L U, as an array with one row more than A: L below the diagonal (its own of ones is not
        /// stored), U above, and in the last row the numbers of the rows of A that P A is made of. An exactly singular matrix is
        /// a run-time error. The simplifier takes it out of solutions, for several to share; it has no derivative, and what is
        /// differentiated has none of it.
        Lu "lu",
        /// Operands: the array of an [`LinalgOp::Lu`] and b, of the same type or real. To the bit what [`LinalgOp::Solve`] gives.
        LuSolve "lu_solve",
        /// As [`LinalgOp::LuSolve`], what [`LinalgOp::SolveAdjoint`] gives.
        LuSolveAdjoint "lu_solve_adjoint",
    }
}

impl LinalgOp {
    /// What an element must have of the largest modulus of its eigenvector for its phase to count; the first one that has it does.
    /// Less than 1, so that the rounding of equal moduli does not decide.
    pub const LEADING: f64 = 0.9;

    /// Whether there is a right-hand side beside the matrix.
    pub fn has_rhs(self) -> bool {
        match self {
            LinalgOp::Solve | LinalgOp::SolveAdjoint | LinalgOp::LuSolve | LinalgOp::LuSolveAdjoint => true,
            LinalgOp::Cholesky
            | LinalgOp::Inv
            | LinalgOp::Det
            | LinalgOp::LogDet
            | LinalgOp::EighValues
            | LinalgOp::EighVectors
            | LinalgOp::QrQ
            | LinalgOp::SvdValues
            | LinalgOp::SvdVectors
            | LinalgOp::Lu => false,
        }
    }

    /// Whether the matrix may have more rows than columns.
    pub fn is_rectangular(self) -> bool {
        matches!(self, LinalgOp::QrQ | LinalgOp::SvdValues | LinalgOp::SvdVectors)
    }

    /// Whether the matrix is an array of factors, as [`LinalgOp::Lu`] gives it.
    pub fn is_of_factors(self) -> bool {
        matches!(self, LinalgOp::LuSolve | LinalgOp::LuSolveAdjoint)
    }

    /// Multiplications and additions for a matrix of n columns, and m columns of a right-hand side or else m rows of the matrix:
    /// products, each added to a sum.
    pub fn products(self, [n, m]: [u64; 2]) -> u64 {
        let square = n.saturating_mul(n).saturating_mul(m);
        let cube = n.saturating_mul(n).saturating_mul(n);
        match self {
            LinalgOp::Det | LinalgOp::LogDet | LinalgOp::Lu => cube / 3,
            LinalgOp::Cholesky => cube / 6,
            LinalgOp::Solve | LinalgOp::SolveAdjoint => (cube / 3).saturating_add(square),
            LinalgOp::LuSolve | LinalgOp::LuSolveAdjoint => square,
            LinalgOp::Inv => (cube / 3).saturating_add(cube),
            // Six sweeps or so, of n²/2 rotations.
            LinalgOp::EighValues => cube.saturating_mul(12),
            LinalgOp::EighVectors => cube.saturating_mul(24),
            LinalgOp::QrQ => square.saturating_mul(2),
            // Six sweeps or so, of n²/2 pairs of columns.
            LinalgOp::SvdValues => square.saturating_mul(21),
            LinalgOp::SvdVectors => square.saturating_mul(21).saturating_add(cube.saturating_mul(12)),
        }
    }

    /// Number of elements of the result for a matrix of n columns, and m columns of a right-hand side or else m rows of the matrix;
    /// `None` of a single number.
    pub fn results(self, [n, m]: [usize; 2]) -> Option<usize> {
        match self {
            LinalgOp::Solve
            | LinalgOp::SolveAdjoint
            | LinalgOp::LuSolve
            | LinalgOp::LuSolveAdjoint
            | LinalgOp::QrQ => Some(n * m),
            LinalgOp::SvdVectors => Some((n + m) * n),
            LinalgOp::Cholesky | LinalgOp::Inv | LinalgOp::EighVectors => Some(n * n),
            LinalgOp::EighValues | LinalgOp::SvdValues => Some(n),
            LinalgOp::Lu => Some((n + 1) * n),
            LinalgOp::Det | LinalgOp::LogDet => None,
        }
    }
}

impl ReduceOp {
    /// The type of the result for what the region yields, or `None` if it does not reduce such values.
    pub fn result_type(self, yielded: Type) -> Option<Type> {
        let elem = yielded.scalar();
        let ordered = elem == Scalar::I64 || elem.is_real();
        let scalar = yielded.rank() == 0;
        match self {
            ReduceOp::Sum | ReduceOp::Prod => (elem != Scalar::Bool).then_some(yielded),
            ReduceOp::Max | ReduceOp::Min => (ordered && scalar).then_some(yielded),
            ReduceOp::Any | ReduceOp::All => (yielded == Type::BOOL).then_some(Type::BOOL),
            ReduceOp::ArgMax | ReduceOp::ArgMin => (ordered && scalar).then_some(Type::I64),
        }
    }

    /// Whether a reduction over nothing is a run-time error.
    pub fn needs_element(self) -> bool {
        self.of_nothing(Scalar::F64).is_none()
    }

    /// What a reduction of numbers of a type over nothing gives: what leaves every term as it is. `None` if that is a run-time error.
    pub fn of_nothing(self, elem: Scalar) -> Option<Const> {
        match self {
            ReduceOp::Sum => Some(Const::zero(elem)),
            ReduceOp::Prod => Some(Const::real(1.0, elem)),
            ReduceOp::All => Some(Const::Bool(true)),
            ReduceOp::Any => Some(Const::Bool(false)),
            ReduceOp::Max | ReduceOp::Min | ReduceOp::ArgMax | ReduceOp::ArgMin => None,
        }
    }
}
