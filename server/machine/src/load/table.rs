//! The CSV tables: class vocabulary, and cycles from producer class to consumer class.

use super::text::{DataError, Text};
use crate::distances::{Distance, DistanceKey, Distances, File, ResultPart, Usage};
use crate::{Class, ClassId, ClassTrait, FunctionUnit, InOrder, Known, Source};
use csv::StringRecord;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde::de::value::{self, StrDeserializer};
use std::num::NonZeroU32;

/// A row of `classes.csv`.
#[derive(Debug, Clone)]
pub(super) struct ClassName {
    pub(super) name: String,
    /// `None` if the class uses no unit.
    pub(super) unit: Option<FunctionUnit>,
    pub(super) queue: Option<InOrder>,
    pub(super) returns: Option<InOrder>,
    pub(super) traits: Box<[ClassTrait]>,
    pub(super) summary: String,
}

/// Rows of a CSV with a header line, each with its line number. Parsing is strict: a different header, a
/// missing or extra field, or a value of the wrong type is an error with its line.
pub(crate) fn rows<T: DeserializeOwned>(
    text: Text<'_>,
    header: &[&str],
) -> Result<Vec<(usize, T)>, DataError> {
    let mut rows = Vec::new();
    each_row(text, header, |line, record, found| {
        let row =
            record.deserialize(Some(found)).map_err(|error| text.error(line, field_error(&error, header)))?;
        rows.push((line, row));
        Ok(())
    })?;
    Ok(rows)
}

/// Calls `take` with each row's line number, the row and the header. All rows share one buffer.
fn each_row(
    text: Text<'_>,
    header: &[&str],
    mut take: impl FnMut(usize, &StringRecord, &StringRecord) -> Result<(), DataError>,
) -> Result<(), DataError> {
    let mut reader = csv::ReaderBuilder::new().from_reader(text.content.as_bytes());
    let found = reader.headers().map_err(|error| csv_error(text, &error))?.clone();
    if found.iter().ne(header.iter().copied()) {
        let missing = header.iter().find(|column| !found.iter().any(|have| have == **column));
        let expected = match missing {
            Some(column) => format!("column `{column}` in the header `{}`", header.join(",")),
            None => format!("the header `{}`", header.join(",")),
        };
        return Err(text.error(1, expected));
    }
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| csv_error(text, &error))? {
        let line = record.position().map_or(1, |position| position.line() as usize);
        take(line, &record, &found)?;
    }
    Ok(())
}

fn csv_error(text: Text<'_>, error: &csv::Error) -> DataError {
    let line = error.position().map_or(1, |position| position.line() as usize);
    let expected = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{expected_len} fields, not {len}")
        }
        _ => format!("CSV: {error}"),
    };
    text.error(line, expected)
}

fn field_error(error: &csv::Error, header: &[&str]) -> String {
    let csv::ErrorKind::Deserialize { err, .. } = error.kind() else {
        return error.to_string();
    };
    let column = err.field().and_then(|at| header.get(at as usize)).unwrap_or(&"?");
    match err.kind() {
        csv::DeserializeErrorKind::ParseInt(_) => format!("a whole number in column `{column}`"),
        kind => format!("a valid value in column `{column}`: {kind}"),
    }
}

/// Reads `classes.csv`. Its order is the order of [`crate::Arch::classes`].
pub(super) fn class_names(text: Text<'_>) -> Result<Vec<ClassName>, DataError> {
    let mut classes: Vec<ClassName> = Vec::new();
    let header = ["name", "unit", "queue", "returns", "traits", "summary"];
    for (line, [name, unit, queue, returns, traits, summary]) in rows::<[String; 6]>(text, &header)? {
        text.once(class_id(&classes, &name).is_none(), line, "class", &name)?;
        let known = FunctionUnit::ALL.into_iter().find(|known| known.name() == unit);
        if known.is_none() && !unit.is_empty() {
            let names = FunctionUnit::NAMES.join(", ");
            return Err(text.error(line, format!("a unit: {names} or empty, not `{unit}`")));
        }
        let order = |name: &str| {
            let wrong = || text.error(line, "a queue name of at most 8 letters".into());
            if name.is_empty() { Ok(None) } else { InOrder::named(name).map(Some).ok_or_else(wrong) }
        };
        let (queue, returns) = (order(&queue)?, order(&returns)?);
        let traits = traits.split_whitespace().map(|word| {
            ClassTrait::deserialize(StrDeserializer::<value::Error>::new(word))
                .map_err(|error| text.error(line, format!("traits in column `traits`: {error}")))
        });
        let traits = traits.collect::<Result<_, _>>()?;
        classes.push(ClassName { name, unit: known, queue, returns, traits, summary });
    }
    Ok(classes)
}

