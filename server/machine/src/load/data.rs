//! Merged contents of all data files, before missing figures are filled in from other chips. An overlay changes
//! this data.

use super::file::{
    ArchFile, CarveoutsFile, ClassFile, Cycles, Key, LatencyKind, OverlayFile, PartFile, PartsFile,
    PerPartFile, TargetFile, UntimedFile,
};
use super::isa::IsaTables;
use super::table::{self, ClassName};
use super::text::{DataError, Text};
use crate::ptx::{Target, Version};
use crate::{
    Bound, ClassId, ConstantBank, FunctionUnit, InOrder, Isa, Known, MemoryTimes, Part, Pipeline, Rates,
    RequestRules, Rule, SmResources,
};
use rustc_hash::FxHashMap;
use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Largest accepted value of a resource, a unit or a memory level, because models loop up to these values. It
/// is several times the largest value of any chip.
const MAX: u32 = 1 << 20;

/// Numbers by name.
pub(super) type Numbers = BTreeMap<String, Known<u32>>;

/// All tables, as read from the files.
#[derive(Debug, Clone)]
pub(super) struct Data {
    /// The class vocabulary, indexed by [`ClassId`].
    pub(super) classes: Vec<ClassName>,
    /// In ascending order of `sm`.
    pub(super) archs: Vec<ArchData>,
    pub(super) parts: Vec<Arc<Part>>,
    /// Opcode tables of all compute capabilities.
    pub(super) isa: Arc<IsaTables>,
}

/// Data of one architecture, as read from the files.
#[derive(Debug, Clone, Default)]
pub(super) struct ArchData {
    pub(super) sm: u16,
    /// Name of the architecture's folder, `sm_90`. [`crate::Source::StandIn`] names it.
    pub(super) id: String,
    pub(super) isa: Arc<Isa>,
    pub(super) name: String,
    pub(super) nearest: Vec<String>,
    pub(super) covers: Vec<u16>,
    /// Each `.target` of the chip and of `covers`, with the PTX version that introduced it.
    pub(super) targets: Vec<(Target, Known<Version>)>,
    /// Differences on each covered compute capability, by its number.
    pub(super) on: BTreeMap<u16, Difference>,
    pub(super) resources: Numbers,
    pub(super) units: Numbers,
    pub(super) memory: Numbers,
    pub(super) constant_bank: Numbers,
    pub(super) requests: Numbers,
    pub(super) rates: Numbers,
    pub(super) guard: Option<Known<u32>>,
    pub(super) latencies_exclude_dispatch: bool,
    pub(super) pipes: BTreeMap<String, String>,
    /// Figures of the issue simulation, by section and name.
    pub(super) pipeline: BTreeMap<(String, String), Known<u32>>,
    pub(super) carveouts: Option<Known<Box<[u32]>>>,
    pub(super) per_part: PerPartFile,
    pub(super) untimed: UntimedData,
    pub(super) rules: BTreeMap<ClassId, Rule>,
    pub(super) opcode_rules: BTreeMap<String, Rule>,
    pub(super) slots: BTreeMap<String, String>,
    /// Indexed by [`ClassId`].
    pub(super) classes: Vec<ClassData>,
    pub(super) raw: FxHashMap<(ClassId, ClassId), Known<u32>>,
    /// Parsed on first use.
    pub(super) distances_csv: Option<Arc<str>>,
}

/// Known classes and architectures, which the keys of a file may name.
#[derive(Clone, Copy)]
struct Names<'a> {
    classes: &'a [ClassName],
    archs: &'a [String],
}

/// Data of a covered compute capability that differ from the architecture's data.
#[derive(Debug, Clone, Default)]
pub(super) struct Difference {
    units: Numbers,
    classes: BTreeMap<ClassId, ClassData>,
}

/// Data of one class in the files of one architecture.
#[derive(Debug, Clone, Default)]
pub(super) struct ClassData {
    pub(super) pipe: Option<String>,
    pub(super) returns: Option<InOrder>,
    pub(super) issue: Option<Known<u32>>,
    pub(super) kind: Option<LatencyKind>,
    pub(super) cycles: Option<Known<u32>>,
}

