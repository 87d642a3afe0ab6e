use super::*;
use crate::load::Text;
use std::sync::Arc;

fn ptx() -> Arc<Ptx> {
    Ptx::builtin()
}

/// The words in the slots of the first matching form: `T=f32 rnd=rn`; or else the mismatch.
fn bound(spelled: &str) -> Result<String, String> {
    let ptx = ptx();
    let (opcode, rest) = spelled.split_once('.').unwrap_or((spelled, ""));
    let modifiers: Vec<&str> = rest.split('.').filter(|word| !word.is_empty()).collect();
    match ptx.find(opcode, &modifiers) {
        None => Err("no such opcode".into()),
        Some(Ok(found)) => {
            let (form, bound) = &found[0];
            let named = form.slots.iter().zip(bound.slots()).skip(form.fixed);
            let words = named.filter_map(|(slot, word)| Some(format!("{}={}", slot.name, (*word)?)));
            let order = if bound.in_order { "" } else { " out of order" };
            Ok(format!("{}{order}", words.collect::<Vec<_>>().join(" ")))
        }
        Some(Err(mismatch)) => {
            let some: Vec<&str> = mismatch.possible.iter().copied().take(3).collect();
            Err(format!("{:?} at {}: {}", mismatch.kind, mismatch.at, some.join(" ")))
        }
    }
}

#[test]
fn each_modifier_is_bound_to_its_slot() {
    assert_eq!(bound("add.rn.ftz.f32").unwrap(), "rnd=rn ftz=ftz T=f32");
    assert_eq!(bound("cvt.rzi.s32.f32").unwrap(), "irnd=rzi T=s32 S=f32");
    assert_eq!(bound("ld.global.v4.f32").unwrap(), "ld_space=global V=v4 T=f32");
    assert_eq!(bound("mul.wide.u16").unwrap(), "T=u16");
    assert_eq!(bound("bra").unwrap(), "");
    assert_eq!(bound("vote.ballot.sync.b32").unwrap(), "sync=sync ballot=ballot T=b32 out of order");
    assert_eq!(
        bound("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32").unwrap(),
        "sync=sync aligned=aligned m16n8k16=m16n8k16 K=row L=col D=f32 A=bf16 B=bf16 C=f32"
    );
}

#[test]
fn another_order_is_known_as_such() {
    assert_eq!(bound("add.f32.rn").unwrap(), "rnd=rn T=f32 out of order");
    assert_eq!(bound("setp.u32.ne").unwrap(), "cmp_unsigned=ne T=u32 out of order");
    assert!(bound("mul.u32.lo").is_err(), "ptxas requires `.lo` directly after the opcode");
}

#[test]
fn a_mismatch_says_where_and_what_was_possible() {
    assert_eq!(bound("add.foo.f32").unwrap_err(), "Unknown at 0: u16 u32 u64");
    assert_eq!(bound("add.rn.foo").unwrap_err(), "Unknown at 1: ftz sat f32");
    assert_eq!(bound("add.rn.s32").unwrap_err(), "Misplaced at 1: ftz sat f32");
    assert_eq!(bound("add.rn").unwrap_err(), "Missing at 1: f32 f64 f32x2");
    assert_eq!(bound("cvt.f32.f32.f32").unwrap_err().split(':').next(), Some("Misplaced at 2"));
    assert_eq!(bound("nonsense.f32").unwrap_err(), "no such opcode");
}

#[test]
fn what_ptxas_ignores_differs_from_errors() {
    let kind = |spelled: &str| bound(spelled).unwrap_err().split(':').next().unwrap().to_owned();
    assert_eq!(kind("add.sat.sat.f32"), "Repeated at 1");
    assert_eq!(kind("neg.subnormal.s32"), "Ignored at 0");
    assert_eq!(kind("neg.subnormal.sat.s32"), "Unknown at 1");
    assert_eq!(kind("neg.subnormal"), "Missing at 1");
    assert_eq!(kind("add.sat.rank.sat"), "Missing at 3");
}

#[test]
fn slots_left_out_together_are_both_there_or_neither() {
    assert!(bound("min.xorsign.abs.f32").is_ok() && bound("min.f32").is_ok());
    assert_eq!(bound("min.xorsign.f32").unwrap_err(), "Missing at 2: abs");
}

#[test]
fn the_next_modifiers_are_those_of_the_module() {
    let ptx = ptx();
    let next = |words: &[&str], module: Option<(&str, &str)>| {
        let module = module.map(|(version, target)| (version.parse().unwrap(), target.parse().unwrap()));
        ptx.possible_next("add", words, module).join(" ")
    };
    assert_eq!(next(&["rn", "ftz"], None), "sat f32 f32x2 f16 f16x2");
    assert_eq!(next(&["rn", "ftz"], Some(("7.0", "sm_80"))), "sat f32 f16 f16x2");
    assert_eq!(next(&["rn", "ftz"], Some(("9.0", "sm_100"))), "sat f32 f32x2 f16 f16x2");
    assert_eq!(next(&["nonsense"], None), "");
    assert!(ptx.possible_next("nonsense", &[], None).is_empty());
}

