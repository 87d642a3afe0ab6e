//! Tests with synthetic pages.

use crate::{Error, Instructions, Launch, Line, Value, read};

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
    assert_eq!((one.metric("time"), two.metric("time")), (Some(1_234_500.0), None));
    assert_eq!(one.metrics["time"].unit.as_deref(), Some("ns"));
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

/// Returns a function's table. Its instructions are 16 bytes apart, the first at address `first`, and each has an
/// execution count.
fn table(title: &str, function: &str, first: u64, instructions: &[(&str, u32)]) -> String {
    let head = format!(
        "\"{title}\",\"{function}\"\n\"Line No\",\"Source\",\"Address\",\"Source\",\"Instructions Executed\"\n"
    );
    let rows = (first..).step_by(16).zip(instructions);
    let rows = rows.map(|(at, (text, count))| format!("\"7\",\"x;\",\"{at:#x}\",\"  {text}\",\"{count}\"\n"));
    head + &rows.collect::<String>()
}

/// Returns three launches of a page that is listed by instruction: a kernel with one function before it and one after
/// it in address order, another kernel, and the first kernel again.
fn calls() -> [String; 3] {
    let by_instruction = |function: &str, first, instructions: &[(&str, u32)]| {
        table("Kernel Name", function, first, instructions)
            .replace("\"Line No\",\"Source\",", "")
            .replace("\"7\",\"x;\",", "")
    };
    let of = |count| {
        let before = by_instruction("before(int)", 0x100, &[("NOP", count), ("RET", 2)]);
        let kernel = by_instruction("kernel(int)", 0x200, &[("CALL 0x100", 1), ("@P0   EXIT", 1)]);
        [before, kernel, by_instruction("behind()", 0x300, &[("RET.REL.NODEC R2", 5)])].concat()
    };
    [of(3), by_instruction("other()", 0x400, &[("EXIT", 9)]), of(4)]
}

#[test]
fn launches_that_are_printed_twice_need_no_order() {
    let [one, other, again] = calls().map(|text| text.replace("0x1", "0x9"));
    let twice = [&one, &one, &other, &other, &again, &again].map(String::as_str).concat();
    let found = read(twice.as_bytes()).unwrap().launches;
    assert_eq!(found.iter().map(|launch| launch.functions.len()).collect::<Vec<_>>(), [2, 0, 2]);
    let cut = &twice[..twice.len() - again.len() - 1];
    assert_eq!(read(cut.as_bytes()).unwrap().launches[..2], found[..2]);
}

#[test]
fn functions_without_their_kernel_are_no_launch() {
    let [one, other, again] = calls();
    let text = [&*other, &again].concat();
    let end = other.len() + again.find("kernel(int)").unwrap();
    let found = read(&text.as_bytes()[..end]).unwrap();
    assert_eq!(found.launches.iter().map(executed).collect::<Vec<_>>(), [[("other()", vec![(0, 9.0)])]]);
    assert!(found.cut.is_some());
    // Functions out of order belong to the previous launch if no launch begins after them.
    let low = again.replace("0x3", "0x0");
    let found = read([&*other, &low].concat().as_bytes()).unwrap().launches;
    assert_eq!(found.iter().map(|launch| launch.functions.len()).collect::<Vec<_>>(), [0, 2]);
    let twice = [&*one, &one, &again].concat();
    let cut = one.len() * 2 + again.find("kernel(int)").unwrap();
    assert_eq!(read(&twice.as_bytes()[..cut]).unwrap().launches.len(), 1);
}

/// Names of the functions that ran in a launch, the kernel's first, with their execution counts.
fn executed(launch: &Launch) -> Vec<(&str, Vec<(u64, f64)>)> {
    let counts = |own: &Instructions| own.counts("inst_executed").collect();
    let functions = launch.functions.iter();
    let functions = functions.map(|own| (own.name.as_deref().unwrap_or_default(), counts(&own.instructions)));
    [(&*launch.kernel.demangled, counts(&launch.instructions))].into_iter().chain(functions).collect()
}

#[test]
fn functions_that_a_kernel_calls_are_of_its_launch() {
    let [one, other, again] = calls();
    let twice = [&one, &one, &other, &other, &again, &again].map(String::as_str).concat();
    for text in [[one, other, again].concat(), twice] {
        let profile = read(text.as_bytes()).unwrap();
        let [one, other, again] = profile.launches.as_slice() else { panic!("{profile:?}") };
        let called = |count| vec![(0, count), (16, 2.0)];
        let kernel = ("kernel(int)", vec![(0, 1.0), (16, 1.0)]);
        let following = ("behind()", vec![(0, 5.0)]);
        assert_eq!(executed(one), [kernel.clone(), ("before(int)", called(3.0)), following.clone()]);
        assert_eq!((one.metric("inst_executed"), other.metric("inst_executed")), (Some(12.0), Some(9.0)));
        assert_eq!(executed(other), [("other()", vec![(0, 9.0)])]);
        assert_eq!(executed(again), [kernel, ("before(int)", called(4.0)), following]);
    }
}

