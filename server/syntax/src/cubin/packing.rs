//! Compressed members of fat binaries, as `nvcc -compress-mode` writes them.

use super::CubinError;
use ruzstd::decoding::StreamingDecoder;
use std::io::Read;

/// Compression of a member of a fat binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    Plain,
    /// An LZ4 block: `-compress-mode=speed`, and the only compression format of toolkits without that option.
    Lz4,
    /// A Zstandard frame: `-compress-mode=size` and `balance`.
    Zstandard,
    /// An unsupported compression format.
    Unknown,
}

/// Flag bit of a member that is compressed with LZ4.
const LZ4: u64 = 0x2000; // Source: fat binaries of nvcc
const ZSTANDARD: u64 = 0x8000; // Source: fat binaries of nvcc

/// Maximum size in bytes to which one member is unpacked.
const MAX_BYTES: usize = 256 << 20; // limit: a broken member must not fill the memory

/// Maximum compression ratio of an LZ4 block.
const LZ4_RATIO: usize = 255; // Source: the LZ4 block format

impl Packing {
    /// Returns the compression that a member's flags state.
    pub(super) const fn from_flags(flags: u64) -> Self {
        if flags & ZSTANDARD != 0 {
            Self::Zstandard
        } else if flags & LZ4 != 0 {
            Self::Lz4
        } else {
            Self::Unknown
        }
    }

    /// Unpacks a member to the length stated in its header. Returns an error with the reason if that fails.
    pub(super) fn unpack(self, packed: &[u8], length: usize) -> Result<Vec<u8>, CubinError> {
        let broken = |why: String| CubinError::broken("compressed member", why);
        if length > MAX_BYTES {
            return Err(broken(format!(
                "expected at most {} MiB when unpacked, but its header states {length} bytes",
                MAX_BYTES >> 20
            )));
        }
        let bytes = match self {
            Self::Plain => packed.to_vec(),
            Self::Lz4 if length / LZ4_RATIO > packed.len() => {
                return Err(broken(format!(
                    "{} bytes of LZ4 data cannot unpack to {length} bytes",
                    packed.len()
                )));
            }
            Self::Lz4 => lz4_flex::block::decompress(packed, length)
                .map_err(|error| broken(format!("invalid LZ4 data: {error}")))?,
            Self::Zstandard => {
                let reported =
                    |error: &dyn std::fmt::Display| broken(format!("invalid Zstandard data: {error}"));
                let decoder = StreamingDecoder::new(packed).map_err(|error| reported(&error))?;
                let mut bytes = Vec::new();
                // Reading one byte more than expected detects a member that is longer than its header says.
                decoder.take(length as u64 + 1).read_to_end(&mut bytes).map_err(|error| reported(&error))?;
                bytes
            }
            Self::Unknown => return Err(broken("expected LZ4 or Zstandard".to_owned())),
        };
        if bytes.len() == length {
            Ok(bytes)
        } else {
            Err(broken(format!("the unpacked size differs from the {length} bytes that its header states")))
        }
    }
}
