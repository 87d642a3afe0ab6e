//! CUDA compiled in the background, and the figures of the code at the lines of the text. Scripts replace the
//! vendor's tools.

use crate::client::{Client, range};
use crate::folder::Folder;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

const CUDA: &str = include_str!("../stand_in/scale.cu");
const CUBIN: &[u8] = include_bytes!("../stand_in/scale_py.cubin");

/// The source path in the cubin that the script writes.
const URI: &str = "file:///kernels/scale.cu";

/// The 0-based line of `y[i * 8] = twice(x, i);`.
const STORE: u64 = 7;

fn stand_in(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/e2e/stand_in")).join(name)
}

fn options() -> Value {
    json!({
        "trusted": true, "gpu": "h100-sxm", "nvcc": {"path": stand_in("nvcc")},
        "ptxas": {"path": stand_in("ptxas")}, "disassembler": stand_in("nvdisasm"),
    })
}

fn refreshing() -> Value {
    json!({"workspace": {"inlayHint": {"refreshSupport": true}}})
}

/// Ends a test: later requests of the server are ignored.
fn done(client: Client) {
    drop(client.ignoring("workspace/inlayHint/refresh"));
}

fn client(options: Value) -> Client {
    Client::with_options(refreshing(), options).ignoring("textDocument/publishDiagnostics")
}

fn open(client: &mut Client, uri: &str, language: &str, text: &str) {
    let document = json!({"uri": uri, "languageId": language, "version": 1, "text": text});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
}

/// Waits until the server requests a refresh of hints.
fn refreshed(client: &mut Client) {
    let (id, _) = client.asked("workspace/inlayHint/refresh");
    client.answer(&id, Value::Null);
}

/// Returns the hints of a document as (line, label).
fn hints(client: &mut Client, uri: &str) -> Vec<(u64, String)> {
    let asked = json!({"textDocument": {"uri": uri}, "range": range((0, 0), (100, 0))});
    let hints = client.call("textDocument/inlayHint", asked);
    let hints = hints.as_array().cloned().unwrap_or_default();
    hints
        .iter()
        .map(|hint| {
            let line = hint["position"]["line"].as_u64().expect("a line");
            (line, hint["label"].as_str().expect("a text").to_owned())
        })
        .collect()
}

fn lenses(client: &mut Client, uri: &str) -> Vec<(u64, String)> {
    let lenses = client.call("textDocument/codeLens", json!({"textDocument": {"uri": uri}}));
    let lenses = lenses.as_array().cloned().unwrap_or_default();
    let resolved = lenses.into_iter().map(|lens| match lens["command"] {
        Value::Null => client.call("codeLens/resolve", lens),
        _ => lens,
    });
    resolved
        .map(|lens| {
            let line = lens["range"]["start"]["line"].as_u64().expect("a line");
            (line, lens["command"]["title"].as_str().expect("a title").to_owned())
        })
        .collect()
}

fn on(hints: &[(u64, String)], line: u64) -> &str {
    hints.iter().find(|(at, _)| *at == line).map_or("", |(_, label)| label)
}

#[test]
fn figures_of_the_code_stand_at_the_lines_and_are_marked_while_the_text_is_newer() {
    let mut client = client(options());
    open(&mut client, URI, "cuda-cpp", CUDA);
    refreshed(&mut client);
    let fresh = hints(&mut client, URI);
    assert!(on(&fresh, STORE).contains(" instr, ") && !on(&fresh, STORE).contains('?'), "{fresh:?}");
    // Inlined code is shown at the line where it is written.
    assert!(on(&fresh, 1).contains('%'), "{fresh:?}");
    // The launch is stated in the host code.
    let lens = lenses(&mut client, URI);
    assert!(
        lens[0].0 == 4 && lens[0].1.starts_with("line 13: ") && lens[0].1.contains("% occupancy"),
        "{lens:?}"
    );
    client.change(URI, 2, json!([{"range": range((0, 0), (0, 0)), "text": "// a line more\n"}]));
    let stale = hints(&mut client, URI);
    assert_eq!(on(&stale, STORE + 1), format!("{} ?", on(&fresh, STORE)));
    let lens = lenses(&mut client, URI);
    assert!(lens[0].1.starts_with("older code: "), "{lens:?}");
    done(client);
}

