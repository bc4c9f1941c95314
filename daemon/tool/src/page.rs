//! Converts a web page to Markdown or plain text for the model.
//!
//! One pass over the tokens of HTML, without a tree. `element` names the elements that matter, `reader` tracks open elements
//! and skips noise, `table` buffers the cells of a table, `writer` writes the text.
//!
//! Kept: headings, paragraphs, lists, quotes, tables, code with its language, emphasis, links and images with absolute URLs.
//! Dropped: scripts, styles, form controls, hidden elements, navigation, and everything outside the main part if the page
//! marks one. If hardly any text is left, the page is read again with everything but scripts and styles.
//!
//! Invariant: pure, no recursion, and time and output grow linearly with the page: everything that could nest or repeat
//! without end (prefixes, tables, columns, URLs) has a cap, and the whole has a budget.

mod attributes;
mod element;
mod markdown_text;
mod reader;
mod table;
#[cfg(test)]
mod tests;
mod writer;

use std::convert::Infallible;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};
use url::Url;

use reader::{BoilerplatePolicy, HtmlReader};

/// If a page that is not short itself leaves less text than this, too much of it was taken for noise.
const LITTLE: usize = 200;

/// The output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageFormat {
    Markdown,
    /// Without Markdown and URLs.
    Text,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebPage {
    /// One line, capped.
    pub title: Option<String>,
    pub text: String,
    /// The text hit its cap.
    pub is_cut: bool,
}

/// Converts a page from `address`.
pub fn read(html: &str, address: &Url, form: PageFormat) -> WebPage {
    let (page, has_main) = pass(html, address, form, BoilerplatePolicy::Dropped);
    let is_whole = page.text.len() >= LITTLE || has_main && !page.text.is_empty();
    if is_whole || html.len() < 4 * LITTLE {
        return page;
    }
    let (all, _) = pass(html, address, form, BoilerplatePolicy::Kept);
    if all.text.len() > 2 * page.text.len() { all } else { page }
}

/// The page, and whether it marks its main part.
fn pass(html: &str, address: &Url, form: PageFormat, noise: BoilerplatePolicy) -> (WebPage, bool) {
    let mut reader = HtmlReader::new(address, form, noise);
    let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| -> Option<Infallible> {
        reader.event(&event);
        None
    });
    emitter.naively_switch_states(true);
    // Reading from memory cannot fail.
    let Ok(()) = Tokenizer::new_with_emitter(html, emitter).finish();
    reader.finish()
}
