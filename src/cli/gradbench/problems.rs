//! The functions of GradBench: which function of a model each is, and how its input and output look in a message.
//!
//! Inputs are objects whose entries have the names of a function's parameters, or nearly so.

use crate::cli::point;
use crate::function::Function;
use crate::json;
use crate::model::Model;
use crate::value::Value;
use adc_frontend::Loader;
use serde_json::{Map, Value as Json};

/// What is compiled, and its arguments.
type Prepared = (Function, Vec<Value<'static>>);

/// A function of GradBench.
pub(super) struct Problem {
    module: &'static str,
    function: &'static str,
    /// Makes it of the message's input.
    pub prepare: fn(&Json) -> Result<Prepared, String>,
    /// The results, as the message wants them.
    pub output: fn(&[Value], &Json) -> Json,
}

/// The function of these names.
pub(super) fn problem(module: &str, function: &str) -> Option<&'static Problem> {
    problems_of(module).find(|p| p.function == function)
}

/// The functions of a module.
pub(super) fn problems_of(module: &str) -> impl Iterator<Item = &'static Problem> {
    PROBLEMS.iter().filter(move |p| p.module == module)
}

macro_rules! problems {
    ($($module:ident $function:ident: $prepare:expr, $output:expr;)*) => {
        const PROBLEMS: &[Problem] = &[$(Problem {
            module: stringify!($module),
            function: stringify!($function),
            prepare: $prepare,
            output: $output,
        },)*];
    };
}

problems! {
    hello square: |x| value("bench/hello.dsl", "square", object([("x", x.clone())])), single;
    hello double: |x| value("bench/hello.dsl", "double", object([("x", x.clone())])), single;
    llsq primal: |i| value("bench/llsq.dsl", "llsq", i.clone()), single;
    llsq gradient: |i| gradient("bench/llsq.dsl", "llsq", &["x"], i.clone()), single;
    lse primal: |i| value("bench/lse.dsl", "lse", i.clone()), single;
    lse gradient: |i| gradient("bench/lse.dsl", "lse", &["x"], i.clone()), single;
    ode primal: |i| value("bench/ode.dsl", "ode", i.clone()), single;
    ode gradient: |i| gradient("bench/ode.dsl", "ode_last", &["x"], i.clone()), single;
    det primal: |i| value("bench/det.dsl", "laplace", square(i)?), single;
    det gradient: |i| gradient("bench/det.dsl", "laplace", &["A"], square(i)?), |g, _| flat(g);
    gmm objective: |i| value("bench/gmm.dsl", "gmm", i.clone()), single;
    gmm jacobian: |i| gradient("bench/gmm.dsl", "gmm", &["alpha", "mu", "q", "l"], i.clone()), |g, _| {
        object(["alpha", "mu", "q", "l"].into_iter().zip(g.iter().map(json::value)))
    };
    kmeans cost: |i| value("bench/kmeans.dsl", "cost", i.clone()), single;
    kmeans dir: |i| value("bench/kmeans.dsl", "direction", i.clone()), single;
    lstm objective: |i| value("bench/lstm.dsl", "lstm", lstm(i)), single;
    lstm jacobian: |i| gradient("bench/lstm.dsl", "lstm", &["main", "extra"], lstm(i)), |g, _| flat(g);
    ba objective: |i| value("gradbench/ba.dsl", "objective", ba(i)?), ba_errors;
    ba jacobian: |i| value("gradbench/ba.dsl", "derivatives", ba(i)?), ba_jacobian;
    ht objective: |i| value("gradbench/ht.dsl", hand(i, ["simple", "complicated"]), ht(i)?), |e, _| flat(e);
    ht jacobian: |i| value("gradbench/ht.dsl", hand(i, ["simple_jacobian", "complicated_jacobian"]), ht(i)?), rows;
    particle ff: |i| value("gradbench/particle.dsl", "ff", i.clone()), single;
    particle fr: |i| value("gradbench/particle.dsl", "fr", i.clone()), single;
    particle rf: |i| value("gradbench/particle.dsl", "rf", i.clone()), single;
    particle rr: |i| value("gradbench/particle.dsl", "rr", i.clone()), single;
    saddle ff: |i| value("gradbench/saddle.dsl", "ff", i.clone()), single;
    saddle fr: |i| value("gradbench/saddle.dsl", "fr", i.clone()), single;
    saddle rf: |i| value("gradbench/saddle.dsl", "rf", i.clone()), single;
    saddle rr: |i| value("gradbench/saddle.dsl", "rr", i.clone()), single;
}

macro_rules! sources {
    ($($name:literal)*) => {
        /// The models, by their place in `models/`.
        const SOURCES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/models/", $name))),)*];
    };
}

sources! {
    "bench/hello.dsl" "bench/llsq.dsl" "bench/lse.dsl" "bench/ode.dsl" "bench/det.dsl" "bench/gmm.dsl" "bench/kmeans.dsl"
    "bench/lstm.dsl" "bench/ba.dsl"
    "gradbench/ba.dsl" "gradbench/ht.dsl" "gradbench/descent.dsl" "gradbench/particle.dsl" "gradbench/saddle.dsl"
}

