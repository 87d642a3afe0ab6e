//! Code actions on CUDA, at the cursor and for findings.

use crate::client::{Client, range};
use serde_json::{Value, json};

const URI: &str = "file:///work/k.cu";
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
        ("Pad the rows of `t` by one element (wavefronts a request: 32 -> 1)", "quickfix", "33");
    assert_eq!(found[0], (title.to_owned(), kind.to_owned(), edit.to_owned()));
}
