//! Texts of unnatural shapes, documents that are opened and closed in an invalid order, and idling.

use crate::client::{Client, everything, range};
use crate::texts::{ONE, listing};
use crate::watch::{busy_ticks, memory_mb};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const PTX: &str = include_str!("../stand_in/scale.ptx");

fn open_as(client: &mut Client, uri: &str, language: &str, version: Value, text: &str) {
    let document = json!({"uri": uri, "languageId": language, "version": version, "text": text});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
}

#[test]
fn deep_nesting_overflows_no_stack() {
    const DEPTH: usize = 100_000;
    let start = Instant::now();
    let mut client = Client::ready(json!({})).ignoring("textDocument/publishDiagnostics");
    for (number, (open, close)) in [
        ("{", "}"),
        ("(", ")"),
        ("[", "]"),
        ("-~!", ""),
        ("1+", ""),
        ("1?", ":1"),
        ("{\n", "}\n"),
        ("|", "|"),
    ]
    .into_iter()
    .enumerate()
    {
        let nested = format!("{}1{}", open.repeat(DEPTH), close.repeat(DEPTH));
        let texts = [
            ("nvsass", format!("MOV R1, {nested} ;\n{}", listing(1))),
            ("nvsass", format!("<CODE>\n{nested}\n</CODE>\n")),
            ("ptx", PTX.replace("ret;", &format!("mov.u32 %r1, {nested};\n ret;"))),
            ("ptx", format!("{PTX}\n.global .b32 a[] = {{{nested}}};\n")),
        ];
        for (which, (language, text)) in texts.into_iter().enumerate() {
            let uri = format!("file:///nested-{number}-{which}");
            open_as(&mut client, &uri, language, json!(1), &text);
            let of = json!({"textDocument": {"uri": uri}});
            let at = json!({"textDocument": {"uri": uri}, "position": {"line": 0, "character": 9}});
            client.call("textDocument/documentSymbol", of);
            client.call("textDocument/hover", at);
            client.close(&uri);
        }
    }
    let peak = memory_mb(client.process()).1;
    println!("32 texts with brackets nested {DEPTH} deep: peak {peak:.0} MB, {:.1?}", start.elapsed());
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn deep_nesting_in_cuda_overflows_no_stack() {
    let start = Instant::now();
    let mut client = Client::ready(json!({})).ignoring("textDocument/publishDiagnostics");
    for (number, (open, inner, close)) in [
        ("f(", "1", ")"),
        ("a[0] + ", "1", ""),
        ("if (n == 0) a[0] = 1; else ", "", ""),
        ("if (n) {", "a[0] = 1;", "}"),
        ("a[", "0", "]"),
        ("{", "a[0] = 1;", "}"),
        ("n || ", "n", ""),
        ("", "x", ".a()"),
    ]
    .into_iter()
    .enumerate()
    {
        for depth in [2_000, 20_000] {
            let body = format!("{}{inner}{};", open.repeat(depth), close.repeat(depth));
            let text = format!(
                "void h(int n) {{ {body} }}\n__global__ void k(float *a, int n) {{ {body} }}\n\
                 void g(float *a) {{ k<<<8, 128>>>(a, 5); }}\n"
            );
            let uri = format!("file:///nested-{number}-{depth}.cu");
            open_as(&mut client, &uri, "cuda-cpp", json!(1), &text);
            let of = json!({"textDocument": {"uri": uri}});
            let at = json!({"textDocument": {"uri": uri}, "position": {"line": 1, "character": 45}});
            client.call("textDocument/codeLens", of.clone());
            client.call("textDocument/diagnostic", of);
            client.call("textDocument/hover", at);
            client.close(&uri);
        }
    }
    let peak = memory_mb(client.process()).1;
    println!("16 texts of CUDA nested up to 20,000 deep: peak {peak:.0} MB, {:.1?}", start.elapsed());
    assert!(peak < 1_000.0, "{peak} MB");
    assert_eq!(client.shut_down(), 0);
}

/// Dense texts, brackets that are never closed, and code that the parser disambiguates slowly.
#[test]
fn any_cuda_text_takes_less_than_a_gigabyte() {
    let forms: [(&str, String); 5] = [
        ("the most declarations", "a b;".repeat(ide::MAX_CUDA_TOKENS / 3)),
        ("too many declarations", "a b;".repeat(ide::MAX_CUDA_TOKENS)),
        ("statements", format!("void f(int a) {{{}}}", "+a;".repeat(ide::MAX_CUDA_TOKENS / 4))),
        ("calls or declarations", "f(".repeat(ide::MAX_CUDA_TOKENS / 2)),
        ("comparisons or templates", "f<".repeat(ide::MAX_CUDA_TOKENS / 2)),
    ];
    for (which, text) in forms {
        let start = Instant::now();
        let mut client = Client::ready(json!({}))
            .ignoring("textDocument/publishDiagnostics")
            .ignoring("window/showMessage");
        open_as(&mut client, "file:///dense.cu", "cuda-cpp", json!(1), &text);
        client.call("textDocument/diagnostic", json!({"textDocument": {"uri": "file:///dense.cu"}}));
        let peak = memory_mb(client.process()).1;
        println!("{which}, {} bytes: peak {peak:.0} MB, {:.1?}", text.len(), start.elapsed());
        assert!(peak < 1_000.0, "{which}: {peak} MB");
        assert_eq!(client.shut_down(), 0);
    }
}

/// Dense texts of nine megabytes: symbols alone, long functions, loops at every line, many small kernels.
#[test]
fn any_ptx_and_sass_text_takes_less_than_a_gigabyte() {
    let ptx = |body: String| format!(".version 8.0\n.target sm_90\n.address_size 64\n{body}");
    let function = |body: String| ptx(format!(".entry k(){{.reg .pred %p<3>;.reg .b32 %r<9>;\n{body}}}\n"));
    let each = |count: usize, line: &str| {
        (0..count).map(|number| line.replace('#', &number.to_string())).collect::<String>()
    };
    let loops = each(380_000, "L#:@%p1 bra L#;\n");
    let kernels = each(200_000, ".entry k#(.param .u64 p){ret;}\n");
    let jumps = each(330_000, "L#: @P0 BRA `(L#) ;\n");
    let forms = [
        ("marks", "ptx", ptx(";\n".repeat(4_700_000))),
        ("additions", "ptx", function("add.s32 %r1,%r2,%r3;\n".repeat(410_000))),
        ("loops", "ptx", function(loops)),
        ("kernels", "ptx", ptx(kernels)),
        ("moves", "sass", "MOV R1, R2 ;\n".repeat(720_000)),
        ("jumps", "sass", jumps),
    ];
    for (which, language, text) in forms {
        assert!(text.len() < 10_000_000, "{which}: {} bytes", text.len());
        let start = Instant::now();
        let mut client = Client::ready(json!({}))
            .ignoring("textDocument/publishDiagnostics")
            .ignoring("window/showMessage");
        let uri = format!("file:///dense.{language}");
        open_as(&mut client, &uri, language, json!(1), &text);
        let of = json!({"textDocument": {"uri": uri}});
        let hints = json!({"textDocument": {"uri": uri}, "range": everything()});
        let hover = json!({"textDocument": {"uri": uri}, "position": {"line": 5, "character": 2}});
        client.call("textDocument/documentSymbol", of.clone());
        client.call("textDocument/codeLens", of);
        client.call("textDocument/inlayHint", hints);
        client.call("textDocument/hover", hover);
        let peak = memory_mb(client.process()).1;
        println!("{which}, {} bytes: peak {peak:.0} MB, {:.1?}", text.len(), start.elapsed());
        assert!(peak < 1_000.0, "{which}: {peak} MB");
        assert_eq!(client.shut_down(), 0);
    }
}

#[test]
fn documents_may_come_and_go_in_any_order() {
    let mut client = Client::ready(json!({})).ignoring("textDocument/publishDiagnostics");
    let hints = |uri: &str| json!({"textDocument": {"uri": uri}, "range": everything()});
    // An edit before opening, closing a document that is not open, opening twice, closing twice.
    client.change(ONE, 1, json!([{"text": "MOV R1, R2 ;"}]));
    client.close(ONE);
    client.open(ONE, &listing(2));
    client.open(ONE, &listing(3));
    assert_eq!(client.text(ONE), listing(3));
    // Versions that go backwards or are invalid, and invalid positions.
    let odd = [
        range((0, 0), (0, 0)),
        range((9, 9), (1, 1)),
        range((u32::MAX, u32::MAX), (u32::MAX, u32::MAX)),
        json!({"start": {"line": -1, "character": 0}, "end": {"line": 0, "character": 0}}),
        json!({"start": {"line": 4_294_967_296_u64, "character": 0}, "end": {"line": 0, "character": 0}}),
    ];
    for (number, range) in odd.into_iter().enumerate() {
        let changes = json!([{"range": range, "rangeLength": 7_000, "text": ""}]);
        client.change(ONE, 5 - number as i32, changes);
    }
    let document = json!({"uri": ONE, "version": null});
    client.notify(
        "textDocument/didChange",
        json!({"textDocument": document, "contentChanges": [{"text": ""}]}),
    );
    client.change(ONE, -7, json!([{"text": listing(4)}]));
    assert_eq!(client.text(ONE), listing(4));
    assert_ne!(client.call("textDocument/inlayHint", hints(ONE)), json!([]));
    client.close(ONE);
    client.close(ONE);
    assert_eq!(client.call("textDocument/inlayHint", hints(ONE)), json!([]));
    for (number, uri) in [
        "untitled:Untitled-1",
        "file:///%zz",
        "file:///a%20b.ptx",
        "x:",
        "git:/a.ptx?%7B%7D#f",
        "file:///\u{e9}.sass",
    ]
    .into_iter()
    .enumerate()
    {
        for language in ["nvsass", "ptx", "", "\u{0}", "plaintext"] {
            open_as(&mut client, uri, language, json!(number), &listing(1));
            let id = client.request("textDocument/inlayHint", hints(uri));
            // A name that is not a URI is refused; no other answer is an error.
            let _ = client.response(id);
            client.close(uri);
        }
    }
    client.open(ONE, &listing(2));
    assert_ne!(client.call("textDocument/inlayHint", hints(ONE)), json!([]));
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn a_server_at_rest_takes_no_time() {
    /// Limit in hundredths of a second.
    const MAX_TICKS: u64 = 5;
    let mut client = Client::ready(json!({})).ignoring("textDocument/publishDiagnostics");
    client.open(ONE, &listing(200));
    open_as(&mut client, "file:///k.ptx", "ptx", json!(1), PTX);
    client.call("textDocument/inlayHint", json!({"textDocument": {"uri": ONE}, "range": everything()}));
    client.count_within("nothing", Duration::from_secs(2));
    let before = busy_ticks(client.process());
    std::thread::sleep(Duration::from_secs(3));
    let ticks = busy_ticks(client.process()) - before;
    println!("3 s at rest: {} ms of processor time", ticks * 10);
    assert!(ticks <= MAX_TICKS, "{ticks}");
    assert_eq!(client.shut_down(), 0);
}
