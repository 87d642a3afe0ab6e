//! Addresses of memory accesses as formulas for messages.

use super::Memory;
use machine::Hardware;
use model::address::{Affine, Symbol};
use model::{Arch, Launch, MemorySpace};
use std::collections::BTreeMap;

/// Names for the symbols of an affine address form: `tid.x`, a parameter's name.
#[derive(Debug)]
pub struct Names<'a> {
    /// The architecture that the code is written for.
    arch: &'a Arch,
    parameters: &'a BTreeMap<u32, String>,
    /// Name of each loop, by the index of its back branch: the label at the loop's head or, if there is no label, the
    /// branch's address.
    loops: BTreeMap<u32, String>,
}

impl<'a> Names<'a> {
    pub(super) fn new(memory: &'a Memory<'_>, form: &Affine) -> Self {
        let program = memory.program;
        let symbols = memory.addresses().symbols(form);
        let loops = symbols.iter().filter_map(|symbol| match *symbol {
            Symbol::Loop(branch) => {
                let label = memory.source.and_then(|source| source.label(branch));
                let address = program.instructions.get(branch as usize)?.address;
                Some((branch, label.unwrap_or_else(|| format!("{address:#x}"))))
            }
            _ => None,
        });
        Self { arch: memory.isa_arch, parameters: &memory.parameters, loops: loops.collect() }
    }

    pub(super) fn name(&self, symbol: Symbol) -> String {
        match symbol {
            Symbol::TidX => "tid.x".to_owned(),
            Symbol::TidY => "tid.y".to_owned(),
            Symbol::TidZ => "tid.z".to_owned(),
            Symbol::Lane => "lane".to_owned(),
            Symbol::CtaidX => "ctaid.x".to_owned(),
            Symbol::CtaidY => "ctaid.y".to_owned(),
            Symbol::CtaidZ => "ctaid.z".to_owned(),
            Symbol::Loop(_) if self.loops.len() == 1 => "loop".to_owned(),
            Symbol::Loop(branch) => match self.loops.get(&branch) {
                Some(place) => format!("loop@{place}"),
                None => "loop".to_owned(),
            },
            Symbol::Param(offset) | Symbol::Pointer(offset) => self.constant(offset),
            Symbol::Opaque(number) => format!("u{number}"),
            Symbol::Term(number) => format!("t{number}"),
        }
    }

    /// Name of a word in constant bank 0.
    fn constant(&self, offset: u32) -> String {
        let bank = &self.arch.constant_bank;
        let dimension = |first: u32, name: &str| {
            let axis = offset.checked_sub(first).filter(|bytes| bytes % 4 == 0)? / 4;
            Some(format!("{name}.{}", ["x", "y", "z"].get(axis as usize)?))
        };
        if let Some(label) = self.parameters.get(&offset) {
            return label.clone();
        }
        if offset == bank.stack.value {
            return "stack".to_owned();
        }
        dimension(bank.block.value, "ntid")
            .or_else(|| dimension(bank.grid.value, "nctaid"))
            .unwrap_or_else(|| format!("c[0x0][{offset:#x}]"))
    }
}

impl Memory<'_> {
    /// The affine form of an access's address. With `of_destination`, the form of the shared-memory address
    /// that a copy writes. `None` if the address is not affine.
    pub fn form(&self, inst: u32, of_destination: bool) -> Option<&Affine> {
        let addresses = self.addresses();
        if of_destination {
            addresses.copy_destination(inst as usize)
        } else {
            addresses.access(inst as usize)
        }
    }

    /// The affine form of an address. In shared memory, the term for the block's window within its cluster is
    /// removed.
    fn within_block(&self, inst: u32, of_destination: bool) -> Option<Affine> {
        let mut form = self.form(inst, of_destination)?.clone();
        let space = self.program.instructions[inst as usize].memory?.space;
        if space == MemorySpace::Shared || of_destination {
            let window = i64::from(Hardware::builtin().shared_window_bytes.value);
            let of_window = |&&(_, times): &&(Symbol, i64)| times % window == 0;
            let windows: Vec<Symbol> = form.terms().iter().filter(of_window).map(|term| term.0).collect();
            for symbol in windows {
                form = form.without(&symbol);
            }
        }
        Some(form)
    }

    /// The address as `128*tid.x + 4*loop + 0x400`, followed by the launch's values of integer parameters in
    /// parentheses. `None` if the address is not affine or the formula is too long.
    pub fn formula(&self, inst: u32, of_destination: bool, launch: Option<&Launch>) -> Option<String> {
        let form = &self.within_block(inst, of_destination)?;
        let names = Names::new(self, form);
        let mut text = self.addresses().print(form, &|symbol| names.name(symbol))?;
        let known = self.addresses().symbols(form).into_iter().filter_map(|symbol| {
            let Symbol::Param(offset) = symbol else { return None };
            let value = launch?.constant(self.isa_arch, offset)?;
            Some(format!("{} = {}", names.name(symbol), value.cast_signed()))
        });
        let known: Vec<String> = known.collect();
        if !known.is_empty() {
            text = format!("{text} ({})", known.join(", "));
        }
        Some(text)
    }

    /// Sentence with the address of an access, to append to a message: ` Address = 128*tid.x.`. Empty if the address
    /// has no formula.
    pub(crate) fn formula_sentence(&self, inst: u32, of_destination: bool, launch: &Launch) -> String {
        let formula = self.formula(inst, of_destination, Some(launch));
        formula.map_or_else(String::new, |formula| format!(" Address = {formula}."))
    }

    /// Name of the first kernel parameter in the address whose value the launch does not specify; `None` if
    /// all are specified.
    pub fn unstated(&self, inst: u32, launch: &Launch) -> Option<String> {
        let form = self.form(inst, false)?;
        let names = Names::new(self, form);
        self.addresses().symbols(form).into_iter().find_map(|symbol| match symbol {
            Symbol::Param(offset) | Symbol::Pointer(offset)
                if launch.constant(self.isa_arch, offset).is_none()
                    && offset != self.isa_arch.constant_bank.stack.value =>
            {
                Some(names.name(symbol))
            }
            _ => None,
        })
    }
}
