//! Launches of generated kernels.

/// How a kernel is launched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    pub grid: [u32; 3],
    pub threads: u32,
    /// Dynamic shared memory, in bytes.
    pub shared_bytes: u32,
    /// Whether C must be zero before.
    pub adds: bool,
}
