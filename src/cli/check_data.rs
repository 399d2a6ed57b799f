//! `adc check --data`: points from the rows of a file.
//!
//! In CSV the header names what each column holds: a parameter (`x`), an entry of an array (`v[0]`, `A[1,2]`), a part of a
//! complex number (`z.re`, `w[0].im`). A structured `.npy` array has a field for each parameter; in a plain one the columns are
//! the parameters in order, row by row, a complex number in two columns unless the file is complex.

use super::Stop;
use super::point::{of_consts, scalar};
use crate::function::Function;
use crate::port::Port;
use crate::{files, npy};
use adc_ir::{Code, Const, Datum, Diagnostic, Scalar};
use num_complex::Complex64;
use std::collections::BTreeMap;
use std::path::Path;

/// Points that are read from a file at most,
const MAX_ROWS: usize = 1_000_000;
/// numbers of all of them,
const MAX_NUMBERS: usize = 1 << 26;
/// and bytes of a CSV file.
const MAX_BYTES: usize = 1 << 30;

/// A point for each row of a file.
pub(super) fn points(path: &Path, f: &Function) -> Result<Vec<Vec<Datum>>, Stop> {
    let name = path.to_string_lossy();
    let points = match path.extension().and_then(|e| e.to_str()) {
        Some("npy") => of_npy(path, &name, f.inputs())?,
        Some("csv" | "txt" | "tsv") => of_csv(path, &name, f.inputs())?,
        _ => {
            let d = Diagnostic::error(Code::BadUsage, format!("`{name}` is no `.csv` and no `.npy` file"));
            return Err(d.help("a CSV file has a line of names, then a line for each point").into());
        }
    };
    if points.is_empty() {
        let d = Diagnostic::error(Code::BadPoint, format!("`{name}` has no rows"));
        return Err(d.help("give a row for each point").into());
    }
    Ok(points)
}

fn bad(name: &str, what: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::error(Code::BadPoint, format!("`{name}`: {what}"))
}

/// What part of a number a column holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    Re,
    Im,
}

/// A column: its parameter, the place in it, and the part.
struct Column {
    port: usize,
    at: Vec<usize>,
    part: Part,
}

fn of_csv(path: &Path, name: &str, ports: &[Port]) -> Result<Vec<Vec<Datum>>, Stop> {
    let file = files::regular(path).map_err(|e| super::input::io_error(name, &e))?;
    let text = files::text(file, MAX_BYTES).map_err(|e| super::input::io_error(name, &e))?;
    let separator = if path.extension().is_some_and(|e| e == "tsv") { b'\t' } else { b',' };
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator)
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(text.strip_prefix('\u{feff}').unwrap_or(&text).as_bytes());
    let header = reader.headers().map_err(|e| bad(name, broken(&e)))?.clone();
    let columns: Vec<Column> = header.iter().map(|h| column(h, name, ports)).collect::<Result<_, _>>()?;
    let layout = Layout::of(&columns, &header, name, ports)?;
    let mut points = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| bad(name, broken(&e)))?;
        let line = record.position().map_or(0, csv::Position::line);
        bounded(name, points.len(), columns.len())?;
        let mut cells = Vec::with_capacity(columns.len());
        for ((cell, c), head) in record.iter().zip(&columns).zip(&header) {
            let port = &ports[c.port];
            // A part of a complex number is a real one.
            let ty = match (c.part, port.ty.scalar()) {
                (Part::Whole, ty) => ty,
                (Part::Re | Part::Im, _) => Scalar::F64,
            };
            let of = if c.part == Part::Whole { port.describe() } else { "a real part".to_string() };
            let number = scalar(cell, ty).ok_or_else(|| {
                bad(
                    name,
                    format!("line {line}, column `{head}`: `{}` is no {ty}", super::point::shortened(cell)),
                )
                .help(format!("`{}` is {of}", port.name))
            })?;
            cells.push(number);
        }
        points.push(layout.point(&columns, &cells, ports));
    }
    Ok(points)
}

