//! Reads the `[[launch]]` tables of a launches file.

use super::holds::holds;
use super::problem::{RefusedLaunch, Suggestion};
use super::reader::{self, Reader, members};
use super::tensor::tensor;
use crate::Severity;
use crate::engine::parameters::layout;
use crate::engine::parameters::types::ParamValue;
use crate::engine::parameters::types::{ParameterType, parameter_types};
use machine::{Known, LaunchLimits};
use model::convolution::Layer;
use model::launch::HitRate;
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

/// A `[[launch]]` table, as written in the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LaunchEntry {
    pub name: Option<String>,
    /// Mangled or demangled name of the kernel.
    pub function: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Number of blocks in a cluster along x, y and z.
    pub cluster: [u32; 3],
    /// True if the grid or the block is still `"?"`. Such an entry states no launch.
    pub is_unfilled: bool,
    /// Dynamic shared memory per block, in bytes.
    pub dynamic_shared: u32,
    /// Static shared memory per block, in bytes.
    pub static_shared: Option<u32>,
    pub registers: Option<u32>,
    /// Trip counts by the address of the loop's back branch (`"0x2a0"`) or by label.
    pub trips: BTreeMap<String, u64>,
    /// Parameter values by position. `None` if the entry states no `params`.
    pub params: Option<Vec<ParamValue>>,
    /// Values of words in constant bank 0, by byte offset.
    pub constants: BTreeMap<u32, ParamValue>,
    pub hit_rate: HitRate,
    /// The convolution layer that the kernel computes. `None` if it is not stated.
    pub convolution: Option<Layer>,
}

/// The keys of a `[[launch]]`.
pub(super) const KEYS: [&str; 13] = [
    "name",
    "function",
    "grid",
    "block",
    "cluster",
    "dynamic_shared",
    "static_shared",
    "registers",
    "params",
    "const",
    "trips",
    "hit_rate",
    "convolution",
];

/// The keys of `hit_rate`.
pub(super) const HIT_RATES: [&str; 2] = ["l1", "l2"];

/// The keys of `convolution`: seven required sizes and two optional sizes.
pub(super) const LAYER: [&str; 9] = ["n", "c", "h", "w", "k", "r", "s", "pad", "stride"];

/// Size of a constant bank in bytes. Source: CUDA C++ programming guide, technical specifications.
const BANK_BYTES: u64 = 64 << 10;

/// Largest size in a convolution layer. Some computations sum over a size.
const MAX_LAYER_SIZE: u64 = 1 << 20; // limit: bounds the time of these sums

/// Largest number of loops whose trip counts a launch may state.
const MAX_TRIPS: usize = 4096; // limit: bounds memory; real kernels have some dozens

/// Largest trip count of a loop. At one cycle per iteration, such a loop takes minutes.
const MAX_TRIPS_PER_LOOP: u64 = 1 << 40; // limit: minutes of a launch

impl LaunchEntry {
    /// Reads a launch. `Err` if any value is invalid, because the launch without the value would be a
    /// different launch. The error has the kernel's name and the reason, or is `None` if the name cannot be
    /// read.
    pub(super) fn read(
        value: &Spanned<DeValue<'_>>,
        reader: &mut Reader<'_>,
    ) -> Result<Self, Option<RefusedLaunch>> {
        const BYTES: &str = "a number of bytes";
        reader.watch();
        let errors_before = reader.errors();
        let limits = LaunchLimits::builtin();
        let Some(table) = reader.table("launch", value) else { return Err(None) };
        let mut entry = Self::default();
        let mut params = None;
        for (key, value) in members(table, &KEYS, "[[launch]]", reader) {
            match key {
                "name" => entry.name = reader.string(key, value),
                "function" => entry.function = reader.string(key, value).unwrap_or_default(),
                "grid" | "block" if is_to_fill_in(value) => {
                    entry.is_unfilled = true;
                    let message = format!("`{key}` is not filled in, so this launch is ignored");
                    reader.problem(&value.span(), Severity::Info, &message);
                }
                "grid" => entry.grid = dimensions(key, value, &limits.grid, reader),
                "block" => entry.block = block(value, limits, reader),
                "cluster" => entry.cluster = cluster(value, limits, reader),
                "dynamic_shared" => {
                    entry.dynamic_shared = word(key, value, BYTES, reader).unwrap_or_default();
                }
                "static_shared" => entry.static_shared = word(key, value, BYTES, reader),
                "registers" => {
                    let within = 1..u64::from(limits.registers) + 1;
                    let expected = format!("1 to {} registers", limits.registers);
                    entry.registers = reader.integer(key, value, within, &expected).map(|n| n as u32);
                }
                "params" => params = Some(value),
                "const" => entry.read_constants(value, reader),
                "trips" => entry.read_trips(value, reader),
                "hit_rate" => entry.read_hit_rate(value, reader),
                _ => entry.convolution = layer(value, reader),
            }
        }
        for (key, example) in [("function", "\"_Z1kPf\""), ("grid", "[16, 16, 1]"), ("block", "[256, 1, 1]")]
        {
            if !table.contains_key(key) {
                let message = format!("a launch needs `{key}`, such as {key} = {example}");
                reader.error_with(None, &value.span(), &message, added(value, key, example, reader));
            }
        }
        if let Some(params) = params {
            entry.read_params(params, reader);
        }
        if reader.errors() == errors_before {
            return Ok(entry);
        }
        Err(refused(named_function(table).map(str::to_owned), reader))
    }

