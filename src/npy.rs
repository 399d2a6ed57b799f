//! Arrays in NumPy's `.npy` files.

#[cfg(feature = "cli")]
mod records;

#[cfg(feature = "cli")]
pub(crate) use records::{Records, records};

use crate::coo::Coo;
use crate::files;
use crate::value::{Element, Value};
use adc_ir::{Code, Diagnostic};
use adc_jit::Slice;
use npyz::{DType, Deserialize, NpyFile, Order, TypeChar, WriterBuilder};
use num_complex::{Complex32, Complex64};
use std::fmt;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// The first bytes of every file.
const MAGIC: &[u8] = b"\x93NUMPY";

/// A header may have this many opening brackets.
const MAX_BRACKETS: usize = 32;

/// A header may have this many bytes, as in NumPy.
const MAX_HEADER: usize = 10_000;

/// What a file of so many bytes cannot have, by the way it starts. The reader believes what a header says: it makes room for it,
/// multiplies its numbers, and goes as deep as its brackets do.
fn excess(start: &[u8], bytes: u64) -> Option<String> {
    let header = match start.strip_prefix(MAGIC)? {
        [1, _, a, b, text @ ..] => (usize::from(u16::from_le_bytes([*a, *b])), text),
        [_, _, a, b, c, d, text @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, text),
        _ => return None,
    };
    let (length, text) = header;
    if length as u64 > bytes || length > MAX_HEADER {
        return Some(format!("its header is said to have {length} bytes"));
    }
    let text = String::from_utf8_lossy(text.get(..length)?);
    if text.matches(['(', '[', '{']).count() > MAX_BRACKETS {
        return Some(format!("its header has more than {MAX_BRACKETS} brackets"));
    }
    let (_, shape) = text.split_once("'shape'")?;
    let (sizes, _) = shape.split_once('(')?.1.split_once(')')?;
    let mut sizes = sizes.split(',').filter_map(|n| n.trim().parse::<u64>().ok());
    match sizes.try_fold(1u64, |n, size| n.checked_mul(size.max(1))) {
        Some(_) => None,
        None => Some(format!("its header promises too many elements, but the file has only {bytes} bytes")),
    }
}

/// Why a file could not be read or written.
#[derive(Clone, Debug)]
pub struct Error {
    diagnostic: Box<Diagnostic>,
    cause: Option<Arc<io::Error>>,
}

impl Error {
    /// `doing` is `read` or `write`.
    fn new(doing: &str, path: &Path, what: impl fmt::Display, help: &str) -> Error {
        let message = format!("cannot {doing} `{}`: {what}", path.display());
        Error { diagnostic: Box::new(Diagnostic::error(Code::Io, message).help(help)), cause: None }
    }

    fn because(self, cause: io::Error) -> Error {
        Error { cause: Some(Arc::new(cause)), ..self }
    }

    /// The error as a diagnostic, [`Code::Io`].
    pub fn diagnostic(&self) -> &Diagnostic {
        &self.diagnostic
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diagnostic.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_deref().map(|e| e as _)
    }
}

/// They are the same if they read the same.
impl PartialEq for Error {
    fn eq(&self, other: &Error) -> bool {
        self.diagnostic == other.diagnostic
    }
}

impl From<Error> for Diagnostic {
    fn from(e: Error) -> Diagnostic {
        *e.diagnostic
    }
}