/// Returns two launches of a kernel, on a page that is listed by line. The kernel has lines in two files and calls a
/// function in the first file.
fn calls_by_line() -> String {
    let file = |path: &str, tables: &[String]| format!("\"File Path\",\"{path}\"\n{}", tables.concat());
    let of = |count| {
        let called = table("Function Name", "called()", 0x100, &[("NOP", count), ("RET", 1)]);
        let inlined = table("Function Name", "kernel(int)", 0x210, &[("NOP", count)]);
        let kernel = table("Function Name", "kernel(int)", 0x200, &[("NOP", 1), ("NOP", count), ("EXIT", 1)]);
        [file("a.h", &[called, inlined]), file("k.cu", &[kernel])].concat()
    };
    of(3) + &of(4)
}

#[test]
fn functions_have_lines_of_their_own() {
    let text = calls_by_line();
    let profile = read(text.as_bytes()).unwrap();
    let [one, again] = profile.launches.as_slice() else { panic!("{profile:?}") };
    let of = |count| {
        [("kernel(int)", vec![(0, 1.0), (16, count), (32, 1.0)]), ("called()", vec![(0, count), (16, 1.0)])]
    };
    assert_eq!((executed(one), executed(again)), (of(3.0).to_vec(), of(4.0).to_vec()));
    let lines = |lines: &[Line]| -> Vec<(String, Vec<u64>)> {
        lines.iter().map(|line| (line.file.to_string(), line.offsets.clone())).collect()
    };
    let of_kernel = [("a.h", vec![16]), ("k.cu", vec![0]), ("k.cu", vec![16]), ("k.cu", vec![32])];
    assert_eq!(lines(&one.lines), of_kernel.map(|(file, at)| (file.to_owned(), at)));
    assert_eq!(
        lines(&one.functions[0].lines),
        [("a.h", vec![0]), ("a.h", vec![16])].map(|(file, at)| (file.to_owned(), at))
    );
}

#[test]
fn each_cut_of_a_page_has_an_answer() {
    for text in [RAW, SOURCE, &calls().concat(), &calls().map(|one| one.repeat(2)).concat(), &calls_by_line()]
    {
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
fn the_first_table_says_what_a_text_is() {
    let log =
        "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Avg\"\n\"K20c (0)\",\"add\",3,\"x\",7\n";
    let said = "\"quoted\" by a program\n";
    let kernels = |text: &str| {
        let launches = read(text.as_bytes()).unwrap().launches;
        launches.into_iter().map(|launch| launch.kernel.demangled).collect::<Vec<_>>()
    };
    assert_eq!(kernels(&[said, RAW].concat()), ["add(int, float *)", "add(int, float *)"]);
    assert_eq!(kernels(&[said, log].concat()), ["add"]);
    assert_eq!(kernels(&[SOURCE, log].concat()), ["add(int)"]);
}

#[test]
fn a_row_whose_field_does_not_end_is_left_out() {
    let open = "\"0x7f20\",\"NOP\",\"4\",\"1\",\"-\n";
    let found = read([SOURCE, open].concat().as_bytes()).unwrap();
    assert_eq!((found.launches[0].instructions.len(), found.cut.is_some()), (2, true));
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

#[test]
fn metrics_that_were_asked_for_by_name_are_read() {
    let csv = "==PROF== Connected to process 1\n\
        \"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\
        \"0\",\"sum(int)\",\"(128, 1, 1)\",\"(32, 1, 1)\",\"0\",\"8.6\",\"Command line profiler metrics\",\"dram__bytes_read.sum\",\"Kbyte\",\"412.5\"\n\
        \"0\",\"sum(int)\",\"(128, 1, 1)\",\"(32, 1, 1)\",\"0\",\"8.6\",\"Command line profiler metrics\",\"sm__inst_executed.avg.per_cycle_active\",\"\",\"0.41\"\n\
        \"0\",\"sum(int)\",\"(128, 1, 1)\",\"(32, 1, 1)\",\"0\",\"8.6\",\"Occupancy\",\"Achieved Occupancy\",\"%\",\"41\"\n";
    let text = "[1] sum@host\n  sum(int) (32, 1, 1)x(128, 1, 1), Context 1, Stream 7, Device 0, CC 8.6\n    \
        Section: Command line profiler metrics\n    \
        ---------------------------------------- ----------- ------------\n    \
        Metric Name                              Metric Unit Metric Value\n    \
        ---------------------------------------- ----------- ------------\n    \
        dram__bytes_read.sum                           Kbyte        412.5\n    \
        sm__inst_executed.avg.per_cycle_active                       0.41\n    \
        smsp__average_warps_issue_stalled_wait_per_issue_active.ratio        inst        3.10\n    \
        ---------------------------------------- ----------- ------------\n";
    for page in [csv, text] {
        let launch = &read(page.as_bytes()).unwrap().launches[0];
        assert_eq!(launch.capability, Some((8, 6)));
        assert_eq!(launch.metric("dram__bytes_read.sum"), Some(412_500.0));
        assert_eq!(launch.metric("sm__inst_executed.avg.per_cycle_active"), Some(0.41));
    }
    let (csv, text) = (read(csv.as_bytes()).unwrap(), read(text.as_bytes()).unwrap());
    assert_eq!((csv.launches[0].details.len(), text.launches[0].details.len()), (1, 0));
    let wide = "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio";
    assert_eq!(text.launches[0].metric(wide), Some(3.1));
}
