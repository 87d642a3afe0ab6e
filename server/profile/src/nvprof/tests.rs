//! Tests with synthetic logs in the formats of public logs.

use crate::{Launch, Value, read};

const METRICS: &str = "==20== NVPROF is profiling process 20, command: ./a\n==20== Profiling result:\n==20== Metric result:\n\
    \"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\",\"Min\",\"Max\",\"Avg\"\n\
    \"Tesla K20c (0)\",\"add(float*, int)\",3,\"gld_transactions\",\"Global Load Transactions\",5,9,7\n\
    \"Tesla K20c (0)\",\"add(float*, int)\",3,\"gld_efficiency\",\"Global Memory Load Efficiency\",25.000000%,50.000000%,37.500000%\n\
    \"Tesla K20c (1)\",\"add(float*, int)\",1,\"dram_utilization\",\"Device Memory Utilization\",\"Low (1)\",\"Low (1)\",\"Low (1)\"\n";

const EVENTS: &str = "==20== Event result:\n\"Device\",\"Kernel\",\"Invocations\",\"Event Name\",\"Min\",\"Max\",\"Avg\",\"Total\"\n\
    \"Tesla K20c (0)\",\"add(float*, int)\",3,\"warps_launched\",8,8,8,24\n";

const TRACE: &str = "======== Profiling result:\n\
    \"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\",\"Registers Per Thread\",\"Static SMem\",\"Device\",\"Name\"\n\
    ms,us,,,,,,,,KB,,\n\
    0.1,1.568000,,,,,,,,,\"GeForce RTX 2080 Ti (0)\",\"[CUDA memset]\"\n\
    0.5,12.250000,8,2,1,64,1,1,32,4.000000,\"GeForce RTX 2080 Ti (0)\",\"add(float*, int) [272]\"\n";

const PLAIN: &str = "==18== Profiling result:\n==18== Event result:\n\
Invocations                                Event Name         Min         Max         Avg       Total\n\
Device \"GeForce GTX 1070 (0)\"\n    Kernel: add(float*, int)\n          2                            warps_launched           8           8           8          16\n\n\
==18== Metric result:\n\
Invocations                               Metric Name                        Metric Description         Min         Max         Avg\n\
Device \"GeForce GTX 1070 (0)\"\n    Kernel: add(float*, int)\n\
          2                            gld_efficiency             Global Memory Load Efficiency      25.00%      75.00%      50.00%\n\
          2                        shared_utilization                 Shared Memory Utilization    Idle (0)    Idle (0)    Idle (0)\n\
          2                      dram_read_throughput             Device Memory Read Throughput  14.079GB/s  14.079GB/s  14.078GB/s\n";

fn launches(log: &str) -> Vec<Launch> {
    read(log.as_bytes()).unwrap().launches
}

#[test]
fn metrics_and_events_are_averages_by_kernel_and_gpu() {
    let all = launches(&[METRICS, EVENTS].concat());
    let [one, two] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!(
        (one.averaged, one.device, one.device_name.as_deref()),
        (Some(3), Some(0), Some("Tesla K20c"))
    );
    assert_eq!((one.metric("gld_transactions"), one.metric("warps_launched")), (Some(7.0), Some(8.0)));
    assert_eq!(one.metric("gld_efficiency"), Some(37.5));
    assert_eq!(one.metrics["gld_efficiency"].unit.as_deref(), Some("%"));
    assert_eq!(two.metrics["dram_utilization"].value, Some(Value::Text("Low (1)".to_owned())));
}

#[test]
fn the_trace_has_a_launch_for_each_kernel() {
    let all = launches(TRACE);
    let [one] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!((one.grid, one.block, one.averaged), (Some([8, 2, 1]), Some([64, 1, 1]), None));
    assert_eq!(one.kernel.demangled, "add(float*, int)");
    assert_eq!((one.metric("Duration"), one.metric("Registers Per Thread")), (Some(12250.0), Some(32.0)));
    assert_eq!(one.metrics["Duration"].unit.as_deref(), Some("ns"));
    assert_eq!(one.metrics["Static SMem"].unit.as_deref(), Some("KB"));
}

#[test]
fn plain_tables_tell_the_same() {
    let all = launches(PLAIN);
    let [one] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!((one.averaged, one.metric("warps_launched")), (Some(2), Some(8.0)));
    assert_eq!(one.metric("gld_efficiency"), Some(50.0));
    assert_eq!(one.metric("dram_read_throughput"), Some(14.078));
    assert_eq!(one.metrics["dram_read_throughput"].unit.as_deref(), Some("GB/s"));
    assert_eq!(one.metrics["shared_utilization"].value, Some(Value::Text("Idle (0)".to_owned())));
}

#[test]
fn each_cut_of_a_log_has_an_answer() {
    for log in [METRICS, EVENTS, TRACE, PLAIN] {
        let whole = launches(log);
        for length in 0..log.len() {
            if let Ok(part) = read(&log.as_bytes()[..length]) {
                assert!(part.launches.len() <= whole.len());
                assert!(part.cut.is_some() || log.as_bytes()[length - 1] == b'\n');
            }
        }
    }
}
