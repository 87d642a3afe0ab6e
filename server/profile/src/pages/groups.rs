//! Divides the source page's tables into launches. The page does not mark where a launch starts.

use super::functions::Table;
use rustc_hash::FxHashSet;

/// The tables of each launch, each launch once. If the page is truncated, functions whose kernel is missing
/// are skipped.
pub(super) fn groups(tables: &[Table], is_cut: bool) -> Vec<&[Table]> {
    printed_twice(tables).unwrap_or_else(|| in_order(tables, is_cut))
}

/// The launches of a page that lists each launch twice, as versions of 2025 print some reports; `None` if a
/// launch is listed only once.
///
/// The number of tables from a kernel to its repetition is the number of tables of a launch. The last launch
/// may be incomplete.
fn printed_twice(tables: &[Table]) -> Option<Vec<&[Table]>> {
    let mut groups = Vec::new();
    let mut rest = tables;
    while !rest.is_empty() {
        let mut kernels = (0..rest.len()).filter(|at| rest[*at].has_exit);
        let copy = match (kernels.next(), kernels.next()) {
            (Some(kernel), Some(again)) if kernel < again - kernel => again - kernel,
            (Some(_), Some(_)) => return None,
            (None, _) if !groups.is_empty() => break,
            _ if groups.is_empty() => return None,
            _ => rest.len(),
        };
        let (one, following) = rest.split_at(copy);
        let (other, following) = following.split_at(copy.min(following.len()));
        if !is_again(one, other, following.is_empty()) {
            return None;
        }
        groups.push(one);
        rest = following;
    }
    Some(groups)
}

/// True if `other` repeats the tables of the launch `one`. At the end of the page, which may be truncated, repeating
/// the first few tables is sufficient.
fn is_again(one: &[Table], other: &[Table], is_last: bool) -> bool {
    let count = other.len();
    let is_same = |(at, (one, other)): (usize, (&Table, &Table))| {
        let is_part = is_last && at + 1 == count && one.rows.starts_with(&other.rows);
        one.function == other.function && one.file == other.file && (one.rows == other.rows || is_part)
    };
    (is_last || one.len() == count) && one.iter().zip(other).enumerate().all(is_same)
}

/// Divides a page that lists each launch once into launches.
///
/// A launch has one kernel and lists each of its functions once. A repeated function or another kernel begins
/// the next launch. Tables of a launch are ordered by address or by file path. A function after the kernel
/// that breaks this order also begins the next launch. Functions between two kernels that keep the order are
/// assumed to be callees of the first kernel.
fn in_order(tables: &[Table], is_cut: bool) -> Vec<&[Table]> {
    let mut starts = vec![0];
    let mut group = Group::default();
    for (at, table) in tables.iter().enumerate() {
        if group.is_before(table) {
            starts.push(at);
            group = Group::default();
        }
        group.add(table);
    }
    let has_no_kernel = group.kernel.is_none() && group.last.is_some_and(|last| last.file.is_empty());
    let mut end = tables.len();
    if has_no_kernel && starts.len() > 1 {
        // The tables belong to the previous launch, whose functions are in another order, or to the launch in
        // which the page was truncated.
        let start = starts.pop();
        end = start.filter(|_| is_cut).unwrap_or(end);
    }
    let ends = starts.iter().skip(1).copied().chain([end]);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| &tables[*start..end])
        .filter(|group| !group.is_empty())
        .collect()
}

/// The tables of a launch found so far.
#[derive(Default)]
struct Group<'t> {
    last: Option<&'t Table>,
    /// Name of the kernel.
    kernel: Option<&'t str>,
    files: FxHashSet<&'t str>,
    functions: FxHashSet<&'t str>,
}

impl<'t> Group<'t> {
    fn add(&mut self, table: &'t Table) {
        self.last = Some(table);
        self.kernel = self.kernel.or(table.has_exit.then_some(&*table.function));
        self.files.insert(&table.file);
        self.functions.insert(&table.function);
    }

    /// True if a table belongs to the launch after this one.
    fn is_before(&self, table: &Table) -> bool {
        let Some(last) = self.last else { return false };
        let is_again = self.functions.contains(&*table.function);
        let begins = if table.file.is_empty() {
            is_again || self.kernel.is_some() && table.first <= last.first
        } else {
            table.opens_file && (self.files.contains(&*table.file) || table.file < last.file && !is_again)
        };
        begins || table.has_exit && self.kernel.is_some_and(|kernel| kernel != table.function)
    }
}
