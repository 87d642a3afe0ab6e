//! Scripts for shells, and manual pages.

use crate::run::Folder;

#[test]
fn each_shell_has_a_script_that_knows_the_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = Folder::new().run(&format!("completions {shell}")).ok();
        for word in ["analyze", "predict", "disassembler"] {
            assert!(script.contains(word), "{shell} lacks {word}");
        }
    }
}

#[test]
fn manual_pages_are_of_the_program_and_of_its_commands() {
    let page = Folder::new().run("man").ok();
    assert!(page.contains(".TH warplens 1") && page.contains("analyze"), "{page}");
    let page = Folder::new().run("man predict").ok();
    assert!(page.contains("\\-\\-launches"), "{page}");
    let refused = Folder::new().run("man frob").refusal();
    assert!(refused.starts_with("unknown command `frob`; expected lsp, analyze, "), "{refused}");
}