/// Reads an array: booleans, integers (as `i64`), `f4`, `f8`, `c8`, `c16`, either byte order, rows or columns first.
///
/// # Errors
/// A file that cannot be read, is no `.npy` file, or holds something else.
///
/// ```
/// let path = std::env::temp_dir().join("adc-npy-example.npy");
/// adc::npy::write(&path, &vec![1.0, 2.0, 3.0].into())?;
/// assert_eq!(adc::npy::read(&path)?, vec![1.0, 2.0, 3.0].into());
/// # Ok::<(), adc::Error>(())
/// ```
pub fn read(path: impl AsRef<Path>) -> Result<Value<'static>, Error> {
    let path = path.as_ref();
    let fail = |what: &dyn fmt::Display, help: &str| Error::new("read", path, what, help);
    let npy = checked(path)?;
    let held = npy.dtype().descr();
    let kind = match npy.dtype() {
        DType::Plain(ty) => Some((ty.type_char(), ty.size_field())),
        _ => None,
    };
    let read = match kind {
        Some((TypeChar::Bool, _)) => array::<bool>(npy),
        Some((TypeChar::Int, 1)) => widened::<i8>(npy),
        Some((TypeChar::Int, 2)) => widened::<i16>(npy),
        Some((TypeChar::Int, 4)) => widened::<i32>(npy),
        Some((TypeChar::Int, 8)) => array::<i64>(npy),
        Some((TypeChar::Uint, 1)) => widened::<u8>(npy),
        Some((TypeChar::Uint, 2)) => widened::<u16>(npy),
        Some((TypeChar::Uint, 4)) => widened::<u32>(npy),
        Some((TypeChar::Float, 4)) => array::<f32>(npy),
        Some((TypeChar::Float, 8)) => array::<f64>(npy),
        Some((TypeChar::Complex, 8)) => array::<Complex32>(npy),
        Some((TypeChar::Complex, 16)) => array::<Complex64>(npy),
        _ => {
            let what = format!("its elements are {held}, which no type of the language holds");
            let help = "save booleans, integers, float32, float64, complex64 or complex128";
            return Err(fail(&what, help));
        }
    };
    read.map_err(|e| fail(&e, "write it again with `np.save(path, array)`").because(e))
}

/// Opens a file whose header promises no more than the file has.
fn checked(path: &Path) -> Result<NpyFile<BufReader<std::fs::File>>, Error> {
    let fail = |what: &dyn fmt::Display, help: &str| Error::new("read", path, what, help);
    let file = files::regular(path).map_err(|e| fail(&e, "check the path and its permissions").because(e))?;
    let bytes = file.metadata().map_or(0, |m| m.len());
    let mut file = BufReader::with_capacity(2 * MAX_HEADER, file);
    if let Some(what) = file.fill_buf().ok().and_then(|start| excess(start, bytes)) {
        return Err(fail(&what, "write it again with `np.save(path, array)`"));
    }
    let npy = NpyFile::new(file).map_err(|e| {
        let what = format!("not a `.npy` file ({e})");
        fail(&what, "write one with `np.save(path, array)`").because(e)
    })?;
    let size = npy.dtype().num_bytes().unwrap_or(1) as u64;
    let promised = npy.shape().iter().try_fold(size, |n, s| n.checked_mul(*s));
    if promised.is_none_or(|n| n > bytes) {
        let shape = npy.shape();
        let what = format!("its header promises the shape {shape:?}, but the file has only {bytes} bytes");
        return Err(fail(&what, "the file is truncated: write it again"));
    }
    Ok(npy)
}

fn array<T: Element + Deserialize>(npy: NpyFile<impl io::Read>) -> io::Result<Value<'static>> {
    let (shape, order) = layout(&npy)?;
    shaped(shape, order, npy.into_vec::<T>()?)
}

fn widened<T: Deserialize + Into<i64>>(npy: NpyFile<impl io::Read>) -> io::Result<Value<'static>> {
    let (shape, order) = layout(&npy)?;
    shaped(shape, order, npy.into_vec::<T>()?.into_iter().map(Into::into).collect::<Vec<i64>>())
}

fn layout(npy: &NpyFile<impl io::Read>) -> io::Result<(Vec<usize>, Order)> {
    let size = |s: &u64| usize::try_from(*s).map_err(io::Error::other);
    Ok((npy.shape().iter().map(size).collect::<Result<_, _>>()?, npy.order()))
}

