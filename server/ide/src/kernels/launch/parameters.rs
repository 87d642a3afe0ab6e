//! Parameters of a kernel at a launch, derived from stated values, the kernel's name, its binary and
//! its code.

use super::widths;
use crate::StatedParameter;
use crate::engine::constant_reads;
use crate::engine::kernel::KernelModel;
use crate::engine::launch_file::{LaunchEntry, ParamValue};
use crate::engine::parameters::layout::{self, Bank, ParameterPlace};
use crate::engine::parameters::types::{Kind, ParameterType, parameter_types};
use crate::engine::sass_view::SassView;
use crate::engine::target::Target;
use machine::Arch;
use model::launch::ConstantReads;
use model::{Launch, Program};
use std::borrow::Cow;
use std::sync::Arc;
use syntax::sass::Chunk;

/// Parameters of one kernel.
pub(super) struct Parameters<'a> {
    /// Architecture for which the code was compiled.
    arch: Arc<Arch>,
    /// Types from the mangled kernel name; `None` if the name has no types.
    types: Option<Vec<ParameterType>>,
    /// Offsets and sizes from the binary or the listing; empty if neither contains them.
    places: &'a [ParameterPlace],
    /// Parameter names in the source; empty if unknown.
    names: &'a [String],
    /// The code that reads the parameters. Used if no other description exists.
    code: Code<'a>,
    chunk: &'a Chunk,
}

/// Returns the parameter names in a kernel's source; empty if unknown.
fn parameter_names<'a>(sass: &'a SassView, kernel: &str) -> &'a [String] {
    let of_text = &sass.text.given().source.parameter_names;
    sass.context.parameter_names.get(kernel).or_else(|| of_text.get(kernel)).map_or(&[], Vec::as_slice)
}

