//! Kernel resources that a listing states: in headers of nvdisasm, in cuobjdump's resource usage, or in
//! comments of maxas and KeplerAs.

mod places;

use crate::engine::parameters::layout::ParameterPlace;
use crate::engine::source_facts::SourceFacts;
use crate::engine::source_place::Stack;
use machine::Machine;
use model::launch::DeclaredResources;
use places::{ParameterPlaces, PlaceReader};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use syntax::sass::{Chunk, LineKind, Listing};

/// Facts about a listing's kernels that come from sources other than the listing, by kernel name.
#[derive(Debug, Clone, Default)]
pub(crate) struct ExternalFacts {
    pub resources: Arc<[(String, DeclaredResources)]>,
    /// Offsets and sizes of parameters, in declaration order.
    pub places: Arc<[(String, Vec<ParameterPlace>)]>,
    /// Source lines of each instruction, for a listing without source lines.
    pub stacks: Arc<[(String, Vec<Stack>)]>,
    /// Launches and parameter names from the source of the listing.
    pub source: Arc<SourceFacts>,
}

/// Resources and parameter offsets by kernel name. The name is "" for a kernel without a name.
#[derive(Debug, Default)]
pub(crate) struct StatedResources {
    resources: FxHashMap<Box<str>, DeclaredResources>,
    places: FxHashMap<Box<str>, Vec<ParameterPlace>>,
}

impl StatedResources {
    /// Collects the resources that a listing states. Shared memory excludes the bytes that the system reserves per
    /// block, as in `ncu`. Listings of linked code for Hopper and later include the reserved bytes, so they are
    /// subtracted.
    pub(crate) fn collect(listing: &Listing, machine: &Machine) -> Self {
        let mut all = Self::default();
        for chunk in listing.chunks() {
            all.read(chunk);
            all.read_places(chunk);
        }
        let counts_reserved = listing.chunks().iter().any(|chunk| {
            chunk.lines().first().is_some_and(|_| chunk.line_text(0).contains(" .nv.shared.reserved."))
        });
        if let Some(sm) = listing.sm().filter(|_| counts_reserved) {
            let reserved = machine.gpu_for_sm(sm.number).arch.resources.shared_reserved_per_block.value;
            for stated in all.resources.values_mut() {
                stated.shared = stated.shared.map(|bytes| bytes.saturating_sub(reserved));
            }
        }
        all
    }

    /// Returns these resources, overridden by `given`.
    pub(crate) fn with(mut self, given: &ExternalFacts) -> Self {
        for (kernel, given) in given.resources.iter() {
            let stated = self.entry(kernel);
            stated.registers = given.registers.or(stated.registers);
            stated.shared = given.shared.or(stated.shared);
            stated.block = given.block.or(stated.block);
        }
        self.places
            .extend(given.places.iter().map(|(kernel, places)| (kernel.as_str().into(), places.clone())));
        self
    }

    pub(crate) fn get(&self, kernel: &str) -> DeclaredResources {
        self.resources.get(kernel).copied().unwrap_or_default()
    }

    /// Returns the sizes of a kernel's parameters, and their offsets from the first parameter. Empty if they
    /// are not stated.
    pub(crate) fn places(&self, kernel: &str) -> &[ParameterPlace] {
        self.places.get(kernel).map_or(&[], Vec::as_slice)
    }

    fn entry(&mut self, kernel: &str) -> &mut DeclaredResources {
        self.resources.entry(kernel.into()).or_default()
    }

