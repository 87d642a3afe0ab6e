use super::figures::Figures;
use super::guidance::{GUIDES, read};
use super::pages::PAGES;
use super::reasons::REASONS;
use super::{Node, ProfiledLaunch, Thresholds, Tree, tree};
use machine::{Gpu, Machine};
use profile::{Instances, Launch, Metric, Value};
use std::collections::BTreeSet;

fn gpu() -> Gpu {
    Machine::builtin().gpu("h100-sxm").unwrap()
}

/// Reads a launch from a code block on a guide's page. Each line states a metric, a stall reason or an opcode count.
fn launch(block: &str) -> Launch {
    let mut launch = Launch::default();
    let mut opcodes = Vec::new();
    for line in block.lines() {
        let (name, value) = line.split_once(" = ").unwrap();
        let number: f64 = value.parse().unwrap();
        let metric = match name.split_once(' ') {
            Some(("stall", reason)) => {
                format!("smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio")
            }
            Some(("opcode", opcode)) => {
                opcodes.push((opcode.to_owned(), Value::Number(number)));
                continue;
            }
            None if name == "capability" => {
                let (major, minor) = value.split_once('.').unwrap();
                launch.capability = Some((major.parse().unwrap(), minor.parse().unwrap()));
                continue;
            }
            None if name == "block" => {
                launch.block = Some([number as u64, 1, 1]);
                continue;
            }
            None if name == "grid" => {
                launch.grid = Some([number as u64, 1, 1]);
                continue;
            }
            _ => name.to_owned(),
        };
        let metric_value = Metric { value: Some(Value::Number(number)), ..Metric::default() };
        launch.metrics.insert(metric.into(), metric_value);
    }
    // Profilers report each common reason, even if no warp stalled for it.
    for reason in super::stalls::COMMON {
        let metric = format!("smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio");
        launch
            .metrics
            .entry(metric.into())
            .or_insert_with(|| Metric { value: Some(Value::Number(0.0)), ..Metric::default() });
    }
    if !opcodes.is_empty() {
        let all = Metric { instances: Instances::ByName(opcodes), ..Metric::default() };
        launch.metrics.insert("sass__inst_executed_per_opcode_with_modifier_all".into(), all);
    }
    launch
}

fn tree_of(launch: &Launch) -> Tree {
    tree(ProfiledLaunch { launch, gpu: &gpu(), thresholds: &Thresholds::default() }).unwrap()
}

fn codes(tree: &Tree) -> BTreeSet<&'static str> {
    tree.root.walk().flat_map(|node| &node.advice).map(|advice| advice.code).collect()
}

fn block<'a>(page: &'a str, kind: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("```profile {kind}\n")).unwrap();
    rest.split_once("\n```").unwrap().0
}

#[test]
fn each_guide_is_given_for_its_example_and_not_for_the_other() {
    for page in PAGES {
        let guide = read(page).unwrap();
        let fires = tree_of(&launch(block(page, "fires")));
        assert!(codes(&fires).contains(guide.code), "{} is silent: {:?}", guide.code, codes(&fires));
        let silent = tree_of(&launch(block(page, "silent")));
        assert!(!codes(&silent).contains(guide.code), "{} fires", guide.code);
    }
}

#[test]
fn each_page_is_read_and_each_condition_of_an_example_matters() {
    for page in PAGES {
        let guide = read(page).unwrap();
        for at in &guide.head.at {
            assert!(
                at == "stalls" || REASONS.iter().any(|reason| reason.name == *at),
                "{}: {at}",
                guide.code
            );
        }
        for rule in &guide.head.rules {
            assert!(crate::rule(rule).is_some(), "{}: no rule `{rule}`", guide.code);
        }
        assert!(!guide.head.source.is_empty() && guide.text.ends_with('.'), "{}", guide.code);
    }
    let codes: BTreeSet<_> = GUIDES.iter().map(|guide| guide.code).collect();
    let ranks: BTreeSet<_> = GUIDES.iter().map(|guide| guide.head.rank).collect();
    assert_eq!((codes.len(), ranks.len()), (PAGES.len(), PAGES.len()), "a code or a rank occurs twice");
}

