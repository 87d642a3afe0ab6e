//! Thousands of consecutive edits in texts that are not all ASCII: the server's text equals the client's, and its
//! answers equal those for a newly opened text.

use crate::client::{Client, everything, range};
use crate::folder::Folder;
use crate::texts::{Dice, listing};
use serde_json::{Value, json};
use std::time::Instant;

const PTX: &str = include_str!("../stand_in/scale.ptx");
const EDITS: usize = 2_000;

/// Pieces of both languages, line ends of every kind, and characters of one to four bytes.
const PIECES: [&str; 20] = [
    "\n",
    "\r\n",
    "\r",
    " ",
    "\t",
    "// größe 🚀\n",
    "é",
    "🚀",
    "\u{2028}",
    "\u{0}",
    "MOV R1, R2 ;\n",
    "        /*0040*/                   EXIT ;\r\n",
    "add.f32 %f1, %f2, %f3;\n",
    "@%p1 bra $again;\n",
    "{",
    "}",
    "/*",
    "*/",
    "\"",
    ";",
];

/// The client's copy of the text, and its unit for columns.
struct Mirror {
    text: String,
    encoding: &'static str,
}

impl Mirror {
    fn position(&self, offset: usize) -> (u32, u32) {
        let before = &self.text[..offset];
        let bytes = before.as_bytes();
        let ends = |at: &usize| {
            bytes[*at] == b'\n' || (bytes[*at] == b'\r' && self.text.as_bytes().get(at + 1) != Some(&b'\n'))
        };
        let line = (0..bytes.len()).filter(ends).count();
        let start = (0..bytes.len()).rev().find(ends).map_or(0, |at| at + 1);
        let column = match self.encoding {
            "utf-8" => before[start..].len(),
            "utf-16" => before[start..].encode_utf16().count(),
            _ => before[start..].chars().count(),
        };
        (line as u32, column as u32)
    }

    /// An offset that a position can express: between two characters, and not within `\r\n`.
    fn place(&self, at: usize) -> usize {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at)
            || (self.text[..at].ends_with('\r') && self.text[at..].starts_with('\n'))
        {
            at -= 1;
        }
        at
    }

    /// Replaces a few bytes at a random offset, and returns the change in the protocol's form.
    fn edit(&mut self, dice: &mut Dice) -> Value {
        let start = self.place(dice.roll(self.text.len() + 1));
        // On average, an edit removes as many bytes as it inserts.
        let end = self.place(start + dice.roll(20)).max(start);
        let text: String = (0..dice.roll(3)).map(|_| PIECES[dice.roll(PIECES.len())]).collect();
        let change = json!({"range": range(self.position(start), self.position(end)), "text": text});
        self.text.replace_range(start..end, &text);
        change
    }
}

#[test]
fn two_thousand_edits_in_each_encoding_leave_what_a_fresh_opening_has() {
    let start = Instant::now();
    for (number, encoding) in (1_u64..).zip(["utf-8", "utf-16", "utf-32"]) {
        for (language, text) in [("nvsass", listing(40)), ("ptx", PTX.repeat(2))] {
            let mut dice = Dice(100 * number + text.len() as u64);
            let whole = text.clone();
            let mut mirror = Mirror { text, encoding };
            let mut client = Client::start(&["lsp"]).ignoring("textDocument/publishDiagnostics");
            let capabilities = json!({"general": {"positionEncodings": [encoding]}});
            let greeting = json!({"processId": null, "rootUri": null, "capabilities": capabilities});
            let greeted = client.call("initialize", greeting);
            assert_eq!(greeted["capabilities"]["positionEncoding"], encoding);
            client.notify("initialized", json!({}));
            let open = |client: &mut Client, uri: &str, text: &str| {
                let document = json!({"uri": uri, "languageId": language, "version": 1, "text": text});
                client.notify("textDocument/didOpen", json!({"textDocument": document}));
            };
            open(&mut client, "file:///edited", &mirror.text);
            let mut under_way = Vec::new();
            for edit in 0..EDITS {
                let mut changes = vec![mirror.edit(&mut dice)];
                if edit % 500 == 499 {
                    // Many edits leave little code, so the text is replaced by the initial code.
                    mirror.text.clone_from(&whole);
                    changes = vec![json!({"text": whole})];
                }
                if edit % 5 == 0 {
                    changes.push(mirror.edit(&mut dice));
                }
                client.change("file:///edited", edit as i32 + 2, json!(changes));
                if edit % 7 == 0 {
                    let hints = json!({"textDocument": {"uri": "file:///edited"}, "range": everything()});
                    under_way.push(client.request("textDocument/inlayHint", hints));
                }
                if edit % 100 == 99 {
                    assert_eq!(client.text("file:///edited"), mirror.text, "{encoding} {language} {edit}");
                    open(&mut client, "file:///fresh", &mirror.text);
                    let edited = answers(&mut client, "file:///edited");
                    assert_eq!(edited, answers(&mut client, "file:///fresh"), "{encoding} {language} {edit}");
                    assert!(edited[0].len() > 100, "{encoding} {language} {edit}: {edited:?}");
                    client.close("file:///fresh");
                }
            }
            for id in under_way {
                let _ = client.response(id);
            }
            assert_eq!(client.shut_down(), 0);
        }
    }
    println!("12,000 edits in three encodings, 120 times as in a fresh text: {:.1?}", start.elapsed());
}

