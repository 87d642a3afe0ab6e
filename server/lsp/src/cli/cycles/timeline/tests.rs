#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes the snapshots so")]

use super::*;
use expect_test::expect;

/// Builds the steps of consecutive issues from each issue's address, its stall cycles and its stall reason.
fn steps(issues: impl IntoIterator<Item = (u32, u64, &'static str)>) -> Vec<TimedIssue> {
    let mut next = 0;
    let step = |(address, stall_cycles, reason)| {
        let cycle = next + stall_cycles;
        next = cycle + 1;
        TimedIssue {
            address,
            text: format!("OP{address:x} R1").into(),
            cycle,
            stall_cycles,
            reason,
            on: Some(0x10),
        }
    };
    issues.into_iter().map(step).collect()
}

fn written(steps: Vec<TimedIssue>) -> String {
    let mut out = Vec::new();
    write(&mut out, &Palette::PLAIN, &Timeline { steps, left_out: 0 }, 100).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_stall_longer_than_a_page_takes_a_short_row() {
    let text = written(steps([
        (0x10, 0, "wait"),
        (0x20, 3, "wait"),
        (0x30, 563, "long_scoreboard"),
        (0x40, 1, "dispatch_stall"),
    ]));
    expect![[r#"
        cycle             0         10        20        30        40
        0x0010   OP10 R1  I
        0x0020   OP20 R1  .wwwI  3 wait
        0x0030   OP30 R1  .    LLL 563 cycles LLLI  563 long_scoreboard on 0x0010

        cycle             560       570       580       590       600
        0x0040   OP40 R1  .        dI  1 dispatch_stall on 0x0010

        I issues, w wait (the stall count of the row above), L long_scoreboard, d dispatch_stall
    "#]]
    .assert_eq(&text);
}

#[test]
fn identical_iterations_are_folded() {
    let trip = [(0x10, 1, "wait"), (0x20, 2, "wait")];
    let same = steps([(0x0, 0, "wait")].into_iter().chain([trip; 10].concat()).chain([(0x30, 0, "wait")]));
    assert_eq!(
        folded(&same),
        [
            TimelinePart::Steps(0..5),
            TimelinePart::Again { times: 7, trips: 1, issues: 14, from: 11, to: 45 },
            TimelinePart::Steps(19..22)
        ],
        "the last trip goes on behind the loop"
    );
    let other = [(0x10, 1, "wait"), (0x20, 3, "wait")];
    let alternate: Vec<_> = (0..12).flat_map(|number| if number % 2 == 0 { trip } else { other }).collect();
    let parts = folded(&steps(alternate));
    assert!(matches!(parts[1], TimelinePart::Again { trips: 2, .. }), "{parts:?}");
    let growing = (0..12).flat_map(|number| [(0x10, number, "wait"), (0x20, 0, "wait")]);
    assert_eq!(folded(&steps(growing)), [TimelinePart::Steps(0..24)]);
    assert_eq!(folded(&[]), [TimelinePart::Steps(0..0)]);
}

#[test]
fn rows_have_an_end() {
    let text = written(steps((0..MAX_ROWS as u32 + 7).map(|number| (number * 0x10, 0, "wait"))));
    assert!(text.contains("… and 7 issues more\n"), "{}", &text[text.len() - 200..]);
    assert_eq!(text.matches(" R1").count(), MAX_ROWS);
}

#[test]
fn texts_take_the_columns_that_they_have() {
    assert_eq!(fitted("FADD", 6), "FADD  ");
    assert_eq!(fitted("FADD R2, R2, R3", 6), "FADD …");
    assert_eq!(fitted("全角全角", 6), "全角… ");
    assert_eq!(fitted("a\tb", 3), "a b");
}
