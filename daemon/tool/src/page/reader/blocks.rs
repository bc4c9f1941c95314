//! What each element's start and end mean for the writer.

use super::{HtmlReader, OpenElement};
use crate::page::PageFormat;
use crate::page::attributes::HtmlAttribute;
use crate::page::element::HtmlElement;
use crate::page::markdown_text::{address, title};
use crate::page::table::{self, HtmlTable};
use crate::page::writer::InlineMark;

impl HtmlReader {
    pub(super) fn void(&mut self, element: HtmlElement) {
        match (element, &mut self.pre, &mut self.code) {
            (HtmlElement::Break, Some((code, _)), _) => code.push('\n'),
            (HtmlElement::Break, None, Some(code)) => code.push(' '),
            (HtmlElement::Break, None, None) => self.writer.soft_break(),
            (HtmlElement::Rule, None, _) => {
                self.writer.block();
                if self.form == PageFormat::Markdown {
                    self.writer.inline("---");
                }
                self.writer.block();
            }
            (HtmlElement::Image, None, None) => self.image(),
            (HtmlElement::Base, ..) if !self.has_base => {
                self.has_base = true;
                let written = self.attributes.get(HtmlAttribute::Href).unwrap_or_default();
                if let Ok(base) = self.base.join(written) {
                    self.base = base;
                }
            }
            _ => {}
        }
    }

    fn image(&mut self) {
        let alt = self.attributes.get(HtmlAttribute::Alt).and_then(title);
        let Some(alt) = alt else { return };
        let source = self.attributes.get(HtmlAttribute::Src).unwrap_or_default();
        match address(&self.base, source).filter(|_| self.form == PageFormat::Markdown) {
            Some(source) => self.writer.inline(&format!("![{alt}]({source})")),
            None => self.writer.text(&alt),
        }
    }

    /// Starts an element, and returns whether its end has something to close.
    pub(super) fn begin(&mut self, element: HtmlElement) -> bool {
        if let Some((code, language)) = &mut self.pre {
            // Highlighters often put each line of code into an element.
            match element {
                HtmlElement::Code if language.is_empty() => {
                    *language = self.attributes.language().unwrap_or_default();
                }
                HtmlElement::Block | HtmlElement::Row | HtmlElement::Item
                    if !code.is_empty() && !code.ends_with('\n') =>
                {
                    code.push('\n');
                }
                _ => {}
            }
            return false;
        }
        if self.code.is_some() {
            return false;
        }
        if let Some(level) = element.level() {
            self.writer.heading(level);
            return true;
        }
        match element {
            HtmlElement::Block
            | HtmlElement::Paragraph
            | HtmlElement::Article
            | HtmlElement::Aside
            | HtmlElement::Navigation
            | HtmlElement::Term => self.writer.block(),
            HtmlElement::Main => self.begin_main(),
            HtmlElement::Unordered | HtmlElement::Ordered | HtmlElement::Definitions => {
                return self.begin_list(element);
            }
            HtmlElement::Item => return self.begin_item(),
            HtmlElement::Definition => {
                self.writer.line();
                self.writer.lead(": ");
            }
            HtmlElement::Quote => {
                self.writer.block();
                let prefix = if self.form == PageFormat::Markdown { "> " } else { "  " };
                self.writer.indent(prefix.to_owned(), prefix);
                return true;
            }
            HtmlElement::Pre => {
                self.pre = Some((String::new(), self.attributes.language().unwrap_or_default()));
                return true;
            }
            HtmlElement::Code => {
                self.code = Some(String::new());
                return true;
            }
            HtmlElement::Link => return self.begin_link(),
            HtmlElement::Math => {}
            HtmlElement::Table => return self.begin_table(),
            HtmlElement::Row => {
                if let Some((table, _)) = self.tables.last_mut() {
                    table.row();
                } else {
                    self.writer.line();
                }
            }
            HtmlElement::Cell | HtmlElement::HeaderCell => return self.begin_cell(),
            _ => return self.mark(element).map(|mark| self.writer.open(mark)).is_some(),
        }
        false
    }

    fn mark(&self, element: HtmlElement) -> Option<InlineMark> {
        match element {
            HtmlElement::Strong => Some(InlineMark::Strong),
            HtmlElement::Emphasis => Some(InlineMark::Emphasis),
            HtmlElement::Struck => Some(InlineMark::Struck),
            HtmlElement::Superscript => Some(InlineMark::Superscript),
            HtmlElement::Link => Some(InlineMark::Link(String::new())),
            _ => None,
        }
    }

