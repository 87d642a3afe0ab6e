//! Converts a reused vector into a boxed slice.

/// Takes all elements. The vector keeps its capacity for the next use. If there are more than `MANY`
/// elements, the vector is moved instead.
pub(crate) fn taken<T: Clone>(all: &mut Vec<T>) -> Box<[T]> {
    const MANY: usize = 1 << 16; // limit: up to here, keeping the capacity is worth a copy
    if all.len() > MANY {
        return std::mem::take(all).into_boxed_slice();
    }
    let taken = all.as_slice().into();
    all.clear();
    taken
}
