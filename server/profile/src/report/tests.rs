//! Tests with reports that are made here, whose content is known.

use super::schema::{
    BlockHeader, Element, Metric, MetricValue, Names, Relocations, Result as KernelResult, Size, Source,
    Symbol,
};
use crate::{Error, Instances, Profile, Value};
use proptest::prelude::*;
use prost::Message;

fn framed(message: &impl Message) -> Vec<u8> {
    let bytes = message.encode_to_vec();
    [&(bytes.len() as u32).to_le_bytes()[..], &bytes].concat()
}

fn count(count: u64) -> MetricValue {
    MetricValue { long: Some(count), ..MetricValue::default() }
}

fn metric(name: u32, total: u64, parts: &[(u64, u64)]) -> Metric {
    let part = |(key, value): &(u64, u64)| Element { key: Some(count(*key)), value: Some(count(*value)) };
    Metric { name, value: Some(count(total)), parts: parts.iter().map(part).collect() }
}

/// A report of two launches. The second names its metrics by what stands in the first one's block and in its own.
fn report() -> Vec<u8> {
    let names = |names: &[&str]| Some(Names { names: names.iter().map(|name| (*name).to_owned()).collect() });
    let kernel = |mangled: &str, metrics: Vec<Metric>| KernelResult {
        mangled: mangled.to_owned(),
        demangled: format!("{mangled}()"),
        grid: Some(Size { x: 8, y: 1, z: 1 }),
        block: Some(Size { x: 64, y: 2, z: 1 }),
        metrics,
        source: Some(Source { number: 5, relocations: None }),
    };
    let function = Symbol { name: "one".to_owned(), address: 0x1000 };
    let source = Source { number: 5, relocations: Some(Relocations { functions: vec![function] }) };
    let one = kernel(
        "one",
        vec![
            metric(0, 30, &[(0x1010, 20), (0x1000, 10)]),
            metric(1, 7, &[(0x1020, 4), (0x1010, 3)]),
            metric(2, 0, &[(1, 100), (2, 50)]),
        ],
    );
    let two = kernel("two", vec![metric(3, 9, &[]), metric(0, 1, &[(0x2000, 1)])]);
    let mut bytes = super::MAGIC.to_vec();
    bytes.extend(framed(&Size { x: 7, y: 0, z: 0 }));
    let metrics = ["inst_executed", "smsp__pcsamp_sample_count", "occupancy_by_registers"];
    let header = BlockHeader { sources: 1, results: 1, names: names(&metrics), ..BlockHeader::default() };
    bytes.extend([framed(&header), framed(&source), framed(&one)].concat());
    let header = BlockHeader { results: 1, ranges: 1, names: names(&["later"]), ..BlockHeader::default() };
    bytes.extend([framed(&header), framed(&two), framed(&Size::default())].concat());
    bytes
}

fn read(bytes: &[u8]) -> Result<Profile, Error> {
    crate::read(bytes)
}

#[test]
fn launches_have_their_metrics_and_instructions() {
    let profile = read(&report()).unwrap();
    let [one, two] = profile.launches.as_slice() else { panic!("{profile:?}") };
    assert_eq!((profile.cut.as_ref(), one.grid, one.block), (None, Some([8, 1, 1]), Some([64, 2, 1])));
    assert_eq!(one.instructions.offsets(), [0, 16, 32]);
    let counts = |metric: &str| [0, 1, 2].map(|at| one.instructions.count(metric, at));
    assert_eq!(counts("inst_executed"), [Some(10.0), Some(20.0), None]);
    assert_eq!(counts("smsp__pcsamp_sample_count"), [None, Some(3.0), Some(4.0)]);
    assert_eq!(one.metric("inst_executed"), Some(30.0));
    let by_registers = Instances::ByNumber(vec![(1, Value::Count(100)), (2, Value::Count(50))]);
    assert_eq!(one.metrics["occupancy_by_registers"].instances, by_registers);
    // The report does not say where it starts: its first instruction does.
    assert_eq!((two.metric("later"), two.instructions.offsets()), (Some(9.0), &[0][..]));
}

#[test]
fn each_cut_gives_what_stands_before_it() {
    let whole = report();
    let all = read(&whole).unwrap();
    for length in 0..whole.len() {
        match read(&whole[..length]) {
            Ok(part) => assert_eq!(part.launches[..], all.launches[..part.launches.len()]),
            Err(error) => assert!(error.to_string().starts_with("expected"), "{error}"),
        }
    }
}

#[test]
fn messages_without_content_are_no_launches() {
    let header = BlockHeader { results: u32::MAX, ..BlockHeader::default() };
    let mut bytes = [super::MAGIC, &framed(&Size::default()), &framed(&header)].concat();
    bytes.resize(1 << 16, 0);
    assert!(matches!(read(&bytes), Err(Error::Cut(_))));
}

proptest! {
    #[test]
    fn any_bytes_have_an_answer(at in 0_usize..2000, bits in any::<u8>(), tail in proptest::collection::vec(any::<u8>(), 0..64)) {
        let mut bytes = report();
        let at = at % bytes.len();
        bytes[at] ^= bits;
        let _ = read(&bytes);
        bytes.truncate(at);
        bytes.extend(tail);
        let _ = read(&bytes);
    }
}
