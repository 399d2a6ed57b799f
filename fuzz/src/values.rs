//! Values: points on the command line and in JSON, and files of arrays.

use crate::{Outcome, adc, damage};
use adc_ir::testing::Rng;
use std::path::Path;

/// The model that takes the values.
const MODEL: &str = "fn f[N](x: f64, n: i64, b: bool, z: c128, v: f64[N], A: f64[2, N]) -> f64 {
    if b { x + f64(n) } else { abs2(z) + sum(A @ v) }
}
fn total[N](v: f64[N]) -> f64 { sum(v) }
";

/// Points that are right, or nearly so.
const POINTS: &[&str] = &[
    "x=1.5,n=2,b=true,z=0.3+0.4i,v=[1,2],A=[[1,2],[3,4]]",
    "x=-pi/2,n=1e3*2,b=false,z=1i,v=[],A=[[],[]]",
    "x = NaN, n = 9223372036854775807, b = true, z = -inf, v = [1e308,-0.0], A = [[1,2],[3,4]]",
    "x=2^0.5,n=div(7,2),b=1<2,z=exp(1i*pi),v=[sqrt(2),1/3],A=[[0,0],[0,0]]",
    "n=3",
];

/// Points in JSON.
const JSON: &[&str] = &[
    r#"{"x": 1.5, "n": 2, "b": true, "z": [0.3, 0.4], "v": [1, 2], "A": [[1, 2], [3, 4]]}"#,
    r#"{"x": "NaN", "n": 9223372036854775807, "b": false, "z": {"re": 1, "im": -1}, "v": [], "A": [[], []]}"#,
    r#"{"x": -0.0, "n": -1, "b": true, "z": 2, "v": ["inf", 1e308], "A": [[1e-320, 2], [3, 4]]}"#,
];

const PIECES: &[&str] = &[
    "x=",
    "n=",
    "v=[",
    "]",
    "[",
    "[[",
    "]]",
    ",",
    "=",
    "1e999",
    "-1",
    "1/0",
    "2^2^2^2^2^2",
    "9223372036854775808",
    "NaN",
    "inf",
    "-inf",
    "@",
    "@x.npy",
    "\"",
    "{",
    "}",
    ":",
    "null",
    "true",
    "i",
    "1i",
    "(",
    ")",
    "pi",
    "sin(",
    "-",
    "--",
    "\u{0}",
    "é",
    "\\u0000",
    "\\ud800",
    "1e-400",
    "0x10",
    "{\"x\": 1}",
    "[1,2]",
    "[[1,2],[3]]",
];

fn damaged(seed: u64, of: &[&str]) -> String {
    let texts: Vec<String> = of.iter().map(|t| t.to_string()).collect();
    damage::damaged(&mut Rng::new(seed), &texts, PIECES, 0)
}

/// A damaged point.
pub(crate) fn point(seed: u64) -> String {
    damaged(seed, POINTS)
}

/// A damaged point in JSON.
pub(crate) fn json(seed: u64) -> String {
    damaged(seed, JSON)
}

/// A damaged file of an array.
pub(crate) fn npy(seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    let (kind, bytes) = rng.pick(&[
        ("<f8", 8),
        (">f8", 8),
        ("<f4", 4),
        ("<i8", 8),
        ("|b1", 1),
        ("<c16", 16),
        ("|u1", 1),
        ("<c8", 8),
        ("|O", 8),
    ]);
    let (shape, count) = rng.pick(&[
        ("(3,)", 3),
        ("(2, 3)", 6),
        ("()", 1),
        ("(0,)", 0),
        ("(4294967296, 4294967296)", 2),
        ("(3", 3),
        ("(-1,)", 1),
    ]);
    let order = rng.pick(&["False", "True", "Maybe"]);
    let header = format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let mut file = b"\x93NUMPY".to_vec();
    file.extend([rng.pick(&[1, 1, 1, 2, 3, 9]), 0]);
    file.extend(if file[6] == 1 {
        (header.len() as u16).to_le_bytes().to_vec()
    } else {
        (header.len() as u32).to_le_bytes().to_vec()
    });
    file.extend(header.bytes());
    file.extend((0..count * bytes).map(|_| rng.below(256) as u8));
    for _ in 0..rng.below(4) {
        let at = rng.below(file.len());
        match rng.below(4) {
            0 => file[at] = rng.below(256) as u8,
            1 => file.truncate(at.max(1)),
            2 => file.insert(at, rng.pick(b"0123456789,()[{'x ")),
            _ => {
                file.remove(at);
                file.push(0);
            }
        }
    }
    file
}

/// Exit code 0 or 1, or an error with a code.
fn ended(args: &[&str], stdin: &[u8]) -> Result<Outcome, String> {
    let ended = adc(args, stdin);
    match ended.code {
        0 | 1 => Ok(Outcome::Accepted),
        2 if ended.err.contains("error[ADC0") => Ok(Outcome::Refused),
        code => Err(format!("exit {code}: {}{}", ended.out, ended.err)),
    }
}

/// The path of a file in the folder with these bytes.
fn written(folder: &Path, name: &str, bytes: &[u8]) -> Result<String, String> {
    let path = folder.join(name);
    std::fs::write(&path, bytes).map_err(|e| e.to_string())?;
    Ok(path.display().to_string())
}

pub(crate) fn run_point(text: &str, _folder: &Path) -> Result<Outcome, String> {
    // A file that a point names would be another input.
    let text = text.replace('@', "%");
    ended(&["run", "-", "--fn", "f", &format!("--at={text}")], MODEL.as_bytes())
}

pub(crate) fn run_json(text: &str, folder: &Path) -> Result<Outcome, String> {
    let at = format!("--at=@{}", written(folder, "point.json", text.as_bytes())?);
    ended(&["run", "-", "--fn", "f", &at], MODEL.as_bytes())
}

pub(crate) fn run_npy(bytes: &[u8], folder: &Path) -> Result<Outcome, String> {
    let at = format!("--at=v=@{}", written(folder, "v.npy", bytes)?);
    ended(&["run", "-", "--fn", "total", &at], MODEL.as_bytes())
}
