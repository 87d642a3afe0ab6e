//! Tests with synthetic reports, whose contents are known.

use super::schema::{
    BlockHeader, Element, File, Files, KernelResult, Metric, MetricValue, Names, Process, RangeResult,
    Relocations, Size, Source, Symbol,
};
use crate::{Error, Function, Instances, Launch, Profile, Value};
use proptest::prelude::*;
use prost::Message;
use std::sync::Arc;

fn framed(message: &impl Message) -> Vec<u8> {
    let bytes = message.encode_to_vec();
    [&(bytes.len() as u32).to_le_bytes()[..], &bytes].concat()
}

fn count(count: u64) -> MetricValue {
    MetricValue { long: Some(count), ..MetricValue::default() }
}

fn metric(name: u32, total: u64, parts: &[(u64, u64)]) -> Vec<u8> {
    let part = |(key, value): &(u64, u64)| {
        Element { key: Some(count(*key)), value: Some(count(*value)) }.encode_to_vec()
    };
    Metric { name, value: Some(count(total)), parts: parts.iter().map(part).collect() }.encode_to_vec()
}

fn names(names: &[&str]) -> Vec<u8> {
    Names { names: names.iter().map(|name| (*name).into()).collect() }.encode_to_vec()
}

fn kernel(mangled: &str, metrics: Vec<Vec<u8>>) -> KernelResult {
    KernelResult {
        mangled: mangled.into(),
        demangled: format!("{mangled}()").into(),
        grid: Some(Size { x: 8, y: 1, z: 1 }),
        block: Some(Size { x: 64, y: 2, z: 1 }),
        metrics,
        source: Some(Source { number: 5, ..Source::default() }),
        ..KernelResult::default()
    }
}

fn relocations(functions: &[(&str, u64)]) -> Vec<u8> {
    let symbol = |(name, address): &(&str, u64)| Symbol { name: (*name).into(), address: *address };
    Relocations { functions: functions.iter().map(symbol).collect() }.encode_to_vec()
}

fn files(files: &[(&str, Option<&[u8]>)]) -> Vec<u8> {
    let file =
        |(path, text): &(&str, Option<&[u8]>)| File { path: (*path).into(), text: text.map(Into::into) };
    Files { files: files.iter().map(file).collect() }.encode_to_vec()
}

/// The start of a report, up to its first block.
fn head() -> Vec<u8> {
    [super::MAGIC, &framed(&Size { x: 7, y: 0, z: 0 })].concat()
}

fn block(header: BlockHeader, sources: &[Source], results: &[KernelResult]) -> Vec<u8> {
    let (sources_count, results_count) = (sources.len() as u32, results.len() as u32);
    let header = BlockHeader { sources: sources_count, results: results_count, ..header };
    let messages = sources.iter().map(framed).chain(results.iter().map(framed));
    [framed(&header), messages.collect::<Vec<_>>().concat()].concat()
}

/// Returns a report of two launches and a range. The second launch uses metric names from the first block and from
/// its own block.
fn report() -> Vec<u8> {
    let source = Source {
        number: 5,
        code: Some(b"\x7fELF code".to_vec()),
        files: Some(files(&[("one.cu", Some(b"one\n")), ("other.h", None), ("latin.h", Some(b"// \xe4\n"))])),
        relocations: Some(relocations(&[("one", 0x1000), ("before", 0x800), ("behind", 0x1800)])),
    };
    let one = kernel(
        "one",
        vec![
            metric(0, 30, &[(0x1010, 20), (0x1000, 10), (0x810, 6), (0x1800, 7), (0x10, 1)]),
            metric(1, 7, &[(0x1020, 4), (0x1010, 3)]),
            metric(2, 0, &[(1, 100), (2, 50)]),
        ],
    );
    let two = kernel("two", vec![metric(3, 9, &[]), metric(0, 1, &[(0x20, 1), (0x30, 2)])]);
    let metrics = ["inst_executed", "smsp__pcsamp_sample_count", "occupancy_by_registers"];
    let header = BlockHeader { names: Some(names(&metrics)), ..BlockHeader::default() };
    let later = BlockHeader { ranges: 1, names: Some(names(&["later"])), ..BlockHeader::default() };
    let again = Source { code: Some(b"\x7fELF code".to_vec()), relocations: None, ..source.clone() };
    let range = RangeResult { metrics: vec![metric(0, 5, &[(0x1000, 3), (0x1810, 2)])], programs: vec![5] };
    [head(), block(header, &[source], &[one]), block(later, &[again], &[two]), framed(&range)].concat()
}