    /// Reads the parameter offsets in the attribute section of a kernel.
    fn read_places(&mut self, chunk: &Chunk) {
        let Some(kernel) =
            chunk.lines().first().and_then(|_| between(chunk.line_text(0), "- .nv.info.", " "))
        else {
            return;
        };
        let (mut reader, mut places) = (PlaceReader::default(), ParameterPlaces::new());
        for index in 1..chunk.lines().len() {
            let text = chunk.line_text(index).trim();
            if text.contains("nvinfo : EIATTR_") {
                reader.attribute(text);
            } else {
                places.extend(reader.data(text));
            }
        }
        places.sort_unstable_by_key(|(ordinal, _)| *ordinal);
        let is_whole = places.iter().enumerate().all(|(at, (ordinal, _))| at == usize::from(*ordinal));
        if is_whole && !places.is_empty() {
            self.places.insert(kernel.into(), places.into_iter().map(|(_, place)| place).collect());
        }
    }

    fn read(&mut self, chunk: &Chunk) {
        let mut kernel = chunk.name().unwrap_or_default().to_owned();
        let mut in_register_count = false;
        for (index, line) in chunk.lines().iter().enumerate() {
            if !matches!(
                line.kind,
                LineKind::Header | LineKind::Directive | LineKind::Comment | LineKind::Data
            ) {
                continue;
            }
            let text = chunk.line_text(index).trim();
            if let Some(registers) = after(text, "SHI_REGISTERS=").or_else(|| after(text, "# RegCnt:")) {
                self.entry(&kernel).registers = Some(registers);
            } else if let Some(bytes) = after(text, "# SharedSize:") {
                self.entry(&kernel).shared = Some(bytes);
            } else if let Some(name) = text.strip_prefix("Function ").and_then(|rest| rest.strip_suffix(':'))
            {
                name.clone_into(&mut kernel);
            } else if text.starts_with("REG:") {
                let stated = self.entry(&kernel);
                stated.registers = after(text, "REG:").or(stated.registers);
                stated.shared = after(text, " SHARED:").or(stated.shared);
            } else if text.contains("nvinfo : EIATTR_") {
                in_register_count = text.ends_with("EIATTR_REGCOUNT");
            } else if in_register_count {
                if let Some(name) = between(text, "index@(", ")") {
                    name.clone_into(&mut kernel);
                } else if let Some(registers) = text.split(".word").nth(1).and_then(number) {
                    self.entry(&kernel).registers = Some(registers);
                }
            } else if let Some(name) = between(text, "- .nv.shared.", " ") {
                name.clone_into(&mut kernel);
            } else if let Some(bytes) = text.strip_prefix(".zero").and_then(number)
                && chunk.text().contains(".nv.shared.")
            {
                self.entry(&kernel).shared = Some(bytes);
            }
        }
    }
}

/// Returns the number after `mark`. `None` if the text contains no `mark`, or no number after it.
fn after(text: &str, mark: &str) -> Option<u32> {
    number(&text[text.find(mark)? + mark.len()..])
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let rest = &text[text.find(start)? + start.len()..];
    Some(&rest[..rest.find(end)?])
}

