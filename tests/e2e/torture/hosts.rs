//! Hostile files in places where the server and the command line look for files.

use crate::client::{Client, everything};
use crate::folder::Folder;
use crate::texts::listing;
use serde_json::{Value, json};
use std::fs::File;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const REQUEST_FAILED: i64 = -32803;

/// Longest time that handling any of these files may take; the machine may be busy.
const MAX_TIME: Duration = Duration::from_secs(20);

/// Largest peak memory of the server, in MiB.
const MAX_MEMORY: u64 = 400;

fn fifo(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().expect("mkfifo is there");
    assert!(made.success());
}

fn sparse(path: &Path) {
    File::create(path).and_then(|file| file.set_len(3 << 30)).expect("the folder can be written");
}

fn write(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).expect("the folder can be written");
}

fn link(to: &str, path: &Path) {
    symlink(to, path).expect("the folder can be written");
}

fn greeting(folder: &Folder) -> Value {
    json!({
        "processId": null,
        "rootUri": null,
        "workspaceFolders": [{"uri": folder.uri(), "name": "folder"}],
        "capabilities": {},
    })
}

/// Resident memory that the server reports, in MiB.
fn memory(client: &mut Client) -> u64 {
    let state = client.call("workspace/executeCommand", json!({"command": "warplens.dumpState"}));
    state["memory"]["residentBytes"].as_u64().map_or(0, |bytes| bytes >> 20)
}

/// Asserts that the server answers requests, with the hints of a document in the folder.
fn is_served(client: &mut Client, folder: &Folder) {
    let uri = format!("{}/k.sass", folder.uri());
    client.open(&uri, &listing(3));
    let hints =
        client.call("textDocument/inlayHint", json!({"textDocument": {"uri": uri}, "range": everything()}));
    assert!(hints.as_array().is_some_and(|hints| !hints.is_empty()), "{hints}");
    client.close(&uri);
}

#[test]
fn no_kind_of_launches_file_stops_the_server() {
    type Case = (&'static str, fn(&Path), &'static str);
    let cases: [Case; 9] = [
        ("pipe", fifo, "named pipe"),
        ("device", |path| link("/dev/zero", path), "leads out"),
        ("sparse", sparse, "larger than 1 MiB"),
        (
            "comment",
            |path| write(path, format!("#{}\n", "x".repeat(50 << 20)).as_bytes()),
            "larger than 1 MiB",
        ),
        ("folder", |path| std::fs::create_dir(path).expect("the folder can be written"), "folder"),
        ("away", |path| link("../../etc/passwd", path), "leads out"),
        ("latin", |path| write(path, b"# caf\xe9\n[[launch]]\nfunction = \"\xff\"\n"), "warplens.toml:"),
        ("zeros", |path| write(path, &vec![0; 1 << 20]), "warplens.toml:"),
        ("deep", |path| write(path, format!("a = {}", "[".repeat(1 << 19)).as_bytes()), "warplens.toml:"),
    ];
    for (name, make, expected) in cases {
        let folder = Folder::new(&format!("torture-toml-{name}"));
        let path = folder.file("warplens.toml");
        make(&path);
        let start = Instant::now();
        let mut client = Client::greeted(greeting(&folder)).ignoring("textDocument/publishDiagnostics");
        let message = client.notification("window/showMessage");
        let text = message["message"].as_str().unwrap_or_default();
        assert!(text.starts_with("warplens.toml") && text.contains(expected), "{name}: {text}");
        assert!(!text.contains("root:") && text.len() < 1000, "{name}: {text}");
        is_served(&mut client, &folder);
        let held = memory(&mut client);
        assert!(held < MAX_MEMORY, "{name}: {held} MiB");

        // A valid file in place of the hostile file takes effect.
        if path.is_dir() { std::fs::remove_dir(&path) } else { std::fs::remove_file(&path) }
            .expect("it exists");
        write(&path, b"gpu = \"h100-pcie\"\n");
        let change = json!({"uri": format!("{}/warplens.toml", folder.uri()), "type": 2});
        client.notify("workspace/didChangeWatchedFiles", json!({"changes": [change]}));
        let uri = format!("{}/k.sass", folder.uri());
        client.open(&uri, &listing(3));
        let gpu = client.call("warplens/gpu", json!({"uri": uri}));
        assert!(gpu["gpu"].as_str().is_some_and(|gpu| gpu.contains("PCIe")), "{name}: {gpu}");
        assert_eq!(client.shut_down(), 0, "{name}");
        assert!(start.elapsed() < MAX_TIME, "{name}: {:?}", start.elapsed());
    }
}

