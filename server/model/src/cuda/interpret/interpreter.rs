//! State of a warp that is run: its variables, its lanes, what it asked for.

use super::frame::{Binding, Frame, Held};
use crate::cuda::notes::divisions::Divisions;
use crate::cuda::notes::tally::Tally;
use crate::cuda::notes::uses::{AccessKind, Site, Uses};
use crate::cuda::notes::watch::{Verdicts, Watch};
use crate::cuda::source::environment::Environment;
use crate::cuda::source::launch::{FoundLaunch, TemplateValue};
use crate::cuda::source::types::{IntType, RecordType, Type, built_in};
use crate::cuda::values::lanes::Lanes;
use crate::cuda::values::lvalue::Lvalue;
use crate::cuda::values::per_lane::LANES;
use crate::cuda::values::symbols::Symbols;
use crate::cuda::values::value::{Place, Pointer, Value};
use machine::Arch;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;
use syntax::cuda::{Argument, Expr, Memory, Parameter, TypeName, Variable};

/// A warp that runs a unit's functions.
pub(crate) struct Interpreter<'a> {
    pub env: &'a Environment,
    pub arch: &'a Arch,
    pub symbols: Symbols,
    /// Lanes that run.
    pub active: u32,
    /// Lanes of the warp.
    pub whole: u32,
    /// Lanes for which it is unknown whether they run.
    pub doubt: u32,
    /// Lanes for which it is unknown whether they run, but of which all or none do.
    pub maybe: u32,
    /// False while something is computed that the program does not do.
    pub counts: bool,
    pub uses: Uses,
    pub frames: Vec<Frame<'a>>,
    /// `threadIdx`, `blockIdx`, `blockDim` and `gridDim`; none on the host.
    pub indices: Option<[Value; 4]>,
    /// Launches that host code makes.
    pub launches: Vec<FoundLaunch>,
    /// Expressions that may still be evaluated.
    pub steps: u32,
    /// Bytes of shared memory that variables take so far, and where each starts.
    shared_end: u64,
    shared: FxHashMap<(u32, u32, u64), u64>,
    /// Bytes in the frame's item at which a macro is used whose text is being evaluated.
    pub used_at: Option<Range<u32>>,
    /// Macros that are being evaluated, one within the other.
    pub macros: usize,
    /// Barriers of the block that a part of a warp may reach without the rest: the item and the bytes.
    pub divergent_barriers: Vec<(u32, Range<u32>)>,
    pub tally: Tally,
    /// Constants of double precision that meet numbers of single precision: the item and the bytes.
    pub double_constants: Vec<(u32, Range<u32>)>,
    /// Such constants that have the same value in single precision: the compiler computes in that where the result becomes one.
    pub exact_constants: Vec<(u32, Range<u32>)>,
    /// Barriers of the block that whole warps reach: the item and the bytes of the call.
    pub plain_barriers: Vec<(u32, Range<u32>)>,
    /// Divisions of integers in loops by what the compiler cannot know.
    pub divisions: Divisions,
    /// Unknown numbers taken from memory so far.
    pub loaded: u64,
    /// Parameters of the kernel.
    pub parameters: &'a [Parameter],
    /// Loops that are running, the innermost last.
    pub watches: Vec<Watch<'a>>,
    /// Loads of loops that were looked at.
    pub invariant: Verdicts,
    /// Arrays in global memory that were written.
    pub stored: Vec<Place>,
    /// Statements and expressions that are being evaluated within each other, of all functions and macros.
    depth: u32,
    /// Names of types that are being looked up within each other.
    types: u32,
    /// A constant is being evaluated.
    is_constant: bool,
}

/// Structures within each other, and functions that run, so deep are not followed.
const DEEPEST: usize = 16;

impl<'a> Interpreter<'a> {
    pub(crate) fn new(env: &'a Environment, arch: &'a Arch, steps: u32) -> Self {
        Self {
            env,
            arch,
            symbols: Symbols::default(),
            active: u32::MAX,
            whole: u32::MAX,
            doubt: 0,
            maybe: 0,
            counts: true,
            uses: Uses::default(),
            frames: Vec::new(),
            indices: None,
            launches: Vec::new(),
            steps,
            shared_end: 0,
            shared: FxHashMap::default(),
            used_at: None,
            macros: 0,
            divergent_barriers: Vec::new(),
            tally: Tally::default(),
            double_constants: Vec::new(),
            exact_constants: Vec::new(),
            plain_barriers: Vec::new(),
            divisions: Divisions::default(),
            loaded: 0,
            parameters: &[],
            watches: Vec::new(),
            invariant: Verdicts::default(),
            stored: Vec::new(),
            depth: 0,
            types: 0,
            is_constant: false,
        }
    }

