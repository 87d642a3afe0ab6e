//! Invalid instructions have findings, and the valid instructions in listings have none.
//!
//! `cargo test -p tests --test corpus spellings -- --nocapture` prints the mutants by kind and by notation,
//! and the number of found mutants.

use crate::files::{Sample, all};
use ide::{Cancel, Host, Severity};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use syntax::sass::{Chunk, Instruction, Listing, Token, TokenKind};

/// Codes of the findings about invalid instructions.
const CODES: &[&str] = &[
    "invalid-control-code",
    "misplaced-reuse",
    "operand-count",
    "operand-kind",
    "operand-value",
    "syntax-error",
    "unaligned-register",
    "undefined-label",
    "unknown-modifier",
    "unknown-opcode",
];

/// Findings in complete files, as line, severity and message.
fn found(host: &mut Host, text: &str) -> Vec<(usize, Severity, String)> {
    host.open("listing", 1, text);
    let analysis = host.snapshot("listing", Cancel::default()).expect("the document is open");
    let mut all = analysis.syntax_diagnostics().expect("nothing cancels it");
    all.extend(analysis.code_diagnostics().expect("nothing cancels it"));
    let line = |byte: usize| text[..byte].matches('\n').count() + 1;
    let ours = all.into_iter().filter(|finding| CODES.contains(&finding.code));
    ours.map(|finding| {
        (line(finding.range.start), finding.severity, format!("{}: {}", finding.code, finding.message))
    })
    .collect()
}

#[test]
fn what_compilers_and_people_wrote_is_spelt_right() {
    let mut host = Host::default();
    let mut wrong = Vec::new();
    let mut instructions = 0;
    for sample in all() {
        let listing = Listing::parse(&sample.text);
        instructions += listing.chunks().iter().map(|chunk| chunk.instructions().len()).sum::<usize>();
        for (line, _, message) in found(&mut host, &sample.text) {
            wrong.push(format!("{}:{line}: {message}", sample.name));
        }
    }
    println!("{instructions} instructions");
    let slips =
        |message: &String| !SLIPS.iter().any(|(file, part)| message.contains(file) && message.contains(part));
    wrong.retain(slips);
    assert_eq!(wrong, Vec::<String>::new());
}

/// Real mistakes in the sources of others: a part of the file's name, and of the message.
const SLIPS: &[(&str, &str)] = &[];

/// A mistake in one instruction: the byte range of its line that is replaced, and the new text.
type Change = (Range<usize>, String);

/// Number of kernels per file, and of positions per kernel, at which mistakes are made.
const KERNELS: usize = 2;
const PLACES: usize = 5;

/// An instruction in which a mistake is made.
struct Place<'a> {
    line: &'a str,
    tokens: &'a [Token],
    operands: Vec<&'a [Token]>,
    mnemonic: &'a Token,
    all: &'a [Token],
}

impl<'a> Place<'a> {
    fn new(chunk: &'a Chunk, instruction: &Instruction) -> Self {
        Self {
            line: chunk.line_text(instruction.line as usize),
            tokens: chunk.tokens(instruction.tokens),
            operands: chunk.operands(instruction).collect(),
            mnemonic: chunk.mnemonic_token(instruction),
            all: chunk.line_tokens(instruction.line as usize),
        }
    }

    fn find(&self, kind: TokenKind) -> Option<&Token> {
        self.tokens.iter().find(|token| token.kind == kind && !token.is_zero_register())
    }

    fn name(&self) -> &'a str {
        self.mnemonic.text(self.line)
    }

    /// The uniform register in the brackets after a word.
    fn after_word(&self, word: &str) -> Option<&'a Token> {
        let at = self.tokens.iter().position(|token| token.text(self.line) == word)?;
        self.tokens.get(at + 2).filter(|token| token.kind == TokenKind::UniformRegister)
    }

    /// The first general register in the brackets of an address.
    fn address_register(&self) -> Option<&'a Token> {
        let is_constant = |token: &Token| token.kind == TokenKind::ConstantBank;
        let mut all = self.operands.iter().filter(|operand| !operand.iter().any(is_constant));
        all.find_map(|operand| {
            let open = operand.iter().rposition(|token| token.is_punct(b'['))?;
            operand.get(open + 1).filter(|token| token.kind == TokenKind::Register)
        })
    }

    /// An operand that consists of one register.
    fn register_operand(&self, at: usize) -> Option<&'a Token> {
        match self.operands.get(at)? {
            [token] if token.kind == TokenKind::Register => Some(token),
            _ => None,
        }
    }
}

