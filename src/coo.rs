//! Sparse matrices by coordinates.

use std::sync::Arc;

/// A matrix by coordinates: the derivative of one result with respect to one parameter, whose axes are flattened, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct Coo {
    /// The result; of a Hessian, the first parameter.
    pub row_name: String,
    /// The parameter.
    pub column_name: String,
    /// Rows and columns.
    pub shape: [usize; 2],
    /// The rows of the entries, ascending.
    pub row: Arc<Vec<u32>>,
    /// The columns of the entries, ascending in each row.
    pub col: Arc<Vec<u32>>,
    /// Where the entries of each row start, and the number of all: with `col`, compressed rows.
    pub starts: Arc<Vec<u32>>,
    /// The entries.
    pub value: Vec<f64>,
}
