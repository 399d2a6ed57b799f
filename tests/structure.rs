//! How the sources hang together: files that use each other in a circle can only be understood together, so circles stay
//! small; and what lowers knows nothing of what emits.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Most files in one circle.
const LARGEST: usize = 8;

/// By the path of each file's module, the crate's own being empty: its text without comments and tests.
type Sources = BTreeMap<Vec<String>, String>;

fn files(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("a folder of sources") {
        let path = entry.expect("a readable folder").path();
        match path.is_dir() {
            true => files(&path, out),
            false => out.extend(path.extension().is_some_and(|e| e == "rs").then_some(path)),
        }
    }
}

fn sources(root: &Path) -> Sources {
    let mut paths = Vec::new();
    files(root, &mut paths);
    let module = |path: &Path| {
        let inside = path.strip_prefix(root).expect("it is below").with_extension("");
        let mut parts: Vec<String> = inside.iter().map(|p| p.to_string_lossy().into_owned()).collect();
        parts.pop_if(|last| last == "mod" || last == "lib");
        parts
    };
    let text = |path: &Path| {
        let text = std::fs::read_to_string(path).expect("a source file");
        // In front of it stands when they are compiled.
        let tests = text.find("\nmod tests {").unwrap_or(text.len());
        let lines = text[..tests].lines().map(|l| l.split("//").next().unwrap_or(l));
        // In a module inside a file that is the file itself.
        lines.filter(|l| !l.starts_with(' ') || l.trim() != "use super::*;").collect::<Vec<_>>().join("\n")
    };
    let own = |path: &PathBuf| !module(path).iter().any(|p| p == "tests" || p == "main");
    paths.iter().filter(|p| own(p)).map(|p| (module(p), text(p))).collect()
}

/// `a::{b, c::{d}}` as `a::b`, `a::c::d`.
fn expanded(tree: &str, out: &mut Vec<String>) {
    let Some((before, rest)) = tree.split_once('{') else {
        return out.push(tree.split(" as ").next().unwrap_or(tree).trim().to_string());
    };
    let inner = rest.trim_end().strip_suffix('}').expect("a tree ends in its brace");
    let (mut depth, mut start) = (0, 0);
    for (i, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let part = inner[start..i].trim();
                if !part.is_empty() {
                    expanded(&format!("{}{part}", before.trim()), out);
                }
                start = i + 1;
            }
            _ => {}
        }
    }
}

/// The paths of the `use`s of a file.
fn uses(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (at, _) in text.match_indices("use ") {
        let before = text[..at].rsplit('\n').next().unwrap_or_default();
        if ["", "pub", "pub(crate)", "pub(super)"].contains(&before.trim()) {
            let tree = text[at + 4..].split(';').next().unwrap_or_default();
            expanded(tree, &mut out);
        }
    }
    out
}

/// Paths in the code that begin at the crate or a module around.
fn paths(text: &str) -> Vec<String> {
    let starts = ["crate::", "super::"].into_iter().flat_map(|s| text.match_indices(s));
    // What a macro says of `$crate` is said where it is used.
    // Who may see something is no need of its own.
    let fresh = |at: usize| {
        let before = &text[..at];
        !before.ends_with(|c: char| ":_$".contains(c) || c.is_alphanumeric()) && !before.ends_with("(in ")
    };
    let rest = |at: usize| {
        let part = |c: char| c == ':' || c == '_' || c.is_alphanumeric();
        text[at..].split(|c| !part(c)).next().unwrap_or_default().to_string()
    };
    // What ends so is the beginning of a tree.
    starts.filter(|(at, _)| fresh(*at)).map(|(at, _)| rest(at)).filter(|p| !p.ends_with(':')).collect()
}

/// A path from the crate's root; `None` if it leaves the crate.
fn absolute(all: &Sources, here: &[String], path: &str) -> Option<Vec<String>> {
    let parts: Vec<&str> = path.split("::").filter(|p| !p.is_empty()).collect();
    let up = parts.iter().take_while(|p| **p == "super").count();
    let own = |rest: &[&str]| rest.iter().map(|p| (*p).to_string()).collect::<Vec<_>>();
    match *parts.first()? {
        "crate" => Some(own(&parts[1..])),
        "self" => Some([here, &own(&parts[1..])].concat()),
        "super" => Some([&here[..here.len().checked_sub(up)?], &own(&parts[up..])].concat()),
        _ => Some([here, &own(&parts)].concat()).filter(|p| all.contains_key(&p[..=here.len()])),
    }
}

