//! Columns of a sparse matrix that one product finds together.
//!
//! The greedy algorithms of Gebremedhin, Manne and Pothen, *What Color Is Your Jacobian?* (SIAM Review 47, 2005): partial
//! distance-2 colouring (3.2) for columns no two of which have an entry in the same row, and star colouring (4.1, by Coleman and Moré)
//! for symmetric matrices, where an entry may be found in either of its columns. Each is tried in the given order and with the
//! fullest columns first; the better one counts.

use crate::sparsity::Pattern;

/// A colour for each column, and how many there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colouring {
    /// By column.
    pub colours: Vec<u32>,
    /// Colours are less than that.
    pub count: usize,
}

/// No colour yet.
const NONE: u32 = u32::MAX;

/// Steps a colouring may take; beyond that every column has a colour of its own, which is right and slow.
const LIMIT: u64 = 1 << 31;

impl Colouring {
    fn of(colours: Vec<u32>) -> Colouring {
        let count = colours.iter().max().map_or(0, |c| *c as usize + 1);
        Colouring { colours, count }
    }

    /// Every column for itself.
    fn single(columns: usize) -> Colouring {
        Colouring::of((0..columns as u32).collect())
    }
}

/// Columns of the same colour have no entries in the same row.
pub fn columns(pattern: &Pattern) -> Colouring {
    let work: u64 = (0..pattern.rows()).map(|i| (pattern.row(i).len() as u64).pow(2)).sum();
    if work > LIMIT {
        return Colouring::single(pattern.columns);
    }
    let by_column = pattern.transposed();
    best(&by_column, |order| {
        let mut colours = vec![NONE; pattern.columns];
        let mut forbidden = vec![NONE; pattern.columns + 1];
        for &v in order {
            for &row in by_column.row(v as usize) {
                for &x in pattern.row(row as usize) {
                    if colours[x as usize] != NONE {
                        forbidden[colours[x as usize] as usize] = v;
                    }
                }
            }
            colours[v as usize] = smallest(&forbidden, v);
        }
        colours
    })
}

/// Adjacent columns of a symmetric matrix have different colours, and every path of four columns has at least three: so each entry
/// stands alone in the sum of a colour's columns, in its row or in its column.
pub fn symmetric(pattern: &Pattern) -> Colouring {
    let degree = |i: u32| pattern.row(i as usize).len() as u64;
    let reach = |i: usize| pattern.row(i).iter().map(|j| degree(*j)).sum::<u64>();
    let work: u64 =
        (0..pattern.rows()).map(|i| pattern.row(i).iter().map(|j| reach(*j as usize)).sum::<u64>()).sum();
    if work > LIMIT {
        return columns(pattern);
    }
    let others = |v: u32| pattern.row(v as usize).iter().copied().filter(move |w| *w != v);
    let star = best(pattern, |order| {
        let mut colours = vec![NONE; pattern.columns];
        let mut forbidden = vec![NONE; pattern.columns + 1];
        for &v in order {
            for w in others(v) {
                let own = colours[w as usize];
                if own != NONE {
                    forbidden[own as usize] = v;
                }
                for x in others(w).filter(|x| *x != v && colours[*x as usize] != NONE) {
                    // v, w, x is the end of a path; two colours would be enough for it if another column follows x.
                    let second = || others(x).any(|y| y != w && colours[y as usize] == own);
                    if own == NONE || second() {
                        forbidden[colours[x as usize] as usize] = v;
                    }
                }
            }
            colours[v as usize] = smallest(&forbidden, v);
        }
        colours
    });
    let plain = columns(pattern);
    if plain.count < star.count { plain } else { star }
}

/// The smallest colour that is not forbidden to `v`.
fn smallest(forbidden: &[u32], v: u32) -> u32 {
    forbidden.iter().position(|f| *f != v).expect("there are more colours than columns") as u32
}

/// The better of two orders; `adjacent` says how full each column is.
fn best(adjacent: &Pattern, colour: impl Fn(&[u32]) -> Vec<u32>) -> Colouring {
    let given: Vec<u32> = (0..adjacent.rows() as u32).collect();
    let mut largest = given.clone();
    largest.sort_by_key(|v| std::cmp::Reverse(adjacent.row(*v as usize).len()));
    let (a, b) = (Colouring::of(colour(&given)), Colouring::of(colour(&largest)));
    if b.count < a.count { b } else { a }
}

