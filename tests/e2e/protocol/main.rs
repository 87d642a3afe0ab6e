//! Protocol tests with the real binary.

#![expect(clippy::disallowed_methods, reason = "tests read their own files")]
#![expect(clippy::needless_pass_by_value, reason = "a `json!` reads best without a `&` before it")]

#[allow(dead_code, reason = "the `torture` tests use other parts of it")]
#[path = "../client.rs"]
mod client;
mod folder;
#[path = "../framing.rs"]
mod framing;
#[path = "../incoming.rs"]
mod incoming;
mod texts;

mod lifecycle;
mod order;

mod at_a_glance;
mod cancel;
mod faults;
mod growth;
mod headers;
mod listings;
mod log;
mod navigation;
mod profiles;
mod progress;

#[cfg(unix)]
mod binary;
#[cfg(unix)]
mod compiling;
mod copying;
mod cuda;
mod encodings;
mod features;
mod findings;
mod folders;
#[cfg(unix)]
mod follow;
#[cfg(unix)]
mod full_figures;
mod languages;
mod launch_files;
mod ptx;
mod pull;
mod resolve;
mod roofline;
#[cfg(unix)]
mod sass;
mod scheduling;
mod selection;
mod settings;
mod shared;
mod steps;
mod summary;
mod tokens;
mod triton;
mod tuning;
mod writing;
