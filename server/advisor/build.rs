//! Embeds the pages of the guides in the program.

#![expect(clippy::disallowed_methods, reason = "a build script reads the files that it embeds")]

#[path = "../machine/embed.rs"]
mod embed;

fn main() {
    let page = |_: &str, path: &str| Some(format!("include_str!({path:?}),\n"));
    embed::write("guides.rs", &embed::table("src/top_down/guides", page));
}