#[test]
fn a_text_that_does_not_compile_keeps_the_figures_before_it() {
    let mut client = client(options());
    open(&mut client, URI, "cuda-cpp", CUDA);
    refreshed(&mut client);
    client.change(URI, 2, json!([{"range": range((7, 8), (7, 8)), "text": "wrong; "}]));
    refreshed(&mut client);
    let stale = hints(&mut client, URI);
    assert!(on(&stale, STORE).ends_with(" ?"), "{stale:?}");
    let asked = json!({"textDocument": {"uri": URI}, "listing": "warplens-sass:/kernels/scale.cu.nvsass"});
    let answer = client.call("warplens/showSass", asked);
    assert_eq!(answer["reason"], "nvcc: line 7: identifier \"wrong\" is undefined");
    assert_eq!(answer["remedy"], "text");
    done(client);
}

/// The compiler's findings for a document, as (line, source, message).
fn reported(client: &mut Client, uri: &str) -> Vec<(u64, String, String)> {
    let answer = client.call("textDocument/diagnostic", json!({"textDocument": {"uri": uri}}));
    let items = answer["items"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let of_compiler = items.iter().filter(|item| text(&item["message"]).starts_with("not compiled: "));
    of_compiler
        .map(|item| {
            let line = item["range"]["start"]["line"].as_u64().expect("a line");
            (line, text(&item["source"]), text(&item["message"]))
        })
        .collect()
}

#[test]
fn the_reason_why_a_text_is_not_compiled_is_among_its_findings() {
    let mut options = options();
    options["compile"] = json!({"timeLimit": 1});
    let pulling = json!({
        "workspace": {"inlayHint": {"refreshSupport": true}}, "textDocument": {"diagnostic": {}},
    });
    let mut client = Client::with_options(pulling, options).ignoring("textDocument/publishDiagnostics");
    let wrong = CUDA.replace("twice(x, i)", "wrong");
    open(&mut client, URI, "cuda-cpp", &wrong);
    refreshed(&mut client);
    let message = "not compiled: identifier \"wrong\" is undefined".to_owned();
    assert_eq!(reported(&mut client, URI), [(6, "nvcc".to_owned(), message)]);
    client.change(URI, 2, json!([{"text": CUDA}]));
    refreshed(&mut client);
    assert_eq!(reported(&mut client, URI), []);
    client.change(URI, 3, json!([{"text": CUDA.replace("twice", "slow")}]));
    refreshed(&mut client);
    let message = "not compiled: nvcc took longer than 1 s and was stopped".to_owned();
    assert_eq!(reported(&mut client, URI), [(0, "warplens".to_owned(), message)]);
    // The same text is not compiled again after a failure.
    let start = std::time::Instant::now();
    let asked = json!({"textDocument": {"uri": URI}, "listing": "warplens-sass:/kernels/scale.cu.nvsass"});
    let answer = client.call("warplens/showSass", asked);
    assert_eq!(answer["reason"], "nvcc took longer than 1 s and was stopped");
    assert!(start.elapsed() < std::time::Duration::from_millis(900), "{:?}", start.elapsed());
    done(client);
}

#[test]
fn a_folder_with_letters_of_other_languages_has_its_figures() {
    for (name, written) in [
        ("M\u{fc}ller", r"M\303\274ller"),
        ("\u{4ee3}\u{7801}", r"\344\273\243\347\240\201"),
        ("\u{1f600}", r"\360\237\230\200"),
        ("it's", "it's"),
        ("a,b", "a,b"),
        ("a\\b", r"a\\b"),
        ("a\tb", r"a\tb"),
        ("\"q\"", r"\042q\042"),
    ] {
        let folder = Folder::new("names");
        let own = folder.inner(name);
        let path = own.file("scale.cu").display().to_string();
        let written = path.replace(name, written);
        let listing = include_str!("../stand_in/scale_cu.listing").replace("/kernels/scale.cu", &written);
        let disassembler = folder.file("nvdisasm");
        std::fs::write(&disassembler, format!("#!/bin/sh\ncat <<'END'\n{listing}\nEND\n"))
            .expect("the test wrote the file");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&disassembler, mode).expect("the test wrote the file");
        let mut options = options();
        options["disassembler"] = json!(disassembler);
        let mut client = client(options);
        let escaped = path.bytes().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "%{byte:02X}");
            text
        });
        let uri = format!("file://{}", escaped.replace("%2F", "/"));
        open(&mut client, &uri, "cuda-cpp", CUDA);
        refreshed(&mut client);
        let fresh = hints(&mut client, &uri);
        assert!(on(&fresh, STORE).contains(" instr, "), "{name}: {fresh:?}");
        done(client);
    }
}

