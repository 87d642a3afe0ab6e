//! Every command on every kind of input: it succeeds or says in one line why not, in time, and changes no input.

use crate::run::{Folder, LISTING};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

const CUBIN: &[u8] = include_bytes!("../../../syntax/tests/cubins/sm_90.cubin");
const OLDER: &[u8] = include_bytes!("../../../syntax/tests/cubins/sm_61.cubin");
const RELOCATABLE: &[u8] = include_bytes!("../../../syntax/tests/cubins/relocatable_sm_75.cubin");
const CUBIN_LISTING: &str = include_str!("sm_90_cubin.sass");
const PTX: &str = include_str!("../../../../tests/e2e/stand_in/scale.ptx");

/// A source with control codes in maxas's notation.
const SOURCE: &str = "\
--:-:-:-:1      MOV R0, c[0x0][0x140];
--:-:-:-:6      MOV R1, 0x1;
--:-:1:-:2      LDG.E R2, [R0];
01:-:-:-:6      IADD R3, R2, R1;
--:-:-:-:5      EXIT;
";

/// A listing without control codes, as plain `nvdisasm` prints it.
const PLAIN: &str = "\t.target\tsm_90\n.text.k:\n\
                     \x20       /*0000*/                   MOV R1, R2 ;\n\
                     \x20       /*0010*/                   EXIT ;\n";

const CPP: &str = "#include <cstdio>\n\n// Adds.\nint main(int argc, char **argv) {\n    int x = argc + 1; /* one */\n    \
                   for (;;) { std::printf(\"%d\\n\", x); }\n}\n";

const README: &str = "# A kernel\n\nIt adds *two* vectors: `add.f32`, `MOV R1, R2 ;`.\n\n- fast\n- small\n";

/// Time limit of a run. Even on a busy machine, every run takes less.
const SOON: Duration = Duration::from_mins(1);

fn utf16(text: &str, unit: fn(u16) -> [u8; 2], marked: bool) -> Vec<u8> {
    let mark = marked.then_some(0xfeff).into_iter();
    mark.chain(text.encode_utf16()).flat_map(unit).collect()
}

/// A fat binary with only this cubin in it.
fn fat(cubin: &[u8], is_packed: bool) -> Vec<u8> {
    let (stored, flags) =
        if is_packed { (lz4_flex::block::compress(cubin), 0x2011) } else { (cubin.to_vec(), 0x11) };
    let (packed, unpacked) = if is_packed { (stored.len() as u32, cubin.len() as u64) } else { (0, 0) };
    let mut member = [2_u16, 0x101].map(u16::to_le_bytes).concat();
    member.extend(64_u32.to_le_bytes());
    member.extend((stored.len() as u64).to_le_bytes());
    member.extend([packed, 0, 0x1_0008, 90, 0, 0].map(u32::to_le_bytes).concat());
    member.extend([flags, 0, unpacked].map(u64::to_le_bytes).concat());
    member.extend(stored);
    let mut all = [0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0].to_vec();
    all.extend((member.len() as u64).to_le_bytes());
    all.extend(member);
    all
}

/// Turns a cubin into an ELF file for a CPU.
fn host(cubin: &[u8]) -> Vec<u8> {
    let mut bytes = cubin.to_vec();
    bytes[18] = 62;
    bytes
}

