//! Tracks the open elements of a page, and drives the writer.
//!
//! Pages are not well-formed. An end tag closes the nearest open element of its kind with everything in it, or nothing; an item,
//! a cell or a row ends where the next one starts. The search for it stops after a few elements, so that no page can make
//! every tag search all open elements.

mod blocks;

use html5gum::emitters::callback::CallbackEvent;
use url::Url;

use super::attributes::{HtmlAttribute, TagAttributes};
use super::element::{HtmlElement, KINDS};
use super::markdown_text::title;
use super::table::HtmlTable;
use super::writer::PageWriter;
use super::{PageFormat, WebPage};

/// How many open elements are searched for one that ends without an end tag.
const MAX_SEARCHED_ELEMENTS: usize = 64;

/// The cap on the text of `<title>`.
const MAX_TITLE_BYTES: usize = 4096;

/// Only the main part of a page is kept if it has this many bytes, or at least one `SHARE`th of the whole.
const MUCH: usize = 500;
const SHARE: usize = 4;

/// Classes of the links beside headings that show the heading's address.
const ANCHORS: [&str; 7] =
    ["anchor", "anchorjs-link", "doc-anchor", "hash-link", "header-anchor", "heading-link", "headerlink"];

/// Classes that popular sites use for boilerplate.
const NOISE: [&str; 6] =
    ["interlanguage-link", "mw-editsection", "mw-jump-link", "navbox", "noprint", "skip-link"];

/// What to do with the boilerplate around the text of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BoilerplatePolicy {
    Dropped,
    Kept,
}

#[derive(Debug, Clone, Copy)]
struct OpenElement {
    element: HtmlElement,
    /// Its content is skipped.
    skips: bool,
    /// It has something to close: the frame of a cell, a buffered table, a link with an address.
    holds: bool,
}

#[derive(Debug)]
pub(super) struct HtmlReader {
    form: PageFormat,
    noise: BoilerplatePolicy,
    base: Url,
    has_base: bool,
    writer: PageWriter,
    open: Vec<OpenElement>,
    /// The number of open elements of each kind.
    counts: [usize; KINDS],
    skipping: usize,
    /// The current tag.
    tag: Option<HtmlElement>,
    attributes: TagAttributes,
    title: String,
    /// The text of a `<pre>`, and its language.
    pre: Option<(String, String)>,
    code: Option<String>,
    /// The next item number of each open list; `None` for unordered ones.
    lists: Vec<Option<u64>>,
    tables: Vec<(HtmlTable, usize)>,
    main: Option<(usize, Option<usize>)>,
}

impl HtmlReader {
    pub(super) fn new(address: &Url, form: PageFormat, noise: BoilerplatePolicy) -> Self {
        Self {
            form,
            noise,
            base: address.clone(),
            has_base: false,
            writer: PageWriter::new(form),
            open: Vec::new(),
            counts: [0; KINDS],
            skipping: 0,
            tag: None,
            attributes: TagAttributes::default(),
            title: String::new(),
            pre: None,
            code: None,
            lists: Vec::new(),
            tables: Vec::new(),
            main: None,
        }
    }

