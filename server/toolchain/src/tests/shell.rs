//! Tests of shell safety: nvcc runs its steps in a shell and passes words to the shell without quoting. A script that
//! does the same replaces nvcc. The real nvcc is tested, too, if it is installed.

use super::{GO_ON, Tool, patiently};
use crate::{
    Compiler, CompilerChoice, CompilerKind, Consent, Disassembler, Flags, Limits, ToolError, Unit, UnitCode,
    UnitCompiler, UnitProduct,
};
use std::fs;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

/// A fake nvcc that passes its arguments to a shell unquoted, in double quotes and through `eval`, and records that it
/// ran.
const UNQUOTED: &str = r#"
echo ran >> "$(dirname "$0")/log"
sh -c "true $*" > /dev/null 2>&1
line=true
for word in "$@"; do line="$line \"$word\" $word"; done
sh -c "$line" > /dev/null 2>&1
eval "true $*" > /dev/null 2>&1
cat code.cu > code.cubin
for word in "$@"; do echo "$word" >> code.cubin; done
if [ -e host.args ]; then cat host.args >> code.cubin; fi
"#;

/// Texts that run `touch WITNESS`, or write that file, if a shell expands or splits them.
const HOSTILE: [&str; 24] = [
    "$(touch WITNESS)",
    "`touch WITNESS`",
    "\\$(touch WITNESS)",
    "\\`touch WITNESS\\`",
    "\\\\$(touch WITNESS)",
    "x;touch WITNESS;",
    "x&touch WITNESS&",
    "x|touch WITNESS",
    "x||touch WITNESS",
    "\";touch WITNESS;\"",
    "';touch WITNESS;'",
    "\"$(touch WITNESS)\"",
    "'$(touch WITNESS)'",
    "'\"$(touch WITNESS)\"'",
    "x>WITNESS",
    "x >WITNESS #",
    "\ntouch WITNESS\n",
    "x\r\ntouch WITNESS",
    "${x:-$(touch WITNESS)}",
    "$((x[$(touch WITNESS)]))",
    "<(touch WITNESS)",
    "$'\\x60touch WITNESS\\x60'",
    "ü`touch WITNESS`ü",
    "%$(touch WITNESS)%,`touch WITNESS`",
];

/// Options to which the tests append each of the [`HOSTILE`] texts as the value.
const OPTIONS: [&str; 12] = [
    "-D",
    "-DX=",
    "-U",
    "-I",
    "-isystem",
    "-include",
    "-iquote",
    "-std=",
    "-arch=",
    "-Xcompiler=-DX=",
    "-Xptxas=-dlcm=",
    "-expt-",
];

struct Place {
    folder: TempDir,
    witnesses: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), witnesses: tempfile::tempdir().unwrap() }
    }

    fn hostile(&self, text: &str) -> String {
        text.replace("WITNESS", &self.witnesses.path().join("witness").display().to_string())
    }

    #[track_caller]
    fn is_calm(&self, what: &str) {
        let found: Vec<_> = fs::read_dir(self.witnesses.path()).unwrap().flatten().collect();
        assert!(found.is_empty(), "{what}: {found:?}");
    }
}

fn unit<'a>(path: &'a Path, flags: &'a Flags) -> Unit<'a> {
    let text = "extern \"C\" __global__ void k(float *a) { a[threadIdx.x] = 2; }\n";
    Unit { text, path, architecture: "sm_90", flags, product: UnitProduct::Cubin }
}

fn limits() -> Limits {
    Limits { time: Duration::from_secs(100), ..Limits::default() }
}

fn compile(compiler: &UnitCompiler, unit: Unit<'_>) -> Result<UnitCode, ToolError> {
    patiently(|| compiler.compile_unit(Consent::by_command_line(), unit, limits(), GO_ON))
}

fn stand_in(tool: &Tool) -> UnitCompiler {
    UnitCompiler::Nvcc(Compiler { path: tool.folder.path().join("nvcc") })
}

fn words(words: &[String]) -> Flags {
    Flags::of_build(words, Path::new("/build"))
}