fn shaped<T: Element>(shape: Vec<usize>, order: Order, data: Vec<T>) -> io::Result<Value<'static>> {
    if order == Order::Fortran && shape.len() > 1 {
        use ndarray::ShapeBuilder;
        let columns = ndarray::ArrayD::from_shape_vec(ndarray::IxDyn(&shape).f(), data);
        return columns.map(Value::from).map_err(io::Error::other);
    }
    Value::array(&shape, data).map_err(io::Error::other)
}

/// Writes a value; a scalar as an array without axes.
///
/// # Errors
/// A file that cannot be written.
pub fn write(path: impl AsRef<Path>, value: &Value) -> Result<(), Error> {
    let path = path.as_ref();
    let result = files::replace(path, |file| {
        let mut out = BufWriter::new(file);
        let shape: Vec<u64> = value.shape().iter().map(|n| *n as u64).collect();
        match (value.elements(), value) {
            (Some(Slice::Bool(s)), _) => put(&mut out, &shape, s),
            (Some(Slice::I64(s)), _) => put(&mut out, &shape, s),
            (Some(Slice::F32(s)), _) => put(&mut out, &shape, s),
            (Some(Slice::F64(s)), _) => put(&mut out, &shape, s),
            (Some(Slice::C64(s)), _) => put(&mut out, &shape, s),
            (Some(Slice::C128(s)), _) => put(&mut out, &shape, s),
            (None, Value::Bool(x)) => put(&mut out, &shape, &[*x]),
            (None, Value::I64(x)) => put(&mut out, &shape, &[*x]),
            (None, Value::F32(x)) => put(&mut out, &shape, &[*x]),
            (None, Value::F64(x)) => put(&mut out, &shape, &[*x]),
            (None, Value::C64(x)) => put(&mut out, &shape, &[*x]),
            (None, Value::C128(x)) => put(&mut out, &shape, &[*x]),
            (None, Value::Array(_) | Value::View(_)) => unreachable!("an array has elements"),
        }?;
        out.flush()
    });
    result.map_err(|e| Error::new("write", path, &e, "check the path and its permissions").because(e))
}

/// Writes a sparse matrix as SciPy's `save_npz` does: a `.npz` file in COO format.
///
/// # Errors
/// A file that cannot be written.
pub fn write_sparse(path: impl AsRef<Path>, matrix: &Coo) -> Result<(), Error> {
    let path = path.as_ref();
    let length = [matrix.value.len() as u64];
    let indices = |list: &[u32]| list.iter().map(|i| *i as i32).collect::<Vec<_>>();
    let member = |write: &dyn Fn(&mut Vec<u8>) -> io::Result<()>| {
        let mut bytes = Vec::new();
        write(&mut bytes).map(|()| bytes)
    };
    let result = files::replace(path, |file| {
        // A string of three bytes, which the writer has no type for.
        let mut format = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        format
            .extend(format!("{:<117}\n", "{'descr': '|S3', 'fortran_order': False, 'shape': (), }").bytes());
        format.extend(b"coo");
        let shape = matrix.shape.map(|n| n as i64);
        let members = [
            ("row", member(&|out| put(out, &length, &indices(&matrix.row)))?),
            ("col", member(&|out| put(out, &length, &indices(&matrix.col)))?),
            ("format", format),
            ("shape", member(&|out| put(out, &[2], &shape))?),
            ("data", member(&|out| put(out, &length, &matrix.value))?),
        ];
        let mut zip = ZipWriter::new(BufWriter::new(file));
        for (name, bytes) in members {
            let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
            zip.start_file(format!("{name}.npy"), options.large_file(bytes.len() > 0xFFFF_0000))
                .map_err(io::Error::other)?;
            zip.write_all(&bytes)?;
        }
        zip.finish().map_err(io::Error::other)?.flush()
    });
    result.map_err(|e| Error::new("write", path, &e, "check the path and its permissions").because(e))
}

fn put<T: npyz::AutoSerialize + Copy>(out: impl io::Write, shape: &[u64], data: &[T]) -> io::Result<()> {
    let mut writer = npyz::WriteOptions::new().default_dtype().shape(shape).writer(out).begin_nd()?;
    writer.extend(data.iter().copied())?;
    writer.finish()
}
