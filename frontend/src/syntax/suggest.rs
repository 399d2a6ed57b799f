//! "Did you mean …?"

/// The candidate nearest to `word`, if it is near enough to be what was meant: by insertions, deletions, replacements and swaps of
/// neighbours. Of several equally near ones the one nearest in length wins (`tahn` is `tanh`, not `tan`), then the first in
/// alphabetical order. A word that differs in case only is what was meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    let limit = match length {
        0..=1 => 0,
        2..=4 => 1,
        5..=8 => 2,
        9..=40 => 3,
        _ => return None,
    };
    let mut all: Vec<&str> = candidates.into_iter().filter(|c| *c != word).collect();
    if let Some(same) = all.iter().find(|c| c.eq_ignore_ascii_case(word)) {
        return Some(same);
    }
    all.sort_by_key(|c| (c.len().abs_diff(word.len()), *c));
    let distances = all.into_iter().map(|c| (strsim::osa_distance(word, c), c));
    distances.filter(|&(d, c)| d <= limit && d < c.chars().count()).min_by_key(|&(d, _)| d).map(|(_, c)| c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_word() {
        let words = ["let", "function", "while", "tanh"];
        for (word, expected) in [
            ("lte", Some("let")),
            ("fucntion", Some("function")),
            ("whlie", Some("while")),
            ("tahn", Some("tanh")),
            ("x", None),
            ("loss", None),
        ] {
            assert_eq!(nearest(word, words), expected, "{word}");
        }
    }
}
