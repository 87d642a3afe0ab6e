//! Opcode tables: names, effects and operands of opcodes.

use crate::{ClassId, Operations, Spelling};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// The instruction set of one architecture.
#[derive(Debug, Clone, Default)]
pub struct Isa {
    /// Every form of every opcode, indexed by [`OpcodeId`].
    pub(crate) forms: Vec<Opcode>,
    /// The forms of each mnemonic. Forms that require more modifiers precede others.
    pub(crate) by_mnemonic: FxHashMap<Box<str>, Vec<OpcodeId>>,
    /// Meaning of each modifier (without its dot) in a sentence, by mnemonic. Meanings that apply to any
    /// opcode have the empty mnemonic.
    pub(crate) modifiers: FxHashMap<Box<str>, FxHashMap<Box<str>, Box<str>>>,
    /// A sentence for each special register: `SR_TID.X`.
    pub(crate) special_registers: FxHashMap<Box<str>, Box<str>>,
    /// Arithmetic operations of the opcodes.
    pub(crate) operations: Vec<Operations>,
    /// Modifiers and operands that may follow each mnemonic.
    pub(crate) spellings: FxHashMap<Box<str>, Spelling>,
    /// Modifiers and operands that appear only in listings of other architectures with nearly the same
    /// instructions.
    pub(crate) near_spellings: FxHashMap<Box<str>, Spelling>,
}

/// A form of an opcode within its [`Isa`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OpcodeId(pub u16);

/// One form of an opcode: a mnemonic and the modifiers that change its scheduling or its registers.
#[derive(Debug, Clone)]
pub struct Opcode {
    pub mnemonic: Box<str>,
    /// Modifiers, without dots, that must all be present, in this order: `WIDE` of `IMAD.WIDE`.
    pub requires: Box<[Box<str>]>,
    pub class: ClassId,
    /// Operands in text order. An optional operand is recognised by its kind.
    pub operands: Box<[OperandRole]>,
    pub memory: Option<MemorySpace>,
    pub flow: Flow,
    /// One sentence about the effect of the form.
    pub summary: Box<str>,
}

impl Opcode {
    /// True if the form has this mnemonic and requires this modifier first: `SYNCS` and `EXCH`.
    pub fn is_form(&self, mnemonic: &str, modifier: &str) -> bool {
        *self.mnemonic == *mnemonic && self.requires.first().is_some_and(|first| **first == *modifier)
    }
}

/// Role of one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperandRole {
    pub kind: RoleKind,
    pub registers: RegisterCount,
    /// True if the operand may be missing from the text. It counts as present only if the operand at its
    /// position is of this kind.
    pub optional: bool,
}

/// Use of an operand by an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoleKind {
    /// A register that is written.
    Write,
    /// A register, constant or immediate that is read.
    Read,
    /// A register that is read and then written.
    ReadWrite,
    /// A predicate that is written.
    WritePredicate,
    /// A predicate that is read.
    ReadPredicate,
    /// `[...]`, `desc[...][...]`, `c[...][...]`: the registers in the brackets are read.
    Address,
    /// A branch target.
    Target,
    /// Any other operand: a barrier, a scoreboard, a lookup table.
    Other,
}

/// Number of consecutive 32-bit registers of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegisterCount {
    Fixed(u8),
    /// Determined by the access width in the modifiers: 1 by default, 2 for `.64`, 4 for `.128`.
    ByWidth,
    /// One register per component that a texture fetch's mask selects. With `.F16`, one register per two
    /// components.
    Components,
    /// The first two registers of [`Self::Components`], or the only register.
    FirstComponents,
    /// The registers of [`Self::Components`] after the first two. The number may be 0.
    LaterComponents,
    /// Number of registers for the first coordinates of a texture access: 1 for a one-dimensional shape, otherwise 2.
    Coordinates,
    /// One register per 32-bit word that the mask of a 256-bit access selects in the lower half; 4 if there is no
    /// mask.
    LowerWords,
    /// [`Self::LowerWords`] for the upper half.
    UpperWords,
}

/// Memory that an opcode accesses. The address of a generic access determines its space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemorySpace {
    Shared,
    Global,
    Local,
    Constant,
    Generic,
    Texture,
    Surface,
    Tensor,
}

impl MemorySpace {
    /// True for memory that is accessed by the coordinates of texels.
    pub const fn is_texels(self) -> bool {
        matches!(self, Self::Texture | Self::Surface)
    }
}

/// Effect of an opcode on control flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Flow {
    #[default]
    Next,
    /// `BRA`, `JMP`: control continues at the target. If guarded, control may also continue at the next
    /// instruction.
    Branch,
    /// `BRX`, `JMX`: control continues at one of several targets, which a register selects.
    IndirectBranch,
    Call,
    /// `RET`, `EXIT`, `KILL`.
    Exit,
    /// `BAR`: waits for other warps.
    Barrier,
}

