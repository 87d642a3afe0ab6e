//! Writer of PTX: allocates registers on demand and writes one statement per line.

use std::fmt;
use std::fmt::Write as _;

/// A kind of PTX register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bank {
    Predicate,
    /// 16 bits.
    Half,
    /// 32 bits: integers and pairs of halves.
    Word,
    /// 64 bits: addresses.
    Long,
    Single,
    Double,
}

impl Bank {
    const ALL: [Self; 6] = [Self::Predicate, Self::Half, Self::Word, Self::Long, Self::Single, Self::Double];

    const fn prefix(self) -> &'static str {
        match self {
            Self::Predicate => "%p",
            Self::Half => "%h",
            Self::Word => "%r",
            Self::Long => "%rd",
            Self::Single => "%f",
            Self::Double => "%fd",
        }
    }

    const fn directive(self) -> &'static str {
        match self {
            Self::Predicate => ".pred",
            Self::Half => ".b16",
            Self::Word => ".b32",
            Self::Long => ".b64",
            Self::Single => ".f32",
            Self::Double => ".f64",
        }
    }
}

/// A PTX register. It displays as its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Register {
    bank: Bank,
    number: u32,
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.bank.prefix(), self.number)
    }
}

/// A PTX label. It displays as its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Label(u32);

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "L{}", self.0)
    }
}

/// A kernel's text while it is written.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    body: String,
    used: [u32; Bank::ALL.len()],
    labels: u32,
}

/// Writes one statement: `ptx!(w, "add.s32 {sum}, {a}, {b}")`.
macro_rules! ptx {
    ($writer:expr, $($text:tt)*) => { $writer.statement(format_args!($($text)*)) };
}
pub(crate) use ptx;

/// The parameters of an entry: name and type.
pub(crate) type Parameters = [(&'static str, &'static str)];

/// Limits of an entry's launches, as declared to ptxas.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Threads per block.
    pub(crate) threads: u32,
    /// Maximum number of registers per thread. If it is `None`, ptxas chooses the number, and sometimes spills so that
    /// another block fits the SM.
    pub(crate) registers: Option<u32>,
}

impl Writer {
    pub(crate) fn register(&mut self, bank: Bank) -> Register {
        let used = &mut self.used[bank as usize];
        *used += 1;
        Register { bank, number: *used - 1 }
    }

    pub(crate) fn registers(&mut self, bank: Bank, count: u32) -> Vec<Register> {
        (0..count).map(|_| self.register(bank)).collect()
    }

    pub(crate) fn statement(&mut self, text: fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.body, "    {text};");
    }

    pub(crate) fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    pub(crate) fn place(&mut self, label: Label) {
        let _ = writeln!(self.body, "{label}:");
    }

    /// Emits a statement and returns the new register that holds its result: `w.word("add.s32", format_args!("{a},
    /// {b}"))`.
    pub(crate) fn word(&mut self, opcode: &str, operands: fmt::Arguments<'_>) -> Register {
        self.value(Bank::Word, opcode, operands)
    }

    pub(crate) fn long(&mut self, opcode: &str, operands: fmt::Arguments<'_>) -> Register {
        self.value(Bank::Long, opcode, operands)
    }

    pub(crate) fn predicate(&mut self, opcode: &str, operands: fmt::Arguments<'_>) -> Register {
        self.value(Bank::Predicate, opcode, operands)
    }

    pub(crate) fn value(&mut self, bank: Bank, opcode: &str, operands: fmt::Arguments<'_>) -> Register {
        let register = self.register(bank);
        ptx!(self, "{opcode} {register}, {operands}");
        register
    }

    /// Emits the load of a pointer parameter and returns it as a global address.
    pub(crate) fn address(&mut self, parameter: &str) -> Register {
        let generic = self.long("ld.param.u64", format_args!("[{parameter}]"));
        self.long("cvta.to.global.u64", format_args!("{generic}"))
    }

    /// Emits a division by a power of two and returns quotient and remainder.
    pub(crate) fn split(&mut self, value: Register, by: u32) -> (Register, Register) {
        debug_assert!(by.is_power_of_two(), "shifts and masks divide by powers of two only");
        let quotient = self.word("shr.u32", format_args!("{value}, {}", by.trailing_zeros()));
        let remainder = self.word("and.b32", format_args!("{value}, {}", by - 1));
        (quotient, remainder)
    }

    /// Returns the complete module, with one entry named `name`. Shared memory is dynamic and is named
    /// `tiles`.
    pub(crate) fn module(
        self,
        name: &str,
        target: Target,
        parameters: &Parameters,
        limits: Limits,
    ) -> String {
        let (major, minor) = target.version();
        let mut text = format!(
            ".version {major}.{minor}\n.target sm_{}\n.address_size 64\n\n.extern .shared .align 16 .b8 tiles[];\n\n",
            target.sm
        );
        let parameters: Vec<String> =
            parameters.iter().map(|(name, of)| format!("    .param .{of} {name}")).collect();
        let _ = write!(
            text,
            ".visible .entry {name}(\n{}\n)\n.reqntid {}, 1, 1\n",
            parameters.join(",\n"),
            limits.threads
        );
        if let Some(registers) = limits.registers {
            let _ = writeln!(text, ".maxnreg {registers}");
        }
        text += "{\n";
        for bank in Bank::ALL {
            let used = self.used[bank as usize];
            if used > 0 {
                let _ = writeln!(text, "    .reg {} {}<{used}>;", bank.directive(), bank.prefix());
            }
        }
        text + "\n" + &self.body + "}\n"
    }
}

/// The target architecture of PTX code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// 90 for `sm_90`.
    pub sm: u16,
}

impl Target {
    /// True if the target has asynchronous copies of this many bytes to shared memory. Source: PTX ISA, `cp.async`.
    pub(crate) const fn copies(self, bytes: u32) -> bool {
        self.sm >= 80 && matches!(bytes, 4 | 8 | 16)
    }

    /// True if the target has vector reductions in global memory. Source: PTX ISA, `red`.
    pub(crate) const fn adds_vectors(self) -> bool {
        self.sm >= 90
    }

    /// The oldest PTX version with all features used by a kernel for this target.
    const fn version(self) -> (u32, u32) {
        match self.sm {
            ..=75 => (6, 3),
            76..=89 => (7, 4),
            90 => (8, 1),
            _ => (8, 7),
        }
    }
}