/// The files of one architecture.
pub(super) struct ArchTexts<'a> {
    pub(super) sm: u16,
    pub(super) sm_toml: Text<'a>,
    /// The figures of the chip itself. The nearest chips have the figures that these files lack.
    pub(super) classes_toml: Option<Text<'a>>,
    pub(super) raw_csv: Option<Text<'a>>,
    pub(super) distances_csv: Option<Text<'a>>,
    /// The parts with the chip. The first part is the usual part.
    pub(super) parts_toml: Text<'a>,
    /// Calibration of the issue simulation.
    pub(super) pipeline_toml: Option<Text<'a>>,
}

impl ArchTexts<'_> {
    fn id(&self) -> String {
        format!("sm_{}", self.sm)
    }
}

impl Data {
    /// Reads the files of the data folder.
    pub(super) fn read(
        classes: Vec<ClassName>,
        isa: IsaTables,
        archs: &[ArchTexts<'_>],
    ) -> Result<Self, DataError> {
        let ids: Vec<String> = archs.iter().map(ArchTexts::id).collect();
        let names = Names { classes: &classes, archs: &ids };
        let read = archs.iter().map(|texts| ArchData::read(texts, names, &isa)).collect::<Result<_, _>>()?;
        let mut data = Self { classes, archs: read, parts: Vec::new(), isa: Arc::new(isa) };
        for parts in archs.iter().map(|arch| arch.parts_toml) {
            data.merge_parts(parts, parts.toml::<PartsFile>()?)?;
        }
        Ok(data)
    }

    /// Overlays a user's file on the tables.
    pub(super) fn merge(&mut self, text: Text<'_>) -> Result<(), DataError> {
        let file = text.toml::<OverlayFile>()?;
        let archs: Vec<String> = self.archs.iter().map(|arch| arch.id.clone()).collect();
        let names = Names { classes: &self.classes, archs: &archs };
        for (key, arch) in file.archs {
            let at = archs.iter().position(|id| id == key.get_ref());
            let at = at.ok_or_else(|| text.error_at(&key, format!("`parts` or {}", one_of(&archs, &key))))?;
            self.archs[at].merge(text, arch, names)?;
        }
        self.merge_parts(text, file.parts)
    }

    fn merge_parts(&mut self, text: Text<'_>, file: PartsFile) -> Result<(), DataError> {
        let mut entries: Vec<(Key, PartFile)> = file.into_iter().collect();
        // The order of the text determines the usual part of an architecture.
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, part) in entries {
            let at = self.parts.iter().position(|known| known.id == *key.get_ref());
            let part = Arc::new(self.part(text, &key, part, at.map(|at| &*self.parts[at]))?);
            match at {
                Some(at) => self.parts[at] = part,
                None => self.parts.push(part),
            }
        }
        Ok(())
    }

    fn part(&self, text: Text<'_>, key: &Key, file: PartFile, old: Option<&Part>) -> Result<Part, DataError> {
        let lacks = |field: &str| text.error_at(key, format!("`{field}` of part `{}`", key.get_ref()));
        let sm = file.sm.or(old.map(|old| old.sm)).ok_or_else(|| lacks("sm"))?;
        if !self.archs.iter().any(|arch| arch.sm == sm) {
            let known: Vec<String> = self.archs.iter().map(|arch| arch.sm.to_string()).collect();
            return Err(text.error_at(key, format!("`sm` to be one of {}, not {sm}", known.join(", "))));
        }
        let mut figures = old.map(|old| old.figures.clone()).unwrap_or_default();
        for (section, named) in file.pipeline {
            merge_figures(text, &section, named, &mut figures)?;
        }
        Ok(Part {
            driver_names: file.driver_names.or(old.map(|old| old.driver_names.clone())).unwrap_or_default(),
            figures,
            id: key.get_ref().clone(),
            name: file.name.or(old.map(|old| old.name.clone())).ok_or_else(|| lacks("name"))?,
            sm,
            sm_count: overlaid(file.sm_count, old, |old| &old.sm_count).ok_or_else(|| lacks("sm_count"))?,
            cluster_groups: file.cluster_groups.or(old.and_then(|old| old.cluster_groups.clone())),
            base_mhz: file.base_mhz.or(old.and_then(|old| old.base_mhz.clone())),
            boost_mhz: overlaid(file.boost_mhz, old, |old| &old.boost_mhz)
                .ok_or_else(|| lacks("boost_mhz"))?,
            l2_bytes: overlaid(file.l2_bytes, old, |old| &old.l2_bytes).ok_or_else(|| lacks("l2_bytes"))?,
            dram_bytes_per_second: overlaid(file.dram_bytes_per_second, old, |old| {
                &old.dram_bytes_per_second
            })
            .ok_or_else(|| lacks("dram_bytes_per_second"))?,
        })
    }
}