/// What the reader of CSV objects to.
fn broken(e: &csv::Error) -> String {
    match e.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map_or(0, csv::Position::line);
            format!("line {line} has {len} cells, the header {expected_len}")
        }
        _ => e.to_string(),
    }
}

fn bounded(name: &str, rows: usize, columns: usize) -> Result<(), Stop> {
    if rows < MAX_ROWS && (rows + 1).saturating_mul(columns) <= MAX_NUMBERS {
        return Ok(());
    }
    let what = format!("more than {MAX_ROWS} rows, or {MAX_NUMBERS} numbers");
    Err(Diagnostic::error(Code::TooLarge, format!("`{name}` has {what}")).help("split the file").into())
}

/// Reads `x`, `z.re`, `A[1,2]`, `w[0].im`, `A[1][2]`.
fn column(head: &str, name: &str, ports: &[Port]) -> Result<Column, Diagnostic> {
    let parts = [(".re", Part::Re), (".im", Part::Im)];
    let (body, part) = parts
        .iter()
        .find_map(|(end, part)| Some((head.strip_suffix(end)?, *part)))
        .unwrap_or((head, Part::Whole));
    let (of, indices) = body.split_once('[').map_or((body, ""), |(of, rest)| (of, rest));
    let wrong = |why: &str| {
        bad(name, format!("column `{}` {why}", super::point::shortened(head)))
            .help("columns are called `x`, `v[0]`, `A[1,2]`, `z.re` and `z.im`")
    };
    let Some(port) = ports.iter().position(|p| p.name == of.trim()) else {
        let names: Vec<String> = ports.iter().map(|p| format!("`{}`", p.name)).collect();
        let d = bad(name, format!("column `{}` belongs to no parameter", super::point::shortened(head)));
        return Err(d.help(format!("the parameters are {}", names.join(", "))));
    };
    let at: Option<Vec<usize>> = match indices {
        "" => Some(Vec::new()),
        _ => indices
            .strip_suffix(']')
            .and_then(|i| i.replace("][", ",").split(',').map(|n| n.trim().parse::<usize>().ok()).collect()),
    };
    let at = at.ok_or_else(|| wrong("has an index that cannot be read"))?;
    let p = &ports[port];
    if at.len() != p.ty.rank() {
        return Err(wrong(&format!("has {} indices, but `{}` is {}", at.len(), p.name, p.describe())));
    }
    if part != Part::Whole && !p.ty.scalar().is_complex() {
        return Err(wrong(&format!("is a part of a complex number, but `{}` is {}", p.name, p.describe())));
    }
    Ok(Column { port, at, part })
}

/// The sizes of the parameters, and where each column goes.
struct Layout {
    shapes: Vec<Vec<usize>>,
    /// For each column the place in its parameter.
    places: Vec<usize>,
}

impl Layout {
    fn of(
        columns: &[Column],
        header: &csv::StringRecord,
        name: &str,
        ports: &[Port],
    ) -> Result<Layout, Diagnostic> {
        let mut shapes: Vec<Vec<usize>> = ports.iter().map(|p| vec![0; p.ty.rank()]).collect();
        for c in columns {
            shapes[c.port].iter_mut().zip(&c.at).for_each(|(n, i)| *n = (*n).max(i.saturating_add(1)));
        }
        let place = |c: &Column| {
            let sizes = c.at.iter().zip(&shapes[c.port]);
            sizes.fold(0usize, |at, (i, n)| at.saturating_mul(*n).saturating_add(*i))
        };
        let places: Vec<usize> = columns.iter().map(place).collect();
        let mut parts: BTreeMap<(usize, usize), Vec<(Part, &str)>> = BTreeMap::new();
        for ((c, at), head) in columns.iter().zip(&places).zip(header) {
            parts.entry((c.port, *at)).or_default().push((c.part, head));
        }
        for found in parts.values() {
            let fits = match &found[..] {
                [(Part::Whole, _)] => true,
                [(a, _), (b, _)] => *a != *b && *a != Part::Whole && *b != Part::Whole,
                _ => false,
            };
            if !fits {
                let heads: Vec<String> = found.iter().map(|(_, h)| format!("`{h}`")).collect();
                let d = bad(name, format!("the columns {} do not make one number", heads.join(", ")));
                return Err(d.help("give each number once, a complex one as `z` or as `z.re` and `z.im`"));
            }
        }
        for (k, p) in ports.iter().enumerate() {
            let wanted = shapes[k].iter().try_fold(1usize, |n, s| n.checked_mul(*s));
            let found = parts.keys().filter(|(port, _)| *port == k).count();
            if found == 0 {
                let d = bad(name, format!("no column for `{}` ({})", p.name, p.describe()));
                return Err(d.help("every parameter needs a column, an array one for each entry"));
            }
            if wanted != Some(found) {
                let sizes: Vec<String> = shapes[k].iter().map(usize::to_string).collect();
                let what = format!(
                    "`{}` has {found} columns, but indices of an array [{}]",
                    p.name,
                    sizes.join(", ")
                );
                return Err(bad(name, what).help("indices start at 0, and none may be left out"));
            }
            if let Some(sizes) = p.sizes().filter(|sizes| *sizes != shapes[k]) {
                let d = bad(
                    name,
                    format!("`{}` is {}, but its columns make {:?}", p.name, p.describe(), shapes[k]),
                );
                return Err(d.help(format!("give columns for an array {sizes:?}")));
            }
        }
        Ok(Layout { shapes, places })
    }