/// Returns the server's answers for a document, without its name.
fn answers(client: &mut Client, uri: &str) -> Vec<String> {
    let of = json!({"textDocument": {"uri": uri}});
    let within = json!({"textDocument": {"uri": uri}, "range": everything()});
    let mut ask = |method: &str, parameters: &Value| {
        client.call(method, parameters.clone()).to_string().replace(uri, "")
    };
    vec![
        ask("textDocument/semanticTokens/range", &within),
        ask("textDocument/inlayHint", &within),
        ask("textDocument/documentSymbol", &of),
        ask("textDocument/foldingRange", &of),
        ask("textDocument/codeLens", &of),
    ]
}

const TOML: &str = r#"gpu = "h100-sxm"
[rules]
bank-conflict = "off"
[[launch]]
function = "matmul"
grid = [16, 16, 1]
block = [256, 1, 1]
params = ["ptr", 2048, "?"]
[tune.matmul]
shapes = [{ M = 4096, N = 4096, K = 4096 }]
problem = { kind = "gemm", m = "M", n = "N", k = "K", element = "f16" }
"#;

const PYTHON: &str = "import triton
import triton.language as tl
@triton.autotune(configs=[
    triton.Config({'BLOCK_M': 128, 'BLOCK_N': 256, 'BLOCK_K': 64}, num_warps=8, num_stages=3),
    triton.Config({'BLOCK_M': 64, 'BLOCK_N': 64, 'BLOCK_K': 32}),
], key=['M'])
@triton.jit
def matmul(a, b, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    acc = tl.dot(a, b)
";

const CUDA: &str = include_str!("../stand_in/scale.cu");

/// Number of edits of each text, unless `WARPLENS_EDITS` states the number.
const FEW: usize = 300;

/// Truncation, undo, typing and random edits, in the languages whose requests are not answered by the engine
/// only.
#[test]
fn edited_launches_files_python_and_cuda_answer_as_if_reopened() {
    let edits = std::env::var("WARPLENS_EDITS").ok().and_then(|edits| edits.parse().ok()).unwrap_or(FEW);
    let folder = Folder::new("edited");
    folder.write(TOML);
    for (name, language, text) in
        [("warplens.toml", "toml", TOML), ("k.py", "python", PYTHON), ("k.cu", "cuda-cpp", CUDA)]
    {
        let mut client = Client::greeted(json!({
            "processId": null,
            "rootUri": null,
            "workspaceFolders": [{"uri": folder.uri(), "name": "folder"}],
            "capabilities": {},
            "initializationOptions": {"tuneCommand": true},
        }))
        .ignoring("textDocument/publishDiagnostics")
        .ignoring("window/showMessage");
        let uri = format!("{}/{name}", folder.uri());
        let open = |client: &mut Client, text: &str| {
            let document = json!({"uri": uri, "languageId": language, "version": 1, "text": text});
            client.notify("textDocument/didOpen", json!({"textDocument": document}));
        };
        open(&mut client, text);
        let mut mirror = Mirror { text: text.to_owned(), encoding: "utf-16" };
        let mut dice = Dice(text.len() as u64);
        let (mut version, mut cut) = (1, None);
        for edit in 0..edits {
            let change = match cut.take() {
                Some((at, text)) => mirror.replace(at, at, text),
                None if dice.roll(3) == 0 => {
                    let (start, end) = mirror.lines(&mut dice);
                    cut = Some((start, mirror.text[start..end].to_owned()));
                    mirror.replace(start, end, String::new())
                }
                None => mirror.edit(&mut dice),
            };
            version += 1;
            client.change(&uri, version, json!([change]));
            if edit % 100 == 99 {
                let end = mirror.place(mirror.text.len());
                version += 1;
                let change = mirror.replace(0, end, text.to_owned());
                client.change(&uri, version, json!([change]));
            }
            if edit % 10 == 9 {
                let edited = of_shared(&mut client, &uri);
                client.close(&uri);
                open(&mut client, &mirror.text);
                version = 1;
                assert_eq!(
                    edited,
                    of_shared(&mut client, &uri),
                    "{name} after {edit} edits:\n{}",
                    mirror.text
                );
            }
        }
        assert_eq!(client.shut_down(), 0);
    }
}

impl Mirror {
    fn replace(&mut self, start: usize, end: usize, text: String) -> Value {
        let change = json!({"range": range(self.position(start), self.position(end)), "text": text});
        self.text.replace_range(start..end, &text);
        change
    }

    /// The byte range of some complete lines, up to six.
    fn lines(&self, dice: &mut Dice) -> (usize, usize) {
        let starts: Vec<usize> =
            std::iter::once(0).chain(self.text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let first = dice.roll(starts.len());
        let end = starts.get(first + 1 + dice.roll(6)).copied().unwrap_or(self.text.len());
        (self.place(starts[first]), self.place(end))
    }
}

/// Returns answers for a document in another server's language, or for a launches file.
fn of_shared(client: &mut Client, uri: &str) -> Vec<String> {
    let of = json!({"textDocument": {"uri": uri}});
    let within = json!({"textDocument": {"uri": uri}, "range": everything()});
    let at = |line: u32| json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": 3}});
    let mut ask = |method: &str, parameters: Value| {
        let id = client.request(method, parameters);
        format!("{:?}", client.response(id))
    };
    let mut all = vec![ask("textDocument/codeLens", of.clone()), ask("textDocument/inlayHint", within)];
    all.push(ask("textDocument/semanticTokens/full", of));
    for line in [0, 3, 5, 8] {
        all.push(ask("textDocument/hover", at(line)));
        all.push(ask("textDocument/completion", at(line)));
    }
    all
}
