//! Code actions on CUDA, at the cursor and for findings.

use crate::client::{Client, range};
use serde_json::{Value, json};

const URI: &str = "file:///src/k.cu";
const TEXT: &str = "\
__global__ void k(float *out) {
  __shared__ float t[32][32];
  t[threadIdx.x][threadIdx.y] = 1.0f;
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = expf(t[threadIdx.y][threadIdx.x]);
}
int main() { k<<<1, dim3(32, 32)>>>(nullptr); }
";

fn actions(client: &mut Client, place: Value, findings: &Value) -> Vec<(String, String, String)> {
    let context = json!({ "diagnostics": findings });
    let asked = json!({ "textDocument": { "uri": URI }, "range": place, "context": context });
    let answered = client.call("textDocument/codeAction", asked);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let parts = |action: &Value| {
        let edit = &action["edit"]["changes"][URI][0]["newText"];
        (text(&action["title"]), text(&action["kind"]), text(edit))
    };
    answered.as_array().into_iter().flatten().map(parts).collect()
}

#[test]
fn texts_of_cuda_have_actions_and_fixes() {
    let capabilities = json!({"textDocument": {"diagnostic": {}, "codeAction": {
        "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["refactor.rewrite", "quickfix"]}},
    }}});
    let mut client =
        Client::with_options(capabilities, Value::Null).ignoring("textDocument/publishDiagnostics");
    client.notify(
        "textDocument/didOpen",
        json!({ "textDocument": { "uri": URI, "languageId": "cuda-cpp", "version": 1, "text": TEXT } }),
    );
    let (title, kind, edit) = ("Use __expf (changes results)", "refactor.rewrite", "__expf");
    let found = actions(&mut client, range((4, 41), (4, 41)), &json!([]));
    assert_eq!(found, [(title.to_owned(), kind.to_owned(), edit.to_owned())]);
    let report = client.call("textDocument/diagnostic", json!({ "textDocument": { "uri": URI } }));
    let items = report["items"].as_array().expect("a report has items");
    let conflict = items.iter().find(|item| item["code"] == "bank-conflict").expect("it conflicts");
    let found = actions(&mut client, conflict["range"].clone(), &json!([conflict]));
    let (title, kind, edit) =
        ("Pad the rows of `t` by one element (wavefronts per request: 32 -> 1)", "quickfix", "33");
    assert_eq!(found[0], (title.to_owned(), kind.to_owned(), edit.to_owned()));
}

#[test]
fn a_finding_without_a_safe_edit_is_explained_before_it_is_silenced() {
    const STRIDED: &str = "\
__global__ void k(float *out) {
  out[threadIdx.x * 33] = 1.0f;
}
int main() { k<<<1, 256>>>(nullptr); }
";
    for explains in [true, false] {
        let capabilities = json!({"experimental": {"explainRule": explains}, "textDocument": {"diagnostic": {}, "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}},
        }}});
        let mut client =
            Client::with_options(capabilities, Value::Null).ignoring("textDocument/publishDiagnostics");
        client.notify(
            "textDocument/didOpen",
            json!({ "textDocument": { "uri": URI, "languageId": "cuda-cpp", "version": 1, "text": STRIDED } }),
        );
        let report = client.call("textDocument/diagnostic", json!({ "textDocument": { "uri": URI } }));
        let items = report["items"].as_array().expect("a report has items");
        let strided = items.iter().find(|item| item["code"] == "uncoalesced-access").expect("it is strided");
        let context = json!({ "diagnostics": [strided] });
        let asked = json!({ "textDocument": { "uri": URI }, "range": strided["range"], "context": context });
        let actions = client.call("textDocument/codeAction", asked);
        let first = &actions[0];
        if explains {
            assert_eq!(first["title"], "Explain `uncoalesced-access`", "{actions}");
            let command = json!({"title": first["title"], "command": "warplens.explainRule", "arguments": ["uncoalesced-access"]});
            assert_eq!(first["command"], command);
            assert!(
                actions[1]["title"].as_str().is_some_and(|title| title.starts_with("Suppress")),
                "{actions}"
            );
        } else {
            // The client does not have the command `warplens.explainRule`.
            assert!(first["title"].as_str().is_some_and(|title| title.starts_with("Suppress")), "{actions}");
        }
    }
}

#[test]
fn previews_of_actions_say_what_they_rest_on() {
    let asked_with = |annotations: Value| {
        let mut edit = json!({ "documentChanges": true });
        edit.as_object_mut().expect("an object").extend(annotations.as_object().cloned().unwrap_or_default());
        let capabilities = json!({"workspace": {"workspaceEdit": edit}, "textDocument": {"diagnostic": {}, "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["refactor.rewrite", "quickfix"]}},
            "honorsChangeAnnotations": true,
        }}});
        let mut client =
            Client::with_options(capabilities, Value::Null).ignoring("textDocument/publishDiagnostics");
        client.notify(
            "textDocument/didOpen",
            json!({ "textDocument": { "uri": URI, "languageId": "cuda-cpp", "version": 1, "text": TEXT } }),
        );
        let place = json!({ "textDocument": { "uri": URI }, "range": range((4, 41), (4, 41)), "context": { "diagnostics": [] } });
        client.call("textDocument/codeAction", place)[0]["edit"].clone()
    };
    let edit = asked_with(json!({ "changeAnnotationSupport": {} }));
    let own = &edit["documentChanges"][0]["edits"][0];
    assert_eq!(own["newText"], "__expf");
    let annotation = &edit["changeAnnotations"][own["annotationId"].as_str().expect("it has one")];
    assert_eq!(annotation["label"], "Use __expf (changes results)");
    assert_eq!(annotation["needsConfirmation"], false);
    assert!(annotation["description"].as_str().is_some_and(|text| !text.is_empty()), "{edit}");
    let plain = asked_with(json!({}));
    assert!(plain.get("changeAnnotations").is_none(), "{plain}");
    assert!(plain["documentChanges"][0]["edits"][0].get("annotationId").is_none(), "{plain}");
}
