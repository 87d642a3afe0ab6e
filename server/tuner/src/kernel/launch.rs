//! How a kernel is launched.

/// The dimensions of a launch, and what must be done before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    pub grid: [u32; 3],
    pub threads: u32,
    /// Dynamic shared memory, in bytes.
    pub shared_bytes: u32,
    /// Whether the output must be zero before.
    pub adds: bool,
}
