//! Names of a model in C and Rust.

/// A name that C, C++ and Rust take: other characters become `_`.
pub(super) fn identifier(name: &str) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut out: String = name.chars().map(allowed).collect();
    if out.is_empty() || out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, '_');
    }
    out
}

/// Identifiers for the names of parameters, all different, none of them a word of the language or one of `taken`.
pub(super) fn parameters<'n>(
    names: impl IntoIterator<Item = &'n str>,
    words: &[&str],
    taken: &[&str],
) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for name in names {
        let mut name = identifier(name);
        while words.contains(&name.as_str()) || taken.contains(&name.as_str()) || out.contains(&name) {
            name.push('_');
        }
        out.push(name);
    }
    out
}

/// The words of C and C++, and what headers that ours includes define.
pub(super) const C: &[&str] = &[
    "_",
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "complex",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "linux",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "std",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "typeof_unqual",
    "union",
    "unix",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
    "I",
    "NULL",
];

/// The words of Rust.
pub(super) const RUST: &[&str] = &[
    "_", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do",
    "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "Self",
    "static", "struct", "super", "trait", "true", "try", "type", "typeof", "union", "unsafe", "unsized",
    "use", "virtual", "where", "while", "yield", "bool", "i32", "i64", "f32", "f64", "u8", "usize",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_identifiers() {
        let cases = [("my-model.v2", "my_model_v2"), ("3d", "_3d"), ("σ", "_"), ("", "_"), ("loss", "loss")];
        for (name, expected) in cases {
            assert_eq!(identifier(name), expected);
        }
        let names = parameters(["σ", "double", "x", "τ", "workspace"], C, &["workspace"]);
        assert_eq!(names, ["__", "double_", "x", "___", "workspace_"]);
    }
}