/// Replaces a token with another text.
fn replace(token: &Token, text: impl Into<String>) -> Change {
    (token.start as usize..token.end(), text.into())
}

/// Inserts a text right after a token.
fn following(token: &Token, text: impl Into<String>) -> Change {
    (token.end()..token.end(), text.into())
}

/// Name of a kind of mistake, and the function that applies the mistake.
type Mistake = (&'static str, fn(&Place<'_>) -> Option<Change>);

/// Kinds of mistakes. Each function returns `None` if the mistake cannot be made in an instruction.
const MISTAKES: &[Mistake] = &[
    ("misspelt modifier", |place| {
        let at = place.tokens.iter().position(|token| token == place.mnemonic)?;
        let modifier = place.tokens.get(at + 1).filter(|token| token.kind == TokenKind::Modifier)?;
        let text = modifier.text(place.line);
        Some(replace(modifier, format!("{text}{}", text.chars().last()?)))
    }),
    ("modifier of another opcode", |place| {
        let other = if place.name() == "SYNCS" { ".MUFU" } else { ".TRYWAIT" };
        Some(following(place.mnemonic, other))
    }),
    ("operand left out", |place| {
        let [.., before, last] = &*place.operands else { return None };
        // `NOP`, `EXIT` and branches accept any operands. The last operand of a comparison has a default.
        let is_value = place.register_operand(0).is_some();
        let (before, last) = (before.last()?, last.last()?);
        is_value.then(|| (before.end()..last.end(), String::new()))
    }),
    ("operands too many", |place| {
        let last = place.operands.last()?.last()?;
        (place.operands.len() >= 2).then(|| following(last, ", R0, R0, R0, R0"))
    }),
    ("predicate for a result", |place| Some(replace(place.register_operand(0)?, "P0"))),
    ("number for a result", |place| Some(replace(place.register_operand(0)?, "0x5"))),
    ("predicate for a source", |place| {
        place.register_operand(0)?;
        Some(replace(place.register_operand(1)?, "P1"))
    }),
    ("register that is not there", |place| Some(replace(place.find(TokenKind::Register)?, "R300"))),
    ("misspelt special register", |place| {
        let register = place.find(TokenKind::SpecialRegister)?;
        Some(replace(register, register.text(place.line).replacen("SR_", "SR_X", 1)))
    }),
    ("guard that is not there", |place| {
        let is_guarded = place.tokens.first().is_some_and(|token| token.kind == TokenKind::At);
        let start = place.mnemonic.start as usize;
        (!is_guarded).then(|| (start..start, "@P9 ".to_owned()))
    }),
    ("predicate that is not there", |place| Some(replace(place.find(TokenKind::Predicate)?, "P12"))),
    ("odd register of a pair", |place| {
        let modifiers = place.tokens.iter().skip_while(|token| *token != place.mnemonic).skip(1);
        let mut modifiers = modifiers.take_while(|token| token.kind == TokenKind::Modifier);
        let is_wide = modifiers.any(|token| matches!(token.text(place.line), ".64" | ".128"));
        let register = place.register_operand(0)?;
        let is_load = place.name().starts_with("LD") && is_wide && !register.is_zero_register();
        is_load.then(|| replace(register, format!("R{}", register.value | 1)))
    }),
    ("label that is not there", |place| {
        matches!(place.name(), "BRA").then_some(())?;
        let label = place.tokens.iter().find(|token| token.kind == TokenKind::Label)?;
        let text = label.text(place.line);
        text.starts_with(".L").then(|| replace(label, ".L_nowhere"))
    }),
    ("offset out of range", |place| {
        let address = place
            .operands
            .iter()
            .find(|operand| operand.first().is_some_and(|token| token.is_punct(b'[')))?;
        let register = address.iter().rfind(|token| token.kind == TokenKind::Register)?;
        let close = address.last().filter(|token| token.is_punct(b']'))?;
        let is_plain = !address.iter().any(|token| token.kind == TokenKind::Name);
        is_plain.then(|| (register.end()..close.start as usize, "+0x1000000".to_owned()))
    }),
    ("constant bank that is not there", |place| {
        let bank = place.tokens.iter().position(|token| token.kind == TokenKind::ConstantBank)?;
        let number = place.tokens.get(bank + 2).filter(|token| token.kind == TokenKind::Integer)?;
        Some(replace(number, "0x99"))
    }),
    ("reuse of a result", |place| {
        let register = place.register_operand(0)?;
        let stores = place.name().starts_with("ST") || place.name().starts_with("RED");
        (!stores).then(|| following(register, ".reuse"))
    }),
    ("reuse of a number", |place| {
        let number = place.tokens.iter().rfind(|token| token.kind == TokenKind::Integer)?;
        Some(following(number, ".reuse"))
    }),
    ("odd register of an address", |place| {
        let at = place.tokens.windows(2).find(|pair| pair[1].text(place.line) == ".64")?;
        let is_address = place.operands.iter().any(|operand| {
            operand.iter().any(|token| token.is_punct(b'[')) && operand.iter().any(|token| token == &at[0])
        });
        let is_pair = is_address && at[0].kind == TokenKind::Register && !at[0].is_zero_register();
        is_pair.then(|| replace(&at[0], format!("R{}", at[0].value | 1)))
    }),
    ("odd descriptor", |place| {
        let register = place.after_word("desc")?;
        Some(replace(register, format!("UR{}", register.value | 1)))
    }),
    ("descriptor in a general register", |place| Some(replace(place.after_word("desc")?, "R4"))),
    ("descriptor without an address", |place| {
        let register = place.after_word("desc")?;
        let close = place.tokens.iter().position(|token| token == register)? + 1;
        let rest = &place.tokens[close + 1..];
        let end = rest.iter().find(|token| token.is_punct(b']'))?;
        let is_address = rest.first()?.is_punct(b'[');
        is_address.then(|| (rest[0].start as usize..end.end(), String::new()))
    }),
    ("second register in an address", |place| Some(following(place.address_register()?, "+R9"))),
    ("predicate in an address", |place| Some(replace(place.address_register()?, "P1"))),
    ("reuse in an address", |place| Some(following(place.address_register()?, ".reuse"))),
    ("sign of a result", |place| {
        let result = place.register_operand(0)?;
        let writes = !place.name().starts_with("ST") && !place.name().starts_with("RED");
        writes.then(|| replace(result, format!("-{}", result.text(place.line))))
    }),
    ("negation of a register", |place| {
        place.register_operand(0)?;
        let source = place.register_operand(1)?;
        Some(replace(source, format!("!{}", source.text(place.line))))
    }),
    ("minus of a predicate", |place| {
        let [predicate] = place.operands.get(1)? else { return None };
        let is_predicate = predicate.kind == TokenKind::Predicate;
        is_predicate.then(|| replace(predicate, format!("-{}", predicate.text(place.line))))
    }),
    ("modifier twice", |place| {
        let at = place.tokens.iter().position(|token| token == place.mnemonic)?;
        let modifier = place.tokens.get(at + 1).filter(|token| token.kind == TokenKind::Modifier)?;
        let text = modifier.text(place.line);
        let is_word = text.bytes().skip(1).all(|byte| byte.is_ascii_alphabetic());
        (is_word && !matches!(text, ".AND" | ".OR" | ".XOR")).then(|| following(modifier, text))
    }),
    ("constant bank in a register", |place| {
        let bank = place.tokens.iter().position(|token| token.kind == TokenKind::ConstantBank)?;
        let number = place.tokens.get(bank + 2).filter(|token| token.kind == TokenKind::Integer)?;
        Some(replace(number, "R4"))
    }),
    ("constant between words", |place| {
        let bank = place.tokens.iter().position(|token| token.kind == TokenKind::ConstantBank)?;
        let number = place.tokens.get(bank + 5).filter(|token| token.kind == TokenKind::Integer)?;
        let is_operand = !matches!(place.name(), "LDC" | "ULDC" | "LDCU");
        (is_operand && place.tokens.get(bank + 6)?.is_punct(b']')).then(|| replace(number, "0x161"))
    }),
    ("label for a source", |place| {
        place.register_operand(0)?;
        let is_arithmetic = matches!(place.name(), "FADD" | "FFMA" | "FMUL" | "IADD3" | "IMAD" | "LOP3");
        is_arithmetic.then(|| Some(replace(place.register_operand(2)?, "`(.L_x_1)")))?
    }),
    ("scoreboard that is not there", |place| Some(replace(place.find(TokenKind::Scoreboard)?, "SB6"))),
    ("carry without its word", |place| {
        let word = place.tokens.iter().find(|token| matches!(token.text(place.line), ".X" | ".EX"))?;
        let last = place.operands.last()?.last()?;
        (last.kind == TokenKind::Predicate).then(|| replace(word, ""))
    }),
    ("stall count of 99", |place| {
        let code = place.all.iter().find(|token| token.kind == TokenKind::Control)?;
        let at = place.line[code.start as usize..code.end()].rfind(":S")? + 2 + code.start as usize;
        Some((at..at + 2, "99".to_owned()))
    }),
];

