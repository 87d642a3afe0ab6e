//! In-order queues. The events in a queue occur in the order of their instructions.

use machine::{Class, InOrder};

/// Returns the in-order queue that holds an instruction of a class until its sources are read, or until its
/// results are written; `None` if the class has no such queue.
pub(crate) fn line(class: &Class, is_read: bool) -> Option<InOrder> {
    if is_read { class.queue } else { class.returns }
}

/// True if instructions of both classes share an in-order queue until their operands are read (`is_read`) or
/// their results return. Once the second instruction reaches this event, the first has reached it too.
pub(crate) fn share_line(first: &Class, second: &Class, is_read: bool) -> bool {
    line(first, is_read).is_some_and(|own| line(second, is_read) == Some(own))
}