/// Returns `new`, the part's value in the text, or the known part's value if the text has none.
fn overlaid<T: Clone>(
    new: Option<Known<T>>,
    old: Option<&Part>,
    number: fn(&Part) -> &Known<T>,
) -> Option<Known<T>> {
    new.or_else(|| old.map(|old| number(old).clone()))
}

impl ArchData {
    fn read(texts: &ArchTexts<'_>, names: Names<'_>, isa: &IsaTables) -> Result<Self, DataError> {
        let mut arch = Self {
            sm: texts.sm,
            id: texts.id(),
            isa: Arc::new(isa.own(texts.sm)),
            classes: vec![ClassData::default(); names.classes.len()],
            distances_csv: texts.distances_csv.map(|text| text.content.into()),
            ..Self::default()
        };
        for text in [Some(texts.sm_toml), texts.classes_toml, texts.pipeline_toml].into_iter().flatten() {
            arch.merge(text, text.toml()?, names)?;
        }
        if let Some(text) = texts.raw_csv {
            table::raw(text, names.classes, &mut arch.raw)?;
        }
        if arch.name.is_empty() {
            return Err(texts.sm_toml.error(1, "`name = \"…\"`, the vendor's name of the generation".into()));
        }
        Ok(arch)
    }

    fn merge(&mut self, text: Text<'_>, file: ArchFile, names: Names<'_>) -> Result<(), DataError> {
        if let Some(name) = file.name {
            self.name = name;
        }
        if let Some(nearest) = file.nearest {
            if let Some(key) = nearest.iter().find(|key| !names.archs.contains(key.get_ref())) {
                return Err(text.error_at(key, one_of(names.archs, key)));
            }
            self.nearest = nearest.into_iter().map(toml::Spanned::into_inner).collect();
        }
        if let Some(covers) = file.covers {
            self.covers = covers;
        }
        self.merge_targets(text, file.targets)?;
        merge_named(text, SmResources::NAMES, "resource", file.resources, &mut self.resources)?;
        merge_named(text, &FunctionUnit::NAMES, "unit", file.units, &mut self.units)?;
        merge_named(text, MemoryTimes::NAMES, "memory level", file.memory, &mut self.memory)?;
        let places = &mut self.constant_bank;
        merge_named(text, ConstantBank::NAMES, "value in constant bank 0", file.constant_bank, places)?;
        merge_named(text, RequestRules::NAMES, "rule for requests", file.requests, &mut self.requests)?;
        merge_named(text, Rates::NAMES, "rate", file.rates, &mut self.rates)?;
        self.latencies_exclude_dispatch =
            file.latencies_exclude_dispatch.unwrap_or(self.latencies_exclude_dispatch);
        self.guard = file.guard.map(Known::from).or(self.guard.take());
        self.pipes.extend(file.pipes);
        for (key, class) in file.class {
            let at = class_id(text, &key, names.classes)?;
            self.check_pipe(text, &class)?;
            self.classes[at.0 as usize].merge(text, class)?;
        }
        for (key, file) in file.on {
            let is_covered = |sm: &u16| self.covers.contains(sm);
            let Some(sm) = key.get_ref().parse().ok().filter(is_covered) else {
                return Err(
                    text.error_at(&key, format!("a compute capability in `covers`, not `{}`", key.get_ref()))
                );
            };
            let mut difference = self.on.remove(&sm).unwrap_or_default();
            merge_named(text, &FunctionUnit::NAMES, "unit", file.units, &mut difference.units)?;
            for (key, class) in file.class {
                let at = class_id(text, &key, names.classes)?;
                self.check_pipe(text, &class)?;
                difference.classes.entry(at).or_default().merge(text, class)?;
            }
            self.on.insert(sm, difference);
        }
        for (section, figures) in file.pipeline {
            merge_figures(text, &section, figures, &mut self.pipeline)?;
        }
        if let Some(per_part) = file.per_part {
            for section in &per_part.sections {
                figures_of(text, section)?;
            }
            self.per_part = per_part;
        }
        if let Some(CarveoutsFile { mut kilobytes, source }) = file.carveouts {
            kilobytes.sort_unstable();
            let value = kilobytes.into_iter().map(|kilobytes| u32::from(kilobytes) * 1024).collect();
            self.carveouts = Some(Known { value, source });
        }
        for (key, rule) in file.rules {
            self.rules.insert(class_id(text, &key, names.classes)?, rule);
        }
        self.opcode_rules.extend(file.opcode_rules);
        self.untimed.merge(text, file.untimed, names)?;
        self.slots.extend(file.slots);
        for (producer, row) in file.raw {
            let from = class_id(text, &producer, names.classes)?;
            for (consumer, cycles) in row {
                let to = class_id(text, &consumer, names.classes)?;
                self.raw.insert((from, to), Cycles::into(cycles));
            }
        }
        Ok(())
    }
}

