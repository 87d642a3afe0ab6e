//! The value of a kernel's parameter.

/// Value that a launch states for a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ParamValue {
    /// `"ptr"`: a device pointer aligned to 256 bytes, to memory that no other one points to.
    Pointer,
    /// `"?"`.
    Unknown,
    Boolean(bool),
    Integer(i128),
    Float(f64),
}