#[test]
fn mistakes_are_found_in_every_notation() {
    let mut host = Host::default();
    // Numbers of found and made mistakes, by kind and by notation.
    let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut notations: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut missed = Vec::new();
    for Sample { name, text } in all() {
        let listing = Listing::parse(&text);
        let Some(dialect) = listing.dialect() else { continue };
        let has_code = |chunk: &&Arc<Chunk>| !chunk.instructions().is_empty();
        let head: String =
            listing.chunks().iter().take_while(|chunk| !has_code(chunk)).map(|chunk| chunk.text()).collect();
        for chunk in listing.chunks().iter().filter(has_code).take(KERNELS) {
            let count = chunk.instructions().len();
            // The stride is odd, so the positions do not repeat with the loops.
            let step = (count / PLACES).max(1) | 1;
            for (at, instruction) in chunk.instructions().iter().enumerate().step_by(step) {
                if chunk.has_inline_code(instruction) {
                    continue;
                }
                let place = Place::new(chunk, instruction);
                for (kind, mistake) in MISTAKES {
                    let Some((range, with)) = mistake(&place) else { continue };
                    let line = head.len() + chunk.lines()[instruction.line as usize].start as usize;
                    let mut changed = format!("{head}{}", chunk.text());
                    changed.replace_range(line + range.start..line + range.end, &with);
                    let number = changed[..line].matches('\n').count() + 1;
                    let is_found = found(&mut host, &changed)
                        .iter()
                        .any(|(line, severity, _)| *line == number && *severity == Severity::Error);
                    let entries =
                        [kinds.entry(*kind).or_default(), notations.entry(dialect.name()).or_default()];
                    for (found, made) in entries {
                        *found += usize::from(is_found);
                        *made += 1;
                    }
                    if !is_found {
                        let line = changed.lines().nth(number - 1).unwrap_or_default().trim();
                        missed.push(format!("{kind}: {name}: {at}: {line}"));
                    }
                }
            }
        }
    }
    println!(
        "found of those made, by kind: {kinds:#?}\nby notation: {notations:#?}\nmissed:\n{}",
        missed.join("\n")
    );
    let (found, made) = kinds.values().fold((0, 0), |sum, kind| (sum.0 + kind.0, sum.1 + kind.1));
    assert!(kinds.len() >= 12 && made > 500, "{made} mistakes of {} kinds", kinds.len());
    assert!(found * 100 >= made * 95, "{found} of {made}");
    for (kind, (found, made)) in kinds {
        assert!(found * 100 >= made * 90, "{kind}: {found} of {made}");
    }
}