    /// Evaluates something within what is being evaluated; `None` where that is too deep.
    ///
    /// A tree is no deeper than [`syntax::DEEPEST_TREE`], but macros, functions and variables put trees into each other.
    pub(crate) fn deeper<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        const DEEPEST_EVALUATION: u32 = syntax::DEEPEST_TREE * 3 / 2;
        if self.depth >= DEEPEST_EVALUATION {
            return None;
        }
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        Some(result)
    }

    /// Starts another warp: what was counted stays.
    pub(crate) fn begin_warp(&mut self, active: u32, steps: u32) {
        (self.active, self.whole) = (active, active);
        (self.doubt, self.maybe) = (0, 0);
        self.steps = steps;
        self.frames.clear();
        self.watches.clear();
        self.forget_divisions();
        self.tally.begin_warp();
        self.uses.release(None);
        self.used_at = None;
    }

    pub(crate) fn frame(&mut self) -> &mut Frame<'a> {
        if self.frames.is_empty() {
            self.frames.push(Frame::new(0));
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    pub(crate) fn item(&self) -> u32 {
        self.frames.last().map_or(0, |frame| frame.item)
    }

    pub(crate) fn site(&self, range: &Range<u32>, kind: AccessKind) -> Site {
        let range = self.used_at.as_ref().unwrap_or(range);
        Site { item: self.item(), start: range.start, end: range.end, kind }
    }

    /// Counts a step; false once none is left.
    pub(crate) fn step(&mut self) -> bool {
        self.steps = self.steps.saturating_sub(1);
        syntax::stop::check_at(self.steps as usize);
        self.steps > 0
    }

    pub(crate) fn declare(&mut self, name: &'a str, of: Type, value: Value) -> u32 {
        let doubt = self.doubt | self.maybe;
        let frame = self.frame();
        let at = frame.values.len() as u32;
        frame.values.push(Held { value, of, doubt });
        frame.names.push((name, Binding::Variable(at)));
        at
    }

    pub(crate) fn lookup(&self, name: &str) -> Option<&Binding<'a>> {
        let frame = self.frames.last()?;
        frame.names.iter().rev().find(|(own, _)| *own == name).map(|(_, binding)| binding)
    }

    /// The place of a variable in shared memory; each variable of each instance of a template has one.
    pub(crate) fn shared_variable(&mut self, variable: &'a Variable) -> Pointer {
        let of = self.type_of(&variable.of);
        let frame = self.frame();
        let key = (frame.item, variable.name_range.start, frame.instance);
        let start = if let Some(start) = self.shared.get(&key) {
            *start
        } else {
            // An array in shared memory begins where its widest accesses are aligned.
            let alignment = of.alignment().max(16);
            let start = self.shared_end.next_multiple_of(alignment);
            self.shared_end = start.saturating_add(of.size().unwrap_or(0));
            self.shared.insert(key, start);
            start
        };
        let offset = Lanes::all(IntType::LONG, i64::try_from(start).unwrap_or(0));
        Pointer { place: Place::Shared, offset, to: of, within: 0 }
    }

    /// Bytes of shared memory that the variables met so far take.
    pub(crate) fn shared_bytes(&self) -> u64 {
        self.shared_end
    }

    /// The start of the shared variable that holds an address.
    pub(crate) fn shared_start(&self, address: i64) -> Option<u64> {
        let address = u64::try_from(address).ok()?;
        self.shared.values().copied().filter(|start| *start <= address).max()
    }

    /// Whether a variable of the innermost frame is an array.
    pub(crate) fn is_local_array(&self, variable: u32) -> bool {
        let held = self.frames.last().and_then(|frame| frame.values.get(variable as usize));
        held.is_some_and(|held| matches!(held.of, Type::Array(..) | Type::Record(_)))
    }

    /// A variable outside of functions.
    pub(crate) fn unit_variable(&mut self, name: &str) -> Option<Lvalue> {
        let (number, variable) = self.env.variable(name)?;
        let of = self.type_of(&variable.of);
        let start = Lanes::all(IntType::LONG, 0);
        match variable.memory {
            Memory::Global => Some(Lvalue::Memory(Pointer {
                place: Place::Global(number),
                offset: start,
                to: of,
                within: 0,
            })),
            Memory::Constant => {
                Some(Lvalue::Memory(Pointer { place: Place::Constant, offset: start, to: of, within: 0 }))
            }
            Memory::Shared | Memory::Local => {
                let is_constant = variable.is_constexpr || variable.of.is_const;
                let value = variable.value.as_ref().filter(|_| is_constant);
                let value = value.map(|value| self.initial(&of, value));
                Some(Lvalue::Value(Box::new(value.unwrap_or_else(|| Value::unknown(&of)))))
            }
        }
    }

    /// The layout of a type as it is written.
    pub(crate) fn type_of(&mut self, written: &'a TypeName) -> Type {
        const MOST_DIMENSIONS: usize = 64;
        if written.dimensions.len() > MOST_DIMENSIONS {
            return Type::Unknown;
        }
        let mut of = self.named_type(written);
        for _ in 0..written.pointers {
            of = Type::Pointer(Arc::new(of));
        }
        for dimension in written.dimensions.iter().rev() {
            let count = dimension.as_ref().and_then(|size| self.constant(size));
            of = Type::Array(Arc::new(of), count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0));
        }
        of
    }

    fn named_type(&mut self, written: &'a TypeName) -> Type {
        self.type_by_name(&written.name, &written.arguments)
    }

    /// The layout of a type by its name and the arguments of its template.
    pub(crate) fn type_by_name(&mut self, name: &'a str, arguments: &'a [Argument]) -> Type {
        // Each name may add a type's pointers and dimensions to those of the last one.
        const MOST_NAMES: u32 = 32;
        if self.types >= MOST_NAMES {
            return Type::Unknown;
        }
        self.types += 1;
        let of = self.deeper(|all| all.type_of_name(name, arguments));
        self.types -= 1;
        of.unwrap_or(Type::Unknown)
    }

    fn type_of_name(&mut self, name: &'a str, arguments: &'a [Argument]) -> Type {
        if let Some(of) = self.frames.last().and_then(|frame| frame.types.get(name)) {
            return of.clone();
        }
        if let Some(of) = built_in(name) {
            return of;
        }
        if self.frames.len() > DEEPEST {
            return Type::Unknown;
        }
        let env = self.env;
        if let Some(alias) = env.alias(name) {
            return if alias.of.name == name { Type::Unknown } else { self.type_of(&alias.of) };
        }
        if let Some(of) = env.macro_named(name).and_then(|of| built_in(&of.text)) {
            return of;
        }
        let Some(record) = env.record(name) else {
            let is_fragment = crate::cuda::source::environment::last_part(name) == "fragment";
            return is_fragment.then(|| self.fragment_type(arguments)).flatten().unwrap_or(Type::Unknown);
        };
        if record.is_opaque {
            return Type::Unknown;
        }
        let mut bound = Frame::new(self.item());
        let arguments: Vec<TemplateValue> =
            arguments.iter().map(|argument| self.template_value(argument)).collect();
        self.bind_templates(&mut bound, &record.templates, &arguments, &[]);
        self.frames.push(bound);
        let alignment = record.alignment.as_ref().and_then(|value| self.constant(value));
        let fields: Vec<(String, Type)> = record
            .fields
            .iter()
            .filter(|field| !field.is_static)
            .map(|field| (field.name.clone(), self.type_of(&field.of)))
            .collect();
        self.frames.pop();
        let alignment = alignment.and_then(|value| u64::try_from(value).ok()).unwrap_or(1);
        let laid_out = RecordType::lay_out(record.name.clone(), fields, alignment, record.is_union);
        let has_constructor = record.has_constructor;
        laid_out.map_or(Type::Unknown, |laid_out| {
            Type::Record(Arc::new(RecordType { templates: arguments, has_constructor, ..laid_out }))
        })
    }

    /// The value of a constant expression: one number for all lanes.
    pub(crate) fn constant(&mut self, expr: &'a Expr) -> Option<i64> {
        let counts = std::mem::replace(&mut self.counts, false);
        let value = if self.is_constant {
            // One within another has no steps of its own, or each level would multiply them.
            self.value(expr)
        } else {
            let steps = self.steps;
            (self.steps, self.is_constant) = (steps.max(256), true);
            let value = self.value(expr);
            (self.steps, self.is_constant) = (steps, false);
            value
        };
        self.counts = counts;
        value.as_lanes()?.constant(u32::MAX)
    }

    /// An index of the launch by its name: `threadIdx` and the like.
    pub(crate) fn launch_index(&self, name: &str) -> Option<Value> {
        let at = ["threadIdx", "blockIdx", "blockDim", "gridDim"].iter().position(|own| *own == name)?;
        match &self.indices {
            Some(all) => Some(all[at].clone()),
            None => Some(Value::Unknown(Type::Unknown)),
        }
    }
}

/// `threadIdx` and its like: three numbers without a sign.
pub(crate) fn three(numbers: [Lanes; 3]) -> Value {
    let of = built_in("uint3");
    match of {
        Some(Type::Record(of)) => Value::Record(of, numbers.into_iter().map(Value::Int).collect()),
        _ => Value::Unknown(Type::Unknown),
    }
}

/// A number of each lane without a sign.
pub(crate) fn unsigned(at: [i64; LANES]) -> Lanes {
    Lanes {
        of: IntType::UNSIGNED,
        known: u32::MAX,
        base: None,
        at: at.into(),
        is_runtime: true,
        strided: None,
    }
}
