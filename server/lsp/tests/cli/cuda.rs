//! CUDA on the command line: from its text alone, and with `--compile` from the code that nvcc or clang generates.

use super::run::Folder;
use serde_json::Value;

/// Lanes of `scale` access addresses 8 bytes apart on line 3; `wide` is never launched.
const KERNELS: &str = "\
__global__ void scale(float *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i * 2] *= 3.0f;
}
__global__ void wide(float *data) { data[threadIdx.x] = 1.0f; }
void run(float *data, int n) { scale<<<256, 128>>>(data, n); }
";

fn folder() -> Folder {
    Folder::new().file("k.cu", KERNELS)
}

/// The codes and lines of what `check` found.
fn found(json: &str) -> Vec<(String, u64)> {
    let json: Value = serde_json::from_str(json).unwrap();
    let findings = json["findings"].as_array().unwrap();
    let found = |finding: &Value| Some((finding["code"].as_str()?.to_owned(), finding["line"].as_u64()?));
    findings.iter().filter_map(found).collect()
}

#[test]
fn the_text_alone_is_checked() {
    let ran = folder().run("check k.cu --gpu h100-sxm --select memory --format json");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert_eq!(found(&ran.stdout), [("uncoalesced-access".to_owned(), 3)]);
}

#[test]
fn macros_of_headers_and_of_the_build_count() {
    let text = "#include <dims.h>\nENTRY k(float *m) { m[threadIdx.x * STRIDE] = 1; }\n";
    let folder =
        Folder::new().file("include/dims.h", "#define ENTRY __global__ void\n").file("src/k.cu", text);
    let folder = folder.file("warplens.toml", "[compile]\narguments = [\"-DSTRIDE=8\"]\n");
    let ran = folder.run("check src/k.cu --gpu h100-sxm --format json");
    assert_eq!(found(&ran.stdout), [("uncoalesced-access".to_owned(), 2)], "{}", ran.stderr);
}

#[test]
fn a_header_is_launched_by_the_sources_that_include_it() {
    let header = "\
template <typename T, int STEP> __global__ void spread(T *x) { x[threadIdx.x * STEP] = 1; }
template <typename T> void start(T *x) { spread<T, 8><<<4, 64>>>(x); }
";
    let source = "#include \"spread.cuh\"\nvoid run(double *x) {\n    start(x);\n    spread<float, 1><<<4, 64>>>(nullptr);\n}\n";
    let folder = Folder::new().file("include/spread.cuh", header).file("src/run.cu", source);
    let folder = folder.file("src/other.cu", "void run(float *x) { spread<float, 2><<<4, 64>>>(x); }\n");
    let folder = folder.file("warplens.toml", "");
    let report = folder.run("analyze include/spread.cuh --gpu h100-sxm --format json").ok();
    let json: Value = serde_json::from_str(&report).unwrap();
    let launches = json["kernels"].as_array().unwrap().iter().map(|kernel| {
        let access = &kernel["accesses"][0];
        format!("{} {} {}", kernel["launch"], kernel["launch_source"], access["taken"])
    });
    assert_eq!(
        launches.collect::<Vec<_>>(),
        ["\"run.cu:4 <float, 1>\" \"found\" 4.0", "\"run.cu <double, 8>\" \"found\" 32.0"]
    );
    let ran = folder.run("check include/spread.cuh --gpu h100-sxm");
    assert!(ran.stdout.contains("(launch run.cu <double, 8> of 2)"), "{}", ran.stdout);
}

#[test]
fn an_assumed_type_is_named() {
    let text = "template <typename T> __global__ void k(T *x) { x[threadIdx.x * 8] = 1; }\n";
    let ran = Folder::new().file("k.cu", text).run("check k.cu --gpu h100-sxm");
    assert!(ran.stdout.contains("(assumed launch: block 256 x 1 x 1, assumed T = float)"), "{}", ran.stdout);
    assert!(ran.stdout.contains("info[uncoalesced-access]"), "{}", ran.stdout);
}