fn read(bytes: &[u8]) -> Result<Profile, Error> {
    crate::read(bytes)
}

#[test]
fn launches_have_their_metrics_and_instructions() {
    let profile = read(&report()).unwrap();
    let [one, two, range] = profile.launches.as_slice() else { panic!("{profile:?}") };
    assert_eq!((profile.cut.as_ref(), one.grid, one.block), (None, Some([8, 1, 1]), Some([64, 2, 1])));
    assert_eq!(one.instructions.offsets(), [0, 16, 32]);
    let counts = |metric: &str| [0, 1, 2].map(|at| one.instructions.count(metric, at));
    assert_eq!(counts("inst_executed"), [Some(10.0), Some(20.0), None]);
    assert_eq!(counts("smsp__pcsamp_sample_count"), [None, Some(3.0), Some(4.0)]);
    assert_eq!(one.metric("inst_executed"), Some(30.0));
    let by_registers = Instances::ByNumber(vec![(1, Value::Count(100)), (2, Value::Count(50))]);
    assert_eq!(one.metrics["occupancy_by_registers"].instances, by_registers);
    // The report does not state the kernel's start, so that its first instruction is used.
    assert_eq!((two.metric("later"), two.instructions.offsets()), (Some(9.0), &[0, 16][..]));
    assert_eq!((range.kernel.demangled.as_str(), range.metric("inst_executed")), ("range", Some(5.0)));
}

/// A function's name, and its instructions with their execution counts.
type Executed<'l> = (Option<&'l str>, Vec<(u64, f64)>);

/// The functions other than the kernel.
fn functions(launch: &Launch) -> Vec<Executed<'_>> {
    let counts = |function: &Function| function.instructions.counts("inst_executed").collect();
    launch.functions.iter().map(|function| (function.name.as_deref(), counts(function))).collect()
}

#[test]
fn functions_that_are_called_keep_their_counts() {
    let profile = read(&report()).unwrap();
    let [one, two, range] = profile.launches.as_slice() else { panic!("{profile:?}") };
    // No function is known to start before the first address, which may belong to code of the driver.
    let called =
        [(None, vec![(0, 1.0)]), (Some("before"), vec![(16, 6.0)]), (Some("behind"), vec![(0, 7.0)])];
    assert_eq!(functions(one), called);
    assert_eq!(one.functions[1].instructions.metrics().collect::<Vec<_>>(), ["inst_executed"]);
    assert_eq!(functions(two), []);
    assert!(range.instructions.is_empty());
    assert_eq!(functions(range), [(Some("one"), vec![(0, 3.0)]), (Some("behind"), vec![(16, 2.0)])]);
}

#[test]
fn a_kernel_that_was_loaded_twice_keeps_both_counts() {
    let source = Source {
        number: 5,
        relocations: Some(relocations(&[("one", 0x1000), ("one", 0x5000)])),
        ..Source::default()
    };
    let header = BlockHeader { names: Some(names(&["inst_executed"])), ..BlockHeader::default() };
    let one = kernel("one", vec![metric(0, 3, &[(0x1000, 1), (0x5010, 2)])]);
    let found = read(&[head(), block(header, &[source], &[one])].concat()).unwrap().launches;
    assert_eq!(found[0].instructions.offsets(), [0]);
    assert_eq!(functions(&found[0]), [(Some("one"), vec![(16, 2.0)])]);
}