#[test]
fn a_path_that_leads_to_no_program_is_in_the_status() {
    let mut options = options();
    options["nvcc"] = json!({"path": "/nowhere/nvcc"});
    let capabilities = json!({"experimental": {"serverStatusNotification": true}});
    let mut client = Client::with_options(capabilities, options);
    let status = client.notification("experimental/serverStatus");
    assert_eq!(status["health"], "warning");
    let message = status["message"].as_str().expect("a text");
    let expected = "settings: `nvcc.path`: `/nowhere/nvcc` is not a program; expected the path of nvcc";
    assert!(message.starts_with(expected), "{message}");
    done(client);
}

#[test]
fn a_machine_without_nvcc_has_a_note_in_the_status_and_all_is_well() {
    let folder = Folder::new("no-nvcc");
    let capabilities = json!({"experimental": {"serverStatusNotification": true}});
    let nowhere = folder.file("").display().to_string();
    let mut command = Command::new(env!("CARGO_BIN_EXE_warplens"));
    command
        .arg("lsp")
        .env("PATH", nowhere)
        .env_remove("CUDA_HOME")
        .env("XDG_CACHE_HOME", "/dev/null/no-cache");
    let mut client = Client::spawned(command).ignoring("textDocument/publishDiagnostics");
    client.call(
        "initialize",
        json!({
            "processId": null, "rootUri": null, "capabilities": capabilities,
            "initializationOptions": {"trusted": true, "gpu": "h100-sxm"},
        }),
    );
    client.notify("initialized", json!({}));
    open(&mut client, URI, "cuda-cpp", CUDA);
    let mut status = client.notification("experimental/serverStatus");
    while status["note"].is_null() {
        status = client.notification("experimental/serverStatus");
    }
    assert_eq!(status["health"], "ok");
    let note = "no nvcc found: figures are estimated from the source. Install the CUDA toolkit, or set \
                `nvcc.path` to the nvcc of an installed toolkit";
    assert_eq!(status["note"], note);
    assert!(status["message"].as_str().is_some_and(|message| message.starts_with(note)), "{status}");
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": URI}}));
    while !status["note"].is_null() {
        status = client.notification("experimental/serverStatus");
    }
    done(client);
}

#[test]
fn programs_next_to_a_configured_nvcc_are_used() {
    let options = json!({"trusted": true, "gpu": "h100-sxm", "nvcc": {"path": stand_in("nvcc")}});
    let mut client = client(options);
    open(&mut client, URI, "cuda-cpp", CUDA);
    refreshed(&mut client);
    assert!(on(&hints(&mut client, URI), STORE).contains(" instr, "));
    let ptx = include_str!("../stand_in/scale.ptx");
    open(&mut client, "file:///scale.ptx", "ptx", ptx);
    let asked =
        json!({"textDocument": {"uri": "file:///scale.ptx"}, "listing": "warplens-sass:/scale.ptx.nvsass"});
    let answer = client.call("warplens/showSass", asked);
    assert!(answer["text"].is_string(), "{answer}");
    done(client);
}