#[test]
fn a_report_of_the_text_is_of_the_kernels_that_were_asked_for() {
    let folder = folder();
    let names = |args: &str| -> Vec<String> {
        let json: Value = serde_json::from_str(&folder.run(args).ok()).unwrap();
        let kernels = json["kernels"].as_array().unwrap().iter();
        kernels.filter_map(|kernel| Some(kernel["name"].as_str()?.to_owned())).collect()
    };
    assert_eq!(names("analyze k.cu --gpu h100-sxm --format json"), ["scale", "wide"]);
    assert_eq!(names("analyze k.cu --gpu h100-sxm --format json --function wide"), ["wide"]);
    let refusal = folder.run("analyze k.cu --function narrow").refusal();
    assert_eq!(refusal, "no function `narrow`; expected one of: scale, wide");
}

#[test]
fn what_is_of_compiled_code_says_so() {
    let folder = folder();
    for command in [
        "predict k.cu",
        "cycles k.cu --clock-regions",
        "analyze k.cu --by-line",
        "analyze k.cu --format html",
    ] {
        let refusal = folder.run(command).refusal();
        assert!(refusal.contains("expected --compile"), "{command}: {refusal}");
    }
    let refusal = folder.run("predict k.cu --compile --nvcc nowhere").refusal();
    assert!(refusal.contains("`nowhere` is not a program; expected the path of nvcc"), "{refusal}");
    let refusal = folder.run("predict k.cu --compile --clang nowhere").refusal();
    assert!(refusal.contains("`nowhere` is not a program; expected the path of clang"), "{refusal}");
}

#[test]
fn compiled_code_has_costs_at_the_lines_of_the_text() {
    let Some(nvcc) = testkit::nvcc("CUDA is not compiled at the command line") else { return };
    let folder = folder();
    let compiled =
        |args: &str| folder.run(&format!("{args} --gpu h100-sxm --compile --nvcc {}", nvcc.display()));

    let ran = compiled("check k.cu --select memory --format json");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert_eq!(found(&ran.stdout), [("uncoalesced-access".to_owned(), 3)]);

    let ran = compiled("analyze k.cu --by-line --format json");
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (Some(0), "warplens: `k.cu` is compiled by nvcc -arch=sm_90\n")
    );
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    let kernels = json["kernels"].as_array().unwrap();
    let scale = kernels.iter().find(|kernel| kernel["name"] == "_Z5scalePfi").unwrap();
    let lines = scale["lines"].as_array().unwrap();
    let numbers: Vec<_> = lines.iter().filter_map(|line| line["line"].as_u64()).collect();
    assert_eq!(numbers, [1, 2, 3, 4]);
    let sum = |key: &str| lines.iter().filter_map(|line| line[key].as_f64()).sum::<f64>();
    assert!((sum("share") - 1.0).abs() < 1e-6, "{scale}");
    // All instructions except the padding after the last `EXIT`.
    let run = scale["instructions"].as_array().unwrap().iter().filter(|inst| inst["executed"] != 0.0).count();
    assert_eq!(sum("instructions") as usize, run, "{scale}");
    assert!(
        lines.iter().all(|line| line["file"].as_str().is_some_and(|file| file.ends_with("k.cu"))),
        "{scale}"
    );

    let csv = compiled("predict k.cu --format csv");
    assert_eq!(csv.code, Some(0), "{}", csv.stderr);
    assert!(csv.stdout.contains("line 6,"), "the launch of the text: {}", csv.stdout);
    let cycles = compiled("cycles k.cu --range 0x0..0x40 --function scale");
    assert_eq!(cycles.code, Some(0), "{}", cycles.stderr);
}

#[test]
fn compiled_code_of_clang_has_costs_at_the_lines_of_the_text() {
    let Some(clang) = testkit::clang("clang compiles no CUDA at the command line") else { return };
    // clang includes a header of cuRAND, which small toolkits lack.
    let folder = folder()
        .file("stubs/curand_mtgp32_kernel.h", "")
        .file("warplens.toml", "[compile]\narguments = [\"-Istubs\"]\n");
    let compiled =
        |args: &str| folder.run(&format!("{args} --gpu h100-sxm --compile --clang {}", clang.display()));

    let ran = compiled("check k.cu --select memory --format json");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert_eq!(found(&ran.stdout), [("uncoalesced-access".to_owned(), 3)]);

    let ran = compiled("analyze k.cu --by-line --format json");
    let notice = "warplens: `k.cu` is compiled by clang -O3 --offload-arch=sm_90\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), notice));
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    let kernels = json["kernels"].as_array().unwrap();
    let scale = kernels.iter().find(|kernel| kernel["name"] == "_Z5scalePfi").unwrap();
    let of_text = |line: &&Value| line["file"].as_str().is_some_and(|file| file.ends_with("k.cu"));
    let lines = scale["lines"].as_array().unwrap().iter().filter(of_text);
    let numbers: Vec<_> = lines.filter_map(|line| line["line"].as_u64()).collect();
    assert!(numbers.contains(&2) && numbers.contains(&3), "{numbers:?}");

    let csv = compiled("predict k.cu --format csv");
    assert!(csv.stdout.contains("line 6,"), "the launch of the text: {}", csv.stdout);

    let folder = folder.file("k.cu", KERNELS.replace("i < n", "i < m"));
    let refusal = folder.run(&format!("predict k.cu --compile --clang {}", clang.display())).refusal();
    assert_eq!(refusal, "`k.cu`: clang: line 3: use of undeclared identifier 'm'");
}