#[test]
fn code_and_sources_are_held_once() {
    let profile = read(&report()).unwrap();
    let [one, two, range] = profile.launches.as_slice() else { panic!("{profile:?}") };
    assert_eq!(one.code.as_deref(), Some(&b"\x7fELF code"[..]));
    let texts: Vec<_> = one.sources.iter().map(|(path, text)| (&**path, &**text)).collect();
    assert_eq!(texts, [("latin.h", "// \u{fffd}\n"), ("one.cu", "one\n")]);
    for other in [two, range] {
        let (own, other_code) = (one.code.as_ref().unwrap(), other.code.as_ref().unwrap());
        assert!(Arc::ptr_eq(own, other_code) && Arc::ptr_eq(&one.sources, &other.sources));
    }
}

#[test]
fn each_process_numbers_its_own_programs() {
    let process = |number| Some(Process { number, host: Vec::new() });
    let source = |code: &[u8], start| Source {
        number: 5,
        code: Some(code.to_vec()),
        relocations: Some(relocations(&[("one", start)])),
        ..Source::default()
    };
    let of = |number, code, start| {
        let header = BlockHeader { process: process(number), ..BlockHeader::default() };
        block(header, &[source(code, start)], &[])
    };
    let launch = |number| {
        let header = BlockHeader { process: process(number), ..BlockHeader::default() };
        block(header, &[], &[kernel("one", vec![metric(0, 1, &[(0x1010, 1)])])])
    };
    let named = BlockHeader { names: Some(names(&["inst_executed"])), ..BlockHeader::default() };
    let blocks = [block(named, &[], &[]), of(1, b"first", 0x1000), of(2, b"second", 0x1010)];
    let profile = read(&[head(), blocks.concat(), launch(1), launch(2), launch(3)].concat()).unwrap();
    let found: Vec<_> = profile
        .launches
        .iter()
        .map(|launch| (launch.code.as_deref(), launch.instructions.offsets().to_vec()))
        .collect();
    assert_eq!(found, [(Some(&b"first"[..]), vec![16]), (Some(&b"second"[..]), vec![0]), (None, vec![0])]);
}

#[test]
fn a_kernel_without_a_demangled_name_goes_by_its_function() {
    let result = |mangled: &str, function: &str| KernelResult {
        mangled: mangled.into(),
        function: function.into(),
        ..KernelResult::default()
    };
    let results = [result("_Z3onev", "one"), result("two", "")];
    let profile = read(&[head(), block(BlockHeader::default(), &[], &results)].concat()).unwrap();
    let found: Vec<_> = profile.launches.iter().map(|launch| launch.kernel.demangled.as_str()).collect();
    assert_eq!(found, ["one", "two"]);
}

#[test]
fn ratios_of_nothing_have_no_value() {
    let number = |double| MetricValue { double: Some(double), ..MetricValue::default() };
    let parts = [(1, f64::NAN), (2, 0.5)]
        .map(|(key, value)| Element { key: Some(count(key)), value: Some(number(value)) }.encode_to_vec());
    let metric =
        Metric { name: 0, value: Some(number(f64::INFINITY)), parts: parts.to_vec() }.encode_to_vec();
    let header = BlockHeader { names: Some(names(&["ratio"])), ..BlockHeader::default() };
    let profile = read(&[head(), block(header, &[], &[kernel("one", vec![metric])])].concat()).unwrap();
    let metric = &profile.launches[0].metrics["ratio"];
    assert_eq!(
        (&metric.value, &metric.instances),
        (&None, &Instances::ByNumber(vec![(2, Value::Number(0.5))]))
    );
}