#[test]
fn the_sass_of_cuda_is_in_step_with_it() {
    let mut client = client(options());
    open(&mut client, URI, "cuda-cpp", CUDA);
    let listing = "warplens-sass:/kernels/scale.cu.nvsass";
    let answer = client.call("warplens/showSass", json!({"textDocument": {"uri": URI}, "listing": listing}));
    let text: Vec<&str> = answer["text"].as_str().expect("a listing").lines().collect();
    assert_eq!(text[0], "// scale.cu, compiled by nvcc -arch=sm_90");
    assert!(!text.iter().any(|line| line.contains("//##")), "{text:?}");
    let pairs = answer["lines"].as_array().expect("a list");
    let of = |opcode: &str| -> Vec<u64> {
        let line =
            |pair: &Value| (pair[0].as_u64().expect("a line") as usize, pair[1].as_u64().expect("a line"));
        let own = pairs.iter().map(line).filter(|(at, _)| text[*at].contains(opcode));
        own.map(|(_, source)| source).collect()
    };
    assert_eq!(of(" STG.E "), [STORE]);
    assert_eq!(of(" LDG.E "), [1]);
    done(client);
}

/// A toolkit with scripts in place of clang and NVIDIA's tools, and a unit whose build runs clang.
fn clang_folder() -> Folder {
    let folder = Folder::new("clang");
    for name in ["bin", "include", "nvvm/libdevice"] {
        std::fs::create_dir_all(folder.file(name)).expect("the folder can be made");
    }
    let files = [("scale_cu.cubin", "scale_cu.cubin"), ("scale_cu.ptx", "scale_cu.ptx")];
    for (program, name) in [("nvcc", "clang++"), ("ptxas", "ptxas")].into_iter().chain(files) {
        std::os::unix::fs::symlink(stand_in(program), folder.file("bin").join(name))
            .expect("a link can be made");
    }
    let directory = folder.file("");
    let command = "/opt/llvm/bin/clang++ --offload-arch=sm_90a -O2 -fplugin=evil.so -x cuda -c scale.cu";
    let database = json!([{"directory": directory, "file": "scale.cu", "command": command}]);
    std::fs::write(folder.file("compile_commands.json"), database.to_string())
        .expect("the file can be written");
    folder
}

/// Answer of `showSass` for the unit of a folder of `clang_folder`, with these compiler paths in the
/// settings.
fn sass_of_clang(folder: &Folder, text: &str, compilers: Value) -> Value {
    let mut options = options();
    let members = options.as_object_mut().expect("it is an object");
    members.insert("compile".to_owned(), json!({"live": false}));
    members.extend(compilers.as_object().expect("it is an object").clone());
    let mut client = client(options);
    let uri = format!("{}/scale.cu", folder.uri());
    open(&mut client, &uri, "cuda-cpp", text);
    let asked = json!({"textDocument": {"uri": uri}, "listing": "warplens-sass:/scale.cu.nvsass"});
    let answer = client.call("warplens/showSass", asked);
    done(client);
    answer
}

#[test]
fn a_unit_whose_build_runs_clang_is_compiled_by_clang() {
    let folder = clang_folder();
    let bin = folder.file("bin");
    let paths = json!({"clang": {"path": bin}, "ptxas": {"path": bin}});
    let answer = sass_of_clang(&folder, CUDA, paths.clone());
    let text = answer["text"].as_str().expect("a listing");
    let head = "// scale.cu, compiled by clang -O2 --offload-arch=sm_90a";
    assert_eq!(text.lines().next(), Some(head), "{answer}");
    let answer = sass_of_clang(&folder, &CUDA.replace("twice(x, i)", "wrong"), paths);
    assert_eq!(answer["reason"], "clang: line 7: identifier \"wrong\" is undefined");
    // The button leads to the setting of the missing compiler, even if an nvcc is available.
    let nowhere = folder.file("nowhere");
    let answer = sass_of_clang(&folder, CUDA, json!({"clang": {"path": nowhere}}));
    assert_eq!(answer["remedy"], "clang", "{answer}");
    let expected = format!("`{}` is not a program; expected the path of clang", nowhere.display());
    assert!(answer["reason"].as_str().is_some_and(|reason| reason.starts_with(&expected)), "{answer}");
}

