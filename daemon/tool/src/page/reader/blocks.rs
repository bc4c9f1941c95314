//! What each element means to the writer, where it begins and where it ends.

use super::{Open, Reader};
use crate::page::Form;
use crate::page::attributes::Attribute;
use crate::page::element::Element;
use crate::page::table::{self, Table};
use crate::page::words::{address, title};
use crate::page::writer::Mark;

impl Reader {
    pub(super) fn void(&mut self, element: Element) {
        match (element, &mut self.pre, &mut self.code) {
            (Element::Break, Some((code, _)), _) => code.push('\n'),
            (Element::Break, None, Some(code)) => code.push(' '),
            (Element::Break, None, None) => self.writer.soft_break(),
            (Element::Rule, None, _) => {
                self.writer.block();
                if self.form == Form::Markdown {
                    self.writer.inline("---");
                }
                self.writer.block();
            }
            (Element::Image, None, None) => self.image(),
            (Element::Base, ..) if !self.has_base => {
                self.has_base = true;
                let written = self.attributes.get(Attribute::Href).unwrap_or_default();
                if let Ok(base) = self.base.join(written) {
                    self.base = base;
                }
            }
            _ => {}
        }
    }

    fn image(&mut self) {
        let alt = self.attributes.get(Attribute::Alt).and_then(title);
        let Some(alt) = alt else { return };
        let source = self.attributes.get(Attribute::Src).unwrap_or_default();
        match address(&self.base, source).filter(|_| self.form == Form::Markdown) {
            Some(source) => self.writer.inline(&format!("![{alt}]({source})")),
            None => self.writer.text(&alt),
        }
    }

    /// Begins an element that is read, and tells whether it holds something that its end lets go.
    pub(super) fn begin(&mut self, element: Element) -> bool {
        if let Some((code, language)) = &mut self.pre {
            // Lines of code are often elements of their own.
            match element {
                Element::Code if language.is_empty() => {
                    *language = self.attributes.language().unwrap_or_default();
                }
                Element::Block | Element::Row | Element::Item
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
            Element::Block
            | Element::Paragraph
            | Element::Article
            | Element::Aside
            | Element::Navigation
            | Element::Term => self.writer.block(),
            Element::Main => self.begin_main(),
            Element::Unordered | Element::Ordered | Element::Definitions => return self.begin_list(element),
            Element::Item => return self.begin_item(),
            Element::Definition => {
                self.writer.line();
                self.writer.lead(": ");
            }
            Element::Quote => {
                self.writer.block();
                let prefix = if self.form == Form::Markdown { "> " } else { "  " };
                self.writer.indent(prefix.to_owned(), prefix);
                return true;
            }
            Element::Pre => {
                self.pre = Some((String::new(), self.attributes.language().unwrap_or_default()));
                return true;
            }
            Element::Code => {
                self.code = Some(String::new());
                return true;
            }
            Element::Link => return self.begin_link(),
            Element::Math => {}
            Element::Table => return self.begin_table(),
            Element::Row => {
                if let Some((table, _)) = self.tables.last_mut() {
                    table.row();
                } else {
                    self.writer.line();
                }
            }
            Element::Cell | Element::HeaderCell => return self.begin_cell(),
            _ => return self.mark(element).map(|mark| self.writer.open(mark)).is_some(),
        }
        false
    }

    fn mark(&self, element: Element) -> Option<Mark> {
        match element {
            Element::Strong => Some(Mark::Strong),
            Element::Emphasis => Some(Mark::Emphasis),
            Element::Struck => Some(Mark::Struck),
            Element::Superscript => Some(Mark::Superscript),
            Element::Link => Some(Mark::Link(String::new())),
            _ => None,
        }
    }

    fn begin_main(&mut self) {
        self.writer.block();
        if self.main.is_none() && self.writer.is_outermost() {
            self.main = Some((self.writer.length(), None));
        }
    }

    fn begin_list(&mut self, element: Element) -> bool {
        if self.lists.is_empty() {
            self.writer.block();
        } else {
            self.writer.line();
        }
        let start = self.attributes.get(Attribute::Start).and_then(|start| start.parse().ok());
        self.lists.push((element == Element::Ordered).then(|| start.unwrap_or(1)));
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
        let written = self.attributes.get(Attribute::Href).unwrap_or_default();
        let leads = if self.form == Form::Markdown { address(&self.base, written) } else { None };
        leads.map(|address| self.writer.open(Mark::Link(address))).is_some()
    }

    fn begin_table(&mut self) -> bool {
        if let Some((table, _)) = self.tables.last_mut() {
            table.holds_table = true;
        }
        if self.tables.len() >= table::DEEPEST {
            self.writer.block();
            return false;
        }
        self.tables.push((Table::default(), 1));
        true
    }

    fn begin_cell(&mut self) -> bool {
        let span = self.attributes.get(Attribute::Colspan).and_then(|span| span.parse().ok()).unwrap_or(1);
        // The innermost table that is open may be one that is not held.
        let is_held = self.counts.get(Element::Table as usize) == Some(&self.tables.len());
        let Some((_, columns)) = self.tables.last_mut().filter(|_| is_held) else {
            self.writer.text(" ");
            return false;
        };
        *columns = span;
        self.writer.enter();
        true
    }

    pub(super) fn close(&mut self, open: Open) {
        let Open { element, holds, .. } = open;
        if self.pre.is_some() && !(element == Element::Pre && holds) {
            return;
        }
        if self.code.is_some() && !(element == Element::Code && holds) {
            return;
        }
        if element.level().is_some() {
            return self.writer.end_heading();
        }
        match element {
            Element::Pre => {
                if let Some((code, language)) = self.pre.take() {
                    self.writer.code_block(&language, &code);
                }
            }
            Element::Code => {
                if let Some(code) = self.code.take() {
                    self.writer.code(&code);
                }
            }
            Element::Unordered | Element::Ordered | Element::Definitions if holds => {
                self.lists.pop();
                if self.lists.is_empty() { self.writer.block() } else { self.writer.line() }
            }
            Element::Item | Element::Quote if holds => {
                self.writer.outdent();
                if element == Element::Item { self.writer.line() } else { self.writer.block() }
            }
            Element::Cell | Element::HeaderCell if holds => {
                let text = self.writer.leave();
                if let Some((table, span)) = self.tables.last_mut() {
                    table.cell(text, *span, element == Element::HeaderCell);
                }
            }
            Element::Table if holds => {
                if let Some((table, _)) = self.tables.pop() {
                    table.write(self.form, &mut self.writer);
                }
            }
            Element::Main => {
                self.writer.block();
                if let Some((_, end @ None)) = &mut self.main
                    && self.writer.is_outermost()
                {
                    *end = Some(self.writer.length());
                }
            }
            Element::Definition => self.writer.line(),
            Element::Block | Element::Paragraph | Element::Article | Element::Aside | Element::Navigation => {
                self.writer.block();
            }
            Element::Table => self.writer.block(),
            _ if holds => {
                if let Some(mark) = self.mark(element) {
                    self.writer.close(&mark);
                }
            }
            _ => {}
        }
    }
}