#[test]
fn a_form_says_what_it_needs() {
    let ptx = ptx();
    let lacks = |spelled: &str, version: &str, target: &str| {
        let (opcode, rest) = spelled.split_once('.').unwrap();
        let words: Vec<&str> = rest.split('.').collect();
        let found = ptx.find(opcode, &words).unwrap().unwrap();
        let (form, bound) = &found[0];
        let lacking = form.lacks(bound, version.parse().unwrap(), target.parse().unwrap());
        lacking.map(|(word, need)| {
            let targets: Vec<String> = need.targets.iter().map(ToString::to_string).collect();
            format!(
                "{}{} {}",
                word.map(|word| format!("{word}: ")).unwrap_or_default(),
                need.ptx,
                targets.join(", ")
            )
        })
    };
    assert_eq!(lacks("add.f32x2", "8.6", "sm_100a"), None);
    assert_eq!(lacks("add.f32x2", "8.6", "sm_90").as_deref(), Some("8.6 sm_100 or later"));
    assert_eq!(lacks("wgmma.fence.sync.aligned", "8.0", "sm_90a"), None);
    assert_eq!(lacks("wgmma.fence.sync.aligned", "8.0", "sm_90").as_deref(), Some("8.0 sm_90a"));
    assert!(lacks("wgmma.fence.sync.aligned", "9.0", "sm_100a").is_some());
    let cluster = lacks("ld.relaxed.cluster.u32", "7.8", "sm_80");
    assert_eq!(cluster.as_deref(), Some("cluster: 7.8 sm_90 or later"));
}

#[test]
fn a_family_holds_its_later_chips() {
    let holds =
        |range: &str, target: &str| range.parse::<TargetRange>().unwrap().holds(target.parse().unwrap());
    assert!(holds("100f", "sm_100f") && holds("100f", "sm_103a") && holds("100f", "sm_107f"));
    assert!(!holds("100f", "sm_100") && !holds("100f", "sm_110f") && !holds("103f", "sm_100a"));
    assert!(holds("90a", "sm_90a") && !holds("90a", "sm_90") && !holds("90a", "sm_100a"));
    assert!(holds("30..62", "sm_62") && !holds("30..62", "sm_70"));
    assert!("sm_".parse::<Target>().is_err() && "sm_é".parse::<Target>().is_err());
}

#[test]
fn every_chip_has_a_target_and_no_target_is_listed_twice() {
    let ptx = ptx();
    assert!(ptx.targets.windows(2).all(|pair| pair[0].0 < pair[1].0), "{:?}", ptx.targets);
    let since = |name: &str| ptx.targets().find(|(target, _)| target.to_string() == name);
    for arch in &crate::Machine::builtin().archs {
        assert!(since(&format!("sm_{}", arch.sm)).is_some(), "[targets] of sm_{} lacks the chip", arch.sm);
    }
    let words: Vec<String> = ptx.targets().map(|(target, _)| target.to_string()).collect();
    let at = words.iter().position(|word| word == "sm_100").unwrap();
    assert_eq!(words[at..at + 3], ["sm_100", "sm_100f", "sm_100a"]);
    assert_eq!(since("sm_21").unwrap().1.to_string(), "2.0", "a chip without a folder");
}

#[test]
fn operands_say_type_number_and_presence() {
    let ptx = ptx();
    let load = ptx.find("ld", &["global", "v2", "u8"]).unwrap().unwrap();
    let [value, address] = &load[0].0.operands[..2] else { panic!() };
    assert_eq!(value.access, Access::Write);
    let OperandKind::Value { of, count, may_be_wider, .. } = &value.kind else { panic!() };
    assert_eq!(*of, TypeSource::Slot("T".into()));
    assert_eq!(*count, Count::BySlot { slot: "V".into(), times: 1, by: 1 });
    assert!(*may_be_wider);
    assert!(matches!(&address.kind, OperandKind::Address(parts) if parts.len() == 1));
    let hinted = ptx.find("ld", &["global", "L2::cache_hint", "u32"]).unwrap().unwrap();
    let policy = hinted[0].0.operands.last().unwrap();
    assert_eq!(policy.presence, Presence::With([Box::from("L2::cache_hint")].into()));
    let wide = ptx.find("mul", &["wide", "s32"]).unwrap().unwrap();
    let OperandKind::Value { of, .. } = &wide[0].0.operands[0].kind else { panic!() };
    assert_eq!(*of, TypeSource::Fixed("s64".into()));
    let moves = ptx.find("mov", &["b64"]).unwrap().unwrap();
    let unpacks = |(form, _): &(&Form, FormBinding<'_>)| {
        matches!(&form.operands[0].kind, OperandKind::Value { of: TypeSource::Part, .. })
    };
    assert_eq!((moves.len(), moves.iter().filter(|found| unpacks(found)).count()), (3, 1));
    let compare = ptx.find("setp", &["eq", "s32"]).unwrap().unwrap();
    let OperandKind::Value { predicate, .. } = &compare[0].0.operands[0].kind else { panic!() };
    assert_eq!(*predicate, Predicate::Optional);
}

