//! Tests of completion, hovers and fixes, with texts in which `|` marks the cursor.

use super::complete::completions;
use super::fixes::fixes;
use super::hover::hover;
use super::semantic::semantic_tokens;
use super::*;
use crate::engine::plain::{SemanticKind, TextEdit};
use machine::Machine;
use proptest::prelude::*;

fn split(marked: &str) -> (String, usize) {
    let at = marked.find('|').expect("the text marks the cursor");
    (marked.replacen('|', "", 1), at)
}

/// Labels of the completions, and the text that they would replace.
fn proposed(marked: &str) -> (Vec<String>, String) {
    let (text, at) = split(marked);
    let kernels = || {
        ["_Z1kPfic", "plain"]
            .map(|raw| KnownKernel { raw: raw.to_owned(), readable: raw.to_owned() })
            .to_vec()
    };
    let Some(found) = completions(&text, at, &Machine::builtin(), kernels) else {
        return (Vec::new(), String::new());
    };
    (found.items.into_iter().map(|item| item.label).collect(), text[found.range].to_owned())
}

#[test]
fn keys_are_those_of_the_table() {
    for (marked, some, none, word) in [
        ("|", "gpu", "grid", ""),
        ("gp|", "listings", "rules", "gp"),
        ("gpu = \"t4\"\n|", "arch", "gpu", ""),
        ("|", "[[launch]]", "launch", ""),
        ("[ru|", "[rules]", "grid", "[ru"),
        ("[[launch]]\nfunction = \"k\"\ngr|", "grid", "function", "gr"),
        ("[[launch]]\n|", "[rules]", "gpu", ""),
        ("[[launch]]\nhit_rate = { l| }", "l2", "grid", "l"),
        ("[launch.hit_rate]\n|", "l1", "grid", ""),
        ("[rules]\nbank|", "bank-conflict", "gpu", "bank"),
        ("[rules]\nbank| = \"off\"", "bank-conflict", "gpu", "bank"),
        ("[profile.thresholds]\nlow|", "low_warps", "gpu", "low"),
        ("[profile]\nthresholds.low|", "low_warps", "gpu", "low"),
        ("[tu|", "[tune.kernel]", "grid", "[tu"),
        ("[tune.sgemm]\nsha|", "shapes", "grid_k", "sha"),
        ("[tune.sgemm]\ngrid = [1]\n|", "where", "grid", ""),
        ("[tune.sgemm.parameters]\nT = { v| }", "values", "shapes", "v"),
        ("[tune.sgemm]\nproblem = { l| }", "layout", "shapes", "l"),
        ("[tune.sgemm.problem.tiling]\nthr|", "thread_m", "m", "thr"),
    ] {
        let (labels, replaced) = proposed(marked);
        assert!(labels.iter().any(|label| label == some), "{marked}: {labels:?}");
        assert!(!labels.iter().any(|label| label == none), "{marked}: {labels:?}");
        assert_eq!(replaced, word, "{marked}");
    }
}

#[test]
fn values_are_those_of_the_key() {
    for (marked, some, word) in [
        ("gpu = |", "\"h100-sxm\"", ""),
        ("gpu = \"h1|", "\"h100-sxm\"", "\"h1"),
        ("[tune.sgemm.parameters]\nT = { as = | }", "\"block_m\"", ""),
        ("[tune.sgemm]\nproblem = { kind = | }", "\"gemm\"", ""),
        ("[tune.sgemm.problem]\nelement = \"f|", "\"f32\"", "\"f"),
        ("[tune.sgemm.problem]\nlayout = |", "\"nt\"", ""),
        ("gpu = \"h1|\" # one", "\"sm_90\"", "\"h1\""),
        ("[compile]\ncompiler = |", "\"clang\"", ""),
        ("[compile]\narchitecture = \"|\"", "\"sm_90\"", "\"\""),
        ("[rules]\nbank-conflict = |", "\"warning\"", ""),
        ("rules = { bank-conflict = \"o|\" }", "\"off\"", "\"o\""),
        ("[[launch]]\nfunction = \"|\"", "\"_Z1kPfic\"", "\"\""),
        ("[[launch]]\nfunction = \"_Z1kPfic\"\nparams = |", "[\"ptr\", \"?\", \"?\"]", ""),
        ("[[launch]]\nfunction = \"_Z1kPfic\"\nparams = [|]", "\"ptr\"", ""),
        ("[[launch]]\nfunction = \"f\"\nparams = [1, |]", "\"?\"", ""),
    ] {
        let (labels, replaced) = proposed(marked);
        assert!(labels.iter().any(|label| label == some), "{marked}: {labels:?}");
        assert_eq!(replaced, word, "{marked}");
    }
    // The second parameter is a number.
    let (labels, _) = proposed("[[launch]]\nfunction = \"_Z1kPfic\"\nparams = [\"ptr\", |]");
    assert_eq!(labels, ["\"?\""]);
    for nothing in
        ["# gp|", "gpu = \"t4\" # |", "listings = [\"|\"]", "[[launch]]\nregisters = |", "[wrong]\nx = |"]
    {
        assert_eq!(proposed(nothing).0, [""; 0], "{nothing}");
    }
}