    fn point(&self, columns: &[Column], cells: &[Const], ports: &[Port]) -> Vec<Datum> {
        let count = |shape: &[usize]| shape.iter().product::<usize>();
        let mut numbers: Vec<Vec<Const>> = (self.shapes.iter().zip(ports))
            .map(|(s, p)| vec![Const::from_c128(Complex64::ZERO, p.ty.scalar()); count(s)])
            .collect();
        for ((c, at), cell) in columns.iter().zip(&self.places).zip(cells) {
            let to = &mut numbers[c.port][*at];
            let (old, x) = (to.to_c128(), cell.to_c128().re);
            *to = match c.part {
                Part::Whole => *cell,
                Part::Re => Const::from_c128(Complex64::new(x, old.im), ports[c.port].ty.scalar()),
                Part::Im => Const::from_c128(Complex64::new(old.re, x), ports[c.port].ty.scalar()),
            };
        }
        let value = |((data, shape), p): ((Vec<Const>, &Vec<usize>), &Port)| {
            of_consts(shape.clone(), p.ty.scalar(), &data).into_datum()
        };
        numbers.into_iter().zip(&self.shapes).zip(ports).map(value).collect()
    }
}

fn of_npy(path: &Path, name: &str, ports: &[Port]) -> Result<Vec<Vec<Datum>>, Stop> {
    if let Some(rows) = npy::records(path).map_err(Diagnostic::from)? {
        return of_records(rows, name, ports);
    }
    let table = npy::read(path).map_err(Diagnostic::from)?;
    let (rows, width) = match *table.shape() {
        [rows] => (rows, 1),
        [rows, width] => (rows, width),
        _ => {
            let d = bad(name, format!("it holds {}, and points are the rows of a matrix", table.describe()));
            return Err(d
                .help("save an array of two axes, or a structured one with a field for each parameter")
                .into());
        }
    };
    let complex = table.elem().is_complex();
    let mut sizes = Vec::new();
    for p in ports {
        let Some(shape) = p.sizes() else {
            let d = bad(name, format!("`{}` is {}, whose size is not known", p.name, p.describe()));
            return Err(d.help("give the dimensions, `--dims N=3`, or a structured array").into());
        };
        let n: usize = shape.iter().product();
        let columns = if p.ty.scalar().is_complex() && !complex { 2 * n } else { n };
        sizes.push((shape, n, columns));
    }
    let wanted: usize = sizes.iter().map(|s| s.2).sum();
    if wanted != width {
        let list: Vec<String> =
            ports.iter().zip(&sizes).map(|(p, s)| format!("{} for `{}`", s.2, p.name)).collect();
        let d = bad(name, format!("its rows have {width} numbers, the function takes {wanted}"));
        return Err(d.help(list.join(", ")).into());
    }
    bounded(name, rows.saturating_sub(1), width)?;
    let data: Vec<Const> = table.consts().collect();
    let mut points = Vec::with_capacity(rows);
    for (row, cells) in data.chunks(width.max(1)).enumerate() {
        let (mut at, mut point) = (0, Vec::with_capacity(ports.len()));
        for (p, (shape, n, columns)) in ports.iter().zip(&sizes) {
            let pairs = *columns > *n;
            let cells = &cells[at..at + columns];
            let consts: Vec<Const> = match pairs {
                true => cells.chunks(2).map(|c| pair(c[0], c[1])).collect(),
                false => cells.to_vec(),
            };
            at += columns;
            point.push(fits(shape, &consts, p, name, row)?);
        }
        points.push(point);
    }
    Ok(points)
}

