//! The HTML elements that affect the text.

/// A kind of element. Elements that we treat alike are one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum HtmlElement {
    /// Anything that does not break a line.
    Inline,
    Block,
    Paragraph,
    H1,
    H2,
    H3,
    H4,
    H5,
    H6,
    Unordered,
    Ordered,
    Item,
    Definitions,
    Term,
    Definition,
    Quote,
    Pre,
    Code,
    Strong,
    Emphasis,
    Struck,
    Superscript,
    Link,
    Table,
    Row,
    Cell,
    HeaderCell,
    Title,
    Math,
    Main,
    Article,
    /// Not part of the main text, except within an article.
    Aside,
    Navigation,
    /// Scripts, styles, graphics, controls.
    Skipped,
    // Void elements.
    Image,
    Break,
    Rule,
    Base,
    Void,
}

/// The number of kinds.
pub(super) const KINDS: usize = HtmlElement::Void as usize + 1;

impl HtmlElement {
    pub(super) fn named(name: &[u8]) -> Self {
        match name {
            b"p" => Self::Paragraph,
            b"h1" => Self::H1,
            b"h2" => Self::H2,
            b"h3" => Self::H3,
            b"h4" => Self::H4,
            b"h5" => Self::H5,
            b"h6" => Self::H6,
            b"ul" | b"menu" | b"dir" => Self::Unordered,
            b"ol" => Self::Ordered,
            b"li" => Self::Item,
            b"dl" => Self::Definitions,
            b"dt" => Self::Term,
            b"dd" => Self::Definition,
            b"blockquote" => Self::Quote,
            b"pre" | b"listing" | b"xmp" | b"plaintext" => Self::Pre,
            b"code" | b"kbd" | b"samp" | b"tt" => Self::Code,
            b"b" | b"strong" => Self::Strong,
            b"i" | b"em" | b"cite" | b"dfn" | b"var" => Self::Emphasis,
            b"s" | b"del" | b"strike" => Self::Struck,
            b"sup" => Self::Superscript,
            b"a" => Self::Link,
            b"table" => Self::Table,
            b"tr" => Self::Row,
            b"td" => Self::Cell,
            b"th" => Self::HeaderCell,
            b"title" => Self::Title,
            b"math" => Self::Math,
            b"main" => Self::Main,
            b"article" => Self::Article,
            b"aside" | b"footer" => Self::Aside,
            b"nav" => Self::Navigation,
            b"script" | b"style" | b"noscript" | b"template" | b"svg" | b"canvas" | b"iframe" | b"object"
            | b"audio" | b"video" | b"select" | b"datalist" | b"textarea" | b"button" | b"dialog"
            | b"noembed" | b"noframes" | b"applet" | b"map" => Self::Skipped,
            b"img" => Self::Image,
            b"br" => Self::Break,
            b"hr" => Self::Rule,
            b"base" => Self::Base,
            b"area" | b"col" | b"embed" | b"frame" | b"input" | b"link" | b"meta" | b"param" | b"source"
            | b"track" | b"wbr" => Self::Void,
            b"address" | b"body" | b"caption" | b"center" | b"details" | b"div" | b"fieldset"
            | b"figcaption" | b"figure" | b"form" | b"header" | b"hgroup" | b"html" | b"legend"
            | b"option" | b"search" | b"section" | b"summary" | b"tbody" | b"tfoot" | b"thead" => Self::Block,
            _ => Self::Inline,
        }
    }

    pub(super) fn is_void(self) -> bool {
        matches!(self, Self::Image | Self::Break | Self::Rule | Self::Base | Self::Void)
    }

    /// The number of `#` before a heading.
    pub(super) fn level(self) -> Option<usize> {
        match self {
            Self::H1 => Some(1),
            Self::H2 => Some(2),
            Self::H3 => Some(3),
            Self::H4 => Some(4),
            Self::H5 => Some(5),
            Self::H6 => Some(6),
            _ => None,
        }
    }

    /// Whether its start closes an open paragraph.
    pub(super) fn ends_paragraph(self) -> bool {
        self.level().is_some()
            || matches!(
                self,
                Self::Block
                    | Self::Paragraph
                    | Self::Unordered
                    | Self::Ordered
                    | Self::Definitions
                    | Self::Quote
                    | Self::Pre
                    | Self::Table
                    | Self::Main
                    | Self::Article
                    | Self::Aside
                    | Self::Navigation
                    | Self::Rule
            )
    }

    /// The open elements that its start closes, and those at which the search for them stops.
    pub(super) fn ends(self) -> Option<(&'static [Self], &'static [Self])> {
        match self {
            Self::Item => Some((&[Self::Item], &[Self::Unordered, Self::Ordered])),
            Self::Term | Self::Definition => Some((&[Self::Term, Self::Definition], &[Self::Definitions])),
            Self::Cell | Self::HeaderCell => {
                Some((&[Self::Cell, Self::HeaderCell], &[Self::Row, Self::Table]))
            }
            Self::Row => Some((&[Self::Row], &[Self::Table])),
            _ => None,
        }
    }
}
