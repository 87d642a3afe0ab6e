//! Random messages: valid ones, invalid ones, and bytes that are not a message.

use serde_json::{Value, json};
use std::sync::LazyLock;

/// Pseudo-random numbers, the same in every run of a seed (the generator of Knuth's MMIX).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % below.max(1)
    }

    pub(crate) fn one_of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.roll(list.len())]
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.roll(100) < percent
    }
}

/// Data to send: a message, or bytes that are not a message.
pub(crate) enum Sent {
    /// Must be answered once.
    Request(Value),
    /// Must not be answered.
    Notification(Value),
    /// Not a message; must be answered once, with an error that belongs to no request.
    Garbage(Vec<u8>),
}

pub(crate) const DOCUMENTS: [&str; 7] = [
    "file:///one.sass",
    "file:///two.nvsass",
    "file:///a%20folder/gr%C3%B6%C3%9Fe.cuasm",
    "file:///C%3A/windows/three.sass",
    "untitled:Untitled-1",
    "vscode-notebook-cell://authority/cell#4",
    "file:///never/opened.sass",
];

/// Requests of the protocol, and requests that do not exist.
const REQUESTS: [&str; 35] = [
    "textDocument/hover",
    "textDocument/inlayHint",
    "textDocument/inlayHint",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/full/delta",
    "textDocument/semanticTokens/range",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/codeLens",
    "textDocument/diagnostic",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/selectionRange",
    "textDocument/documentLink",
    "textDocument/prepareCallHierarchy",
    "callHierarchy/incomingCalls",
    "callHierarchy/outgoingCalls",
    "textDocument/completion",
    "completionItem/resolve",
    "textDocument/signatureHelp",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/formatting",
    "textDocument/rangeFormatting",
    "textDocument/codeAction",
    "codeAction/resolve",
    "inlayHint/resolve",
    "codeLens/resolve",
    "workspace/symbol",
    "workspace/executeCommand",
    "workspace/diagnostic",
    "nobody/knows",
    "$/nobodyKnows",
    "initialize",
];

/// [`REQUESTS`], and the server's own requests, which are read from its table.
static ALL_REQUESTS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let table = include_str!("../../../server/lsp/src/server/handlers.rs");
    let own = table.split('"').filter(|text| text.starts_with("warplens/"));
    REQUESTS.into_iter().chain(own).collect()
});

const NOTIFICATIONS: [&str; 16] = [
    "textDocument/didOpen",
    "textDocument/didOpen",
    "textDocument/didChange",
    "textDocument/didChange",
    "textDocument/didChange",
    "textDocument/didChange",
    "textDocument/didClose",
    "textDocument/didSave",
    "workspace/didChangeConfiguration",
    "workspace/didChangeWatchedFiles",
    "workspace/didChangeWorkspaceFolders",
    "window/workDoneProgress/cancel",
    "$/setTrace",
    "initialized",
    "nobody/tells",
    "$/nobodyTells",
];

/// The next message. `id` is the id for a request; `earlier` is the id of some earlier request, answered or not.
pub(crate) fn any(dice: &mut Dice, id: &Value, earlier: &Value) -> Sent {
    match dice.roll(100) {
        0..55 => request(dice, id),
        55..88 => notification(dice),
        88..94 => {
            let id = if dice.chance(80) { earlier.clone() } else { odd(dice) };
            Sent::Notification(message("$/cancelRequest", Some(json!({ "id": id }))))
        }
        _ => garbage(dice),
    }
}

fn message(method: &str, params: Option<Value>) -> Value {
    let mut message = json!({ "jsonrpc": "2.0", "method": method });
    if let Some(params) = params {
        message["params"] = params;
    }
    message
}

fn request(dice: &mut Dice, id: &Value) -> Sent {
    let method = *dice.one_of(&ALL_REQUESTS);
    let mut request = message(method, spoilt(dice, method));
    request["id"] = id.clone();
    Sent::Request(request)
}

fn notification(dice: &mut Dice) -> Sent {
    let method = *dice.one_of(&NOTIFICATIONS);
    Sent::Notification(message(method, spoilt(dice, method)))
}

/// Usually valid parameters; otherwise parameters with one wrong member, no parameters, or an unrelated value.
fn spoilt(dice: &mut Dice, method: &str) -> Option<Value> {
    let mut params = right(dice, method);
    match dice.roll(20) {
        0 => None,
        1 => Some(odd(dice)),
        2 | 3 => {
            spoil(dice, &mut params);
            Some(params)
        }
        _ => Some(params),
    }
}

/// Replaces or removes a part of a value.
fn spoil(dice: &mut Dice, value: &mut Value) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            let key = members.keys().nth(dice.roll(members.len())).cloned().unwrap_or_default();
            match dice.roll(4) {
                0 => drop(members.remove(&key)),
                1 => drop(members.insert(key, odd(dice))),
                _ => spoil(dice, &mut members[&key]),
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let at = dice.roll(items.len());
            spoil(dice, &mut items[at]);
        }
        other => *other = odd(dice),
    }
}