/// The source of a model, without `bench` blocks: their data are in files. They come last.
fn source(name: &str) -> Option<&'static str> {
    let (_, text) = SOURCES.iter().find(|(n, _)| *n == name)?;
    Some(text.find("\nbench ").map_or(text, |at| &text[..at]))
}

/// The models, by what they call each other.
struct Embedded;

impl Loader for Embedded {
    fn load(&mut self, from: &str, path: &str) -> Result<(String, String), String> {
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let name = match path.strip_prefix("../") {
            Some(path) => path.to_string(),
            None => format!("{folder}/{path}"),
        };
        let text = source(&name).ok_or_else(|| format!("there is no model `{name}`"))?;
        Ok((name, text.to_string()))
    }
}

fn function(file: &str, name: &str) -> Result<Function, String> {
    let text = source(file).ok_or_else(|| format!("there is no model `{file}`"))?;
    let model = Model::parse_with(file, text, &mut Embedded).map_err(|e| e.to_string())?;
    model.function(name).map_err(|e| e.to_string())
}

/// A function of a model, and its arguments out of an object. Entries with the name of a dimension are its number.
fn value(file: &str, name: &str, input: Json) -> Result<Prepared, String> {
    let f = function(file, name)?;
    let given = |(dim, _): (String, _)| Some((input.get(&dim)?.as_i64()?, dim));
    let dims: Vec<(i64, String)> = f.dims().into_iter().filter_map(given).collect();
    let f = f.with_dims(dims.iter().map(|(n, dim)| (dim.as_str(), *n))).map_err(|e| e.to_string())?;
    let arguments = arguments(&f, &input)?;
    Ok((f, arguments))
}

/// The gradient of such a function.
fn gradient(file: &str, name: &str, wrt: &[&str], input: Json) -> Result<Prepared, String> {
    let (f, arguments) = value(file, name, input)?;
    Ok((f.grad(wrt).map_err(|e| e.to_string())?, arguments))
}

/// The entries that are parameters. Others say how often to run, or repeat sizes.
fn arguments(f: &Function, input: &Json) -> Result<Vec<Value<'static>>, String> {
    let entry = |port: &crate::Port| {
        let value = input.get(&port.name).ok_or_else(|| format!("the input has no `{}`", port.name))?;
        point::from_json(value, port).map_err(|d| d.message)
    };
    f.inputs().iter().map(entry).collect()
}

fn object<'n>(entries: impl IntoIterator<Item = (&'n str, Json)>) -> Json {
    Json::Object(entries.into_iter().map(|(name, v)| (name.to_string(), v)).collect())
}

/// The one result.
fn single(outputs: &[Value], _: &Json) -> Json {
    json::value(&outputs[0])
}

/// All numbers of all results, in order.
fn flat(outputs: &[Value]) -> Json {
    outputs.iter().flat_map(|v| v.consts()).map(json::constant).collect()
}

/// One list for each row of a matrix whose rows are counted by the first two axes.
fn rows(outputs: &[Value], _: &Json) -> Json {
    match json::value(&outputs[0]) {
        Json::Array(blocks) => {
            let rows = |block| if let Json::Array(rows) = block { rows } else { Vec::new() };
            Json::Array(blocks.into_iter().flat_map(rows).collect())
        }
        other => other,
    }
}

fn entry<'j>(input: &'j Json, name: &str) -> Result<&'j Json, String> {
    input.get(name).ok_or_else(|| format!("the input has no `{name}`"))
}

fn size(input: &Json, name: &str) -> Result<usize, String> {
    const MOST: u64 = 1 << 26;
    let n = entry(input, name)?;
    let size = n.as_u64().filter(|n| *n <= MOST);
    size.map(|n| n as usize).ok_or_else(|| format!("`{name}` is {n}, no size"))
}

fn list<'j>(input: &'j Json, name: &str) -> Result<&'j Vec<Json>, String> {
    entry(input, name)?.as_array().ok_or_else(|| format!("`{name}` is no list"))
}

/// The matrix of `det`, row after row in the message.
fn square(input: &Json) -> Result<Json, String> {
    let (n, entries) = (size(input, "ell")?, list(input, "A")?);
    if n == 0 || entries.len() != n * n {
        return Err(format!("`A` has {} entries, not {n} rows of {n}", entries.len()));
    }
    let rows = entries.chunks(n).map(|row| Json::Array(row.to_vec())).collect();
    Ok(object([("A", rows), ("L", n.into())]))
}

/// `lstm`'s names, and the number of layers: two rows each.
fn lstm(input: &Json) -> Json {
    let mut all = input.as_object().cloned().unwrap_or_default();
    for (theirs, ours) in [("main_params", "main"), ("extra_params", "extra")] {
        if let Some(value) = all.remove(theirs) {
            all.insert(ours.to_string(), value);
        }
    }
    let rows = all.get("main").and_then(Json::as_array).map_or(0, Vec::len);
    all.insert("L".to_string(), (rows / 2).into());
    Json::Object(all)
}