    fn read_params(&mut self, value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) {
        let items = reader.array("params", value, "a list such as [\"ptr\", 2048, \"?\"]");
        let most = LaunchLimits::builtin().parameter_bytes.value as usize;
        if items.len() > most {
            let message = format!(
                "`params` has {} values; a kernel takes at most {most} bytes of parameters",
                items.len()
            );
            reader.error(&value.span(), &message);
            return;
        }
        let mut params = Vec::with_capacity(items.len());
        for item in items {
            params.push(param("params", item, reader).unwrap_or(ParamValue::Unknown));
        }
        let types = parameter_types(&self.function);
        if let Some(types) = &types {
            if types.len() != params.len() {
                let message = format!(
                    "`params` has {} values; `{}` takes {}: ({})",
                    params.len(),
                    reader::name(&self.function),
                    types.len(),
                    types.iter().map(|of| of.text.as_str()).collect::<Vec<_>>().join(", ")
                );
                reader.error(&value.span(), &message);
            }
            for (at, ((of, param), item)) in types.iter().zip(&params).zip(items).enumerate() {
                if let Some(misfit) = layout::misfit(of, param) {
                    let found = describe(param);
                    let message = format!(
                        "`params`: parameter {} has type `{}`: {misfit}, not {found}",
                        at + 1,
                        of.text
                    );
                    reader.error(&item.span(), &message);
                }
            }
        }
        warn_of_unknown_places(types.as_deref(), &params, items, reader);
        self.params = Some(params);
    }

    fn read_constants(&mut self, value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) {
        let Some(table) = reader.table("const", value) else { return };
        for (key, value) in table {
            let offset = number(key.get_ref()).filter(|at| *at < BANK_BYTES && at.is_multiple_of(4));
            let Some(offset) = offset else {
                let message = format!(
                    "`const`: expected an offset in constant bank 0, a multiple of 4 such as \"0x174\", not `{}`",
                    reader::name(key.get_ref())
                );
                reader.error(&key.span(), &message);
                continue;
            };
            let Some(word) = param("const", value, reader) else { continue };
            if matches!(word, ParamValue::Integer(word) if !layout::fits(word, 8)) {
                reader.expected("const", value, "a value of 64 bits at most");
            }
            self.constants.insert(offset as u32, word);
        }
    }

    fn read_trips(&mut self, value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) {
        let Some(table) = reader.table("trips", value) else { return };
        if table.len() > MAX_TRIPS {
            reader.error(
                &value.span(),
                &format!("`trips` has {} loops; the maximum is {MAX_TRIPS}", table.len()),
            );
            return;
        }
        for (key, value) in table {
            let key_name = format!("trips.{}", reader::name(key.get_ref()));
            let expected = format!("a loop count, 0 to {MAX_TRIPS_PER_LOOP}");
            if let Some(count) = reader.integer(&key_name, value, 0..MAX_TRIPS_PER_LOOP + 1, &expected) {
                self.trips.insert(key.get_ref().clone().into_owned(), count);
            }
        }
    }

    fn read_hit_rate(&mut self, value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) {
        let Some(table) = reader.table("hit_rate", value) else { return };
        for (key, value) in members(table, &HIT_RATES, "hit_rate", reader) {
            let rate = reader.number(key, value, 0.0..=1.0, "a share, 0.0 to 1.0");
            match key {
                "l1" => self.hit_rate.l1 = rate,
                _ => self.hit_rate.l2 = rate,
            }
        }
    }
}

