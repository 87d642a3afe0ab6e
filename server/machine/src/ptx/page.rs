//! The pages under `docs/ptx`, which describe instructions in prose.

/// File name and text of each page, sorted by name; the build script writes it.
static PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/ptx_pages.rs"));

/// Page about one instruction.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    pub name: &'static str,
    text: &'static str,
}

impl Page {
    /// The entire page, in Markdown, with its heading.
    pub fn text(self) -> &'static str {
        self.text
    }

    /// The page without its heading.
    pub fn body(self) -> &'static str {
        self.text.split_once('\n').map_or("", |(_, body)| body).trim()
    }

    /// The first sentence.
    pub fn summary(self) -> &'static str {
        let body = self.body();
        let end = body.find(". ").or_else(|| body.find(".\n")).map_or(body.len(), |at| at + 1);
        &body[..end]
    }
}

/// The page with this name or, if missing, with the longest prefix of the name that has a page.
pub(super) fn longest(name: &str) -> Option<Page> {
    let mut prefix = name;
    loop {
        if let Ok(at) = PAGES.binary_search_by_key(&prefix, |(name, _)| name) {
            let (name, text) = PAGES[at];
            return Some(Page { name, text });
        }
        prefix = prefix.rsplit_once('.')?.0;
    }
}

#[cfg(test)]
pub(super) fn all() -> impl Iterator<Item = Page> {
    PAGES.iter().map(|(name, text)| Page { name, text })
}