/// Returns an ELF file with one code section per element of `functions`. An element has the section's size in bytes
/// and its symbols with their values.
fn elf(functions: &[(u64, &[(&str, u64)])]) -> Vec<u8> {
    let section = |fields: [u64; 10]| {
        let [name, kind, flags, address, offset, size, link, info, align, entry] = fields;
        let words = [name as u32, kind as u32].map(u32::to_le_bytes).concat();
        let more = [flags, address, offset, size].map(u64::to_le_bytes).concat();
        let links = [link as u32, info as u32].map(u32::to_le_bytes).concat();
        [words, more, links, [align, entry].map(u64::to_le_bytes).concat()].concat()
    };
    let mut names = vec![0];
    let mut symbols = vec![0; 24];
    for (at, (_, own)) in functions.iter().enumerate() {
        for (name, value) in *own {
            symbols.extend((names.len() as u32).to_le_bytes());
            // Symbol type and binding of a global function.
            symbols.extend([0x12, 0]);
            symbols.extend((at as u16 + 1).to_le_bytes());
            symbols.extend([*value, 8].map(u64::to_le_bytes).concat());
            names.extend([name.as_bytes(), b"\0"].concat());
        }
    }
    let (at_symbols, at_names) = (64, 64 + symbols.len() as u64);
    let at_sections = at_names + names.len() as u64;
    let count = functions.len() as u64;
    let code = functions.iter().map(|(size, _)| section([0, 1, 6, 0, 64, *size, 0, 0, 128, 0]));
    let tables = [
        section([0, 2, 0, 0, at_symbols, symbols.len() as u64, count + 2, 1, 8, 24]),
        section([0, 3, 0, 0, at_names, names.len() as u64, 0, 0, 1, 0]),
    ];
    let sections = [vec![0; 64], code.collect::<Vec<_>>().concat(), tables.concat()].concat();
    let mut header = b"\x7fELF\x02\x01\x01\x33\x07\0\0\0\0\0\0\0\x02\0\xbe\0\x01\0\0\0".to_vec();
    header.extend([0, 0, at_sections].map(u64::to_le_bytes).concat());
    header.extend(0_u32.to_le_bytes());
    header.extend([64, 0, 0, 64, count as u16 + 3, count as u16 + 2].map(u16::to_le_bytes).concat());
    [header, symbols, names, sections].concat()
}

/// Returns a report of one launch with the code `code` and without a separate list of function addresses.
fn with_code(code: Vec<u8>) -> Vec<u8> {
    let source = Source { number: 5, code: Some(code), ..Source::default() };
    let header = BlockHeader { names: Some(names(&["inst_executed"])), ..BlockHeader::default() };
    let one = kernel("one", vec![metric(0, 1, &[(0x9008, 3), (0x9048, 4), (0x8010, 5)])]);
    [head(), block(header, &[source], &[one])].concat()
}

/// Code with addresses in its symbols. The kernel's section contains a subroutine.
fn old_code() -> Vec<u8> {
    elf(&[(0x80, &[("sub", 0x9040), ("one", 0x9000)]), (0x40, &[("called", 0x8000)])])
}

#[test]
fn functions_stand_where_old_code_says() {
    let found = read(&with_code(old_code())).unwrap().launches;
    assert_eq!(found[0].instructions.offsets(), [8, 0x48]);
    assert_eq!(functions(&found[0]), [(Some("called"), vec![(16, 5.0)])]);
    // Section offsets are not addresses.
    let places = elf(&[(0x80, &[("sub", 0x40), ("one", 0)]), (0x40, &[("called", 0)])]);
    let found = read(&with_code(places)).unwrap().launches;
    assert_eq!((found[0].instructions.offsets(), functions(&found[0])), (&[0, 0xff8, 0x1038][..], vec![]));
    for length in 0..old_code().len() {
        assert_eq!(read(&with_code(old_code()[..length].to_vec())).unwrap().launches.len(), 1);
    }
}

