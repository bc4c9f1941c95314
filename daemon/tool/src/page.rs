//! A web page as Markdown, or as plain text, for a model to read.
//!
//! One pass over the tokens of HTML's own tokenizer; no tree is built. `element` names what matters of HTML, `reader` follows
//! what is open and says what is noise, `table` holds the cells of a table until its end, `writer` puts text down.
//!
//! Kept: headings, paragraphs, lists, quotes, tables, code with its language, emphasis, links and images with absolute
//! addresses. Dropped: scripts, styles, forms' controls, what is hidden, navigation and the like, and where a page says what
//! its main part is, everything else. A page that hardly anything is left of is read once more with all but scripts and styles.
//!
//! Invariant: pure, no recursion, and whatever the page is, time and output grow with its size alone: what could nest or
//! repeat without end (prefixes, tables, columns, addresses) has a cap, and the whole has a budget.

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

/// Less text than this in a page that is not short itself is a sign that too much of it was taken for noise.
const LITTLE: usize = 200;

/// How a page is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageFormat {
    Markdown,
    /// No marks, no addresses.
    Text,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebPage {
    /// On one line, and not too long.
    pub title: Option<String>,
    pub text: String,
    /// There was more than anybody would read.
    pub is_cut: bool,
}

/// Reads a page that came from `address`.
pub fn read(html: &str, address: &Url, form: PageFormat) -> WebPage {
    let (page, has_main) = pass(html, address, form, BoilerplatePolicy::Dropped);
    let is_whole = page.text.len() >= LITTLE || has_main && !page.text.is_empty();
    if is_whole || html.len() < 4 * LITTLE {
        return page;
    }
    let (all, _) = pass(html, address, form, BoilerplatePolicy::Kept);
    if all.text.len() > 2 * page.text.len() { all } else { page }
}

/// The page, and whether it says what its main part is.
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
