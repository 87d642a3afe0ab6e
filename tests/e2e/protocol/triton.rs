//! A Triton kernel in Python that `warplens.toml` tunes: the server ranks the kernel's configurations, and
//! does not answer other requests for Python.

use crate::client::{Client, range};
use crate::folder::Folder;
use serde_json::{Value, json};

const TOML: &str = r#"
gpu = "h100-sxm"
[tune.matmul]
shapes = [{ M = 4096, N = 4096, K = 4096 }]
problem = { kind = "gemm", m = "M", n = "N", k = "K", element = "f16" }
"#;

const TEXT: &str = "import triton
import triton.language as tl
@triton.autotune(configs=[
    triton.Config({'BLOCK_M': 128, 'BLOCK_N': 256, 'BLOCK_K': 64}, num_warps=8, num_stages=3),
    triton.Config({'BLOCK_M': 64, 'BLOCK_N': 64, 'BLOCK_K': 32}),
    triton.Config({'BLOCK_M': 32, 'BLOCK_N': 32, 'BLOCK_K': 32}),
    triton.Config({'BLOCK_M': 128, 'BLOCK_N': 128, 'BLOCK_K': 32}),
    triton.Config({'BLOCK_M': 256, 'BLOCK_N': 256, 'BLOCK_K': 128}, num_warps=8, num_stages=4),
], key=['M'])
@triton.jit
def matmul(a, b, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    acc = tl.dot(a, b)
";

fn client(folder: &Folder, capabilities: &Value) -> Client {
    Client::greeted(json!({
        "processId": null,
        "rootUri": null,
        "workspaceFolders": [{"uri": folder.uri(), "name": "folder"}],
        "capabilities": capabilities,
        "initializationOptions": {"tuneCommand": true},
    }))
    .ignoring("textDocument/publishDiagnostics")
}

fn open(client: &mut Client, folder: &Folder) -> String {
    let uri = format!("{}/k.py", folder.uri());
    let document = json!({"uri": uri, "languageId": "python", "version": 1, "text": TEXT});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
    uri
}

#[test]
fn a_lens_ranks_configurations_and_an_action_keeps_the_best() {
    let folder = Folder::new("triton");
    folder.write(TOML);
    let mut client = client(
        &folder,
        &json!({"workspace": {"codeLens": {"refreshSupport": true}},
        "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}}}),
    );
    let uri = open(&mut client, &folder);
    let document = json!({"textDocument": {"uri": uri}});
    let lenses = client.call("textDocument/codeLens", document.clone());
    let lenses = lenses.as_array().cloned().unwrap_or_default();
    assert_eq!(lenses.len(), 1, "{lenses:?}");
    assert_eq!(
        lenses[0]["command"]["title"],
        "Tune `matmul` for M=4096 N=4096 K=4096: ranks 5 configurations"
    );
    assert_eq!(
        (&lenses[0]["command"]["command"], &lenses[0]["range"]["start"]["line"]),
        (&json!("warplens.tune"), &json!(10))
    );
    // The workspace is not trusted, so no program runs.
    let answer = client.call("warplens/tune", lenses[0]["command"]["arguments"][0].clone());
    let title = answer["title"].as_str().expect("an outcome");
    assert!(
        title.contains("estimated best BLOCK_M = 128") && title.ends_with("not compiled, not run"),
        "{title}"
    );
    assert!(answer["plot"].as_str().is_some_and(|plot| plot.starts_with("<svg ")));
    let (id, _) = client.asked("workspace/codeLens/refresh");
    client.answer(&id, Value::Null);
    let lenses = client.call("textDocument/codeLens", document.clone());
    assert_eq!(lenses[0]["command"]["title"], title);
    let place =
        json!({"textDocument": {"uri": uri}, "range": range((3, 4), (3, 4)), "context": {"diagnostics": []}});
    let actions = client.call("textDocument/codeAction", place);
    let titles: Vec<&str> =
        actions.as_array().expect("actions").iter().filter_map(|action| action["title"].as_str()).collect();
    assert_eq!(
        titles,
        [
            "Keep the 3 configurations (of 5) estimated to be fastest for M=4096 N=4096 K=4096 on H100 SXM5 80 GB (not run)",
            "Remove the 1 configuration that cannot run well on H100 SXM5 80 GB (estimated)",
        ]
    );
    // All other requests are answered by the Python server.
    let at = json!({"textDocument": {"uri": uri}, "position": {"line": 10, "character": 6}});
    assert_eq!(client.call("textDocument/hover", at), Value::Null);
    let all = json!({"textDocument": {"uri": uri}, "range": {"start": {"line": 0, "character": 0}, "end": {"line": 12, "character": 0}}});
    let hints = client.call("textDocument/inlayHint", all);
    assert!(hints.as_array().is_none_or(Vec::is_empty), "{hints}");
    let found = client.call("textDocument/diagnostic", document);
    assert_eq!(found["items"], json!([]));
}

#[test]
fn a_client_is_asked_for_lenses_and_actions_of_python_alone() {
    let dynamic = json!({"dynamicRegistration": true});
    let capabilities = json!({"textDocument": {
        "synchronization": dynamic, "hover": dynamic, "codeLens": dynamic, "diagnostic": dynamic,
        "inlayHint": dynamic,
        "codeAction": {"dynamicRegistration": true, "codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
    }});
    let folder = Folder::new("triton-registered");
    folder.write(TOML);
    let mut client = client(&folder, &capabilities);
    let mut methods: Vec<String> = Vec::new();
    for _ in 0..2 {
        let (id, asked) = client.asked("client/registerCapability");
        client.answer(&id, Value::Null);
        let all = asked["registrations"].as_array().expect("a list").clone();
        let is_python =
            |one: &&Value| one["registerOptions"]["documentSelector"].to_string().contains("python");
        methods
            .extend(all.iter().filter(is_python).filter_map(|one| one["method"].as_str().map(str::to_owned)));
    }
    let methods: Vec<&str> =
        methods.iter().map(|method| method.trim_start_matches("textDocument/")).collect();
    assert_eq!(methods, ["didOpen", "didChange", "didClose", "codeLens", "codeAction"]);
}
