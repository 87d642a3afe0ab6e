//! Tests with pages that are made here.

use crate::{Error, Value, read};

const RAW: &str = "==PROF== Connected\n\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"time\",\"mode\"\n\
    \"\",\"\",\"\",\"\",\"\",\"\",\"us\",\"\"\n\
    \"0\",\"add(int, float *)\",\"(32, 8, 1)\",\"(1,024, 1, 1)\",\"0\",\"9.0\",\"1,234.50\",\"fast\"\n\
    \"1\",\"add(int, float *)\",\"(32, 8, 1)\",\"(7, 1, 1)\",\"1\",\"10.3\",\"no data\",\"fast\"\n";

#[test]
fn the_raw_page_has_launches_with_units() {
    let profile = read(RAW.as_bytes()).unwrap();
    let [one, two] = profile.launches.as_slice() else { panic!("{profile:?}") };
    assert_eq!((one.block, one.capability, one.device), (Some([32, 8, 1]), Some((9, 0)), Some(0)));
    assert_eq!((two.grid, two.capability, two.device), (Some([7, 1, 1]), Some((10, 3)), Some(1)));
    assert_eq!((one.metric("time"), two.metric("time")), (Some(1234.5), None));
    assert_eq!(one.metrics["time"].unit.as_deref(), Some("us"));
    assert_eq!(one.metrics["mode"].value, Some(Value::Text("fast".to_owned())));
}

const SOURCE: &str = "\"Kernel Name\",\"add(int)\"\n\"Address\",\"Source\",\"# Samples\",\"stall_wait\",\"Access Operation\"\n\
    \"0x7f10\",\"  EXIT\",\"3\",\"2\",\"-\"\n\"0x7f00\",\"  NOP\",\"1,000\",\"0\",\"-\"\n";

#[test]
fn a_table_that_is_printed_twice_is_one_launch() {
    for text in [SOURCE.to_owned(), SOURCE.repeat(2)] {
        let profile = read(text.as_bytes()).unwrap();
        assert_eq!(profile.launches.len(), 1);
        let instructions = &profile.launches[0].instructions;
        assert_eq!((instructions.offsets(), instructions.text(1)), (&[0, 16][..], Some("EXIT")));
        assert_eq!(instructions.count("smsp__pcsamp_sample_count", 0), Some(1000.0));
        assert_eq!(profile.launches[0].metric("smsp__pcsamp_warps_issue_stalled_wait"), Some(2.0));
    }
    let other = SOURCE.replace("1,000", "999");
    assert_eq!(read([SOURCE, SOURCE, &other, &other].concat().as_bytes()).unwrap().launches.len(), 2);
}

#[test]
fn each_cut_of_a_page_has_an_answer() {
    for text in [RAW, SOURCE] {
        let whole = read(text.as_bytes()).unwrap();
        for length in 0..text.len() {
            match read(&text.as_bytes()[..length]) {
                Ok(part) => {
                    assert!(part.cut.is_some() || text.as_bytes()[length - 1] == b'\n');
                    assert!(part.launches.len() <= whole.launches.len());
                }
                Err(error) => assert!(error.to_string().starts_with("expected"), "{error}"),
            }
        }
    }
}

#[test]
fn what_is_no_profile_says_what_was_expected() {
    for text in ["", "int main() {}\n", "a,b\n\"1\",\"2\"\n"] {
        assert_eq!(read(text.as_bytes()), Err(Error::Unknown), "{text}");
    }
    assert_eq!(read(b"\x7fELF\xff"), Err(Error::Unknown));
    assert_eq!(read(b"\"File Name\",\"x.cu\"\n"), Err(Error::SourceAlone));
    assert_eq!(read(b"\"Kernel Name\",\"x\"\n"), Err(Error::Empty));
}