/// Bounds of instructions without a measured time. `other` and `generic` are `None` if the files lack them.
#[derive(Debug, Clone, Default)]
pub(super) struct UntimedData {
    pub(super) other: Option<Bound>,
    pub(super) generic: Option<Bound>,
    pub(super) classes: FxHashMap<ClassId, Bound>,
    pub(super) opcodes: FxHashMap<Box<str>, Bound>,
}

impl UntimedData {
    fn merge(&mut self, text: Text<'_>, file: UntimedFile, names: Names<'_>) -> Result<(), DataError> {
        self.other = file.other.map(Bound::from).or(self.other.take());
        self.generic = file.generic.map(Bound::from).or(self.generic.take());
        for (key, bound) in file.class {
            self.classes.insert(class_id(text, &key, names.classes)?, bound.into());
        }
        self.opcodes.extend(file.opcode.into_iter().map(|(name, bound)| (name.into(), bound.into())));
        Ok(())
    }
}

impl ArchData {
    /// Returns the data for a compute capability that this architecture covers; `None` if the files list no
    /// difference for it.
    pub(super) fn on(&self, sm: u16) -> Option<Self> {
        let Difference { units, classes } = self.on.get(&sm)?.clone();
        let mut own = self.clone();
        own.units.extend(units);
        for (id, class) in classes {
            let data = &mut own.classes[id.0 as usize];
            *data = ClassData {
                pipe: class.pipe.or(data.pipe.take()),
                returns: class.returns.or(data.returns),
                issue: class.issue.or(data.issue.take()),
                kind: class.kind.or(data.kind),
                cycles: class.cycles.or(data.cycles.take()),
            };
        }
        Some(own)
    }

