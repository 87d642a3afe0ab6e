use super::{Request, SharedKind, shared};
use machine::{Arch, Machine};
use std::sync::Arc;

fn arch(sm: u16) -> Arc<Arch> {
    Machine::builtin().gpu_for_sm(sm).arch
}

fn request(address: impl Fn(u64) -> u64) -> Request {
    Request { active: u32::MAX, addresses: std::array::from_fn(|lane| address(lane as u64)) }
}

#[test]
fn banks_decide_over_wavefronts() {
    let arch = arch(90);
    // Stride, bytes of a lane, wavefronts taken.
    for (stride, bytes, taken) in
        [(4, 4, 1), (0, 4, 1), (8, 4, 2), (128, 4, 32), (132, 4, 1), (1, 1, 1), (32, 16, 8)]
    {
        let found = shared(&arch, SharedKind::Load, bytes, &request(|lane| lane * stride));
        assert_eq!(found.map(|found| found.taken), Some(taken), "{stride} x {bytes}");
    }
}
