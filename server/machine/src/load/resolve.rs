//! Builds architectures from the tables. Only this module replaces missing figures with those of another chip.

use super::data::{ArchData, ClassData, Data, Numbers};
use super::file::LatencyKind;
use super::text::DataError;
use crate::distances::LazyDistances;
use crate::{
    Arch, Bound, Class, ClassId, ConstantBank, FunctionUnit, Known, Latency, MemoryTimes, Part, Pipe,
    Pipeline, Rates, RequestRules, SmResources, Source, Unit, Untimed,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Every architecture, with all figures.
pub(super) fn archs(data: &Data) -> Result<Vec<Arch>, DataError> {
    data.archs.iter().map(|arch| Chain::new(data, arch).resolve(data)).collect()
}

/// An architecture's data on a compute capability that it covers; `None` if the files list no difference.
pub(super) fn covered(data: &Data, arch: &Arch, sm: u16) -> Option<Arch> {
    let own = data.archs.iter().find(|own| own.sm == arch.sm)?.on(sm)?;
    // The architecture's own data are complete.
    Chain::new(data, &own).resolve(data).ok()
}

/// The figures of the issue simulation for a part: the part's figures if present, otherwise the figures of
/// its architecture, which were measured on `usual`. `None` if they equal the architecture's figures.
pub(super) fn part_pipeline(data: &Data, part: &Part, usual: &Part) -> Option<Arc<Pipeline>> {
    let arch = data.archs.iter().find(|arch| arch.sm == part.sm)?;
    if part.figures.is_empty() && part.id == usual.id {
        return None;
    }
    let figure = |section: &str, name: &str| {
        let own = part.figures.get(&(section.into(), name.into()));
        own.cloned().or_else(|| of_usual_part(arch, (section, name), part, usual))
    };
    // Every figure exists, because the architecture's figures were looked up before.
    Chain::new(data, arch).pipeline(data, figure).ok().flatten()
}

/// The architecture's figure for a part without its own figure: the usual part's figure, scaled if `per_part`
/// lists it.
fn of_usual_part(
    arch: &ArchData,
    (section, name): (&str, &str),
    part: &Part,
    usual: &Part,
) -> Option<Known<u32>> {
    let known = own_figure(arch, section, name)?;
    let per_part = &arch.per_part;
    if part.id == usual.id || !per_part.sections.iter().any(|own| own.get_ref() == section) {
        return Some(known.clone());
    }
    let path = format!("{section}.{name}");
    let bytes_per_cycle =
        |part: &Part| part.dram_bytes_per_second.value / (f64::from(part.boost_mhz.value) * 1e6);
    let scaled = if per_part.by_bandwidth.contains(&path) {
        Some((bytes_per_cycle(part) / bytes_per_cycle(usual), "by DRAM bandwidth per cycle"))
    } else if per_part.by_l2_size.contains(&path) {
        Some((part.l2_bytes.value as f64 / usual.l2_bytes.value as f64, "by L2 cache size"))
    } else {
        None
    };
    let scaled = scaled.filter(|(ratio, _)| ratio.is_finite() && *ratio > 0.0);
    let (value, source) = match scaled {
        Some((ratio, how)) => (
            (f64::from(known.value) * ratio).round() as u32,
            Source::Derived(format!("{} at {}, scaled {how}", known.value, usual.id)),
        ),
        None => (known.value, known.source.clone()),
    };
    Some(Known { value, source: Source::StandIn { arch: usual.id.clone(), source: Box::new(source) } })
}

fn own_figure<'a>(arch: &'a ArchData, section: &str, name: &str) -> Option<&'a Known<u32>> {
    arch.pipeline.get(&(section.into(), name.into()))
}

/// A chip, and the chips that supply its missing figures, nearest first.
struct Chain<'a> {
    own: &'a ArchData,
    others: Vec<&'a ArchData>,
}

impl<'a> Chain<'a> {
    fn new(data: &'a Data, own: &'a ArchData) -> Self {
        let find = |id: &String| data.archs.iter().find(|arch| arch.id == *id);
        Self { own, others: own.nearest.iter().filter_map(find).collect() }
    }