#[test]
fn hovers_tell_of_keys_and_values() {
    for (marked, part) in [
        ("g|pu = \"t4\"", "GPU that the numbers are for"),
        ("gpu = \"t|4\"", "sm_75"),
        ("[ru|les]", "level of individual rules"),
        ("[rules]\nbank-con|flict = \"off\"", "bank-conflict"),
        ("[rules]\nbank-conflict = \"o|ff\"", "Default level: "),
        ("[[lau|nch]]", "A launch of a kernel"),
        ("[[launch]]\ngr|id = [1]", "Blocks along x, y and z"),
        ("[[launch]]\nhit_rate = { l|2 = 1 }", "L2"),
        ("[[launch]]\nfunction = \"_Z1k|Pfic\"", "parameter 3: `char`"),
        (
            "[[launch]]\nfunction = \"_Z1kPfic\"\nparams = [\"p|tr\", 1, 2]",
            "Parameter 1 of `_Z1kPfic`: `float*`",
        ),
        ("[[launch]]\ntrips = { \"0x2|a0\" = 4 }", "iterations each time the loop is entered"),
        ("[tune.k]\nproblem = { lay|out = \"nn\" }", "column-major as in BLAS"),
        ("[profile.thresholds]\nlow_w|arps = 1", "Default: "),
    ] {
        let (text, at) = split(marked);
        let found = hover(&text, at, &Machine::builtin()).map(|hover| hover.markdown);
        let words = found.as_deref().unwrap_or_default().to_lowercase();
        assert!(words.contains(&part.to_lowercase()), "{marked}: {found:?}");
    }
    for nothing in ["wr|ong = 1", "[rules]\nwr|ong = 1", "# g|pu", "|", "listings = [\"a|\"]"] {
        let (text, at) = split(nothing);
        assert_eq!(hover(&text, at, &Machine::builtin()), None, "{nothing}");
    }
}

/// Titles of the fixes, and the text after each fix.
fn mended(marked: &str) -> Vec<(String, String)> {
    let (text, at) = split(marked);
    let all = fixes(&text, &(at..at), &Machine::builtin()).into_iter().flat_map(|(_, fixes)| fixes);
    all.map(|fix| (fix.title, TextEdit::apply(&fix.edits, &text))).collect()
}

#[test]
fn each_complaint_has_a_fix() {
    let launch = "[[launch]]\nfunction = \"k\"\ngrid = [1]\n";
    for (marked, expected) in [
        (
            "|listing = []\ngpu = \"t4\"\n",
            vec![
                ("Change `listing` to `listings`", "listings = []\ngpu = \"t4\"\n"),
                ("Remove `listing`", "gpu = \"t4\"\n"),
            ],
        ),
        // The value of the corrected key is another mistake.
        ("wr|an = 1\n", vec![("Change `wran` to `run`", "run = 1\n"), ("Remove `wran`", "")]),
        ("gpu = |3\n", vec![("Remove `gpu`", "")]),
        (
            "[limits]\nsectors = |0\n",
            vec![("Change to `1.0`", "[limits]\nsectors = 1.0\n"), ("Remove `sectors`", "[limits]\n")],
        ),
        (
            "limits = { |sector = 2, wavefronts = 3 }\n",
            vec![
                ("Change `sector` to `sectors`", "limits = { sectors = 2, wavefronts = 3 }\n"),
                ("Remove `sector`", "limits = { wavefronts = 3 }\n"),
            ],
        ),
        ("limits = { wavefronts = 3, |x = 2 }\n", vec![("Remove `x`", "limits = { wavefronts = 3 }\n")]),
        ("listings = [\"a\", |3, \"b\"]\n", vec![("Remove `3`", "listings = [\"a\", \"b\"]\n")]),
        ("[wron|g]\na = 1\n[rules]\n", vec![("Remove `[wrong]`", "[rules]\n")]),
        ("gpu = t|4\n", vec![("Change `t4` to `\"t4\"`", "gpu = \"t4\"\n"), ("Remove `gpu`", "")]),
    ] {
        let found = mended(marked);
        let found: Vec<(&str, &str)> = found.iter().map(|(title, text)| (&**title, &**text)).collect();
        assert_eq!(found, expected, "{marked}");
    }
    let found = mended(&format!("|{launch}"));
    assert_eq!(found[0].0, "Add `block = [256, 1, 1]`");
    assert_eq!(found[0].1, "[[launch]]\nblock = [256, 1, 1]\nfunction = \"k\"\ngrid = [1]\n");
    assert_eq!(mended("|gpu = \"t4\"\n"), []);
}

#[test]
fn names_and_values_have_colours() {
    use SemanticKind::{Comment, Label, Name, Number, String};
    let text = "# c\ngpu = \"t4\"\n[rules] # d\na-b = 'off'\nl = [1, { x = true }]\nn = 1.5\n";
    let reported: Vec<(&str, SemanticKind)> =
        semantic_tokens(text, None).into_iter().map(|token| (&text[token.range], token.kind)).collect();
    assert_eq!(
        reported,
        [
            ("# c", Comment),
            ("gpu", Name),
            ("\"t4\"", String),
            ("rules", Label),
            ("# d", Comment),
            ("a-b", Name),
            ("'off'", String),
            ("l", Name),
            ("1", Number),
            ("x", Name),
            ("true", Number),
            ("n", Name),
            ("1", Number),
            (".", Number),
            ("5", Number),
        ]
    );
    assert_eq!(semantic_tokens(text, Some(&(4..7))).len(), 1);
}

proptest! {
    #[test]
    fn any_text_at_any_place_is_answered(text in "([\\[\\]{}=,.#\"'\n a-c0-9é]|launch|rules|gpu|\"\"\"|params = \\[){0,24}") {
        for at in 0..=text.len() {
            let _ = completions(&text, at, &Machine::builtin(), Vec::new);
            let _ = hover(&text, at, &Machine::builtin());
            for (_, fixes) in fixes(&text, &(at..at), &Machine::builtin()) {
                for fix in fixes {
                    let _ = TextEdit::apply(&fix.edits, &text);
                }
            }
        }
        let tokens = semantic_tokens(&text, None);
        prop_assert!(tokens.iter().zip(tokens.iter().skip(1)).all(|(a, b)| a.range.end <= b.range.start));
    }
}