/// A value that is rarely valid.
fn odd(dice: &mut Dice) -> Value {
    match dice.roll(14) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(-1),
        3 => json!(1.5),
        4 => json!(u64::MAX),
        5 => json!(i64::MIN),
        6 => json!(""),
        7 => json!("\u{1f680}\u{0}\\ud800"),
        8 => json!([]),
        9 => json!({}),
        10 => json!([[[[{"a": [null]}]]]]),
        11 => json!({"uri": 3, "": {"": ""}}),
        12 => json!(1e300),
        _ => json!("x".repeat(dice.roll(5000))),
    }
}

fn uri(dice: &mut Dice) -> &'static str {
    DOCUMENTS[dice.roll(DOCUMENTS.len())]
}

fn position(dice: &mut Dice) -> Value {
    let number = |dice: &mut Dice| match dice.roll(12) {
        0 => u32::MAX,
        1 => u32::MAX - 1,
        2 => 1 << 31,
        3 => 100_000,
        _ => dice.roll(120) as u32,
    };
    json!({"line": number(dice), "character": number(dice)})
}

fn range(dice: &mut Dice) -> Value {
    json!({"start": position(dice), "end": position(dice)})
}

fn right(dice: &mut Dice, method: &str) -> Value {
    let document = json!({"uri": uri(dice)});
    match method {
        "textDocument/didOpen" => json!({"textDocument": {
            "uri": document["uri"], "languageId": "nvsass", "version": dice.roll(10), "text": text(dice),
        }}),
        "textDocument/didChange" => json!({
            "textDocument": {"uri": document["uri"], "version": dice.roll(10_000)},
            "contentChanges": (0..dice.roll(3)).map(|_| change(dice)).collect::<Vec<_>>(),
        }),
        "workspace/didChangeConfiguration" => json!({"settings": settings(dice)}),
        "workspace/didChangeWatchedFiles" => {
            json!({"changes": [{"uri": "file:///nowhere/warplens.toml", "type": 1 + dice.roll(3)}]})
        }
        "workspace/didChangeWorkspaceFolders" => {
            let folder =
                |dice: &mut Dice| json!({"uri": format!("file:///nowhere/{}", dice.roll(4)), "name": "n"});
            json!({"event": {"added": [folder(dice)], "removed": [folder(dice)]}})
        }
        "window/workDoneProgress/cancel" => json!({"token": format!("warplens/{}", dice.roll(5000))}),
        "$/setTrace" => json!({"value": dice.one_of(&["off", "off", "messages", "verbose"])}),
        "workspace/executeCommand" => {
            json!({"command": dice.one_of(&["warplens.dumpState", "nobody.knows"])})
        }
        "workspace/symbol" => json!({"query": dice.one_of(&["", "s", "saxpy", "\u{1f680}"])}),
        "warplens/viewText" | "warplens/gpu" => document,
        "warplens/attachProfiles" => json!({"paths": [nowhere(dice), nowhere(dice)]}),
        "warplens/compareProfiles" => json!({"before": nowhere(dice), "after": nowhere(dice)}),
        "warplens/gpus" => json!({"named": dice.one_of(&["h100", "", "sm_86", "nope"])}),
        "warplens/rulePage" => json!({"code": dice.one_of(&["unknown-opcode", "", "no-such-rule"])}),
        "warplens/profiledLaunches" => json!({"choose": {"kernel": "saxpy", "number": dice.roll(5)}}),
        "warplens/profiledPlace" => json!({"kernel": "saxpy", "address": 16 * dice.roll(100)}),
        "warplens/topDown" => json!({"kernel": dice.one_of(&["saxpy", "", "\u{1f680}"])}),
        "warplens/tune" => json!({
            "uri": document["uri"], "kernel": "saxpy", "shape": dice.one_of(&["n = 4", "", "n = 1 / 0", "m, n"]),
        }),
        "warplens/copyAs" => json!({
            "textDocument": document, "range": range(dice), "assembler": dice.one_of(&["maxas", "cuassembler", "gas"]),
        }),
        "warplens/showSass" => json!({"textDocument": document, "listing": uri(dice)}),
        "codeAction/resolve" => json!({
            "title": "t",
            "data": {"uri": document["uri"], "version": dice.roll(10), "offset": dice.roll(5000), "scope": "kernel"},
        }),
        "warplens/followAdvice" => json!({
            "uri": document["uri"], "kernel": "saxpy", "advice": dice.one_of(&["busy-pipe", ""]), "claimed": 1.5,
        }),
        "initialize" => json!({"processId": null, "rootUri": null, "capabilities": {}}),
        "inlayHint/resolve" => json!({
            "position": position(dice), "label": "l",
            "data": {"uri": document["uri"], "version": dice.roll(10), "offset": dice.roll(5000), "nth": dice.roll(3)},
        }),
        "completionItem/resolve" => json!({
            "label": dice.one_of(&["FFMA", "E", "SR_TID.X", "\u{1f680}"]),
            "data": {
                "uri": document["uri"],
                "kind": dice.one_of(&["opcode", "modifier", "specialregister", "label"]),
                "opcode": dice.one_of(&["LDG", "", "NOSUCH"]),
            },
        }),
        "codeLens/resolve" => json!({
            "range": range(dice),
            "data": {"uri": document["uri"], "version": dice.roll(10), "kernel": dice.roll(5), "launch": dice.roll(3)},
        }),
        "callHierarchy/incomingCalls" | "callHierarchy/outgoingCalls" => json!({"item": {
            "name": "saxpy", "kind": 12, "uri": document["uri"], "range": range(dice), "selectionRange": range(dice),
        }}),
        _ => json!({
            "textDocument": document,
            "position": position(dice),
            "positions": [position(dice), position(dice)],
            "range": range(dice),
            "previousResultId": dice.roll(2000).to_string(),
            "context": {"includeDeclaration": true, "triggerKind": 1, "diagnostics": [{
                "range": range(dice), "message": "m", "source": "warplens",
                "code": dice.one_of(&["unknown-opcode", "syntax-error", "no-such-rule"]),
            }]},
            "newName": dice.one_of(&["R1", "lane", ".L_x_9", "", "two words", "\u{1f680}"]),
            "options": {"tabSize": 4, "insertSpaces": true},
        }),
    }
}

