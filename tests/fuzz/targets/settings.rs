//! Any `warplens.toml` and any settings: read, or refused in one line. With those that are read, requests about a
//! listing and about the text itself have answers. A .npy file that the text names has its own name as its header.

#![no_main]

use ide::{Cancel, Config, DataFile, Host, LaunchFile};
use libfuzzer_sys::fuzz_target;
use machine::Machine;

/// Two kernels, one with a loop, so that launches, trip counts and rules have a subject.
const LISTING: &str = include_str!("listing.nvsass");

fuzz_target!(|text: &str| {
    match LaunchFile::parse_with("warplens.toml", text, &data_file) {
        Ok((file, problems)) => {
            problems.iter().for_each(|problem| one_line(&problem.message));
            let mut host = host();
            let names: Vec<String> = file.launches.iter().map(|launch| launch.function.clone()).collect();
            if let Err(error) = host.set_launches(Some(file)) {
                one_line(&error.to_string());
            }
            ask(&mut host);
            // The same launches for kernels with these names.
            for name in names.iter().filter(|name| !name.contains(['\n', '\r'])).take(2) {
                host.open("named", 1, &LISTING.replace("plain", name));
                let named = host.snapshot("named", Cancel::default()).expect("it is open");
                named.sass().expect("it is SASS").report().expect("nothing cancels it");
            }
        }
        Err(error) => one_line(&error.to_string()),
    }
    let view = host().launch_file_view(text);
    drop(view.semantic_tokens(None));
    for at in [0, text.len() / 3, text.len()] {
        drop((view.hover(at), view.completions(at), view.fixes(&(at..at))));
    }
    if let Ok(value) = serde_json::from_str(text) {
        match Config::from_json(&value) {
            Ok(config) => {
                let mut host = host();
                if let Err(error) = host.configure(config) {
                    one_line(&error.to_string());
                }
                ask(&mut host);
            }
            Err(error) => one_line(&error.to_string()),
        }
    }
});

fn data_file(name: &str) -> Result<Option<DataFile>, String> {
    let Some(header) = name.strip_suffix(".npy") else { return Ok(Some(DataFile::new(name.into()))) };
    let bytes = (header.len() as u16).to_le_bytes();
    let file = [b"\x93NUMPY\x01\x00", bytes.as_slice(), header.as_bytes(), &[7; 64]].concat();
    Ok(Some(DataFile::new(file)))
}

fn host() -> Host {
    let mut host = Host::new(Machine::builtin());
    host.open("listing", 1, LISTING);
    host
}

fn ask(host: &mut Host) {
    let analysis = host.snapshot("listing", Cancel::default()).expect("it is open");
    analysis.lenses().expect("nothing cancels it");
    analysis.sass().expect("it is SASS").report().expect("nothing cancels it");
    analysis.hints(0..LISTING.len()).expect("nothing cancels it");
    analysis.model_diagnostics().expect("nothing cancels it");
    analysis.syntax_diagnostics().expect("nothing cancels it");
    analysis.hover(LISTING.find("FFMA").expect("it exists")).expect("nothing cancels it");
}

fn one_line(text: &str) {
    assert!(!text.contains('\n'), "{text}");
}
