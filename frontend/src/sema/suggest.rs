//! "Did you mean …?"

use crate::syntax::suggest;

/// The candidate nearest to `name`, if one is near enough. Of several equally near ones the one nearest in
/// length wins (`tahn` is `tanh`, not `tan`), then the first in alphabetical order. A name that
/// differs in case only is what was meant.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut all: Vec<&str> = candidates.into_iter().filter(|c| *c != name).collect();
    if let Some(same) = all.iter().find(|c| c.eq_ignore_ascii_case(name)) {
        return Some(same);
    }
    all.sort_by_key(|c| (c.len().abs_diff(name.len()), *c));
    suggest::nearest(name, all)
}