/// A path of a file that does not exist.
fn nowhere(dice: &mut Dice) -> &'static str {
    let paths = ["/nowhere/a.ncu-rep", "/nowhere/b.csv", "", "relative.ncu-rep", "/\u{1f680}\u{0}"];
    paths[dice.roll(paths.len())]
}

fn settings(dice: &mut Dice) -> Value {
    match dice.roll(6) {
        0 => Value::Null,
        1 => json!({"warplens": {"gpu": dice.one_of(&["h100-sxm", "t4", "sm_86", "", "nope"])}}),
        2 => json!({"warplens": {"hints": {"latency": dice.chance(50), "issueCycle": dice.chance(50)}}}),
        3 => json!({"warplens": {"codeLens": dice.chance(50), "missRatio": dice.roll(3)}}),
        4 => json!({"warplens": {"rules": {"unknown-opcode": dice.one_of(&["off", "hint", "loud"])}}}),
        _ => json!({"warplens": {"diagnostics": dice.chance(70)}}),
    }
}

fn change(dice: &mut Dice) -> Value {
    if dice.chance(10) {
        return json!({"text": text(dice)});
    }
    let new = dice.one_of(&[
        "",
        "\n",
        "\r",
        "FROB7 R1, R2 ;",
        "\u{1f680}",
        "/*0000*/",
        "\tFunction : f\n",
        "<CODE>",
        "// boom\n",
        "// slow\n",
    ]);
    json!({"range": range(dice), "text": new})
}

const LISTING: &str = include_str!("../../corpus/sm_90/sgemm.cuobjdump-sass.txt");
const MAXWELL: &str = include_str!("../../corpus/sm_61/sgemm.cuassembler.dsass");

/// A listing, a part of one, or an unrelated text.
fn text(dice: &mut Dice) -> String {
    match dice.roll(8) {
        0 => String::new(),
        1 => "\u{feff}// gr\u{f6}\u{df}e \u{1f680}\r\n\rIADD3 R1, R1 ;".to_owned(),
        2 => (0..dice.roll(3000)).map(|_| char::from(dice.roll(128) as u8)).collect(),
        3 => ".version 8.0\n.target sm_90\n.visible .entry f() { ret; }\n".to_owned(),
        4 => part(dice, MAXWELL),
        5 => format!("{}{LISTING}", part(dice, LISTING)),
        _ => part(dice, LISTING),
    }
}

fn part(dice: &mut Dice, text: &str) -> String {
    let (a, b) = (dice.roll(text.len()), dice.roll(text.len()));
    let (start, end) = (text.floor_char_boundary(a.min(b)), text.floor_char_boundary(a.max(b)));
    text[start..end].to_owned()
}

fn garbage(dice: &mut Dice) -> Sent {
    let whole = json!({"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover", "params": {"a": [1, 2]}});
    let whole = whole.to_string();
    Sent::Garbage(match dice.roll(14) {
        0 => Vec::new(),
        1 => whole.as_bytes()[..=dice.roll(whole.len() - 1)].to_vec(),
        2 => (0..dice.roll(200)).map(|_| dice.roll(256) as u8 | 0x80).collect(),
        3 => format!("[{whole},{whole}]").into_bytes(),
        4 => b"[]".to_vec(),
        5 => b"{}".to_vec(),
        6 => b"null".to_vec(),
        7 => br#"{"jsonrpc":"2.0"}"#.to_vec(),
        8 => br#"{"jsonrpc":"1.0","id":7,"method":"textDocument/hover"}"#.to_vec(),
        9 => br#"{"jsonrpc":"2.0","id":{"a":1},"method":"textDocument/hover"}"#.to_vec(),
        10 => br#"{"jsonrpc":"2.0","id":1,"method":7}"#.to_vec(),
        11 => br#"{"jsonrpc":"2.0","id":null,"method":"textDocument/hover"}"#.to_vec(),
        12 => br#"{"jsonrpc":"2.0","id":1,"params":{}}"#.to_vec(),
        _ => vec![b'['; 1 + dice.roll(100_000)],
    })
}