/// Asserts that the shares of each node's children sum to 1.
fn sums_to_one(node: &Node) {
    if !node.children.is_empty() {
        let sum: f64 = node.children.iter().map(|child| child.share).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{}: {sum}", node.name);
    }
    node.children.iter().for_each(sums_to_one);
}

#[test]
fn shares_are_those_of_the_equations() {
    let launch = launch(
        "stall long_scoreboard = 6\nstall lg_throttle = 1\nstall wait = 2\nstall selected = 1\nstall not_selected = 4\nstall sleeping = 1\n\
         sm__inst_executed.avg.per_cycle_active = 1\nmemory_l1_tag_requests_global = 300\n\
         l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum = 60\nl1tex__t_requests_pipe_lsu_mem_global_op_st.sum = 40\n\
         l1tex__t_sector_hit_rate.pct = 50\nlts__t_sector_hit_rate.pct = 100.2",
    );
    let tree = tree_of(&launch);
    sums_to_one(&tree.root);
    // (4 - 1) / 4 of the slots; seven tenths of the stalls on device memory.
    assert!((tree.root.share - 0.75).abs() < 1e-9);
    let memory = &tree.root.children[0];
    assert_eq!((&*memory.name, (memory.share * 10.0).round()), ("device_memory", 7.0));
    assert!((memory.of_cycles.unwrap() - 0.525).abs() < 1e-9);
    let times = &gpu().arch.memory;
    let (l1, l2) = (f64::from(times.l1_hit.value) + 4.0, f64::from(times.l2_hit.value) / 2.0);
    let levels = &memory.children[0].children;
    let share = |name: &str| levels.iter().find(|level| level.name == name).map(|level| level.share);
    assert!((share("l1").unwrap() - l1 / (l1 + l2)).abs() < 1e-9);
    assert_eq!(share("dram"), None, "more hits than look-ups leave no misses");
}

#[test]
fn the_root_follows_from_sums_where_their_quotient_is_lacking() {
    let launch = launch("stall wait = 2\nsmsp__inst_executed.sum = 300\nsm__cycles_active.sum = 100");
    assert!((tree_of(&launch).root.share - 0.25).abs() < 1e-9);
}

#[test]
fn thresholds_are_set_by_name() {
    let mut thresholds = Thresholds::default();
    thresholds.set("low_warps", 50.0).unwrap();
    assert!(thresholds.set("few_warps", 1.0).unwrap_err().to_string().contains("low_warps"));
    let launch = launch("stall long_scoreboard = 8\nsm__warps_active.avg.per_cycle_active = 40");
    let tree = tree(ProfiledLaunch { launch: &launch, gpu: &gpu(), thresholds: &thresholds }).unwrap();
    assert!(codes(&tree).contains("few-warps"));
    assert!(!codes(&tree_of(&launch)).contains("few-warps"));
}

#[test]
fn what_nvprof_reported_makes_a_tree() {
    let launch = launch(
        "stall_memory_dependency = 60\nstall_exec_dependency = 20\nstall_sync = 5\nstall_not_selected = 15\nipc = 0.8\n\
         achieved_occupancy = 0.2\nwarp_execution_efficiency = 40\ngld_efficiency = 25\ngst_efficiency = 100",
    );
    let tree = tree_of(&launch);
    sums_to_one(&tree.root);
    assert_eq!(tree.root.children[0].children[0].name, "long_scoreboard");
    assert!(codes(&tree).contains("few-warps"));
    let (gpu, thresholds) = (gpu(), Thresholds::default());
    let figures = Figures::new(&launch, &gpu, &thresholds);
    let value = |name: &str| figures.get(name).unwrap().value;
    assert_eq!((value("global_load_efficiency"), value("warp_execution_efficiency")), (25.0, 40.0));
    assert!((value("threads_per_instruction") - 12.8).abs() < 1e-9);
}

