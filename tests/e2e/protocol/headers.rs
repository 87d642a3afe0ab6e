//! Headers of a CUDA document: their macros and declarations count, and are read again after a pause in typing.

use crate::client::Client;
use crate::folder::Folder;
use serde_json::{Value, json};

const REFRESH: &str = "workspace/inlayHint/refresh";
const TEXT: &str = "#include \"entry.h\"\nENTRY k(float *m) { m[threadIdx.x * STRIDE] = 1; }\n";

fn refreshed(client: &mut Client) {
    let (id, _) = client.asked(REFRESH);
    client.answer(&id, Value::Null);
}

/// The messages of the findings.
fn findings(client: &mut Client, uri: &str) -> String {
    client.call("textDocument/diagnostic", json!({"textDocument": {"uri": uri}}))["items"].to_string()
}

#[test]
fn a_header_makes_a_kernel_and_states_its_stride() {
    let folder = Folder::new("headers");
    let header = folder.inner("include").file("entry.h");
    std::fs::write(&header, "#define ENTRY __global__ void\n#define STRIDE 8\n").expect("it can be written");
    folder.write("");
    let capabilities =
        json!({"workspace": {"inlayHint": {"refreshSupport": true}}, "textDocument": {"diagnostic": {}}});
    let mut client =
        Client::with_options(capabilities, Value::Null).ignoring("textDocument/publishDiagnostics");
    let uri = format!("{}/src/k.cu", folder.uri());
    std::fs::create_dir_all(folder.file("src")).expect("the folder can be made");
    let document = json!({"uri": uri, "languageId": "cuda-cpp", "version": 1, "text": TEXT});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
    refreshed(&mut client);
    let found = findings(&mut client, &uri);
    assert!(found.contains("lanes are 32 bytes apart"), "{found}");

    std::fs::write(&header, "#define ENTRY __global__ void\n#define STRIDE 1 + 0\n")
        .expect("it can be written");
    let end = json!({"line": 2, "character": 0});
    let change = json!({"range": {"start": end, "end": end}, "text": "\n"});
    let document = json!({"uri": uri, "version": 2});
    client.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": [change]}));
    refreshed(&mut client);
    assert_eq!(findings(&mut client, &uri), "[]");
    drop(client.ignoring(REFRESH));
}

#[test]
fn a_source_launches_the_kernel_of_an_open_header() {
    let folder = Folder::new("launches-of-a-header");
    folder.write("");
    let source = "#include \"spread.cuh\"\nvoid run(float *x) { spread<float, 8><<<4, 64>>>(x); }\n";
    std::fs::write(folder.file("run.cu"), source).expect("it can be written");
    let capabilities =
        json!({"workspace": {"inlayHint": {"refreshSupport": true}}, "textDocument": {"diagnostic": {}}});
    let mut client =
        Client::with_options(capabilities, Value::Null).ignoring("textDocument/publishDiagnostics");
    let uri = format!("{}/spread.cuh", folder.uri());
    let text =
        "template <typename T, int STEP> __global__ void spread(T *x) { x[threadIdx.x * STEP] = 1; }\n";
    std::fs::write(folder.file("spread.cuh"), text).expect("it can be written");
    let document = json!({"uri": uri, "languageId": "cuda-cpp", "version": 1, "text": text});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
    refreshed(&mut client);
    let found = findings(&mut client, &uri);
    assert!(found.contains("32 sectors per request; 4 would suffice: lanes are 32 bytes apart"), "{found}");
    drop(client.ignoring(REFRESH));
}
