//! Where the octets of a capture go: a file, plain or compressed as its name says, or standard output.
//!
//! | name ends in | compression |
//! |---|---|
//! | `.zst` | zstd |
//! | `.gz` | gzip |
//! | anything else | none |

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use zstd::stream::write::Encoder as ZstdEncoder;

/// Level of zstd: its default.
const ZSTD_LEVEL: i32 = 0;

/// The plain end of a sink. What goes there is gathered before.
type Plain = Box<dyn Write + Send>;

/// An open output.
pub enum Sink {
    /// As it is.
    Plain(Plain),
    /// Through gzip.
    Gzip(GzEncoder<Plain>),
    /// Through zstd.
    Zstd(ZstdEncoder<'static, Plain>),
}

impl std::fmt::Debug for Sink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Sink::Plain(_) => "Sink::Plain",
            Sink::Gzip(_) => "Sink::Gzip",
            Sink::Zstd(_) => "Sink::Zstd",
        })
    }
}

impl Sink {
    /// Opens a file; one that exists is replaced with `force` alone, devices and pipes are always taken. `-` is standard output.
    ///
    /// # Errors
    /// Those of the system.
    pub fn open(path: &Path, force: bool) -> io::Result<Self> {
        if path == Path::new("-") {
            return Ok(Sink::Plain(Box::new(io::stdout())));
        }
        let is_special = path.metadata().is_ok_and(|found| !found.is_file());
        let mut options = OpenOptions::new();
        options.write(true);
        // A pipe or a device is there already, and cannot be made or truncated.
        if !is_special {
            options.truncate(force).create(force).create_new(!force);
        }
        let file = options.open(path)?;
        Self::through(path, Box::new(file))
    }

    /// A sink into `end`, compressed as `name` says.
    ///
    /// # Errors
    /// Those of the system.
    pub fn through(name: &Path, end: Box<dyn Write + Send>) -> io::Result<Self> {
        Ok(match name.extension().and_then(|ending| ending.to_str()) {
            Some("gz") => Sink::Gzip(GzEncoder::new(end, Compression::fast())),
            Some("zst") => Sink::Zstd(ZstdEncoder::new(end, ZSTD_LEVEL)?),
            _ => Sink::Plain(end),
        })
    }

    /// Takes octets; many at once, as each call goes to the system.
    ///
    /// # Errors
    /// Those of the system.
    pub fn take(&mut self, octets: &[u8]) -> io::Result<()> {
        match self {
            Sink::Plain(out) => out.write_all(octets),
            Sink::Gzip(out) => out.write_all(octets),
            Sink::Zstd(out) => out.write_all(octets),
        }
    }

    /// Ends the output: everything is with the system then.
    ///
    /// # Errors
    /// Those of the system.
    pub fn finish(self) -> io::Result<()> {
        match self {
            Sink::Plain(mut out) => out.flush(),
            Sink::Gzip(out) => out.finish()?.flush(),
            Sink::Zstd(out) => out.finish()?.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::sync::{Arc, Mutex};

    use super::*;

    /// What has been written, or a failure after so many octets.
    #[derive(Clone)]
    struct End(Arc<Mutex<Vec<u8>>>, usize);

    impl Write for End {
        fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
            let mut all = self.0.lock().expect("no panic");
            if all.len() + octets.len() > self.1 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            all.extend(octets);
            Ok(octets.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn written(name: &str) -> Vec<u8> {
        let end = End(Arc::default(), usize::MAX);
        let mut sink = Sink::through(Path::new(name), Box::new(end.clone())).expect("it opens");
        sink.take(&[7; 1_000]).expect("it takes them");
        sink.finish().expect("it ends");
        let all = end.0.lock().expect("no panic");
        all.clone()
    }

    #[test]
    fn the_name_says_how_it_is_compressed() {
        assert_eq!(written("a.pcapng"), [7; 1_000]);
        let mut plain = Vec::new();
        let packed = written("a.pcapng.gz");
        flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut plain).expect("gzip");
        assert_eq!(plain, [7; 1_000]);
        let packed = written("a.zst");
        assert!(packed.len() < 100);
        assert_eq!(zstd::decode_all(&packed[..]).expect("zstd"), [7; 1_000]);
    }

    #[test]
    fn a_full_disk_is_reported() {
        let end = End(Arc::default(), 10);
        for name in ["a", "a.gz", "a.zst"] {
            let mut sink = Sink::through(Path::new(name), Box::new(end.clone())).expect("it opens");
            let octets: Vec<u8> = (0..10_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
            let result = sink.take(&octets).and_then(|()| sink.finish());
            assert_eq!(result.expect_err("there is no room").kind(), io::ErrorKind::StorageFull, "{name}");
        }
    }
}