#[test]
fn no_word_of_a_build_reaches_a_shell() {
    let (tool, place) = (Tool::new("nvcc", UNQUOTED), Place::new());
    let compiler = stand_in(&tool);
    let path = place.folder.path().join("k.cu");
    let mut ran = 0;
    for hostile in HOSTILE.map(|text| place.hostile(text)) {
        for option in OPTIONS {
            let joined = words(&[format!("{option}{hostile}")]);
            let apart = words(&[option.trim_end_matches('=').to_owned(), hostile.clone()]);
            for flags in [joined, apart] {
                let made = compile(&compiler, unit(&path, &flags));
                place.is_calm(&format!("{option} {hostile}"));
                match made {
                    Ok(UnitCode::Made(_)) => ran += 1,
                    Err(ToolError::Argument { .. }) => {}
                    other => panic!("{option} {hostile}: {other:?}"),
                }
            }
        }
        let architecture = format!("sm_90{hostile}");
        let made = compile(&compiler, Unit { architecture: &architecture, ..unit(&path, &Flags::default()) });
        assert!(matches!(made, Err(ToolError::Argument { .. })), "{made:?}");
    }
    place.is_calm("an architecture");
    let log = fs::read_to_string(tool.folder.path().join("log")).unwrap();
    assert_eq!(log.lines().count(), ran, "nvcc runs once for each unit that it compiles");
    assert!(ran > 200, "{ran}");
}

#[test]
fn no_name_of_a_folder_or_file_reaches_a_shell() {
    let (tool, place) = (Tool::new("nvcc", UNQUOTED), Place::new());
    let compiler = stand_in(&tool);
    for hostile in HOSTILE.map(|text| place.hostile(text).replace('/', "$(printf /)")) {
        let folder = place.folder.path().join(&hostile);
        let flags = words(&["-I".to_owned(), folder.display().to_string()]);
        for path in [folder.join("k.cu"), place.folder.path().join(format!("{hostile}.cu"))] {
            let made = compile(&compiler, unit(&path, &flags));
            place.is_calm(&hostile);
            match made {
                Ok(UnitCode::Made(_)) => {}
                Err(error @ ToolError::Path { .. }) => {
                    assert!(hostile.contains(['\n', '\r']) && !error.to_string().contains('\n'), "{error}");
                }
                Err(ToolError::Argument { .. }) if hostile.contains(['\n', '\r']) => {}
                other => panic!("{hostile}: {other:?}"),
            }
        }
    }
}

#[test]
fn a_path_that_no_line_can_hold_is_refused_in_one() {
    use std::os::unix::ffi::OsStrExt;
    let tool = Tool::new("nvcc", UNQUOTED);
    let not_utf8 = std::ffi::OsStr::from_bytes(b"/k/a\xffb/k.cu");
    for (path, why) in [
        (Path::new("/k/a\nb/k.cu"), "its path contains a line break"),
        (Path::new("/k/a\rb/k.cu"), "its path contains a line break"),
        (Path::new(not_utf8), "its path is not UTF-8"),
        (Path::new("/k/a\u{fffd}b/k.cu"), "its path is not UTF-8"),
    ] {
        let error = compile(&stand_in(&tool), unit(path, &Flags::default())).unwrap_err().to_string();
        assert!(error.contains(why) && !error.contains(['\n', '\r']), "{error}");
    }
    assert!(!tool.folder.path().join("log").exists(), "nvcc does not run");
}

#[test]
fn plain_words_are_arguments_of_nvcc_and_others_those_of_the_hosts_compiler() {
    let tool = Tool::new("nvcc", UNQUOTED);
    let compiler = stand_in(&tool);
    let given = |flags: &[&str]| {
        let flags: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
        let made = compile(&compiler, unit(Path::new("/kernels/k.cu"), &words(&flags))).unwrap();
        let UnitCode::Made(bytes) = made else { panic!("{made:?}") };
        let text = String::from_utf8(bytes).unwrap();
        text.lines().skip(2).map(str::to_owned).collect::<Vec<_>>()
    };
    let plain = ["-cubin", "-lineinfo", "-arch=sm_90", "-I", "/kernels", "-D", "N=4", "-std=c++17"];
    assert_eq!(given(&["-DN=4", "-std=c++17"])[..8], plain);
    let odd = given(&[
        "-DNAME=\"a b\"",
        "-DF(x)=x,1",
        "-I/a b/c,d",
        "-std=c++17",
        "-U",
        "@f",
        "-include",
        "/a b.h",
    ]);
    let expected = [
        "-cubin",
        "-lineinfo",
        "-arch=sm_90",
        "-std=c++17",
        "-Xcompiler",
        "@host.args",
        "-include",
        "included0.h",
        "-o",
        "code.cubin",
        "code.cu",
        "-I/kernels",
        r#"-DNAME=\"a\ b\""#,
        r"-DF\(x\)=x\,1",
        r"-I/a\ b/c\,d",
        r"-U\@f",
    ];
    assert_eq!(odd, expected);
}