/// The file that defines what is at a path: what a file passes on belongs to the file it has it from.
fn definer(all: &Sources, path: &[String], passed_on: usize) -> Option<Vec<String>> {
    let module = (0..=path.len()).rev().map(|n| &path[..n]).find(|m| all.contains_key(*m))?;
    let Some(name) = path.get(module.len()).filter(|_| passed_on < 8) else { return Some(module.to_vec()) };
    match uses(&all[module]).into_iter().find(|u| u.rsplit("::").next() == Some(name)) {
        Some(from) => match absolute(all, module, &from)? {
            same if same == path => Some(module.to_vec()),
            from => definer(all, &from, passed_on + 1),
        },
        // Exported macros stand in the crate's root, wherever they are written.
        None => {
            let written = |text: &String| text.contains(&format!("macro_rules! {name} "));
            let file = all.iter().find(|(_, text)| module.is_empty() && written(text));
            Some(file.map_or(module.to_vec(), |(file, _)| file.clone()))
        }
    }
}

/// What each file needs to know of others.
fn edges(all: &Sources) -> BTreeMap<&[String], BTreeSet<Vec<String>>> {
    let of = |(here, text): (&Vec<String>, &String)| {
        let named = uses(text).into_iter().chain(paths(text));
        let found = named.filter_map(|p| definer(all, &absolute(all, here, &p)?, 0));
        found.filter(|m| m != here).collect()
    };
    all.iter().map(|(here, text)| (&here[..], of((here, text)))).collect()
}

/// What can be reached from each file.
fn reached<'a>(
    edges: &'a BTreeMap<&[String], BTreeSet<Vec<String>>>,
    from: &'a [String],
) -> BTreeSet<&'a [String]> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(at) = open.pop() {
        open.extend(edges[at].iter().map(|m| &m[..]).filter(|m| seen.insert(*m)));
    }
    seen
}

#[test]
fn circles_of_files_are_small() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let inside =
        std::fs::read_dir(root).expect("the repository").map(|e| e.expect("a readable folder").path());
    for krate in inside.chain([root.to_path_buf()]).filter(|p| p.join("src/lib.rs").exists()) {
        let all = sources(&krate.join("src"));
        let krate = krate.display();
        let edges = edges(&all);
        let reached: BTreeMap<&[String], _> = edges.keys().map(|f| (*f, reached(&edges, f))).collect();
        for (file, there) in &reached {
            let circle: Vec<String> =
                there.iter().filter(|f| reached[**f].contains(file)).map(|f| f.join("/")).collect();
            assert!(circle.len() <= LARGEST, "`{krate}` has a circle of {} files: {circle:?}", circle.len());
            // A look at all of them: ADC_CIRCLES=1 cargo test --test it structure:: -- --nocapture
            if std::env::var_os("ADC_CIRCLES").is_some() && circle.first() == Some(&file.join("/")) {
                println!("{krate}: {} {circle:?}", circle.len());
            }
        }
    }
}

#[test]
fn lowering_knows_no_cranelift() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("jit/src");
    let emits = |module: &[String]| module.first().is_some_and(|m| m == "emit");
    let all = sources(&src);
    assert!(all.keys().any(|m| emits(m)) && all.keys().any(|m| m.first().is_some_and(|m| m == "lower")));
    for (module, text) in all.iter().filter(|(m, _)| !emits(m)) {
        assert!(!text.contains("cranelift"), "jit/src/{} knows Cranelift", module.join("/"));
    }
    for (module, needs) in edges(&all).into_iter().filter(|(m, _)| m.first().is_some_and(|m| m == "lower")) {
        assert!(!needs.iter().any(|m| emits(m)), "jit/src/{} needs what emits", module.join("/"));
    }
}
