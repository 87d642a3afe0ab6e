//! Sums the addends of an address, lane by lane.

use super::code::Addend;
use super::lanes::{Lanes, WARP};
use crate::requests::Request;

/// Writes each lane's sum of the address addends to `request`. Returns true if all addends are known in the
/// active lanes.
pub(super) fn sum(
    values: &[Lanes],
    addends: &[Addend],
    is_wide: bool,
    active: u32,
    request: &mut Request,
) -> bool {
    let known = |slot: u16| values[usize::from(slot)].known & active == active;
    let is_known = addends.iter().all(|addend| match *addend {
        Addend::Number(_) => true,
        Addend::Word { register, .. } => known(register),
        Addend::Pair { low, high } => known(low) && known(high),
    });
    request.active = active;
    if is_wide {
        wide_sum(values, addends, &mut request.addresses);
    } else {
        for (address, sum) in request.addresses.iter_mut().zip(narrow_sum(values, addends)) {
            *address = u64::from(sum);
        }
    }
    is_known
}

fn wide_sum(values: &[Lanes], addends: &[Addend], sums: &mut [u64; WARP]) {
    let number = |addend: &Addend| match *addend {
        Addend::Number(offset) => offset.cast_unsigned(),
        _ => 0,
    };
    *sums = [addends.iter().map(number).fold(0, u64::wrapping_add); WARP];
    for addend in addends {
        match *addend {
            Addend::Number(_) => {}
            Addend::Word { register: slot, times, signed } => {
                let is_signed = signed == Some(true);
                for (sum, &value) in sums.iter_mut().zip(&values[usize::from(slot)].values) {
                    let value = if is_signed { i64::from(value.cast_signed()) } else { i64::from(value) };
                    *sum = sum.wrapping_add((value * times).cast_unsigned());
                }
            }
            Addend::Pair { low, high } => {
                let (low, high) = (&values[usize::from(low)].values, &values[usize::from(high)].values);
                for (sum, (&low, &high)) in sums.iter_mut().zip(low.iter().zip(high)) {
                    *sum = sum.wrapping_add(u64::from(high) << 32 | u64::from(low));
                }
            }
        }
    }
}

/// Returns the low 32 bits of each lane's sum of the addends.
fn narrow_sum(values: &[Lanes], addends: &[Addend]) -> [u32; WARP] {
    let mut sums = [0_u32; WARP];
    for addend in addends {
        let (slot, times) = match *addend {
            Addend::Number(offset) => {
                for sum in &mut sums {
                    *sum = sum.wrapping_add(offset as u32);
                }
                continue;
            }
            Addend::Word { register, times, .. } => (register, times as u32),
            Addend::Pair { low, .. } => (low, 1),
        };
        let parts = sums.iter_mut().zip(&values[usize::from(slot)].values);
        // `times` is mostly 1, and without the multiplication several lanes are added at a time.
        if times == 1 {
            parts.for_each(|(sum, &value)| *sum = sum.wrapping_add(value));
        } else {
            parts.for_each(|(sum, &value)| *sum = sum.wrapping_add(value.wrapping_mul(times)));
        }
    }
    sums
}