/// Returns the kernel name of a launch: the value of `function`, or of a misspelled key that resembles `function`.
/// `None` if there is no name.
pub(super) fn named_function<'t>(table: &'t DeTable<'_>) -> Option<&'t str> {
    let other = || {
        let mut members = table.iter();
        members
            .find(|(key, _)| reader::meant(key.get_ref(), &KEYS) == Some("function"))
            .map(|(_, value)| value)
    };
    table.get("function").or_else(other)?.get_ref().as_str()
}

/// Returns the refused launch of a kernel with the first error since [`Reader::watch`]. `None` if the launch has no
/// name or no error.
pub(super) fn refused(function: Option<String>, reader: &Reader<'_>) -> Option<RefusedLaunch> {
    let (line, why) = reader.watched()?;
    Some(RefusedLaunch { function: function?, line, why })
}

/// Suggests adding a line with a missing key below the header of a launch. `None` for a launch in braces.
fn added(value: &Spanned<DeValue<'_>>, key: &str, example: &str, reader: &Reader<'_>) -> Option<Suggestion> {
    let header = value.span();
    let is_header = reader.text(&header)?.starts_with("[[");
    is_header.then(|| Suggestion { range: header.end..header.end, text: format!("\n{key} = {example}") })
}

fn layer(value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) -> Option<Layer> {
    let table = reader.table("convolution", value)?;
    let mut sizes = BTreeMap::new();
    for (key, value) in members(table, &LAYER, "convolution", reader) {
        let least = u64::from(key != "pad");
        let expected = format!("a number from {least} to {MAX_LAYER_SIZE}");
        let size = reader.integer(key, value, least..MAX_LAYER_SIZE + 1, &expected)?;
        sizes.insert(key, size as u32);
    }
    let lacking: Vec<&str> = LAYER[..7].iter().copied().filter(|key| !table.contains_key(*key)).collect();
    if !lacking.is_empty() {
        let message = format!("a convolution needs n, c, h, w, k, r and s; missing: {}", lacking.join(", "));
        reader.error(&value.span(), &message);
    }
    let size = |key: &str| sizes.get(key).copied().and_then(NonZeroU32::new);
    Some(Layer {
        n: size("n")?,
        c: size("c")?,
        h: size("h")?,
        w: size("w")?,
        k: size("k")?,
        r: size("r")?,
        s: size("s")?,
        pad: sizes.get("pad").copied().unwrap_or(0),
        stride: size("stride").unwrap_or(NonZeroU32::MIN),
    })
}