/// One input of each kind, by file name.
fn inputs() -> Vec<(&'static str, Vec<u8>)> {
    let noise: Vec<u8> = (0..5000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    vec![
        ("listing.sass", LISTING.into()),
        ("source.maxas", SOURCE.into()),
        ("plain.sass", PLAIN.into()),
        ("scale.ptx", PTX.into()),
        ("tile.cubin", CUBIN.into()),
        ("older.cubin", OLDER.into()),
        ("relocatable.cubin", RELOCATABLE.into()),
        ("cut.cubin", CUBIN[..CUBIN.len() / 2].into()),
        ("k.fatbin", fat(CUBIN, false)),
        ("packed.fatbin", fat(CUBIN, true)),
        ("program", host(CUBIN)),
        ("empty.sass", Vec::new()),
        ("blank.sass", b" \n\r\n\t".to_vec()),
        ("main.cpp", CPP.into()),
        ("README.md", README.into()),
        ("marked-le.sass", utf16(LISTING, u16::to_le_bytes, true)),
        ("marked-be.sass", utf16(LISTING, u16::to_be_bytes, true)),
        ("unmarked-le.sass", utf16(LISTING, u16::to_le_bytes, false)),
        ("unmarked-be.sass", utf16(LISTING, u16::to_be_bytes, false)),
        ("marked.ptx", format!("\u{feff}{PTX}").into()),
        ("marked-8.sass", format!("\u{feff}{LISTING}").into()),
        ("crlf.sass", LISTING.replace('\n', "\r\n").into()),
        ("cr.sass", LISTING.replace('\n', "\r").into()),
        ("noise.sass", noise),
        ("nul.sass", vec![0; 3000]),
        ("latin.sass", [b"// gr\xf6\xdfe\n".as_slice(), LISTING.as_bytes()].concat()),
    ]
}

/// A folder with the inputs, with entries that are not files, and with a disassembler that lists `tile.cubin`.
fn folder() -> Folder {
    let mut folder = Folder::new()
        .file("bin/listing", CUBIN_LISTING)
        .file("bin/nvdisasm", "#!/bin/sh\nexec cat \"$(dirname \"$0\")/listing\"\n")
        .file("kernels/listing.sass", LISTING)
        .file(
            "launches.toml",
            "gpu = \"h100-sxm\"\n[[launch]]\nfunction = \"scale\"\ngrid = [8]\nblock = [64]\n",
        )
        .file("unreadable.sass", LISTING);
    for (name, content) in inputs() {
        folder = folder.file(name, content);
    }
    let mode = |name: &str, mode| {
        fs::set_permissions(folder.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("bin/nvdisasm", 0o755);
    mode("unreadable.sass", 0o000);
    std::os::unix::fs::symlink("loop.sass", folder.path().join("loop.sass")).unwrap();
    folder
}

/// Inputs that are not among the files.
const OTHERS: [&str; 6] =
    ["kernels", "absent.sass", "loop.sass", "unreadable.sass", "/dev/null", "listing.sass/below"];

/// Runs a command once per input, with `{}` in the command replaced by the input's name, and checks each run.
///
/// `out` is the file that the command may write. It must exist only after a run that ends with status 0.
#[track_caller]
fn each(command: &str, out: Option<&str>) {
    let folder = folder();
    let before = inputs();
    let all = before.iter().map(|(name, _)| *name).chain(OTHERS);
    for input in all {
        let line = command.replace("{}", input);
        if let Some(out) = out {
            let _ = fs::remove_file(folder.path().join(out));
            let _ = fs::remove_dir_all(folder.path().join(out));
        }
        let mut child = folder
            .command(&line)
            .env("PATH", std::env::join_paths([folder.path().join("bin"), "/bin".into()]).unwrap())
            .stdout(Stdio::from(fs::File::create(folder.path().join("stdout")).unwrap()))
            .stderr(Stdio::from(fs::File::create(folder.path().join("stderr")).unwrap()))
            .spawn()
            .unwrap();
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if start.elapsed() > SOON {
                child.kill().unwrap();
                panic!("`{line}` takes longer than {SOON:?}");
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let text = |name: &str| fs::read(folder.path().join(name)).unwrap();
        let said = String::from_utf8(text("stderr")).unwrap_or_else(|_| panic!("`{line}` says no text"));
        let written = out.is_some_and(|out| folder.path().join(out).exists());
        let is_check = command.starts_with("check");
        match status.code() {
            Some(0) => {}
            Some(1) if is_check => {}
            Some(2) => {
                assert_eq!(said.lines().count(), 1, "`{line}`: {said}");
                assert!(said.starts_with("warplens: ") && said.len() < 700, "`{line}`: {said}");
                assert!(text("stdout").is_empty(), "`{line}` writes and refuses");
                assert!(!written, "`{line}` writes a file and refuses");
            }
            code => panic!("`{line}` ends with {code:?}: {said}"),
        }
        assert!(!said.contains("panicked"), "`{line}`: {said}");
        for (name, content) in &before {
            assert_eq!(fs::read(folder.path().join(name)).unwrap(), *content, "`{line}` changes {name}");
        }
    }
}

/// Checks the exit codes of a command on some inputs. Without this check, the tests would pass even if every command
/// rejected every input.
#[track_caller]
fn codes(command: &str, expected: &[(&str, i32)]) {
    let folder = folder();
    for (input, code) in expected {
        let ran = folder.run_with_path(&command.replace("{}", input), &["bin"]);
        assert_eq!(ran.code, Some(*code), "{command} {input}: {}", ran.stderr);
    }
}

#[test]
fn analyze() {
    each("analyze {}", None);
    each("analyze {} --format json", None);
    let listings = ["listing.sass", "marked-le.sass", "marked-8.sass", "crlf.sass", "latin.sass"];
    let binaries = ["tile.cubin", "relocatable.cubin", "older.cubin", "k.fatbin", "packed.fatbin"];
    let read =
        listings.into_iter().chain(binaries).chain(["source.maxas", "plain.sass", "scale.ptx", "marked.ptx"]);
    let refused = ["cut.cubin", "program", "main.cpp", "README.md", "noise.sass", "nul.sass", "/dev/null"];
    let expected: Vec<_> = read.map(|name| (name, 0)).chain(refused.map(|name| (name, 2))).collect();
    codes("analyze {}", &expected);
}

#[test]
fn cycles() {
    each("cycles {} --range 0x0..0x10 --format csv", None);
    each("cycles {} --clock-regions", None);
    codes(
        "cycles {} --range 0x0..0x10 --function scale",
        &[("listing.sass", 0), ("scale.ptx", 2), ("main.cpp", 2)],
    );
}

#[test]
fn predict() {
    each("predict {} --launches launches.toml --format csv", None);
    codes("predict {} --launches launches.toml", &[("scale.ptx", 0), ("README.md", 2)]);
}

#[test]
fn check() {
    each("check {} --format json", None);
    each("check {}", None);
    codes("check {}", &[("listing.sass", 0), ("tile.cubin", 1), ("README.md", 2), ("kernels", 0)]);
}

#[test]
fn schedule() {
    each("schedule {}", None);
    each("schedule {} --reorder --rename -o out", Some("out"));
    codes(
        "schedule {} -o out",
        &[
            ("listing.sass", 0),
            ("tile.cubin", 0),
            ("crlf.sass", 0),
            ("scale.ptx", 2),
            ("marked.ptx", 2),
            ("plain.sass", 2),
            ("older.cubin", 2),
            ("relocatable.cubin", 2),
            ("k.fatbin", 2),
            ("packed.fatbin", 2),
        ],
    );
}

#[test]
fn counting() {
    each("calibrate --from-listings {} -o out", Some("out"));
    codes("calibrate --from-listings {} -o out", &[("listing.sass", 0), ("main.cpp", 2)]);
}

#[test]
fn files_next_to_the_input() {
    each("analyze listing.sass --launches {} --summary", None);
    each("analyze listing.sass --overlay {} --summary", None);
    codes("analyze listing.sass --launches {}", &[("launches.toml", 0), ("listing.sass", 2)]);
}

#[test]
fn a_file_that_does_not_fit_leaves_the_one_before() {
    let folder = Folder::with_listing().file("out", "the user's");
    let mode = |mode| fs::Permissions::from_mode(mode);
    fs::set_permissions(folder.path().join("out"), mode(0o640)).unwrap();
    std::os::unix::fs::symlink("out", folder.path().join("link")).unwrap();
    let script = format!("ulimit -f 1; exec {} schedule a.sass -o link", env!("CARGO_BIN_EXE_warplens"));
    let mut shell = std::process::Command::new("sh");
    let status =
        shell.args(["-c", &script]).current_dir(folder.path()).stderr(Stdio::null()).status().unwrap();
    assert!(!status.success(), "a listing is longer than a block of the disk");
    assert_eq!(fs::read(folder.path().join("out")).unwrap(), b"the user's");
    let ran = folder.run("schedule a.sass -o link");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let written = folder.path().join("out");
    assert_eq!(fs::read_to_string(&written).unwrap(), folder.run("schedule a.sass").stdout);
    assert_eq!(fs::metadata(&written).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(fs::symlink_metadata(folder.path().join("link")).unwrap().is_symlink());
}

#[test]
fn nothing_is_written_over_what_cannot_be_written() {
    let folder = folder();
    for output in ["kernels", "absent/out", "/dev/full", "listing.sass/below"] {
        let line = folder.run(&format!("schedule listing.sass -o {output}")).stderr;
        assert!(line.starts_with("warplens: cannot write") && line.lines().count() == 1, "{output}: {line}");
    }
    assert!(Path::new(&folder.path().join("kernels/listing.sass")).exists());
}