/// Returns the gain of the advice with this code, in percent, and the name of the figure for the unit that limits the
/// changed launch. `None` if the gain is unknown.
fn gain(tree: &Tree, code: &str) -> Option<(f64, Option<&'static str>)> {
    let ranked = tree.ranked();
    let advice = ranked.iter().find(|own| own.advice.code == code).expect("the advice is given").advice;
    let gain = advice.gain.as_ref()?;
    Some(((gain.times * 100.0).round(), gain.limit.as_ref().map(|limit| limit.name)))
}

#[test]
fn a_gain_is_what_remains_of_the_stalls() {
    let launch =
        launch("stall wait = 8\nstall long_scoreboard = 2\nsm__inst_executed.avg.per_cycle_active = 1");
    // 0.75 of the slots stall, eight tenths of them for this reason.
    assert_eq!(gain(&tree_of(&launch), "dependent-instructions"), Some((237.0, None)));
}

#[test]
fn a_gain_is_bounded_by_the_unit_that_is_busiest_then() {
    let launch = launch(
        "stall wait = 8\nstall long_scoreboard = 2\nsm__inst_executed.avg.per_cycle_active = 1\n\
         gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed = 66",
    );
    // 66 of the 88 % that launches reach.
    assert_eq!(gain(&tree_of(&launch), "dependent-instructions"), Some((132.0, Some("dram_throughput"))));
}

#[test]
fn what_waits_for_a_unit_without_a_pause_goes_when_it_is_freed() {
    let metrics = |busy: u32| {
        launch(&format!(
            "stall lg_throttle = 4\nstall wait = 4\nsm__inst_executed.avg.per_cycle_active = 1\n\
             memory_l1_tag_requests_global = 1600\nl1tex__t_requests_pipe_lsu_mem_global_op_ld.sum = 100\n\
             l1tex__throughput.avg.pct_of_peak_sustained_elapsed = {busy}"
        ))
    };
    // Half of the stalls, which are 0.75 of the slots, are not waits for memory.
    assert_eq!(gain(&tree_of(&metrics(88)), "strided-access"), Some((160.0, None)));
    assert_eq!(
        gain(&tree_of(&metrics(50)), "strided-access"),
        None,
        "the cache does not hold the launch back"
    );
}

#[test]
fn instructions_that_go_take_their_time_with_them() {
    let launch = launch("stall wait = 8\nopcode F2I.FTZ.U32.TRUNC.NTZ = 2\nopcode IMAD = 98");
    // 22 instructions for each division.
    assert_eq!(gain(&tree_of(&launch), "integer-divisions"), Some((179.0, None)));
}

#[test]
fn a_gain_is_unknown_where_the_profile_does_not_say_how_much_goes() {
    let launch = launch("stall long_scoreboard = 8\nsm__warps_active.avg.per_cycle_active = 9");
    assert_eq!(gain(&tree_of(&launch), "few-warps"), None);
}

#[test]
#[ignore = "prints the advice for the reports of the folder that REPORTS names"]
#[expect(clippy::disallowed_methods, reason = "a tool for whoever works on gains")]
fn print_advice_for_reports() {
    let folder = std::env::var("REPORTS").expect("REPORTS names a folder");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    for file in files {
        let profile = profile::read(&std::fs::read(&file).unwrap()).unwrap();
        for launch in &profile.launches {
            let Some(tree) = tree(ProfiledLaunch { launch, gpu: &gpu(), thresholds: &Thresholds::default() })
            else {
                continue;
            };
            println!("{} {}", file.file_stem().unwrap().display(), launch.kernel.demangled);
            for ranked in tree.ranked() {
                println!("    {} {}", ranked.advice.code, ranked.advice.sentence);
            }
            if std::env::var_os("FIGURES").is_some() {
                let (gpu, thresholds) = (gpu(), Thresholds::default());
                let figures = Figures::new(launch, &gpu, &thresholds);
                for name in super::figures::names() {
                    if let Some(fact) = figures.get(name) {
                        println!("        {name} = {:.2}", fact.value);
                    }
                }
            }
        }
    }
}