#[test]
fn the_ptx_of_cuda_is_in_step_with_it_and_is_not_compiled_itself() {
    let mut client = client(options());
    open(&mut client, URI, "cuda-cpp", CUDA);
    refreshed(&mut client);
    let answer = client.call("warplens/showPtx", json!({"textDocument": {"uri": URI}}));
    assert_eq!((&answer["version"], &answer["languageId"]), (&json!(1), &json!("ptx")));
    let text = answer["text"].as_str().expect("a text");
    let lines: Vec<&str> = text.lines().collect();
    let pairs = answer["lines"].as_array().expect("a list");
    let of = |part: &str| -> Vec<u64> {
        let own =
            pairs.iter().filter(|pair| lines[pair[0].as_u64().expect("a line") as usize].contains(part));
        own.map(|pair| pair[1].as_u64().expect("a line")).collect()
    };
    assert_eq!((of("st.global.f32"), of("ld.global.f32")), (vec![STORE], vec![1]));
    open(&mut client, "warplens-ptx:/kernels/scale.cu.ptx?file", "ptx", text);
    let within = std::time::Duration::from_millis(800);
    assert_eq!(client.count_within("workspace/inlayHint/refresh", within), 0);
    done(client);
}

#[test]
fn a_client_is_notified_of_new_code_on_request() {
    let wishes = json!({"experimental": {"codeChangeNotification": true}});
    let mut client = Client::with_options(wishes, options()).ignoring("textDocument/publishDiagnostics");
    open(&mut client, URI, "cuda-cpp", CUDA);
    let reported = client.notification("warplens/codeChanged");
    assert_eq!(reported["textDocument"]["uri"], URI);
    // A text without code does not trigger a notification.
    client.change(URI, 2, json!([{"range": range((7, 8), (7, 8)), "text": "wrong; "}]));
    let within = std::time::Duration::from_millis(800);
    assert_eq!(client.count_within("warplens/codeChanged", within), 0);
    done(client);
}

#[test]
fn a_version_is_compared_with_the_one_that_was_pinned() {
    let mut client = client(options());
    open(&mut client, URI, "cuda-cpp", CUDA);
    let own = json!({"textDocument": {"uri": URI}});
    let refused = client.call("warplens/pinCode", own.clone());
    assert!(refused["version"].is_null() && refused["reason"].is_string(), "{refused}");
    refreshed(&mut client);
    assert_eq!(client.call("warplens/pinCode", own.clone())["version"], 1);
    client.change(URI, 2, json!([{"range": range((0, 0), (0, 0)), "text": "// a line more\n"}]));
    refreshed(&mut client);
    let answer = client.call("warplens/compareCode", own);
    let comparison = &answer["comparison"];
    assert_eq!((&answer["pinned"], &answer["version"]), (&json!(1), &json!(2)));
    let kernel = &comparison["kernels"][0];
    assert_eq!(kernel["name"], "_Z5scalePKfPfi");
    assert_eq!(kernel["before"]["registers"], kernel["after"]["registers"]);
    done(client);
}

#[test]
fn nothing_is_compiled_without_trust_or_where_it_is_off() {
    for more in [json!({"trusted": false}), json!({"compile": {"live": false}})] {
        let mut options = options();
        let members = more.as_object().expect("it is an object").clone();
        options.as_object_mut().expect("it is an object").extend(members);
        let mut client = client(options);
        open(&mut client, URI, "cuda-cpp", CUDA);
        let within = std::time::Duration::from_millis(800);
        assert_eq!(client.count_within("workspace/inlayHint/refresh", within), 0, "{more}");
        assert_eq!(hints(&mut client, URI), []);
        done(client);
    }
}

#[test]
fn code_actions_say_what_their_text_compiles_to() {
    const SAME: &str = "[compiled: the compiled code is the same]";
    for is_on in [true, false] {
        let mut options = options();
        options["compile"] = json!({"gains": is_on});
        let mut client = client(options);
        open(&mut client, URI, "cuda-cpp", CUDA);
        refreshed(&mut client);
        let mut titles = || -> Vec<String> {
            let at = range((4, 36), (4, 36));
            let context = json!({"diagnostics": [], "triggerKind": 1});
            let asked = json!({"textDocument": {"uri": URI}, "range": at, "context": context});
            let actions = client.call("textDocument/codeAction", asked);
            let actions = actions.as_array().cloned().unwrap_or_default();
            actions.iter().map(|action| action["title"].as_str().expect("a title").to_owned()).collect()
        };
        let is_reported = |titles: &[String]| titles.iter().any(|title| title.ends_with(SAME));
        let found =
            (0..20).map(|_| titles()).take(if is_on { 20 } else { 2 }).find(|titles| is_reported(titles));
        assert_eq!(found.is_some(), is_on, "{:?}", titles());
        assert!(titles().iter().any(|title| title.contains("__restrict__")));
        done(client);
    }
}

