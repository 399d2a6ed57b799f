//! Files: read up to a limit, and written whole or not at all.

#[cfg(any(feature = "cli", feature = "npy"))]
pub(crate) use whole::replace;

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Opens a regular file. Nothing else is opened: a pipe may never end, and a device may be changed by being read.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`]: something else than a file.
pub(crate) fn regular(path: &Path) -> io::Result<File> {
    let what = fs::metadata(path)?;
    match what.is_file() {
        true => File::open(path),
        false => {
            let kind = if what.is_dir() { "a directory" } else { "not a regular file" };
            Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {kind}")))
        }
    }
}

/// All bytes, if there are no more than `limit`; no more than that are read.
///
/// # Errors
/// [`io::ErrorKind::FileTooLarge`]: there are more.
pub(crate) fn bytes(from: impl Read, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    match bytes.len() <= limit {
        true => Ok(bytes),
        false => {
            let what = format!("it has more than {limit} bytes");
            Err(io::Error::new(io::ErrorKind::FileTooLarge, what))
        }
    }
}

/// The same as text.
///
/// # Errors
/// [`io::ErrorKind::InvalidData`]: no UTF-8.
pub(crate) fn text(from: impl Read, limit: usize) -> io::Result<String> {
    String::from_utf8(bytes(from, limit)?).map_err(|e| {
        let what = format!("it is not UTF-8 text (byte {} is not)", e.utf8_error().valid_up_to());
        io::Error::new(io::ErrorKind::InvalidData, what)
    })
}

#[cfg(any(feature = "cli", feature = "npy"))]
mod whole {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Makes a file of what `write` writes: beside it first, under another name, so that a run that fails or is killed leaves
    /// what was there before. Into a pipe or device it is written directly. A link stays a link.
    ///
    /// # Errors
    /// Those of `write`, and of creating and renaming files.
    pub(crate) fn replace(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let before = fs::metadata(&target).ok();
        if before.as_ref().is_some_and(|m| !m.is_file()) {
            return write(&mut File::options().write(true).open(&target)?);
        }
        let Some(name) = target.file_name() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it has no name"));
        };
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!(".{}.{}-{number}.tmp", name.to_string_lossy(), std::process::id());
        let beside = target.with_file_name(name);
        let written = File::create(&beside).and_then(|mut file| {
            write(&mut file)?;
            before.map_or(Ok(()), |m| file.set_permissions(m.permissions()))?;
            fs::rename(&beside, &target)
        });
        if written.is_err() {
            let _ = fs::remove_file(&beside);
        }
        written
    }
}

#[cfg(all(test, feature = "cli"))]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn what_fails_leaves_the_file_as_it_was() {
        let dir = std::env::temp_dir().join(format!("adc-files-{}", std::process::id()));
        fs::create_dir_all(&dir).expect("a directory");
        let path = dir.join("result");
        replace(&path, |f| f.write_all(b"first")).expect("it can be written");
        let fails = replace(&path, |f| f.write_all(b"sec").and(Err(io::Error::other("full"))));
        assert!(fails.is_err());
        assert_eq!(fs::read(&path).expect("it is there"), b"first");
        replace(&path, |f| f.write_all(b"third")).expect("it can be replaced");
        assert_eq!(fs::read(&path).expect("it is there"), b"third");
        assert_eq!(fs::read_dir(&dir).expect("a directory").count(), 1, "nothing is left beside it");
        fs::remove_dir_all(&dir).expect("it can be removed");
    }

    #[test]
    fn no_more_is_read_than_the_limit() {
        assert_eq!(bytes(&b"1234"[..], 4).expect("four bytes"), b"1234");
        let more = bytes(io::repeat(b'x'), 4).expect_err("no end");
        assert_eq!(more.kind(), io::ErrorKind::FileTooLarge);
        assert!(regular(Path::new("/")).is_err());
    }
}