#[test]
fn shares_of_reasons_that_were_chosen_by_name_are_said_to_be_of_those() {
    let mut launch = launch("stall wait = 8\nsm__inst_executed.avg.per_cycle_active = 1");
    assert_eq!(tree_of(&launch).measured_reasons, None);
    launch.metrics.retain(|name, _| !name.contains("barrier") && !name.contains("short_scoreboard"));
    let tree = tree_of(&launch);
    assert_eq!(tree.measured_reasons, Some(3));
    assert_eq!(gain(&tree, "dependent-instructions"), None, "other stalls may be longer");
}

#[test]
fn idle_sms_take_their_part_of_the_work() {
    let launch = launch(
        "stall long_scoreboard = 8\nstall selected = 1\nstall not_selected = 1\ngrid = 66\nblock = 256\nlaunch__waves_per_multiprocessor = 0.06\n\
         l1tex__throughput.avg.pct_of_peak_sustained_active = 88\nsm__cycles_active.avg = 500\nsm__cycles_active.max = 1000",
    );
    let tree = tree_of(&launch);
    assert_eq!(gain(&tree, "small-grid"), Some((200.0, Some("l1_throughput"))));
    let ranked = tree.ranked();
    let small = ranked.iter().find(|own| own.advice.code == "small-grid").unwrap();
    assert!(small.advice.sentence.contains("66 of the GPU's SMs have a block"), "{}", small.advice.sentence);
}

#[test]
fn the_list_begins_with_the_largest_gain_and_lacks_what_brings_nothing() {
    let launch = launch(
        "stall wait = 4\nstall long_scoreboard = 30\nstall math_pipe_throttle = 1\nstall selected = 1\nstall not_selected = 0\n\
         opcode RED = 10\nopcode IADD3 = 90\nsm__inst_executed.avg.per_cycle_active = 0.1\n\
         lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed = 33\n\
         lts__d_atomic_input_cycles_active.avg.pct_of_peak_sustained_elapsed = 0.4",
    );
    let tree = tree_of(&launch);
    let ranked = tree.ranked();
    assert_eq!(ranked[0].advice.code, "global-atomics");
    for pair in ranked.windows(2) {
        let [one, other] = [&pair[0], &pair[1]].map(|own| own.advice);
        let times = |own: &super::Advice| own.gain.as_ref().map_or(0.0, |gain| gain.times);
        assert!(!one.general && other.general || times(one) >= times(other));
    }
    for own in &ranked {
        assert!(own.advice.gain.as_ref().is_none_or(|gain| gain.times >= 1.05), "{}", own.advice.code);
        assert!(!own.advice.sentence.contains(">=") && !own.advice.sentence.contains('_'));
    }
}

/// Measured launches of `tests/advice`: one launch per row, with the metrics that figures are computed from.
const PROFILES: &str = include_str!("../../../../tests/advice/profiles.csv");

/// The programs, each with the guide that its fix follows and the measured gain.
const MEASURED: [&str; 2] = [
    include_str!("../../../../tests/advice/gains.csv"),
    include_str!("../../../../tests/advice/causes/gains.csv"),
];

/// Reads the program's name and its launch from a row of a table with these column titles.
fn recorded(titles: &[&str], row: &str) -> (String, Launch) {
    let size = |text: &str| {
        let sizes: Vec<u64> = text.split('x').map(|size| size.parse().unwrap()).collect();
        <[u64; 3]>::try_from(sizes).unwrap()
    };
    let mut launch = Launch { capability: Some((9, 0)), ..Launch::default() };
    let mut program = String::new();
    for (title, cell) in titles.iter().zip(row.split(',')) {
        match *title {
            "program" => program = cell.to_owned(),
            "kernel" => launch.kernel.demangled = cell.to_owned(),
            "grid" => launch.grid = Some(size(cell)),
            "block" => launch.block = Some(size(cell)),
            "opcodes" => {
                let opcodes = cell.split(' ').filter_map(|part| part.split_once('='));
                let opcodes =
                    opcodes.map(|(name, count)| (name.to_owned(), Value::Number(count.parse().unwrap())));
                let all = Metric { instances: Instances::ByName(opcodes.collect()), ..Metric::default() };
                launch.metrics.insert("sass__inst_executed_per_opcode_with_modifier_all".into(), all);
            }
            _ => {
                if let Ok(number) = cell.parse() {
                    let value = Some(Value::Number(number));
                    launch.metrics.insert((*title).into(), Metric { value, ..Metric::default() });
                }
            }
        }
    }
    (program, launch)
}

