//! The interpreter of statements and expressions, which runs warps on what is known of their values.

pub(crate) mod builtins;
pub(crate) mod calls;
pub(crate) mod counting;
pub(crate) mod dividing;
pub(crate) mod evaluate;
pub(crate) mod execute;
pub(crate) mod fragments;
pub(crate) mod frame;
pub(crate) mod groups;
pub(crate) mod interpreter;
pub(crate) mod invariants;
pub(crate) mod launches;
pub(crate) mod loop_text;
pub(crate) mod loops;
pub(crate) mod memory;
pub(crate) mod methods;
pub(crate) mod overloads;
pub(crate) mod places;