#[test]
fn an_edit_stops_the_compiler() {
    let mut client = client(options());
    open(&mut client, URI, "cuda-cpp", &CUDA.replace("twice", "slow"));
    std::thread::sleep(std::time::Duration::from_millis(500));
    client.change(URI, 2, json!([{"text": CUDA}]));
    refreshed(&mut client);
    assert!(!hints(&mut client, URI).is_empty());
    done(client);
}

#[test]
fn any_source_that_a_cubin_names_shows_what_its_lines_cost() {
    let folder = long_folder();
    let source = folder.file("scale.py");
    let path = source.to_str().expect("a path");
    std::fs::write(&source, CUDA).expect("the folder can be written");
    std::fs::create_dir_all(folder.file("cache")).expect("the folder can be written");
    folder.write("gpu = \"h100-sxm\"\ncubins = [\"cache/**\"]\n");
    let listing = include_str!("../stand_in/scale_cu.listing").replace("/kernels/scale.cu", path);
    let script = format!("#!/bin/sh\ncat <<'END'\n{listing}\nEND\n");
    let disassembler = folder.file("nvdisasm");
    std::fs::write(&disassembler, script).expect("the folder can be written");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&disassembler, mode).expect("the folder can be written");
    let cubin = with_folder(CUBIN, path.trim_end_matches("/scale.py"));
    let options = json!({"trusted": true, "disassembler": disassembler});
    let root = json!({"uri": folder.uri(), "name": "root"});
    let mut client = Client::greeted(json!({
        "capabilities": refreshing(), "initializationOptions": options, "workspaceFolders": [root],
    }))
    .ignoring("textDocument/publishDiagnostics");
    let uri = format!("{}/scale.py", folder.uri());
    open(&mut client, &uri, "python", CUDA);
    assert_eq!(hints(&mut client, &uri), []);
    // A build that finishes while the source is open is noticed.
    std::fs::write(folder.file("cache/k.cubin"), cubin).expect("the folder can be written");
    while hints(&mut client, &uri).is_empty() {
        refreshed(&mut client);
    }
    let fresh = hints(&mut client, &uri);
    assert!(on(&fresh, STORE).contains(" instr, ") && !on(&fresh, STORE).contains('?'), "{fresh:?}");
    // If the source was saved after the build, the hints state this.
    let later = std::time::SystemTime::now() + std::time::Duration::from_mins(1);
    let file = std::fs::File::options().write(true).open(&source).expect("it exists");
    file.set_modified(later).expect("the time can be set");
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    open(&mut client, &uri, "python", CUDA);
    while !on(&hints(&mut client, &uri), STORE).ends_with(" ?") {
        refreshed(&mut client);
    }
    let lens = lenses(&mut client, &uri);
    assert!(lens[0].1.starts_with("older code: "), "{lens:?}");
    done(client);
}

/// Length of the source folder's path in the cubin. The test creates a folder with a path of the same length.
const FOLDER_BYTES: usize = 120;

/// A folder whose path is as long as the folder's path in the cubin.
fn long_folder() -> Folder {
    let outer = Folder::new("cubins");
    let own = outer.file("").as_os_str().len();
    let name = "k".repeat(FOLDER_BYTES.checked_sub(own).expect("the path of temporary files is short"));
    outer.into_inner(&name)
}

/// The cubin with `folder` in its line table.
fn with_folder(cubin: &[u8], folder: &str) -> Vec<u8> {
    assert_eq!(folder.len(), FOLDER_BYTES, "{folder}");
    let old = format!("/{}", "k".repeat(FOLDER_BYTES - 1));
    let at = cubin.windows(FOLDER_BYTES).position(|window| window == old.as_bytes()).expect("it exists");
    let mut bytes = cubin.to_vec();
    bytes[at..at + FOLDER_BYTES].copy_from_slice(folder.as_bytes());
    bytes
}