/// Returns two flags: whether the guide `guide` is among the first three pieces of advice, and whether its predicted
/// gain is within a factor of 1.5 of the measured gain `gain`.
fn is_found(tree: &Tree, guide: &str, gain: f64) -> (bool, bool) {
    let ranked = tree.ranked();
    let at = ranked.iter().position(|own| own.advice.code == guide);
    let times = at.and_then(|at| Some(ranked[at].advice.gain.as_ref()?.times));
    (at.is_some_and(|at| at < 3), times.is_some_and(|times| (times / gain).max(gain / times) <= 1.5))
}

#[test]
fn causes_of_measured_programs_are_among_the_first_three() {
    let mut rows = PROFILES.lines();
    let titles: Vec<&str> = rows.next().unwrap().split(',').collect();
    let launches: Vec<(String, Launch)> = rows.map(|row| recorded(&titles, row)).collect();
    let (mut found, mut near, mut all) = (0, 0, 0);
    let mut missed = Vec::new();
    for line in MEASURED.iter().flat_map(|text| text.lines()).filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split(',').collect();
        let (Ok(gain), true) = (cells[3].parse::<f64>(), cells[1] != "none") else { continue };
        let Some((_, launch)) = launches.iter().find(|(program, _)| program == cells[0]) else { continue };
        // A fix with a negligible gain is not advice.
        if gain < 1.15 {
            continue;
        }
        let (is_first, is_near) = is_found(&tree_of(launch), cells[1], gain);
        (found, near, all) = (found + usize::from(is_first), near + usize::from(is_near), all + 1);
        if !is_first {
            missed.push(cells[0]);
        }
    }
    assert!(found * 10 >= all * 9, "{found} of {all}; not {missed:?}");
    assert!(near * 10 >= all * 7, "{near} of {all}");
}

#[test]
fn programs_without_a_fault_are_promised_nothing() {
    let mut rows = PROFILES.lines();
    let titles: Vec<&str> = rows.next().unwrap().split(',').collect();
    for (program, launch) in rows.map(|row| recorded(&titles, row)) {
        if !program.starts_with("plain_") {
            continue;
        }
        let tree = tree_of(&launch);
        assert!(tree.busiest.is_some(), "{program}");
        for own in tree.ranked() {
            let gain = own.advice.gain.as_ref();
            assert!(
                gain.is_some_and(|gain| gain.is_bound),
                "{program}: {} {}",
                own.advice.code,
                own.advice.sentence
            );
        }
    }
}

#[test]
#[ignore = "prints rows of profiles.csv for the reports of the folder that REPORTS names"]
#[expect(clippy::disallowed_methods, reason = "a tool for whoever measures programs")]
fn print_rows_for_reports() {
    let folder = std::env::var("REPORTS").expect("REPORTS names a folder");
    let titles: Vec<&str> = PROFILES.lines().next().unwrap().split(',').collect();
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    for file in files {
        let profile = profile::read(&std::fs::read(&file).unwrap()).unwrap();
        let Some(launch) = profile.launches.first() else { continue };
        let size = |size: Option<[u64; 3]>| size.unwrap_or([1; 3]).map(|count| count.to_string()).join("x");
        let opcodes: Vec<String> = super::count::executed(launch)
            .iter()
            .map(|own| format!("{}={}", own.opcode, own.count))
            .collect();
        let cells = titles.iter().map(|title| match *title {
            "program" => file.file_stem().unwrap().to_string_lossy().into_owned(),
            "kernel" => launch.kernel.demangled.split('(').next().unwrap_or_default().to_owned(),
            "grid" => size(launch.grid),
            "block" => size(launch.block),
            "opcodes" => opcodes.join(" "),
            metric => launch.metric(metric).map_or_else(String::new, |value| format!("{value}")),
        });
        println!("ROW {}", cells.collect::<Vec<_>>().join(","));
    }
}