fn pair(re: Const, im: Const) -> Const {
    Const::C128(Complex64::new(re.to_c128().re, im.to_c128().re))
}

/// A value as one of the parameter's type: whole numbers of a table of reals for an integer, too.
fn fits(shape: &[usize], consts: &[Const], p: &Port, name: &str, row: usize) -> Result<Datum, Diagnostic> {
    let to = p.ty.scalar();
    let narrowed = |c: Const| -> Option<Const> {
        let z = c.to_c128();
        match to {
            _ if c.scalar() == to => Some(c),
            Scalar::Bool => (z.im == 0.0 && (z.re == 0.0 || z.re == 1.0)).then_some(Const::Bool(z.re == 1.0)),
            Scalar::I64 => {
                let whole = z.im == 0.0 && z.re.fract() == 0.0 && z.re.abs() <= 9007199254740992.0;
                whole.then_some(Const::I64(z.re as i64))
            }
            Scalar::F32 | Scalar::F64 => (z.im == 0.0).then(|| Const::from_c128(z, to)),
            Scalar::C64 | Scalar::C128 => Some(Const::from_c128(z, to)),
        }
    };
    match consts.iter().map(|c| narrowed(*c)).collect::<Option<Vec<Const>>>() {
        Some(consts) => Ok(of_consts(shape.to_vec(), to, &consts).into_datum()),
        None => {
            let d = bad(name, format!("row {row}: the numbers for `{}` are no {to}", p.name));
            Err(d.help(format!("`{}` is {}", p.name, p.describe())))
        }
    }
}

/// The rows of a structured array: a field for each parameter.
fn of_records(rows: npy::Records, name: &str, ports: &[Port]) -> Result<Vec<Vec<Datum>>, Stop> {
    let mut fields = Vec::new();
    for p in ports {
        let Some(k) = rows.names.iter().position(|n| *n == p.name) else {
            let d = bad(name, format!("no field for `{}` ({})", p.name, p.describe()));
            return Err(d.help(format!("its fields are {}", rows.names.join(", "))).into());
        };
        fields.push(k);
    }
    if let Some(other) = rows.names.iter().find(|n| ports.iter().all(|p| p.name != **n)) {
        let names: Vec<String> = ports.iter().map(|p| format!("`{}`", p.name)).collect();
        let d = bad(name, format!("the field `{other}` belongs to no parameter"));
        return Err(d.help(format!("the parameters are {}", names.join(", "))).into());
    }
    let width = rows.rows.first().map_or(1, |r| r.iter().map(|(_, numbers)| numbers.len()).sum());
    bounded(name, rows.rows.len().saturating_sub(1), width)?;
    let mut points = Vec::with_capacity(rows.rows.len());
    for (row, values) in rows.rows.into_iter().enumerate() {
        let mut point = Vec::with_capacity(ports.len());
        for (p, k) in ports.iter().zip(&fields) {
            let (shape, numbers) = &values[*k];
            let sized = p.sizes().is_none_or(|sizes| sizes == *shape);
            if shape.len() != p.ty.rank() || !sized {
                let what = format!(
                    "the field `{}` has the shape {shape:?}, but the parameter is {}",
                    p.name,
                    p.describe()
                );
                let d = bad(name, what);
                return Err(d.help("give the field the shape of the parameter").into());
            }
            point.push(fits(shape, numbers, p, name, row)?);
        }
        points.push(point);
    }
    Ok(points)
}
