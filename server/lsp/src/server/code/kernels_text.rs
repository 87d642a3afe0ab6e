//! The text that replaces a listing if a cubin cannot be disassembled: comments with the resource usage of each kernel.

use ide::binary::{ConstantBank, Cubin, CubinFunction};
use std::fmt::Write;

/// Returns comments that state the reason why there is no listing, then the resource usage of each kernel.
pub(crate) fn comments(name: &str, cubin: &Cubin, reason: &str) -> String {
    let reason = reason.replace("; ", ";\n// ");
    let mut text = format!("// {name}: code for sm_{}, not disassembled:\n// {reason}\n", cubin.sm);
    for kernel in cubin.kernels() {
        let CubinFunction { name, code_bytes, shared_bytes, local_bytes, stack_bytes, .. } = kernel;
        let stack = stack_bytes.map_or_else(|| "unknown".to_owned(), |bytes| bytes.to_string());
        let registers = kernel
            .registers
            .map_or_else(|| "unknown registers".to_owned(), |count| counted(count, "register"));
        let barriers = counted(kernel.barriers, "barrier");
        let bytes: u32 = kernel.params.iter().map(|param| param.bytes).sum();
        let parameters = counted(kernel.params.len(), "parameter");
        let bank = |bank: &ConstantBank| format!(", constant bank {}: {} bytes", bank.bank, bank.bytes);
        let banks: String = kernel.constants.iter().map(bank).collect();
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "//\n// {name}\n//   {registers}, {barriers}, {code_bytes} bytes of code\n\
             //   bytes of memory: {shared_bytes} shared, {local_bytes} local, {stack} stack\n\
             //   {parameters}: {bytes} bytes{banks}\n"
        );
    }
    text
}

/// Formats a count with its noun: `1 register`, `2 registers`.
pub(crate) fn counted(count: impl TryInto<u64>, what: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