#[test]
fn launches_as_many_as_a_file_holds_stay_within_bounds() {
    const LAUNCH: &str = "[[launch]]\nfunction=\"saxpy\"\ngrid=[2147483647,65535,65535]\nblock=[1024]\n";
    let folder = Folder::new("torture-launches");
    folder.write(&LAUNCH.repeat((1 << 20) / LAUNCH.len()));
    let start = Instant::now();
    let mut client = Client::greeted(greeting(&folder)).ignoring("textDocument/publishDiagnostics");
    let reported = client.notification("window/showMessage");
    assert!(
        reported["message"].as_str().is_some_and(|text| text.contains("the maximum is 4096")),
        "{reported}"
    );
    let uri = format!("{}/k.sass", folder.uri());
    client.open(&uri, &listing(3));
    let lenses = client.call("textDocument/codeLens", json!({"textDocument": {"uri": uri}}));
    let lenses = lenses.as_array().expect("a list");
    assert!(lenses.len() >= 4096, "{}", lenses.len());
    client.call("codeLens/resolve", lenses[0].clone());
    let held = memory(&mut client);
    eprintln!("{} lenses after {:?}, {held} MiB", lenses.len(), start.elapsed());
    assert!(held < MAX_MEMORY && start.elapsed() < MAX_TIME, "{held} MiB, {:?}", start.elapsed());
}

