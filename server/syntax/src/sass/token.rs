//! Tokens, the smallest units of a line.

/// A token of a line. Tokens are in text order and do not overlap. Only white space separates them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// Byte offset from the start of the line.
    pub start: u16,
    /// Length in bytes.
    pub len: u16,
    pub kind: TokenKind,
    /// A register index, the low 32 bits of an integer, or an address; 0 for kinds without a number.
    pub value: u32,
}

impl Token {
    /// Byte offset of the token's end from the start of the line.
    pub const fn end(&self) -> usize {
        self.start as usize + self.len as usize
    }

    /// The token's text. `line` is the text of the line that contains the token.
    pub fn text<'a>(&self, line: &'a str) -> &'a str {
        &line[self.start as usize..self.end()]
    }

    /// True for `RZ`, `URZ`, `PT` and `UPT`, which are not backed by storage.
    pub const fn is_zero_register(&self) -> bool {
        self.value == Self::ZERO_REGISTER
    }

    /// True if the token is this punctuation character.
    pub const fn is_punct(&self, byte: u8) -> bool {
        matches!(self.kind, TokenKind::Punct) && self.value == byte as u32
    }

    /// The value of a register token that is not backed by storage. See [`Self::is_zero_register`].
    pub const ZERO_REGISTER: u32 = u32::MAX; // limit: no register has this index
}

/// Kind of a token, determined from its spelling and its position in the line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum TokenKind {
    // Tokens before an instruction.
    /// `/*0080*/`; the value is the address.
    Address,
    /// A control code in an assembler's notation: `[B------:R-:W-:Y:S08]`, `01:-:2:Y:5`, `-:-:D:-:04`.
    Control,
    /// `{` before the first instruction of a dual-issued pair.
    DualOpen,
    /// `}` after the second instruction of a dual-issued pair.
    DualClose,
    // Tokens of the instruction.
    /// `@`, before a guard predicate.
    At,
    /// `ISETP`, without its modifiers.
    Mnemonic,
    /// `.GE` after a mnemonic, `.reuse` or `.H1` after an operand, including the dot.
    Modifier,
    /// `R12`, `RZ`.
    Register,
    /// `UR4`, `URZ`.
    UniformRegister,
    /// `P0`, `PT`.
    Predicate,
    /// `UP0`, `UPT`.
    UniformPredicate,
    /// `B0`: a convergence barrier register.
    Barrier,
    /// `SB0`, `gsb0`.
    Scoreboard,
    /// `SR_TID.X`, `SRZ`, including the dot.
    SpecialRegister,
    /// `CC`, `PR`: the condition-code and packed-predicate registers.
    StateRegister,
    /// `c` or `cx` before a constant bank's bracket.
    ConstantBank,
    /// `desc`, `gdesc`, `idesc`, `tmem` before a bracket; `32@lo`, `32@hi` before a parenthesis.
    Keyword,
    /// `0x1f`, the digits of `-32`; the value holds the low 32 bits.
    Integer,
    /// `1.5`, `1.175494350822287508e-38`, `QNAN`, or `INF` without its sign.
    Float,
    /// A label or a symbol, at its definition or in a reference.
    Label,
    /// A word that an assembler resolves, such as a named register or parameter, or an operand keyword
    /// (`2D`).
    Name,
    /// A single character: one of `- + ! ~ | , ; : [ ] ( ) { } < > / * & = ?` and the backtick; the value is the
    /// character.
    Punct,
    // Tokens after an instruction.
    /// `&req={1,0}`, `&wr=0x1`, `&rd=0x3`, `?trans4`, `?WAIT2_END_GROUP`.
    Schedule,
    /// `/* 0x001fc40003f06270 */`.
    Word,
    /// `(*"BRANCH_TARGETS .L_x_28"*)`.
    Targets,
    /// `// |  2 : ^ |`: a row of the life-range table.
    LifeRange,
    /// `// …`, `# …`, `/* … */`.
    Comment,
    // Tokens of other lines.
    /// `.section`, `.align`, `Function :`, `code for`, `<REGISTER_MAPPING>`.
    Directive,
    /// `"…"`, `@"…"`.
    String,
    /// Text in another language (`<CODE>` blocks) or text that is not interpreted.
    Opaque,
    /// A token that could not be read.
    Error,
}