impl Isa {
    /// Builds an instruction set. Among the forms of a mnemonic, forms that require more modifiers precede
    /// others, and ties keep their order.
    pub(crate) fn new(forms: impl Iterator<Item = Opcode>) -> Self {
        let mut isa = Self { forms: forms.collect(), ..Self::default() };
        for (at, form) in isa.forms.iter().enumerate() {
            isa.by_mnemonic.entry(form.mnemonic.clone()).or_default().push(OpcodeId(at as u16));
        }
        for ids in isa.by_mnemonic.values_mut() {
            ids.sort_by_key(|id| Reverse(isa.forms[id.0 as usize].requires.len()));
        }
        isa
    }

    /// Returns the form of `mnemonic` that requires the most modifiers. All its required modifiers must occur
    /// in `modifiers` (without dots), in order. `None` if no form matches.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "an iterator is cloned for each form; callers make it on the spot"
    )]
    pub fn find<'a>(
        &self,
        mnemonic: &str,
        modifiers: impl Iterator<Item = &'a str> + Clone,
    ) -> Option<OpcodeId> {
        // The order distinguishes `F2F.F64.F32` from `F2F.F32.F64`.
        let fits = |form: &Opcode| {
            let mut modifiers = modifiers.clone();
            form.requires.iter().all(|need| modifiers.any(|have| have == &**need))
        };
        self.by_mnemonic.get(mnemonic)?.iter().copied().find(|&id| fits(self.form(id)))
    }

    /// Returns the form with this index.
    pub fn form(&self, id: OpcodeId) -> &Opcode {
        &self.forms[id.0 as usize]
    }

    /// Returns the meaning of a modifier (without its dot) on this opcode, in a sentence; `None` if it is unknown.
    pub fn modifier(&self, mnemonic: &str, modifier: &str) -> Option<&str> {
        let meaning = |mnemonic: &str| self.modifiers.get(mnemonic)?.get(modifier).map(|text| &**text);
        meaning(mnemonic).or_else(|| meaning(""))
    }

    /// The modifiers (without dots) that forms of this opcode require or that have a meaning of their own for this
    /// opcode, in no particular order. Pages describe more modifiers, see [`crate::docs::Page::modifiers`].
    pub fn modifiers_of<'a>(&'a self, mnemonic: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let forms = self.by_mnemonic.get(mnemonic).into_iter().flatten();
        let required = forms.flat_map(|&id| self.form(id).requires.iter()).map(|name| &**name);
        let own = self.modifiers.get(mnemonic).filter(|_| !mnemonic.is_empty());
        required.chain(own.into_iter().flatten().map(|(name, _)| &**name))
    }

    /// Returns the modifiers and operands that may follow a mnemonic. `None` if the tables do not contain the
    /// mnemonic.
    pub fn spelling(&self, mnemonic: &str) -> Option<&Spelling> {
        self.spellings.get(mnemonic)
    }

    /// Returns additional modifiers and operands of a mnemonic. They appear only in listings of other architectures
    /// with nearly the same instructions. `None` if there are none.
    pub fn near_spelling(&self, mnemonic: &str) -> Option<&Spelling> {
        self.near_spellings.get(mnemonic)
    }

    /// False if each of the two modifiers selects a form of the mnemonic but no form requires both: `MOV` and
    /// `WIDE` of `IMAD`.
    pub fn go_together(&self, mnemonic: &str, one: &str, other: &str) -> bool {
        let forms =
            || self.by_mnemonic.get(mnemonic).into_iter().flatten().map(|&id| &self.form(id).requires);
        let chooses = |name: &str| forms().any(|requires| matches!(&**requires, [only] if **only == *name));
        let has = |requires: &[Box<str>], name: &str| requires.iter().any(|need| **need == *name);
        !(chooses(one) && chooses(other))
            || forms().any(|requires| has(requires, one) && has(requires, other))
    }

    /// The special registers of this architecture, each with a sentence, in no particular order.
    pub fn special_registers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.special_registers.iter().map(|(name, meaning)| (&**name, &**meaning))
    }

    /// Returns the contents of a special register (`SR_TID.X`), in a sentence; `None` if it is unknown.
    pub fn special_register(&self, name: &str) -> Option<&str> {
        self.special_registers.get(name).map(|text| &**text)
    }

    /// True if this architecture has any form of the mnemonic.
    pub fn has_mnemonic(&self, mnemonic: &str) -> bool {
        self.by_mnemonic.contains_key(mnemonic)
    }

    /// Returns the mnemonic with the smallest edit distance. Ties go to the first mnemonic in alphabetical
    /// order. `None` if the distance exceeds 2, or 1 for a `mnemonic` of up to three letters.
    pub fn nearest(&self, mnemonic: &str) -> Option<&str> {
        self.all_nearest(mnemonic).into_iter().next()
    }

    /// Returns all mnemonics with the smallest edit distance, in alphabetical order. Empty if the distance
    /// exceeds the limit of [`Self::nearest`].
    pub fn all_nearest(&self, mnemonic: &str) -> Vec<&str> {
        // With three letters, a distance of 2 is not near: `FOO` does not misspell `BAR`.
        let limit = if mnemonic.len() <= 3 { 1 } else { 2 };
        let is_near = |known: &&str| known.len().abs_diff(mnemonic.len()) <= limit;
        let near = self.mnemonics().filter(is_near);
        let near = near.map(|known| (strsim::levenshtein(known, mnemonic), known));
        let mut near: Vec<(usize, &str)> = near.filter(|(distance, _)| *distance <= limit).collect();
        near.sort_unstable();
        let least = near.first().map(|(distance, _)| *distance);
        near.into_iter()
            .take_while(|(distance, _)| Some(*distance) == least)
            .map(|(_, known)| known)
            .collect()
    }

    /// Every mnemonic of the instruction set, in no particular order.
    pub fn mnemonics(&self) -> impl Iterator<Item = &str> {
        self.by_mnemonic.keys().map(|name| &**name)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Isa, Machine, RegisterCount, RoleKind};

    fn isa(sm: u16) -> std::sync::Arc<Isa> {
        Machine::builtin().gpu_for_sm(sm).arch.isa.clone()
    }

    fn requires(isa: &Isa, opcode: &str) -> Option<String> {
        let mut words = opcode.split('.');
        let form = isa.find(words.next().unwrap(), words.clone())?;
        Some(isa.form(form).requires.join("."))
    }

    #[test]
    fn the_form_that_requires_most_of_what_is_there_is_found() {
        let hopper = isa(90);
        assert_eq!(requires(&hopper, "FFMA"), Some(String::new()));
        assert_eq!(requires(&hopper, "FFMA.FTZ"), Some(String::new()));
        assert_eq!(requires(&hopper, "IMAD.MOV.U32"), Some("MOV".into()));
        assert_eq!(requires(&hopper, "IMAD.WIDE.U32"), Some("WIDE".into()));
        assert_eq!(requires(&hopper, "NONSENSE"), None);
    }

    #[test]
    fn an_opcode_exists_where_its_range_says() {
        assert!(isa(61).has_mnemonic("XMAD") && !isa(90).has_mnemonic("XMAD"));
        assert!(isa(90).has_mnemonic("LDG") && !isa(90).has_mnemonic("LDGG"));
    }

    #[test]
    fn operands_say_how_many_registers_they_name() {
        let hopper = isa(90);
        let form = hopper.form(hopper.find("LDG", ["E", "128"].into_iter()).unwrap());
        let written = form.operands.iter().find(|role| role.kind == RoleKind::Write).unwrap();
        assert_eq!(written.registers, RegisterCount::ByWidth);
        let form = hopper.form(hopper.find("DFMA", std::iter::empty()).unwrap());
        assert!(form.operands.iter().take(4).all(|role| role.registers == RegisterCount::Fixed(2)));
    }

    #[test]
    fn a_misspelt_mnemonic_has_a_suggestion() {
        let hopper = isa(90);
        assert_eq!(hopper.nearest("FFMAA"), Some("FFMA"));
        assert_eq!(hopper.nearest("IADD33"), Some("IADD3"));
        assert_eq!(hopper.all_nearest("XFMA"), ["DFMA", "FFMA"]);
        assert_eq!(hopper.nearest("LOP33"), Some("LOP3"));
        assert_eq!(hopper.nearest("QQQQQQQQ"), None);
        assert_eq!(hopper.nearest(""), None);
        assert_eq!(hopper.nearest("ÄÖÜ"), None);
    }

    #[test]
    fn modifiers_of_different_forms_exclude_each_other() {
        let hopper = isa(90);
        assert!(!hopper.go_together("IMAD", "MOV", "WIDE"));
        assert!(hopper.go_together("IMAD", "WIDE", "U32") && hopper.go_together("NONSENSE", "A", "B"));
    }

    #[test]
    fn modifiers_and_special_registers_have_a_sentence() {
        let hopper = isa(90);
        assert!(hopper.modifier("LDG", "E").is_some());
        assert!(hopper.modifier("LDG", "NONSENSE").is_none());
        assert!(hopper.special_register("SR_TID.X").is_some());
        assert!(hopper.special_register("SR_NONSENSE").is_none());
    }

    #[test]
    fn what_an_architecture_has_can_be_listed() {
        let hopper = isa(90);
        assert!(hopper.modifiers_of("IMAD").any(|name| name == "WIDE"));
        assert_eq!(hopper.modifiers_of("NONSENSE").count() + hopper.modifiers_of("").count(), 0);
        let clusters = |sm| isa(sm).special_registers().any(|(name, _)| name == "SR_CLUSTERID.X");
        assert!(clusters(90) && !clusters(80));
    }
}