    fn begin_main(&mut self) {
        self.writer.block();
        if self.main.is_none() && self.writer.is_outermost() {
            self.main = Some((self.writer.length(), None));
        }
    }

    fn begin_list(&mut self, element: HtmlElement) -> bool {
        if self.lists.is_empty() {
            self.writer.block();
        } else {
            self.writer.line();
        }
        let start = self.attributes.get(HtmlAttribute::Start).and_then(|start| start.parse().ok());
        self.lists.push((element == HtmlElement::Ordered).then(|| start.unwrap_or(1)));
        true
    }

    fn begin_item(&mut self) -> bool {
        self.writer.line();
        match self.lists.last_mut() {
            Some(Some(number)) => {
                self.writer.indent(format!("{number}. "), "   ");
                *number = number.saturating_add(1);
            }
            _ => self.writer.indent("- ".to_owned(), "  "),
        }
        true
    }

    fn begin_link(&mut self) -> bool {
        let written = self.attributes.get(HtmlAttribute::Href).unwrap_or_default();
        let leads = if self.form == PageFormat::Markdown { address(&self.base, written) } else { None };
        leads.map(|address| self.writer.open(InlineMark::Link(address))).is_some()
    }

    fn begin_table(&mut self) -> bool {
        if let Some((table, _)) = self.tables.last_mut() {
            table.holds_table = true;
        }
        if self.tables.len() >= table::MAX_DEPTH {
            self.writer.block();
            return false;
        }
        self.tables.push((HtmlTable::default(), 1));
        true
    }

    fn begin_cell(&mut self) -> bool {
        let span =
            self.attributes.get(HtmlAttribute::Colspan).and_then(|span| span.parse().ok()).unwrap_or(1);
        // The innermost open table may be one that is not buffered.
        let is_held = self.counts.get(HtmlElement::Table as usize) == Some(&self.tables.len());
        let Some((_, columns)) = self.tables.last_mut().filter(|_| is_held) else {
            self.writer.text(" ");
            return false;
        };
        *columns = span;
        self.writer.enter();
        true
    }

    pub(super) fn close(&mut self, open: OpenElement) {
        let OpenElement { element, holds, .. } = open;
        if self.pre.is_some() && !(element == HtmlElement::Pre && holds) {
            return;
        }
        if self.code.is_some() && !(element == HtmlElement::Code && holds) {
            return;
        }
        if element.level().is_some() {
            return self.writer.end_heading();
        }
        match element {
            HtmlElement::Pre => {
                if let Some((code, language)) = self.pre.take() {
                    self.writer.code_block(&language, &code);
                }
            }
            HtmlElement::Code => {
                if let Some(code) = self.code.take() {
                    self.writer.code(&code);
                }
            }
            HtmlElement::Unordered | HtmlElement::Ordered | HtmlElement::Definitions if holds => {
                self.lists.pop();
                if self.lists.is_empty() { self.writer.block() } else { self.writer.line() }
            }
            HtmlElement::Item | HtmlElement::Quote if holds => {
                self.writer.outdent();
                if element == HtmlElement::Item { self.writer.line() } else { self.writer.block() }
            }
            HtmlElement::Cell | HtmlElement::HeaderCell if holds => {
                let text = self.writer.leave();
                if let Some((table, span)) = self.tables.last_mut() {
                    table.cell(text, *span, element == HtmlElement::HeaderCell);
                }
            }
            HtmlElement::Table if holds => {
                if let Some((table, _)) = self.tables.pop() {
                    table.write(self.form, &mut self.writer);
                }
            }
            HtmlElement::Main => {
                self.writer.block();
                if let Some((_, end @ None)) = &mut self.main
                    && self.writer.is_outermost()
                {
                    *end = Some(self.writer.length());
                }
            }
            HtmlElement::Definition => self.writer.line(),
            HtmlElement::Block
            | HtmlElement::Paragraph
            | HtmlElement::Article
            | HtmlElement::Aside
            | HtmlElement::Navigation => {
                self.writer.block();
            }
            HtmlElement::Table => self.writer.block(),
            _ if holds => {
                if let Some(mark) = self.mark(element) {
                    self.writer.close(&mark);
                }
            }
            _ => {}
        }
    }
}