/// Warns about values after a parameter of unknown size. Only a cubin states the offsets of these values, so they are
/// ignored if there is no cubin.
fn warn_of_unknown_places(
    types: Option<&[ParameterType]>,
    params: &[ParamValue],
    items: &[Spanned<DeValue<'_>>],
    reader: &mut Reader<'_>,
) {
    let of = |at: usize| types.and_then(|types| types.get(at));
    let extents =
        params.iter().enumerate().map(|(at, param)| layout::extent(of(at).map(|of| of.kind), param));
    let places = layout::places(0, extents);
    let Some(first) = places.iter().position(Option::is_none) else { return };
    if params[first + 1..].iter().all(|param| *param == ParamValue::Unknown) {
        return;
    }
    let what = of(first).map_or_else(String::new, |of| format!(", `{}`,", of.text));
    let message = format!(
        "parameter {}{what} has an unknown size: later values are used only if a cubin gives their offsets. Otherwise state them by \
         offset in `const`",
        first + 1
    );
    reader.problem(&items[first].span(), Severity::Warning, &message);
}

/// True if a grid or block is not filled in: it is `"?"`, or a list that contains `"?"`.
fn is_to_fill_in(value: &Spanned<DeValue<'_>>) -> bool {
    let is_open = |value: &DeValue<'_>| value.as_str() == Some("?");
    let is_item_open = |items: &DeArray<'_>| items.iter().any(|item| is_open(item.get_ref()));
    is_open(value.get_ref()) || value.get_ref().as_array().is_some_and(is_item_open)
}

/// Reads one to three positive numbers, each up to its limit. A missing number is 1. Reports an invalid
/// number and replaces it with 1.
fn dimensions(
    key: &str,
    value: &Spanned<DeValue<'_>>,
    most: &[Known<u32>; 3],
    reader: &mut Reader<'_>,
) -> [u32; 3] {
    let mut all = [1; 3];
    let items = value.get_ref().as_array().map_or(&[][..], AsRef::as_ref);
    let given: Option<Vec<i128>> =
        items.iter().take(4).map(|item| reader::integer(item.get_ref()).filter(|n| *n > 0)).collect();
    let Some(given) = given.filter(|given| (1..=3).contains(&given.len())) else {
        reader.expected(key, value, "one to three positive numbers, such as [16, 16, 1]");
        return all;
    };
    for (at, (number, most)) in given.into_iter().zip(most).enumerate() {
        if let Some(number) = u32::try_from(number).ok().filter(|number| *number <= most.value) {
            all[at] = number;
        } else {
            let axis = ["x", "y", "z"][at];
            let message = format!("`{key}`: expected at most {} along {axis}, not {number}", most.value);
            let most = Suggestion { range: items[at].span(), text: most.value.to_string() };
            reader.error_with(None, &items[at].span(), &message, Some(most));
        }
    }
    all
}

/// Reads the cluster size: blocks along x, y and z, up to the largest cluster that a GPU accepts.
fn cluster(value: &Spanned<DeValue<'_>>, limits: &LaunchLimits, reader: &mut Reader<'_>) -> [u32; 3] {
    const MAX: u32 = 16; // Source: CUDA C++ programming guide, thread block clusters: 8, and 16 on request
    let [x, y, z] = dimensions("cluster", value, &limits.block, reader);
    if x.saturating_mul(y).saturating_mul(z) > MAX {
        reader
            .error(&value.span(), &format!("`cluster`: expected at most {MAX} blocks, not {x} x {y} x {z}"));
    }
    [x, y, z]
}

/// Reads the block size: threads along x, y and z. Reports a product above the limit of threads per block.
fn block(value: &Spanned<DeValue<'_>>, limits: &LaunchLimits, reader: &mut Reader<'_>) -> [u32; 3] {
    let [x, y, z] = dimensions("block", value, &limits.block, reader);
    let threads = u64::from(x) * u64::from(y) * u64::from(z);
    if threads > u64::from(limits.threads) {
        let most = limits.threads;
        let message = format!("`block`: expected at most {most} threads, not {x} x {y} x {z} = {threads}");
        reader.error(&value.span(), &message);
    }
    [x, y, z]
}

fn word(key: &str, value: &Spanned<DeValue<'_>>, expected: &str, reader: &mut Reader<'_>) -> Option<u32> {
    reader.integer(key, value, 0..1 << 32, expected).map(|number| number as u32)
}

fn param(key: &str, value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) -> Option<ParamValue> {
    let read = match value.get_ref() {
        DeValue::String(text) if text == "ptr" => Some(ParamValue::Pointer),
        DeValue::String(text) if text == "?" => Some(ParamValue::Unknown),
        DeValue::Boolean(value) => Some(ParamValue::Boolean(*value)),
        DeValue::Integer(_) => reader::integer(value.get_ref()).map(ParamValue::Integer),
        DeValue::Float(_) => reader::float(value.get_ref()).map(ParamValue::Float),
        DeValue::Table(table) if table.len() == 1 => {
            if let Some(map) = table.get("tensor_map") {
                return tensor(map, reader).map(ParamValue::Tensor);
            }
            if let Some(contents) = table.get("holds") {
                return holds(contents, reader);
            }
            None
        }
        _ => None,
    };
    if read.is_none() {
        reader.expected(
            key,
            value,
            "\"ptr\", \"?\", a number, a boolean, { holds = { … } } or { tensor_map = { … } }",
        );
    }
    read
}

fn describe(value: &ParamValue) -> String {
    match value {
        ParamValue::Pointer => "\"ptr\"".to_owned(),
        ParamValue::Holding(_) => "a pointer".to_owned(),
        ParamValue::Unknown => "\"?\"".to_owned(),
        ParamValue::Boolean(value) => value.to_string(),
        ParamValue::Integer(value) => value.to_string(),
        ParamValue::Float(value) => value.to_string(),
        ParamValue::Tensor(_) => "a tensor map".to_owned(),
    }
}

/// Parses a hexadecimal or decimal number such as `0x2a0` or `672`. `None` for any other text.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