/// The name of a file, and the function that creates it.
type Made = (&'static str, fn(&Path));

#[test]
fn no_binary_stops_the_server() {
    let folder = Folder::new("torture-binary");
    let mut client = Client::greeted(greeting(&folder));
    let cases: [Made; 5] = [
        ("device.cubin", |path| link("/dev/zero", path)),
        ("pipe.cubin", fifo),
        ("sparse.cubin", sparse),
        ("folder.cubin", |path| std::fs::create_dir(path).expect("the folder can be written")),
        ("text.cubin", |path| write(path, &b"MOV R1, R2 ;\n".repeat(1 << 20))),
    ];
    for (name, make) in cases {
        make(&folder.file(name));
        let start = Instant::now();
        let code = client.fail("warplens/openBinary", json!({"uri": format!("{}/{name}", folder.uri())}));
        assert_eq!(code, REQUEST_FAILED, "{name}");
        let held = memory(&mut client);
        assert!(held < MAX_MEMORY && start.elapsed() < MAX_TIME, "{name}: {held} MiB, {:?}", start.elapsed());
    }
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn listings_do_not_lead_out_of_the_workspace() {
    let folder = Folder::new("torture-listings");
    let (inside, outside) = (folder.inner("in"), folder.inner("out"));
    let named = |name: &str| listing(1).replace("saxpy", name);
    write(&inside.file("a.sass"), named("kernel_inside").as_bytes());
    write(&outside.file("b.sass"), named("kernel_outside").as_bytes());
    link("a.sass", &inside.file("near.sass"));
    link("../out/b.sass", &inside.file("far.sass"));
    link("../out", &inside.file("folder"));
    fifo(&inside.file("pipe.sass"));
    link("/dev/zero", &inside.file("zero.sass"));
    sparse(&inside.file("sparse.sass"));
    inside.write("listings = [\"*.sass\", \"folder/*.sass\", \"folder/b.sass\", \"pipe.sass\"]\n");
    link("in", &folder.file("root"));
    // The folder itself may be a link.
    for root in ["in", "root"] {
        let greeting = json!({
            "processId": null,
            "rootUri": null,
            "workspaceFolders": [{"uri": format!("{}/{root}", folder.uri()), "name": "folder"}],
            "capabilities": {},
        });
        let mut client = Client::greeted(greeting).ignoring("window/logMessage");
        let found = client.call("workspace/symbol", json!({"query": "kernel_"}));
        let names: Vec<_> =
            found.as_array().into_iter().flatten().filter_map(|symbol| symbol["name"].as_str()).collect();
        assert!(names.len() == 2 && names.iter().all(|name| name.contains("inside")), "{root}: {found}");
    }
    // A pipe that this test created with `mkfifo`.
    drop(std::fs::remove_file(inside.file("pipe.sass")));
}

fn run(folder: &Folder, arguments: &[&str], input: Stdio) -> Output {
    Command::new(env!("CARGO_BIN_EXE_warplens"))
        .args(arguments)
        .current_dir(folder.file("."))
        .stdin(input)
        .output()
        .expect("the program starts")
}

#[test]
fn the_command_line_reads_pipes_that_are_named_and_no_endless_device() {
    let folder = Folder::new("torture-cli");
    write(&folder.file("k.sass"), listing(3).as_bytes());
    let output = |arguments: &[&str]| run(&folder, arguments, Stdio::null());
    let line = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();

    let start = Instant::now();
    for command in [&["analyze", "/dev/zero"][..], &["check", "/dev/zero"], &["schedule", "/dev/zero"]] {
        let refused = output(command);
        assert_eq!(
            (refused.status.code(), line(&refused).lines().count()),
            (Some(2), 1),
            "{}",
            line(&refused)
        );
    }
    let zeros = run(&folder, &["analyze", "-"], File::open("/dev/zero").expect("it exists").into());
    assert_eq!(zeros.status.code(), Some(2), "{}", line(&zeros));

    // A pipe that the user names is read like a file, such as that of `<(cuobjdump -sass x)`.
    let plain = output(&["analyze", "k.sass", "--format", "json"]);
    assert_eq!(plain.status.code(), Some(0), "{}", line(&plain));
    let pipe = folder.file("pipe");
    fifo(&pipe);
    let writer = |text: String| {
        let pipe = pipe.clone();
        std::thread::spawn(move || std::fs::write(pipe, text))
    };
    let written = writer(listing(3));
    let piped = output(&["analyze", "pipe", "--format", "json"]);
    assert_eq!(piped.stdout, plain.stdout, "{}", line(&piped));
    drop(written.join());
    let input = File::open(folder.file("k.sass")).expect("it was written");
    assert_eq!(run(&folder, &["analyze", "-", "--format", "json"], input.into()).stdout, plain.stdout);
    let written = writer("gpu = \"h100-pcie\"\n".to_owned());
    let launched = output(&["analyze", "k.sass", "--launches", "pipe"]);
    assert!(String::from_utf8_lossy(&launched.stdout).contains("PCIe"), "{}", line(&launched));
    drop(written.join());

    // Of the files that the program finds by itself, only regular files up to a size limit are read.
    for (name, make) in [("pipe", fifo as fn(&Path)), ("device", |path| link("/dev/zero", path))] {
        let toml = folder.file("warplens.toml");
        make(&toml);
        let found = output(&["analyze", "k.sass", "--format", "json"]);
        assert_eq!(found.stdout, plain.stdout, "{name}: {}", line(&found));
        drop(std::fs::remove_file(&toml));
    }
    folder.write(&format!("#{}\n", "x".repeat(2 << 20)));
    let large = output(&["analyze", "k.sass"]);
    assert_eq!(large.status.code(), Some(2));
    assert!(
        line(&large).contains("larger than 1 MiB") && line(&large).lines().count() == 1,
        "{}",
        line(&large)
    );
    folder.write("");
    link("/dev/zero", &folder.file("zero.sass"));
    let checked = output(&["check", "."]);
    assert!(matches!(checked.status.code(), Some(0 | 1)), "{}", line(&checked));
    assert!(start.elapsed() < 3 * MAX_TIME, "{:?}", start.elapsed());
}
