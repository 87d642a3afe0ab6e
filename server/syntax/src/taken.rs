//! Lists handed over by what gathers them one piece after another.

/// Takes all out. The vector keeps its room for the next piece, unless that is worth more than a copy.
pub(crate) fn taken<T: Clone>(all: &mut Vec<T>) -> Box<[T]> {
    const MANY: usize = 1 << 16; // limit: room that is kept is worth more than a copy up to here
    if all.len() > MANY {
        return std::mem::take(all).into_boxed_slice();
    }
    let taken = all.as_slice().into();
    all.clear();
    taken
}