    pub(super) fn event(&mut self, event: &CallbackEvent<'_>) {
        if self.writer.is_full() {
            return;
        }
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.tag = Some(HtmlElement::named(name));
                self.attributes.clear();
            }
            CallbackEvent::AttributeName { name } => self.attributes.name(name),
            CallbackEvent::AttributeValue { value } => self.attributes.value(value),
            CallbackEvent::CloseStartTag { .. } => {
                if let Some(element) = self.tag.take() {
                    self.start(element);
                }
            }
            CallbackEvent::EndTag { name } => self.end(HtmlElement::named(name)),
            CallbackEvent::String { value } => self.text(&String::from_utf8_lossy(value)),
            CallbackEvent::Comment { .. } | CallbackEvent::Doctype { .. } | CallbackEvent::Error(_) => {}
        }
    }

    pub(super) fn finish(mut self) -> (WebPage, bool) {
        self.pop_to(0);
        let is_cut = self.writer.is_full();
        let main = self.main;
        let mut text = self.writer.finish();
        if let Some((start, end)) = main {
            let end = end.unwrap_or(text.len());
            let part = text.get(start..end).unwrap_or_default().trim();
            if self.noise == BoilerplatePolicy::Dropped
                && (part.len() >= MUCH || part.len() * SHARE >= text.len())
            {
                text = part.to_owned();
            }
        }
        (WebPage { title: title(&self.title), text: text.trim_end().to_owned(), is_cut }, main.is_some())
    }

    fn text(&mut self, text: &str) {
        if self.skipping > 0 {
            let in_title = self.open.last().is_some_and(|open| open.element == HtmlElement::Title);
            // A graphic's own title is inside another skipped element.
            if in_title && self.skipping == 1 && self.title.len() < MAX_TITLE_BYTES {
                self.title.push_str(text);
            }
        } else if let Some((code, _)) = &mut self.pre {
            code.push_str(text);
        } else if let Some(code) = &mut self.code {
            code.push_str(text);
        } else {
            self.writer.text(text);
        }
    }

    fn start(&mut self, element: HtmlElement) {
        if element.ends_paragraph()
            && self.open.last().is_some_and(|open| open.element == HtmlElement::Paragraph)
        {
            self.pop_to(self.open.len() - 1);
        }
        if element.ends_paragraph() && element != HtmlElement::Block {
            self.end_code();
        }
        self.end_implied(element);
        if element.is_void() {
            if self.skipping == 0 {
                self.void(element);
            }
            return;
        }
        let skips = self.is_skipped(element);
        if element == HtmlElement::Math && skips && self.skipping == 0 {
            let formula = self.attributes.get(HtmlAttribute::Alttext).and_then(title);
            let formula = formula.map(|formula| format!("${formula}$"));
            self.text(&formula.unwrap_or_default());
        }
        let holds = self.skipping == 0 && !skips && self.begin(element);
        self.open.push(OpenElement { element, skips, holds });
        self.count(element, 1);
        self.skipping += usize::from(skips);
    }

    fn is_skipped(&self, element: HtmlElement) -> bool {
        if element == HtmlElement::Skipped || element == HtmlElement::Title || self.attributes.hide() {
            return true;
        }
        if element == HtmlElement::Math && self.attributes.get(HtmlAttribute::Alttext).is_some() {
            return self.skipping == 0;
        }
        if self.noise == BoilerplatePolicy::Kept {
            return false;
        }
        let in_text = self.is_open(HtmlElement::Main) || self.is_open(HtmlElement::Article);
        element == HtmlElement::Navigation
            || element == HtmlElement::Aside && !in_text
            || self.attributes.is_navigation()
            || self.attributes.has_class(&NOISE)
            || element == HtmlElement::Link && self.attributes.has_class(&ANCHORS)
    }

    fn end(&mut self, element: HtmlElement) {
        if element.is_void() || !self.is_open(element) {
            // Browsers, too, read these as a paragraph and a break.
            if self.skipping == 0 && self.pre.is_none() && self.code.is_none() {
                match element {
                    HtmlElement::Paragraph => self.writer.block(),
                    HtmlElement::Break => self.writer.soft_break(),
                    _ => {}
                }
            }
            return;
        }
        if let Some(at) = self.open.iter().rposition(|open| open.element == element) {
            self.pop_to(at);
        }
    }

    fn end_implied(&mut self, element: HtmlElement) {
        let Some((ended, until)) = element.ends() else { return };
        let lowest = self.open.len().saturating_sub(MAX_SEARCHED_ELEMENTS);
        for at in (lowest..self.open.len()).rev() {
            let Some(open) = self.open.get(at) else { return };
            if ended.contains(&open.element) {
                return self.pop_to(at);
            }
            if until.contains(&open.element) {
                return;
            }
        }
    }

    /// Ends unclosed inline code at the start of a block. Otherwise the rest of the page would be code.
    fn end_code(&mut self) {
        if self.code.is_some() {
            let at = self.open.iter().rposition(|open| open.element == HtmlElement::Code && open.holds);
            self.pop_to(at.unwrap_or(self.open.len()));
        }
    }

    /// Closes all elements from this index on.
    fn pop_to(&mut self, at: usize) {
        while self.open.len() > at {
            let Some(open) = self.open.pop() else { return };
            self.count(open.element, -1);
            self.skipping -= usize::from(open.skips);
            if self.skipping == 0 && !open.skips {
                self.close(open);
            }
        }
    }

    fn is_open(&self, element: HtmlElement) -> bool {
        self.counts.get(element as usize).is_some_and(|count| *count > 0)
    }

    fn count(&mut self, element: HtmlElement, change: isize) {
        if let Some(count) = self.counts.get_mut(element as usize) {
            *count = count.saturating_add_signed(change);
        }
    }
}