/// Returns the decimal or hexadecimal number at the start of the text. Skips leading blanks.
fn number(text: &str) -> Option<u32> {
    let text = text.trim_start();
    let (radix, digits) = text.strip_prefix("0x").map_or((10, text), |digits| (16, digits));
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    u32::from_str_radix(&digits[..end], radix).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resources(text: &str, kernel: &str) -> (Option<u32>, Option<u32>) {
        let stated = StatedResources::collect(&Listing::parse(text), &Machine::builtin()).get(kernel);
        (stated.registers, stated.shared)
    }

    #[test]
    fn every_tool_says_it_its_own_way() {
        let nvdisasm_11 = "//--------------------- .text.k             --------------------------\n\
                           \t.sectioninfo\t@\"SHI_REGISTERS=36\"\n";
        assert_eq!(resources(nvdisasm_11, "k"), (Some(36), None));
        let nvdisasm_13 = "//--------------------- .nv.info                 --------------------------\n\
                           \t//----- nvinfo : EIATTR_REGCOUNT\n\t.align\t\t4\n.L_2:\n\
                           \x20       /*0004*/ \t.word\tindex@(k)\n        /*0008*/ \t.word\t0x0000001f\n\
                           //--------------------- .nv.shared.k        --------------------------\n\
                           .nv.shared.k:\n\t.zero\t\t5120\n";
        assert_eq!(resources(nvdisasm_13, "k"), (Some(31), Some(5120)));
        let usage =
            "Resource usage:\n Common:\n  GLOBAL:4\n Function k:\n  REG:18 STACK:0 SHARED:5120 LOCAL:0\n";
        assert_eq!(resources(usage, "k"), (Some(18), Some(5120)));
        let kepleras = "# Kernel: k\n# RegCnt: 31\n# SharedSize: 2112\n";
        assert_eq!(resources(kepleras, "k"), (Some(31), Some(2112)));
    }

    #[test]
    fn what_a_binary_says_goes_before_what_the_text_says() {
        let usage = " Function k:\n  REG:18 STACK:0 SHARED:5120 LOCAL:0\n";
        let resources =
            [("k", Some(20), None), ("other", None, Some(64))].map(|(name, registers, shared)| {
                (name.to_owned(), DeclaredResources { registers, shared, block: None })
            });
        let place = ParameterPlace { offset: 8, bytes: 4 };
        let places = [("k".to_owned(), vec![place])];
        let given =
            ExternalFacts { resources: resources.into(), places: places.into(), ..ExternalFacts::default() };
        let stated = StatedResources::collect(&Listing::parse(usage), &Machine::builtin()).with(&given);
        assert_eq!((stated.get("k").registers, stated.get("k").shared), (Some(20), Some(5120)));
        assert_eq!((stated.get("other").registers, stated.get("other").shared), (None, Some(64)));
        assert_eq!((stated.places("k"), stated.places("other")), (&[place][..], &[][..]));
    }

    #[test]
    fn attributes_say_where_parameters_stand() {
        let attribute = |form: &str, rest: &str| {
            format!(
                "\t//----- nvinfo : {form}\n\t.align\t\t4\n.L_9:\n        /*0010*/ \t.byte\t0x04, 0x17\n\
                 \x20       /*0012*/ \t.short\t(.L_11 - .L_10)\n.L_10:\n        /*0014*/ \t.word\t0x00000000\n{rest}\n"
            )
        };
        let halves = |at: [u16; 2]| {
            format!("        /*0018*/ \t.short\t{:#06x}\n        /*001a*/ \t.short\t{:#06x}\n", at[0], at[1])
        };
        let packed = halves([1, 8]) + "        /*001c*/ \t.byte\t0x00, 0xf0, 0x11, 0x00\n";
        let wide = halves([0, 0]) + "        /*001c*/ \t.short\t0x0008\n\t.zero\t\t2\n";
        let head = "//--------------------- .nv.info.k               --------------------------\n";
        let both = attribute("EIATTR_KPARAM_INFO", &packed) + &attribute("EIATTR_KPARAM_INFO_V2", &wide);
        let stated = |text: &str| StatedResources::collect(&Listing::parse(text), &Machine::builtin());
        let place = |offset, bytes| ParameterPlace { offset, bytes };
        assert_eq!(stated(&format!("{head}{both}")).places("k"), [place(0, 8), place(8, 4)]);
        let second = attribute("EIATTR_KPARAM_INFO", &packed);
        assert_eq!(stated(&format!("{head}{second}")).places("k"), [], "the first one is missing");
    }

    #[test]
    fn what_the_system_keeps_is_not_the_kernels() {
        let listing = "\tcode for sm_90\n//--------------------- .nv.shared.k        --------------------------\n\
                       \t.zero\t\t5120\n//--------------------- .nv.shared.reserved.0     --------------------------\n";
        assert_eq!(resources(listing, "k"), (None, Some(4096)));
    }

    #[test]
    fn what_is_not_said_is_not_known() {
        assert_eq!(resources("# Kernel: k\n# InsCnt: \n", "k"), (None, None));
        assert_eq!(resources("", "k"), (None, None));
    }
}
