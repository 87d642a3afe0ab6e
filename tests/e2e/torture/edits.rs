//! Thousands of ordered edits in texts that are not all ASCII: the server's text is the client's, and its answers are those
//! for a text that is opened anew.

use crate::client::{Client, everything, range};
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

/// The text as the client has it, and the units in which it counts columns.
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

    /// A place that a position can name: between two characters, and not within `\r\n`.
    fn place(&self, at: usize) -> usize {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at)
            || (self.text[..at].ends_with('\r') && self.text[at..].starts_with('\n'))
        {
            at -= 1;
        }
        at
    }

    /// Replaces a few bytes somewhere, and gives the change in the protocol's form.
    fn edit(&mut self, dice: &mut Dice) -> Value {
        let start = self.place(dice.roll(self.text.len() + 1));
        // As much goes as comes, on average.
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
                    // What many edits have left is hardly code: from here on it is again.
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

/// Returns the server's answers about a document; names of it are left out.
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