#[test]
fn every_instruction_has_a_page_and_every_page_an_instruction() {
    let ptx = ptx();
    for form in ptx.forms() {
        let page = ptx.page(&form.name).unwrap_or_else(|| panic!("{} has no page", form.name));
        assert!(page.text().starts_with(&format!("# {}\n", page.name)), "{}", page.name);
        let summary = page.summary();
        assert!(summary.len() > 8 && summary.ends_with('.'), "{}: {summary}", page.name);
    }
    for page in page::all() {
        assert!(ptx.forms().iter().any(|form| form.name.starts_with(page.name)), "{}", page.name);
    }
    assert!(ptx.page("nonsense").is_none());
}

#[test]
fn special_registers_and_directives_have_a_sentence() {
    let ptx = ptx();
    assert_eq!(ptx.special_register("%tid").unwrap().components, ['x', 'y', 'z'].into());
    assert_eq!(&*ptx.special_register("%clock64").unwrap().ty, "u64");
    assert!(ptx.special_register("%envreg31").is_some() && ptx.special_register("%envreg32").is_none());
    assert!(ptx.special_registers().all(|register| register.meaning.ends_with('.')));
    assert!(ptx.special_registers().all(|register| register.name.starts_with('%')));
    assert!(ptx.directives().all(|directive| directive.meaning.ends_with('.')));
    assert!(ptx.directive(".entry").is_some() && ptx.directive(".nonsense").is_none());
}

#[test]
fn a_modifier_has_a_sentence_in_general_or_of_its_instruction() {
    let ptx = ptx();
    assert!(ptx.modifier("add", "ftz").unwrap().contains("zero"));
    assert_eq!(ptx.modifier("add", "nonsense"), None);
    let known = |name: &str, word: &str| {
        let own = |form: &Form| form.name.starts_with(name) && form.slots.iter().any(|slot| slot.has(word));
        ptx.forms().iter().any(own)
    };
    for (name, words) in &ptx.meanings {
        for (word, meaning) in words {
            assert!(known(name, word), "no form of `{name}` has `{word}`");
            assert!(meaning.ends_with('.'), "{name} {word}: {meaning}");
        }
    }
}

#[test]
fn a_wrong_table_says_where_and_what_was_expected() {
    let tables = load::built_in_tables();
    let instructions = |rows: &str| {
        let content = format!("name,modifiers,operands,ptx,sm\n{rows}\n");
        let instructions = Text { path: "x", content: &content };
        let since = Text { path: "s", content: "instruction,word,ptx,sm\n" };
        let limits = Text { path: "l", content: "name,word,operand,values\n" };
        load::read(&load::Tables { instructions, since, limits, ..tables })
            .map(drop)
            .map_err(|error| error.to_string())
    };
    assert_eq!(instructions("add,.ftz? T=.f32,=d:T a:T,1.0,10"), Ok(()));
    let cases = [
        ("add,<nonsense>,,1.0,10", "x:2: expected a set of sets.csv, not `nonsense`"),
        ("add,ftz,,1.0,10", "x:2: expected a modifier like `.word` or `<set>`, not `ftz`"),
        ("add,(.ftz .sat,,1.0,10", "x:2: expected `)?` after `(`"),
        ("add,.ftz .sat)?,,1.0,10", "x:2: expected `(` before `)?`"),
        ("add,{.ftz / .sat,,1.0,10", "x:2: expected `}` after `{`"),
        ("add,.f32,=d,1.0,10", "x:2: expected an operand like `=d:T`, not `=d`"),
        ("add,.f32,=d:T,1.0,10", "x:2: expected a slot of this form in `=d:T`, not `T`"),
        ("add,.f32,d:f32?sat,1.0,10", "x:2: expected a modifier of this form after `?`, not `sat`"),
        ("add,.f32,,one,10", "x:2: expected a PTX version like `8.6`, not `one`"),
        ("add,.f32,,1.0,new", "x:2: expected targets like `80`, `90a`, `100f` or `30..62`, not `new`"),
        ("add,.f32,,1.0,", "x:2: expected a value in column `sm`"),
        ("add,.f32,,1.0", "x:2: expected 5 fields, not 4"),
    ];
    for (row, expected) in cases {
        assert_eq!(instructions(row), Err(expected.into()), "{row}");
    }
    let content = "instruction,word,ptx,sm\nadd,nonsense,1.0,10\n";
    let since = Text { path: "s", content };
    let error = load::read(&load::Tables { since, ..tables }).unwrap_err().to_string();
    assert_eq!(error, "s:2: expected a word of `add`, not `nonsense`");
}