#[test]
fn each_truncation_keeps_the_messages_before_it() {
    for whole in [report(), with_code(old_code())] {
        let all = read(&whole).unwrap();
        for length in 0..whole.len() {
            match read(&whole[..length]) {
                Ok(part) => assert_eq!(part.launches[..], all.launches[..part.launches.len()]),
                Err(error) => assert!(error.to_string().starts_with("expected"), "{error}"),
            }
        }
    }
}

#[test]
fn messages_without_content_are_no_launches() {
    let results = BlockHeader { results: u32::MAX, ..BlockHeader::default() };
    let ranges = BlockHeader { ranges: u32::MAX, ..BlockHeader::default() };
    for header in [results, ranges] {
        let mut bytes = [super::MAGIC, &framed(&Size::default()), &framed(&header)].concat();
        bytes.resize(1 << 16, 0);
        assert!(matches!(read(&bytes), Err(Error::Cut(_))));
    }
}

#[test]
fn a_large_report_reports_progress_per_megabyte_and_can_be_stopped() {
    let header = BlockHeader::default();
    let padding = Source { code: Some(vec![7; 300_000]), ..Source::default() };
    let mut bytes = report();
    bytes.extend((0..20).flat_map(|_| block(header.clone(), std::slice::from_ref(&padding), &[])));
    let of = bytes.len() as u64;
    let mut reported: Vec<u64> = Vec::new();
    let progress = &mut |done, all| {
        assert_eq!(all, of);
        reported.push(done);
        true
    };
    assert_eq!(crate::read_with(&bytes, progress).unwrap().launches.len(), 3);
    assert_eq!((reported.first(), reported.last()), (Some(&0), Some(&of)));
    assert!(
        reported.is_sorted() && reported.windows(2).all(|two| two[1] - two[0] < 2_000_000),
        "{reported:?}"
    );
    for stop in [0, 1, of / 2, of] {
        assert_eq!(crate::read_with(&bytes, &mut |done, _| done < stop), Err(Error::Stopped));
    }
}

proptest! {
    #[test]
    fn any_bytes_have_an_answer(
        is_old in any::<bool>(),
        flips in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        end in any::<prop::sample::Index>(),
        tail in proptest::collection::vec(any::<u8>(), 0..64),
    ) {
        let mut bytes = if is_old { with_code(old_code()) } else { report() };
        for (at, bits) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= bits;
        }
        let _ = read(&bytes);
        bytes.truncate(end.index(bytes.len()));
        bytes.extend(tail);
        let _ = read(&bytes);
    }
}

#[test]
fn parts_of_a_message_that_take_more_room_than_bytes_are_bounded() {
    let empty = [0x6a, 0x00];
    let many = crate::limits::MAX_PARTS + 1;
    // A kernel followed by metrics without any bytes.
    let bomb = [&kernel("k", Vec::new()).encode_to_vec()[..], &empty.repeat(many)].concat();
    let header = BlockHeader { results: 2, ..BlockHeader::default() };
    let first = framed(&kernel("first", Vec::new()));
    let bytes = [head(), framed(&header), first, (bomb.len() as u32).to_le_bytes().to_vec(), bomb].concat();
    let profile = read(&bytes).unwrap();
    assert_eq!(profile.launches.len(), 1);
    assert!(profile.cut.is_some_and(|cut| cut.starts_with("a message has too many fields")));
}

#[test]
fn launches_are_counted() {
    const MANY: usize = crate::limits::MAX_LAUNCHES + 5;
    let one = framed(&KernelResult { function: b"k".to_vec(), ..KernelResult::default() });
    let header = BlockHeader { results: MANY as u32, ..BlockHeader::default() };
    let profile = read(&[head(), framed(&header), one.repeat(MANY)].concat()).unwrap();
    assert_eq!(profile.launches.len(), crate::limits::MAX_LAUNCHES);
    assert!(profile.cut.is_some_and(|cut| cut.starts_with("only the first 200000 launches are read")));
}
