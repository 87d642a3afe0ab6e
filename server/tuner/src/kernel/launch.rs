//! The launch of a kernel.

/// The dimensions of a launch, and a flag for an output that must be zeroed before the launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    pub grid: [u32; 3],
    pub threads: u32,
    /// Dynamic shared memory, in bytes.
    pub shared_bytes: u32,
    /// True if the kernel adds to the output, which must be zero before the launch.
    pub adds: bool,
}