#[test]
fn a_path_that_no_line_table_holds_has_a_link_and_comes_back() {
    let (tool, place) = (Tool::new("nvcc", UNQUOTED), Place::new());
    let compiler = stand_in(&tool);
    let folder = place.folder.path().join("\"q\"??");
    fs::create_dir(&folder).unwrap();
    let path = folder.join("k\"k.cu");
    let flags = Flags::default();
    for product in [UnitProduct::Cubin, UnitProduct::Ptx] {
        let made = compile(&compiler, Unit { product, ..unit(&path, &flags) }).unwrap();
        let UnitCode::Made(bytes) = made else { panic!("{made:?}") };
        let text = String::from_utf8(bytes).unwrap();
        let first = text.lines().next().unwrap();
        let own = format!("{}/\\042q\\042??/k\\042k.cu", place.folder.path().display());
        let named = first.strip_prefix("#line 1 \"").unwrap().trim_end_matches('"');
        assert_eq!(named.trim_start_matches('/'), own.trim_start_matches('/'));
        assert!(product == UnitProduct::Cubin || named == own, "{named}");
        assert!(!text.contains("link0_"), "{text}");
    }
}

/// nvcc and a disassembler from the same toolkit; `None` if they are not installed.
fn installed() -> Option<(UnitCompiler, Disassembler)> {
    let choice = CompilerChoice { demanded: Some(CompilerKind::Nvcc), ..CompilerChoice::from_environment() };
    let compiler = choice.find(&Flags::default()).ok()?;
    let disassembler = Disassembler::find(&compiler.disassembler(None)).ok()?;
    Some((compiler, disassembler))
}

#[test]
fn the_real_nvcc_runs_nothing_of_it_and_compiles_what_is_meant() {
    let Some((compiler, disassembler)) = installed() else {
        return testkit::left_out("nvcc or its disassembler is not installed, so no shell is tried on it");
    };
    let place = Place::new();
    for hostile in HOSTILE.into_iter().step_by(3).map(|text| place.hostile(text)) {
        let options = ["-DX=", "-UX", "-I", "-isystem", "-Xcompiler=-DZ="];
        let flags = words(&options.map(|option| format!("{option}{hostile}")));
        let path = place.folder.path().join(hostile.replace('/', "_")).join("k.cu");
        drop(compile(&compiler, unit(&path, &flags)));
        place.is_calm(&hostile);
    }
    for name in [
        "Müller", "代码", "😀", "a,b", "it's", "\"q\"", "ba\\ck", "tab\tx", "a b", "$x", "a`b", "x??", "@a",
        "(p)",
    ] {
        let folder = place.folder.path().join(name);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("near.cuh"), "__device__ inline float near(float x) { return x * NAME[0]; }\n")
            .unwrap();
        fs::write(folder.join("first.h"), "static_assert(sizeof(float4) == 16);\n#define FIRST 1\n").unwrap();
        let text = "#include \"near.cuh\"\nextern \"C\" __global__ void k(float *a) { a[threadIdx.x] = near(a[F(FIRST)]); }\n";
        let flags = words(&[
            "-DNAME=\"a b\"".to_owned(),
            "-DF(x)=x".to_owned(),
            "-include".to_owned(),
            folder.join("first.h").display().to_string(),
        ]);
        let path = folder.join("k.cu");
        let made = compile(&compiler, Unit { text, ..unit(&path, &flags) }).unwrap();
        let UnitCode::Made(cubin) = made else { panic!("{name}: {made:?}") };
        let listing =
            disassembler.listing(Consent::by_command_line(), &cubin, true, limits(), GO_ON).unwrap();
        assert!(
            listing.contains("k.cu\", line 2") && listing.contains("near.cuh\", line 1 inlined"),
            "{listing}"
        );
        let refused = compile(&compiler, Unit { text: "\n\nint x = wrong;\n", ..unit(&path, &flags) });
        assert_eq!(
            refused,
            Ok(UnitCode::Refused("line 3: identifier \"wrong\" is undefined".to_owned())),
            "{name}"
        );
    }
}