    fn merge_targets(&mut self, text: Text<'_>, file: BTreeMap<Key, TargetFile>) -> Result<(), DataError> {
        for (key, TargetFile { ptx, source }) in file {
            let (name, since) = (key.get_ref(), ptx.get_ref());
            let is_own = |target: &Target| target.sm == self.sm || self.covers.contains(&target.sm);
            let target = name.parse::<Target>().ok().filter(is_own).ok_or_else(|| {
                text.error_at(&key, format!("a target of sm_{} or of its `covers`, not `{name}`", self.sm))
            })?;
            let value = since
                .parse::<Version>()
                .map_err(|()| text.error_at(&ptx, format!("a PTX version like `8.6`, not `{since}`")))?;
            self.targets.retain(|(known, _)| *known != target);
            self.targets.push((target, Known { value, source }));
        }
        Ok(())
    }

    fn check_pipe(&self, text: Text<'_>, class: &ClassFile) -> Result<(), DataError> {
        let unknown = class.pipe.as_ref().filter(|pipe| !self.pipes.contains_key(pipe.get_ref()));
        unknown.map_or(Ok(()), |pipe| {
            let pipes: Vec<&str> = self.pipes.keys().map(String::as_str).collect();
            Err(text.error_at(pipe, one_of(&pipes, pipe)))
        })
    }
}

impl ClassData {
    fn merge(&mut self, text: Text<'_>, file: ClassFile) -> Result<(), DataError> {
        if let Some(pipe) = file.pipe {
            self.pipe = Some(pipe.into_inner());
        }
        if let Some(returns) = file.returns {
            let line = InOrder::named(returns.get_ref());
            self.returns = line;
            if line.is_none() {
                return Err(text.error_at(&returns, "a queue name of at most 8 letters".into()));
            }
        }
        self.issue = file.issue.map(Known::from).or(self.issue.take());
        let Some(latency) = file.latency else {
            return Ok(());
        };
        let line = text.line_at(latency.span().start);
        let latency = latency.into_inner();
        self.kind = latency.kind.or(self.kind);
        match (latency.cycles, latency.source) {
            (Some(cycles), Some(source)) => self.cycles = Some(Known { value: cycles.get(), source }),
            (None, None) => {}
            _ => return Err(text.error(line, "`cycles` and `source` together".into())),
        }
        Ok(())
    }
}

fn one_of<S: Borrow<str>>(names: &[S], key: &Key) -> String {
    format!("one of {}, not `{}`", names.join(", "), key.get_ref())
}

fn class_id(text: Text<'_>, key: &Key, classes: &[ClassName]) -> Result<ClassId, DataError> {
    table::class_id(classes, key.get_ref())
        .ok_or_else(|| text.error_at(key, format!("a class of classes.csv, not `{}`", key.get_ref())))
}

/// Names of the figures in a section; an error if the section is unknown.
fn figures_of(text: Text<'_>, section: &Key) -> Result<&'static [&'static str], DataError> {
    let found = Pipeline::NAMES.iter().find(|(name, _)| name == section.get_ref());
    let sections = || Pipeline::NAMES.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    found.map(|(_, names)| *names).ok_or_else(|| text.error_at(section, one_of(&sections(), section)))
}

/// Overlays the figures of one section of the issue simulation on the known figures.
fn merge_figures(
    text: Text<'_>,
    section: &Key,
    figures: BTreeMap<Key, Known<u32>>,
    into: &mut BTreeMap<(String, String), Known<u32>>,
) -> Result<(), DataError> {
    let mut known = BTreeMap::new();
    merge_named(text, figures_of(text, section)?, "figure", figures, &mut known)?;
    into.extend(known.into_iter().map(|(name, figure)| ((section.get_ref().clone(), name), figure)));
    Ok(())
}

fn merge_named<T: Into<Known<u32>>>(
    text: Text<'_>,
    names: &[&str],
    what: &str,
    file: BTreeMap<Key, T>,
    into: &mut Numbers,
) -> Result<(), DataError> {
    for (key, number) in file {
        if !names.contains(&key.get_ref().as_str()) {
            return Err(text.error_at(&key, format!("a {what}, {}", one_of(names, &key))));
        }
        let number = number.into();
        if number.value > MAX {
            return Err(text.error_at(&key, format!("a number up to {MAX}, not {}", number.value)));
        }
        into.insert(key.into_inner(), number);
    }
    Ok(())
}