#[test]
fn an_access_whose_address_is_unknown_says_so() {
    let kernel = "__global__ void copy(float *out, const float *inp, int c) {\n    const float *row = inp + threadIdx.x * c;\n    \
                  out[threadIdx.x] = row[0];\n}\n";
    let folder = Folder::new().file("k.cu", kernel);
    let text = folder.run("analyze k.cu --gpu h100-sxm").ok();
    let words = |start: &str| {
        let line =
            text.lines().find(|line| line.contains(start)).unwrap_or_else(|| panic!("{start} in {text}"));
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(words("row[0]")[..3], ["3", "global", "load"]);
    assert_eq!(words("row[0]")[4..], ["unknown", "unknown", "row[0]"], "{text}");
    assert!(!text.contains('?') && !text.contains("0 B  "), "{text}");
    let json: Value =
        serde_json::from_str(&folder.run("analyze k.cu --gpu h100-sxm --format json").ok()).unwrap();
    let accesses = json["kernels"][0]["accesses"].as_array().unwrap();
    let load = accesses.iter().find(|access| access["text"] == "row[0]").unwrap();
    assert!(load["bytes_per_lane"].is_null() && load["taken"].is_null(), "{load}");
}

#[test]
fn a_launch_of_a_template_is_of_its_compiled_instances() {
    let Some(nvcc) = testkit::nvcc("no template is compiled at the command line") else { return };
    let template = "template<int N> __global__ void soft(float *data) {\n    data[threadIdx.x * N] *= 2.0f;\n}\n\
                    template __global__ void soft<2>(float *);\ntemplate __global__ void soft<4>(float *);\n";
    let folder = Folder::new()
        .file("k.cu", template)
        .file("launches.toml", "[[launch]]\nfunction = \"soft\"\ngrid = [132]\nblock = [64]\n");
    let compiled = |args: &str| {
        let tools = format!("--gpu h100-sxm --compile --nvcc {}", nvcc.display());
        folder.run(&format!("{args} {tools} --launches launches.toml"))
    };
    let csv = compiled("predict k.cu --format csv");
    assert_eq!((csv.code, csv.stdout.lines().count()), (Some(0), 3), "{}{}", csv.stdout, csv.stderr);
    assert!(csv.stdout.contains("soft<2>") || csv.stdout.contains("_Z4softILi2EEvPf"), "{}", csv.stdout);
    let found = compiled("check k.cu --select memory");
    assert!(found.stdout.contains("[uncoalesced-access]"), "{}", found.stdout);
    assert!(!found.stdout.contains("assumed"), "{}", found.stdout);
}

#[test]
fn launches_in_host_code_are_those_of_their_own_file() {
    let Some(nvcc) = testkit::nvcc("several sources are not compiled at the command line") else { return };
    let folder = folder().file("l.cu", KERNELS.replace("<<<256, 128>>>", "<<<64, 32>>>"));
    let args = format!("predict k.cu l.cu --compile --nvcc {} --gpu h100-sxm --format json", nvcc.display());
    let json: Value = serde_json::from_str(&folder.run(&args).stdout).unwrap();
    let launches = json["launches"].as_array().unwrap().iter();
    let sizes = launches.map(|own| (own["file"].as_str().unwrap(), own["resources"]["block"][0].as_u64()));
    assert_eq!(sizes.collect::<Vec<_>>(), [("k.cu", Some(128)), ("l.cu", Some(32))]);
}