/// The code of a kernel, from which uses of parameters are derived.
#[derive(Clone, Copy)]
pub(super) enum Code<'a> {
    /// Code with a model that memoizes the derived facts.
    Modelled(&'a KernelModel),
    /// Decoded code without a model.
    Decoded(&'a Program),
}

impl<'a> Parameters<'a> {
    pub(super) fn new(sass: &'a SassView, chunk: &'a Chunk, target: &Target, code: Code<'a>) -> Self {
        let machine = &sass.context.machine;
        let name = chunk.name().unwrap_or_default();
        Self {
            arch: machine.gpu_for_sm(target.isa_sm).arch,
            types: parameter_types(name),
            places: sass.text.stated(machine).places(name),
            names: parameter_names(sass, name),
            chunk,
            code,
        }
    }

    /// Sets the known words of constant bank 0 in a launch. If no parameters are stated, each pointer
    /// is assumed to point to separate memory, aligned to 256 bytes. Numbers stay unknown.
    pub(super) fn state(&self, entry: Option<&LaunchEntry>, launch: &mut Launch) {
        let first = self.arch.constant_bank.parameters.value;
        let mut bank = Bank::default();
        let stated = entry.and_then(|entry| entry.params.as_deref());
        let (kinds, values) = self.kinds_and_values(stated);
        for (at, place) in self.places_of(&kinds, &values).into_iter().enumerate() {
            // The mangled name does not describe the members of a user-defined struct. The code may
            // reveal them.
            let is_open = kinds[at] == Some(Kind::Named) && values[at] == ParamValue::Unknown;
            let Some(place) = place.filter(|_| !is_open) else { continue };
            bank.parameter(first, place, kinds[at], &values[at], || format!("arg{at}"));
        }
        let asks_code = match &self.types {
            Some(types) => types.iter().any(|of| of.kind == Kind::Named),
            None => stated.is_none(),
        };
        if asks_code {
            for &offset in self.pointers().iter().filter(|offset| **offset >= first) {
                if !bank.states(offset) {
                    bank.pointer(offset, self.label(first, offset), None);
                }
            }
        }
        for (&offset, value) in entry.into_iter().flat_map(|entry| &entry.constants) {
            self.state_constant(&mut bank, offset, value);
        }
        bank.state(launch);
    }

    /// Returns the type and the value of each parameter. The type is `None` if unknown.
    fn kinds_and_values(&self, stated: Option<&[ParamValue]>) -> (Vec<Option<Kind>>, Vec<ParamValue>) {
        let kinds: Vec<Option<Kind>> = match (&self.types, stated) {
            (Some(types), _) => types.iter().map(|of| Some(of.kind)).collect(),
            (None, Some(stated)) => vec![None; stated.len()],
            (None, None) => Vec::new(),
        };
        let value = |at: usize| match stated {
            Some(stated) => stated.get(at).cloned().unwrap_or(ParamValue::Unknown),
            None if kinds[at] == Some(Kind::Pointer) => ParamValue::Pointer,
            None => ParamValue::Unknown,
        };
        let values = (0..kinds.len()).map(value).collect();
        (kinds, values)
    }

    /// Returns the indices of the stated parameters whose offset or size is uncertain, because neither
    /// the kernel's name, the binary nor the code determines it. Parameters whose words the launch states
    /// by offset are omitted.
    pub(super) fn doubtful(&self, entry: &LaunchEntry) -> Vec<usize> {
        let Some(stated) = entry.params.as_deref().filter(|_| self.has_unknown_types()) else {
            return Vec::new();
        };
        let first = self.arch.constant_bank.parameters.value;
        let layout = widths::fit(stated, &self.constant_reads(), first);
        let is_stated = |at: &usize| {
            let place = layout.places[*at];
            place.is_some_and(|place| entry.constants.contains_key(&(first + place.offset)))
        };
        layout.doubtful.iter().copied().filter(|at| !is_stated(at)).collect()
    }

    /// Returns the parameters that the user should state. Empty if neither the mangled name nor the
    /// binary describes the parameters.
    pub(super) fn to_state(&self) -> Vec<StatedParameter> {
        if let Some(types) = &self.types {
            let parameter = |of: &ParameterType| StatedParameter {
                title: of.text.clone(),
                is_pointer: of.kind == Kind::Pointer,
                tensor: None,
            };
            return types.iter().map(parameter).collect();
        }
        let first = self.arch.constant_bank.parameters.value;
        let pointers = self.pointers();
        let parameter = |(at, place): (usize, &ParameterPlace)| {
            let name = self.names.get(at).cloned().unwrap_or_else(|| format!("arg{at}"));
            StatedParameter {
                title: format!("{name}: {} bytes", place.bytes),
                is_pointer: pointers.contains(&(first + place.offset)),
                tensor: None,
            }
        };
        self.places.iter().enumerate().map(parameter).collect()
    }

    /// Returns the byte offsets in constant bank 0 of the words that the code reads as numbers. Empty
    /// if the name or the binary describes the parameters. A 64-bit number is represented by its lower
    /// word.
    pub(super) fn words_to_state(&self) -> Vec<u32> {
        if !self.has_unknown_types() {
            return Vec::new();
        }
        let first = self.arch.constant_bank.parameters.value;
        let reads = self.constant_reads();
        let pointers = self.pointers();
        let is_upper_half = |word: u32| {
            let low = word.checked_sub(4);
            low.is_some_and(|low| reads.pairs.contains(&low) || pointers.contains(&low))
        };
        let is_number = |word: &&u32| **word >= first && !pointers.contains(word) && !is_upper_half(**word);
        reads.words.iter().filter(is_number).copied().collect()
    }

    /// Returns the byte offsets in constant bank 0 that the code uses as pointers.
    fn pointers(&self) -> Cow<'_, [u32]> {
        match self.code {
            Code::Modelled(model) => model.pointers(self.chunk).into(),
            Code::Decoded(program) => {
                constant_reads::pointers(self.chunk, program, &self.arch).into_vec().into()
            }
        }
    }

    /// Returns all reads of constant bank 0 in the code.
    fn constant_reads(&self) -> Arc<ConstantReads> {
        match self.code {
            Code::Modelled(model) => Arc::clone(model.constant_reads(self.chunk)),
            Code::Decoded(program) => {
                Arc::new(constant_reads::constant_reads(self.chunk, program, &self.arch))
            }
        }
    }

    /// True if parameter widths can only be derived from the code.
    fn has_unknown_types(&self) -> bool {
        self.types.is_none() && self.places.is_empty()
    }

    /// Returns the offsets and sizes of the parameters, from the binary if possible. Otherwise the
    /// parameters are laid out consecutively by size. If their types are unknown, the layout is fitted
    /// to the code's reads.
    fn places_of(&self, kinds: &[Option<Kind>], values: &[ParamValue]) -> Vec<Option<ParameterPlace>> {
        if !self.places.is_empty() {
            return (0..kinds.len()).map(|at| self.places.get(at).copied()).collect();
        }
        if self.has_unknown_types() && !values.is_empty() {
            return widths::fit(values, &self.constant_reads(), self.arch.constant_bank.parameters.value)
                .places;
        }
        let first = self.arch.constant_bank.parameters.value;
        layout::places(first, kinds.iter().zip(values).map(|(kind, value)| layout::extent(*kind, value)))
    }

    fn state_constant(&self, bank: &mut Bank, offset: u32, value: &ParamValue) {
        match *value {
            ParamValue::Pointer | ParamValue::Holding(_) => {
                let label = self.label(self.arch.constant_bank.parameters.value, offset);
                bank.pointer(offset, label, value.contents());
            }
            ParamValue::Unknown | ParamValue::Tensor(_) => bank.word(offset, None),
            ParamValue::Boolean(value) => bank.word(offset, Some(u32::from(value))),
            ParamValue::Float(value) => bank.word(offset, Some((value as f32).to_bits())),
            ParamValue::Integer(value) => {
                bank.word(offset, Some(value as u32));
                if !layout::fits(value, 4) {
                    bank.word(offset.saturating_add(4), Some((value >> 32) as u32));
                }
            }
        }
    }

    /// Returns the name of the parameter that contains a word of the bank: its source name, otherwise
    /// `arg2` by position, otherwise the operand as listings print it.
    pub(super) fn name_of(&self, entry: Option<&LaunchEntry>, offset: u32) -> String {
        let first = self.arch.constant_bank.parameters.value;
        let (kinds, values) = self.kinds_and_values(entry.and_then(|entry| entry.params.as_deref()));
        let mut places = self.places_of(&kinds, &values);
        if places.is_empty() {
            places = self.places.iter().copied().map(Some).collect();
        }
        let has = |place: &Option<ParameterPlace>| {
            place.is_some_and(|place| {
                let start = first + place.offset;
                (start & !3..start + place.bytes.max(1)).contains(&offset)
            })
        };
        match places.iter().position(has) {
            Some(at) => self.names.get(at).cloned().unwrap_or_else(|| format!("arg{at}")),
            None => format!("c[0x0][{offset:#x}]"),
        }
    }

    /// Returns the label of a pointer: `arg2` if the binary has a parameter at that offset, otherwise the operand
    /// as listings print it.
    fn label(&self, first: u32, offset: u32) -> String {
        let at = self.places.iter().position(|place| first + place.offset == offset);
        at.map_or_else(|| format!("c[0x0][{offset:#x}]"), |at| format!("arg{at}"))
    }
}
