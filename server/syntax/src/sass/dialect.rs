//! The notation that a text is written in, told from its content.

/// Who writes a text like this.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Dialect {
    /// `cuobjdump -sass`.
    Cuobjdump,
    /// `nvdisasm`, in all its text forms.
    Nvdisasm,
    /// maxas (Maxwell, Pascal): `01:-:2:Y:5`, barriers from 1, the wait field a hexadecimal mask.
    Maxas,
    /// KeplerAs (GK110): `T:G:D:S:04`.
    KeplerAs,
    /// TuringAs (Volta to Ampere): as maxas, but barriers from 0 and the wait field decimal.
    TuringAs,
    /// CuAssembler's `.cuasm`.
    Cuasm,
    /// CuAssembler's `.dsass`: a cuobjdump listing with the control code before each instruction.
    Dsass,
}

impl Dialect {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cuobjdump => "cuobjdump -sass",
            Self::Nvdisasm => "nvdisasm",
            Self::Maxas => "maxas",
            Self::KeplerAs => "KeplerAs",
            Self::TuringAs => "TuringAs",
            Self::Cuasm => "CuAssembler cuasm",
            Self::Dsass => "CuAssembler dsass",
        }
    }

    /// Written by a person for an assembler, not printed by a disassembler.
    pub const fn is_source(self) -> bool {
        matches!(self, Self::Maxas | Self::KeplerAs | Self::TuringAs | Self::Cuasm)
    }
}