pub(super) fn class_id(classes: &[ClassName], name: &str) -> Option<ClassId> {
    classes.iter().position(|class| class.name == name).map(|at| ClassId(at as u16))
}

/// Columns of a `distances.csv`.
pub(crate) const DISTANCES: [&str; 8] =
    ["producer", "part", "file", "consumer", "usage", "cycles", "count", "source"];

#[derive(Deserialize)]
struct DistanceRow<'a> {
    producer: &'a str,
    part: &'a str,
    file: &'a str,
    consumer: &'a str,
    usage: &'a str,
    cycles: u32,
    count: u32,
    source: Source,
}

/// Reads a `distances.csv`. A row with the usage `next` states the smallest stall count after the producer.
pub(crate) fn distances(text: Text<'_>, classes: &[Class]) -> Result<Distances, DataError> {
    let ids: FxHashMap<&str, ClassId> =
        classes.iter().map(|class| class.name.as_str()).zip((0..).map(ClassId)).collect();
    let mut distances = Distances::new(classes);
    each_row(text, &DISTANCES, |line, record, found| {
        let row: DistanceRow<'_> = record
            .deserialize(Some(found))
            .map_err(|error| text.error(line, field_error(&error, &DISTANCES)))?;
        let class = |name: &str| {
            let known = ids.get(name).copied();
            known.ok_or_else(|| text.error(line, format!("a class of classes.csv, not `{name}`")))
        };
        let producer = class(row.producer)?;
        let cycles = Known { value: row.cycles, source: row.source };
        let distance = Distance { cycles, count: row.count };
        let is_new = if row.usage == "next" {
            distances.next.insert(producer, distance).is_none()
        } else {
            let part = ResultPart::ALL.into_iter().find(|part| part.name() == row.part);
            let file = File::ALL.into_iter().find(|file| file.name() == row.file);
            let usage = Usage::ALL.into_iter().find(|usage| usage.name() == row.usage);
            let (Some(part), Some(file), Some(usage)) = (part, file, usage) else {
                return Err(text.error(line, "a part, a file and a usage of a register".into()));
            };
            let key = DistanceKey { producer, part, file, usage, consumer: Some(class(row.consumer)?) };
            distances.add(key, &distance)
        };
        if is_new {
            Ok(())
        } else {
            Err(text.error(line, "each pair only once per distance; this row repeats an earlier row".into()))
        }
    })?;
    Ok(distances)
}

#[derive(Deserialize)]
struct RawRow<'a> {
    producer: &'a str,
    consumer: &'a str,
    cycles: NonZeroU32,
    source: Source,
}

/// Reads a `raw.csv`.
pub(super) fn raw(
    text: Text<'_>,
    classes: &[ClassName],
    raw: &mut FxHashMap<(ClassId, ClassId), Known<u32>>,
) -> Result<(), DataError> {
    let ids: FxHashMap<&str, ClassId> =
        classes.iter().zip(0..).map(|(class, id)| (class.name.as_str(), ClassId(id))).collect();
    let header = ["producer", "consumer", "cycles", "source"];
    each_row(text, &header, |line, record, found| {
        let row: RawRow<'_> = record
            .deserialize(Some(found))
            .map_err(|error| text.error(line, field_error(&error, &header)))?;
        let class = |name: &str| {
            let known = ids.get(name).copied();
            known.ok_or_else(|| text.error(line, format!("a class of classes.csv, not `{name}`")))
        };
        let pair = (class(row.producer)?, class(row.consumer)?);
        let known = Known { value: row.cycles.get(), source: row.source };
        if raw.insert(pair, known).is_some() {
            let expected = format!(
                "each pair only once; an earlier line already has `{},{}`",
                row.producer, row.consumer
            );
            return Err(text.error(line, expected));
        }
        Ok(())
    })
}
