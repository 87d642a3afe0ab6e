//! Embeds the pages of the guides in the program, and lists the files of the rules.

#![expect(clippy::disallowed_methods, reason = "a build script reads the files that it embeds")]

#[path = "../machine/embed.rs"]
mod embed;

fn main() {
    let page = |_: &str, path: &str| Some(format!("include_str!({path:?}),\n"));
    embed::write("guides.rs", &embed::table("src/top_down/guides", page));
    embed::write("rules.rs", &rules());
}

/// Declares a module for each file of a rule, and a list of the rules in the order of their names.
fn rules() -> String {
    let folder = "src/rules";
    let name = |file: &str| {
        file.strip_suffix(".rs").filter(|name| !["mod", "tests"].contains(name)).map(str::to_owned)
    };
    let modules = embed::items(folder, |file, _| name(file).map(|name| format!("    mod {name};\n")));
    let list = embed::table(folder, |file, _| name(file).map(|name| format!("{name}::RULE,\n")));
    format!(
        "#[path = {:?}]\nmod files {{\n{}\n    pub(super) const RULES: &[super::Rule] = {list};\n}}\n",
        embed::absolute(folder),
        modules.concat(),
    )
}
