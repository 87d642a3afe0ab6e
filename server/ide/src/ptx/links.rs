//! Links to source files from `.file` and `.loc` directives.

use crate::SourceLink;
use crate::engine::cancel::Cancellable;
use crate::engine::ptx_text::placed;
use crate::ptx::view::View;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use syntax::ptx::{Item, Location, SourceFile, Statement, StatementKind};
use syntax::source_path;

pub(crate) fn links(view: &View<'_>) -> Cancellable<Vec<SourceLink>> {
    let files = files(view);
    let mut links = Vec::new();
    for (index, item) in view.module.items().iter().enumerate() {
        view.cancel.check()?;
        let start = view.start(index);
        for statement in item.statements().iter().filter(|one| one.kind == StatementKind::Directive) {
            links
                .extend(of_file(item, start, statement).or_else(|| of_place(item, start, statement, &files)));
        }
    }
    Ok(links)
}

/// Paths in the module's `.file` directives, keyed by file number.
pub(super) fn files<'a>(view: &View<'a>) -> FxHashMap<u32, Cow<'a, str>> {
    let items = view.module.items().iter();
    let files = items.flat_map(|item| item.statements().iter().filter_map(|one| SourceFile::read(item, one)));
    files.map(|SourceFile { index, path }| (index, source_path(path))).collect()
}

fn of_file(item: &Item, start: usize, statement: &Statement) -> Option<SourceLink> {
    let file = SourceFile::read(item, statement)?;
    let path = item.tokens().get(statement.tokens.start as usize + 2)?;
    Some(SourceLink {
        range: placed(start, &(path.start + 1..path.end() - 1)),
        path: source_path(file.path).into_owned(),
        line: 1,
    })
}

/// Link for a `.loc` directive. The link covers the file number, line and column.
fn of_place(
    item: &Item,
    start: usize,
    statement: &Statement,
    files: &FxHashMap<u32, Cow<'_, str>>,
) -> Option<SourceLink> {
    let location = Location::read(item, statement)?;
    let [_, file, _, column, ..] = item.tokens_of(statement.tokens) else { return None };
    let line = location.place.line;
    let path = files.get(&location.place.file).filter(|_| line > 0)?;
    Some(SourceLink {
        range: placed(start, &(file.start..column.end())),
        path: path.clone().into_owned(),
        line,
    })
}