/// For each entry (i, j) of a symmetric pattern, row by row: whether it is found in row i of the sum of j's colour (`true`), or in
/// row j of the sum of i's.
pub fn recovery(pattern: &Pattern, colouring: &Colouring) -> Vec<bool> {
    let colours = &colouring.colours;
    let mut count = vec![0u32; colouring.count];
    let mut alone = Vec::with_capacity(pattern.entries.len());
    for i in 0..pattern.rows() {
        pattern.row(i).iter().for_each(|j| count[colours[*j as usize] as usize] += 1);
        alone.extend(pattern.row(i).iter().map(|j| count[colours[*j as usize] as usize] == 1));
        pattern.row(i).iter().for_each(|j| count[colours[*j as usize] as usize] = 0);
    }
    alone
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pattern(columns: usize, rows: &[Vec<u32>]) -> Pattern {
        let mut p = Pattern { columns, starts: vec![0], entries: Vec::new() };
        for row in rows {
            let mut row: Vec<u32> = row.iter().map(|j| j % columns as u32).collect();
            row.sort_unstable();
            row.dedup();
            p.entries.extend(row);
            p.starts.push(p.entries.len());
        }
        p
    }

    fn band(n: usize, width: usize) -> Pattern {
        let row = |i: usize| (i.saturating_sub(width)..(i + width + 1).min(n)).map(|j| j as u32).collect();
        pattern(n, &(0..n).map(row).collect::<Vec<_>>())
    }

    /// The sum of each colour's columns, from which the matrix is found again.
    fn symmetric_is_found(p: &Pattern) {
        let (colouring, p) = (symmetric(p), p);
        let alone = recovery(p, &colouring);
        let value = |i: usize, j: usize| (1 + i.min(j) * p.columns + i.max(j)) as f64;
        let mut sums = vec![vec![0.0; p.rows()]; colouring.count];
        (0..p.rows()).for_each(|i| {
            let columns = p.row(i).iter().map(|j| *j as usize);
            columns.for_each(|j| sums[colouring.colours[j] as usize][i] += value(i, j));
        });
        let mut k = 0;
        for i in 0..p.rows() {
            for j in p.row(i).iter().map(|j| *j as usize) {
                let found = match alone[k] {
                    true => sums[colouring.colours[j] as usize][i],
                    false => sums[colouring.colours[i] as usize][j],
                };
                assert_eq!(found, value(i, j), "entry {i}, {j}");
                k += 1;
            }
        }
    }

    #[test]
    fn known_numbers_of_colours() {
        assert_eq!(columns(&band(100, 1)).count, 3);
        assert_eq!(columns(&band(100, 2)).count, 5);
        assert_eq!(symmetric(&band(100, 1)).count, 3);
        // An arrow: the first row and column, and the diagonal.
        let arrow: Vec<Vec<u32>> =
            (0..50).map(|i| if i == 0 { (0..50).collect() } else { vec![0, i] }).collect();
        let arrow = pattern(50, &arrow);
        assert_eq!((columns(&arrow).count, symmetric(&arrow).count), (50, 2));
        symmetric_is_found(&arrow);
        assert_eq!(columns(&pattern(4, &[])).count, 1);
        assert_eq!(columns(&Pattern { columns: 0, starts: vec![0], entries: vec![] }).count, 0);
    }

    proptest! {
        #[test]
        fn columns_of_a_colour_share_no_row(rows in prop::collection::vec(prop::collection::vec(0u32..12, 0..5), 0..12)) {
            let p = pattern(12, &rows);
            let c = columns(&p);
            for i in 0..p.rows() {
                let mut seen: Vec<u32> = p.row(i).iter().map(|j| c.colours[*j as usize]).collect();
                seen.sort_unstable();
                prop_assert!(seen.windows(2).all(|w| w[0] != w[1]));
            }
            prop_assert_eq!(p.transposed().transposed(), p);
        }

        #[test]
        fn symmetric_matrices_are_found(rows in prop::collection::vec(prop::collection::vec(0u32..10, 0..4), 10)) {
            let with_diagonal: Vec<Vec<u32>> = rows.iter().enumerate().map(|(i, r)| [&r[..], &[i as u32]].concat()).collect();
            symmetric_is_found(&pattern(10, &with_diagonal).symmetrised());
        }
    }
}
