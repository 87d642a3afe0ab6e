//! Damaged cubins: each request is answered with the readable part or with an error of one line.

use crate::client::Client;
use crate::folder::Folder;
use crate::texts::Dice;
use crate::watch::memory_mb;
use serde_json::json;
use std::time::{Duration, Instant};

const CUBINS: [&[u8]; 3] = [
    include_bytes!("../../../server/syntax/tests/cubins/sm_61.cubin"),
    include_bytes!("../../../server/syntax/tests/cubins/sm_90.cubin"),
    include_bytes!("../../../server/syntax/tests/cubins/relocatable_sm_75.cubin"),
];

/// A randomly damaged file: truncated, with flipped bytes, or with huge numbers in its tables.
fn damaged(whole: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    match dice.roll(4) {
        0 => bytes.truncate(dice.roll(whole.len())),
        1 => {
            let at = dice.roll(whole.len());
            bytes[at] ^= 1 << dice.roll(8);
        }
        2 => {
            let at = dice.roll(whole.len() - 8);
            let number = [0, 1, 1 << 31, u64::MAX >> 1, u64::MAX][dice.roll(5)];
            bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        }
        _ => {
            // The file's header gives the offset of the section headers.
            let table = u64::from_le_bytes(whole[40..48].try_into().expect("eight bytes")) as usize;
            let count = usize::from(u16::from_le_bytes([whole[60], whole[61]]));
            let at = table + dice.roll(count) * 64 + [0, 4, 24, 32, 40, 56][dice.roll(6)];
            let number = [0, 1, 7, 0x7000_0007, u64::from(u32::MAX), u64::MAX][dice.roll(6)];
            bytes[at..at + 4].copy_from_slice(&number.to_le_bytes()[..4]);
        }
    }
    bytes
}

#[test]
fn every_damaged_cubin_is_answered() {
    const FILES: usize = 900;
    let folder = Folder::new("torture-cubins");
    let path = folder.file("k.cubin");
    let uri = format!("file://{}", path.display());
    let mut client = Client::ready(json!({}));
    let mut dice = Dice(13);
    let start = Instant::now();
    let (mut opened, mut refused, mut slowest) = (0, 0, Duration::ZERO);
    for number in 0..FILES {
        std::fs::write(&path, damaged(CUBINS[number % CUBINS.len()], &mut dice)).expect("it can be written");
        let asked = Instant::now();
        let id = client.request("warplens/openBinary", json!({"uri": uri}));
        match client.response(id) {
            Ok(_) => opened += 1,
            Err(_) => refused += 1,
        }
        slowest = slowest.max(asked.elapsed());
    }
    let peak = memory_mb(client.process()).1;
    println!(
        "{FILES} damaged cubins: {opened} read, {refused} refused, the slowest {slowest:.1?}, peak {peak:.0} MB, {:.1?}",
        start.elapsed()
    );
    assert!(opened > FILES / 20 && refused > FILES / 20, "{opened} {refused}");
    assert!(peak < 300.0, "{peak} MB");
    assert_eq!(client.shut_down(), 0);
}