    fn all(&self) -> impl Iterator<Item = &'a ArchData> {
        std::iter::once(self.own).chain(self.others.iter().copied())
    }

    /// The chip's own number or, if missing, the number of the nearest chip that has one, marked as
    /// [`Source::StandIn`].
    fn number(&self, of: impl Fn(&ArchData) -> Option<&Known<u32>>) -> Option<Known<u32>> {
        let own = of(self.own).cloned();
        own.or_else(|| self.others.iter().find_map(|other| Some(stand_in(other, of(other)?))))
    }

    fn resolve(&self, data: &Data) -> Result<Arch, DataError> {
        let lacks = |section: &str, name: &str| self.lacking("sm.toml", &format!("`{name}` in [{section}]"));
        let number = |section: &'static str, numbers: fn(&ArchData) -> &Numbers| {
            move |name: &'static str| {
                self.number(|arch| numbers(arch).get(name)).ok_or_else(|| lacks(section, name))
            }
        };
        // Another chip's offsets would be wrong, not approximate.
        let place = |name: &'static str| {
            self.own.constant_bank.get(name).cloned().ok_or_else(|| lacks("constant_bank", name))
        };
        let mut units = Vec::new();
        // Units with no lanes are skipped, so that no division by zero occurs.
        let mut unit_at = [None; FunctionUnit::ALL.len()];
        for (at, kind) in FunctionUnit::ALL.into_iter().enumerate() {
            let lanes = number("units", |arch| &arch.units)(kind.name())?;
            if lanes.value > 0 {
                unit_at[at] = Some(units.len());
                units.push(Unit { kind, lanes });
            }
        }
        let mut pipes = Vec::new();
        let mut classes = Vec::new();
        for (at, class) in data.classes.iter().enumerate() {
            let id = ClassId(at as u16);
            let lacks =
                |what: &str| self.lacking("classes.toml", &format!("{what} of class `{}`", class.name));
            classes.push(Class {
                name: class.name.clone(),
                traits: class.traits.clone(),
                summary: class.summary.clone(),
                pipe: self.pipe(id, &mut pipes).ok_or_else(|| lacks("a `pipe` that [pipes] names"))?,
                unit: class.unit.and_then(|unit| unit_at[unit as usize]),
                queue: class.queue,
                returns: class_of(self.own, id).returns.or(class.returns),
                issue_cycles: self
                    .number(|arch| class_of(arch, id).issue.as_ref())
                    .ok_or_else(|| lacks("`issue`"))?,
                latency: self.latency(id).ok_or_else(|| lacks("`latency`"))?,
            });
        }
        Ok(Arch {
            pipeline: self.pipeline(data, |section, name| own_figure(self.own, section, name).cloned())?,
            sm: self.own.sm,
            name: self.own.name.clone(),
            isa: self.own.isa.clone(),
            resources: SmResources::gather(number("resources", |arch| &arch.resources))?,
            units,
            pipes,
            raw: self.raw(&classes),
            distances: LazyDistances::new(self.own.distances_csv.clone()),
            classes,
            latencies_exclude_dispatch: self.own.latencies_exclude_dispatch,
            predicate_guard: self
                .number(|arch| arch.guard.as_ref())
                .ok_or_else(|| self.lacking("sm.toml", "`guard`"))?,
            memory: MemoryTimes::gather(number("memory", |arch| &arch.memory))?,
            constant_bank: ConstantBank::gather(place)?,
            requests: RequestRules::gather(number("requests", |arch| &arch.requests))?,
            rates: Rates::gather(|name| self.own.rates.get(name).cloned()),
        })
    }

    fn lacking(&self, file: &str, what: &str) -> DataError {
        let id = &self.own.id;
        let expected =
            format!("expected {what} for {id}, in its files or in those of a chip that `nearest` names");
        DataError { path: format!("{id}/{file}"), line: 1, expected }
    }

    /// Figures of the issue simulation, from this chip's own data only: with another chip's figures, the
    /// simulation would not represent this chip. `None` if the chip has none; an error if only some are
    /// missing.
    fn pipeline(
        &self,
        data: &Data,
        figure: impl Fn(&str, &str) -> Option<Known<u32>>,
    ) -> Result<Option<Arc<Pipeline>>, DataError> {
        let own = self.own;
        if own.pipeline.is_empty() {
            return Ok(None);
        }
        let classes = (0..data.classes.len() as u16).map(ClassId);
        let rules = classes.map(|id| own.rules.get(&id).copied().unwrap_or_default()).collect();
        let slots = own.slots.iter().map(|(name, slots)| (name.as_str().into(), slots.as_str().into()));
        let opcodes = own.opcode_rules.iter().map(|(name, rule)| (name.as_str().into(), *rule));
        let carveouts = own.carveouts.clone();
        let carveouts = carveouts.ok_or_else(|| self.lacking("pipeline.toml", "`carveouts`"))?;
        let bound = |bound: &Option<Bound>, name: &str| {
            bound.clone().ok_or_else(|| self.lacking("pipeline.toml", &format!("`{name}` in [untimed]")))
        };
        let untimed = Untimed {
            classes: own.untimed.classes.clone(),
            opcodes: own.untimed.opcodes.clone(),
            other: bound(&own.untimed.other, "other")?,
            generic: bound(&own.untimed.generic, "generic")?,
        };
        let pipeline =
            Pipeline::gather(figure, rules, opcodes.collect(), slots.collect(), untimed, carveouts);
        let lacking =
            |(section, name)| self.lacking("pipeline.toml", &format!("`{name}` in [pipeline.{section}]"));
        pipeline.map(|pipeline| Some(Arc::new(pipeline))).map_err(lacking)
    }

    /// Index of the class's pipe. If the class comes from another chip, its pipe is added under the name used
    /// there.
    fn pipe(&self, id: ClassId, pipes: &mut Vec<Pipe>) -> Option<usize> {
        let name = self.all().find_map(|arch| class_of(arch, id).pipe.as_ref())?;
        if let Some(at) = pipes.iter().position(|pipe| pipe.name == *name) {
            return Some(at);
        }
        let summary = self.all().find_map(|arch| arch.pipes.get(name))?.clone();
        pipes.push(Pipe { name: name.clone(), summary });
        Some(pipes.len() - 1)
    }

    /// Kind and number of a class's latency. The kind comes from the chip if the chip states it, even if the
    /// number comes from another chip.
    fn latency(&self, id: ClassId) -> Option<Latency> {
        let kind = self.all().find_map(|arch| class_of(arch, id).kind)?;
        let cycles = self.number(|arch| own_latency(arch, id))?;
        Some(match kind {
            LatencyKind::Fixed => Latency::Fixed(cycles),
            LatencyKind::Variable => Latency::Variable(cycles),
        })
    }

    /// Cycles from producer to consumer, for all pairs whose producer has a fixed latency. A class's latency in
    /// `classes.toml` applies to every consumer missing in the chip's own table. Only a class without such a
    /// number takes its missing pairs from other chips.
    fn raw(&self, classes: &[Class]) -> FxHashMap<(ClassId, ClassId), Known<u32>> {
        let mut raw = self.own.raw.clone();
        for other in &self.others {
            for (pair, cycles) in &other.raw {
                let producer = pair.0;
                let fixed = classes[producer.0 as usize].latency.is_fixed();
                let stated = self.before(other).any(|arch| class_of(arch, producer).cycles.is_some());
                if fixed && !stated {
                    raw.entry(*pair).or_insert_with(|| stand_in(other, cycles));
                }
            }
        }
        raw.retain(|pair, _| classes[pair.0.0 as usize].latency.is_fixed());
        raw
    }

    fn before(&self, other: &'a ArchData) -> impl Iterator<Item = &'a ArchData> {
        self.all().take_while(move |arch| arch.sm != other.sm)
    }
}

fn class_of(arch: &ArchData, id: ClassId) -> &ClassData {
    &arch.classes[id.0 as usize]
}

/// Returns the latency in the chip's own files: the entry in `classes.toml`, otherwise the pair of the class
/// with itself.
fn own_latency(arch: &ArchData, id: ClassId) -> Option<&Known<u32>> {
    class_of(arch, id).cycles.as_ref().or_else(|| arch.raw.get(&(id, id)))
}

fn stand_in(arch: &ArchData, known: &Known<u32>) -> Known<u32> {
    let source = Source::StandIn { arch: arch.id.clone(), source: Box::new(known.source.clone()) };
    Known { value: known.value, source }
}