/// `ba`'s cameras, points, weights and observations, all of a kind alike: the message has one of each, and how many.
fn ba(input: &Json) -> Result<Json, String> {
    let [n, m, p] = [size(input, "n")?, size(input, "m")?, size(input, "p")?];
    if n == 0 || m == 0 || p == 0 {
        return Err("there are no cameras, no points or no observations".to_string());
    }
    let times = |x: &Json, count: usize| Json::Array(vec![x.clone(); count]);
    let same = |name: &str, count: usize| Ok::<_, String>(times(entry(input, name)?, count));
    let observations = (0..p).map(|k| Json::from(vec![k % n, k % m])).collect();
    Ok(object([
        ("cams", same("cam", n)?),
        ("X", same("x", m)?),
        ("w", same("w", p)?),
        ("feats", same("feat", p)?),
        ("obs", observations),
    ]))
}

/// The errors of the first observation, which all others repeat.
fn ba_errors(outputs: &[Value], _: &Json) -> Json {
    let (reprojection, weight) = (json::value(&outputs[0]), json::value(&outputs[1]));
    let count = weight.as_array().map_or(0, Vec::len);
    serde_json::json!({
        "reproj_error": {"elements": reprojection[0], "repeated": count},
        "w_err": {"element": weight[0], "repeated": count},
    })
}

/// Of the sparse matrix, the part of the first observation, and the last entry. Entries lie row by row: two rows of 15 for each observation,
/// and then a row of one for each weight; `rows` says where each begins.
fn ba_jacobian(outputs: &[Value], input: &Json) -> Json {
    const CAMERA: usize = 11;
    const BLOCK: usize = 2 * (CAMERA + 4);
    let at = |name: &str| input.get(name).and_then(Json::as_u64).unwrap_or(0) as usize;
    let [n, m, p] = [at("n"), at("m"), at("p")];
    let mut values: Vec<Json> = outputs[0].consts().take(BLOCK).map(json::constant).collect();
    values.extend(outputs[1].consts().last().map(json::constant));
    let points = CAMERA * n;
    let weights = points + 3 * m;
    let row = (0..CAMERA).chain(points..points + 3).chain([weights]);
    let columns = row.clone().chain(row).chain([weights + p - 1]);
    // The beginnings of rows, as many as there are entries; the last is the number of all.
    let begin = |k: usize| if k <= 2 * p { BLOCK / 2 * k } else { BLOCK * p + (k - 2 * p) };
    let begins =
        (0..BLOCK.min(3 * p + 1)).map(begin).chain(std::iter::repeat_n(0, BLOCK.saturating_sub(3 * p + 1)));
    serde_json::json!({
        "rows": begins.chain([BLOCK * p + p]).collect::<Vec<usize>>(),
        "cols": columns.collect::<Vec<usize>>(),
        "vals": values,
    })
}

/// Which of two functions a hand is for: without and with coordinates of points on triangles.
fn hand(input: &Json, [simple, complicated]: [&'static str; 2]) -> &'static str {
    match input.get("us").and_then(Json::as_array) {
        Some(us) if !us.is_empty() => complicated,
        _ => simple,
    }
}

/// `ht`'s names.
fn ht(input: &Json) -> Result<Json, String> {
    let data = entry(input, "data")?;
    let model = entry(data, "model")?;
    let mut all = Map::new();
    let names = [
        ("parents", "parents"),
        ("base_relatives", "relatives"),
        ("inverse_base_absolutes", "inverses"),
        ("base_positions", "positions"),
        ("weights", "weights"),
        ("triangles", "triangles"),
        ("is_mirrored", "mirrored"),
    ];
    for (theirs, ours) in names {
        all.insert(ours.to_string(), entry(model, theirs)?.clone());
    }
    for name in ["correspondences", "points"] {
        all.insert(name.to_string(), entry(data, name)?.clone());
    }
    all.insert("theta".to_string(), entry(input, "theta")?.clone());
    // Pairs, or all numbers in one list.
    let us = input.get("us").and_then(Json::as_array).cloned().unwrap_or_default();
    let paired = us.iter().all(Json::is_array);
    let us = if paired { us } else { us.chunks(2).map(|pair| Json::Array(pair.to_vec())).collect() };
    all.insert("us".to_string(), Json::Array(us));
    Ok(Json::Object(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every model that a problem names is there, and so is the function.
    #[test]
    fn models_are_complete() {
        for (name, text) in SOURCES {
            let blocks = text.matches("\nbench ").count();
            assert_eq!(source(name).unwrap().matches("\nbench ").count(), 0, "{name}");
            let after = text.split_once("\nbench ").map_or("", |(_, after)| after);
            assert!(
                !after.contains("\nfn ") && !after.contains("\ncheck "),
                "{name}: {blocks} bench blocks, not last"
            );
            Model::parse_with(name, source(name).unwrap(), &mut Embedded).unwrap();
        }
        for p in PROBLEMS {
            let Err(missing) = (p.prepare)(&Json::Null) else { panic!("an input is missing") };
            assert!(!missing.contains("model `") && !missing.contains("function"), "{}: {missing}", p.module);
        }
    }
}
