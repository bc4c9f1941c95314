//! The attributes of the current tag that affect the text.

/// The attributes that we read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum HtmlAttribute {
    Alt,
    Alttext,
    AriaHidden,
    Class,
    Colspan,
    DataLang,
    Hidden,
    Href,
    Role,
    Src,
    Start,
    Style,
}

const COUNT: usize = HtmlAttribute::Style as usize + 1;

/// A longer value is dropped.
const MAX_VALUE_BYTES: usize = 16 * 1024;

/// Names of languages that are not also other class names of code.
const LANGUAGES: [&str; 20] = [
    "bash",
    "c",
    "cpp",
    "csharp",
    "css",
    "go",
    "html",
    "java",
    "javascript",
    "json",
    "kotlin",
    "lua",
    "php",
    "python",
    "ruby",
    "rust",
    "sql",
    "toml",
    "typescript",
    "yaml",
];

impl HtmlAttribute {
    fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"alt" => Self::Alt,
            b"alttext" => Self::Alttext,
            b"aria-hidden" => Self::AriaHidden,
            b"class" => Self::Class,
            b"colspan" => Self::Colspan,
            b"data-lang" | b"data-language" => Self::DataLang,
            b"hidden" => Self::Hidden,
            b"href" => Self::Href,
            b"role" => Self::Role,
            b"src" => Self::Src,
            b"start" => Self::Start,
            b"style" => Self::Style,
            _ => return None,
        })
    }
}

#[derive(Debug, Default)]
pub(super) struct TagAttributes {
    /// Reused from tag to tag, to allocate less.
    values: [String; COUNT],
    present: [bool; COUNT],
    /// The attribute whose value comes next.
    current: Option<HtmlAttribute>,
}

impl TagAttributes {
    pub(super) fn clear(&mut self) {
        self.present = [false; COUNT];
        self.current = None;
    }

    /// The first attribute of a name wins.
    pub(super) fn name(&mut self, name: &[u8]) {
        self.current = HtmlAttribute::named(name).filter(|attribute| self.get(*attribute).is_none());
        if let Some(attribute) = self.current
            && let (Some(present), Some(value)) =
                (self.present.get_mut(attribute as usize), self.values.get_mut(attribute as usize))
        {
            *present = true;
            value.clear();
        }
    }

    pub(super) fn value(&mut self, value: &[u8]) {
        let Some(attribute) = self.current.take() else { return };
        if value.len() <= MAX_VALUE_BYTES
            && let Some(own) = self.values.get_mut(attribute as usize)
        {
            own.push_str(&String::from_utf8_lossy(value));
        }
    }

    pub(super) fn get(&self, attribute: HtmlAttribute) -> Option<&str> {
        let is_present = self.present.get(attribute as usize).copied().unwrap_or_default();
        self.values.get(attribute as usize).filter(|_| is_present).map(|value| value.trim())
    }

    /// Whether a browser hides the element.
    pub(super) fn hide(&self) -> bool {
        let style = self.get(HtmlAttribute::Style).unwrap_or_default();
        let none = || style.split(';').filter_map(|rule| rule.split_once(':'));
        self.get(HtmlAttribute::Hidden).is_some_and(|how| !how.eq_ignore_ascii_case("until-found"))
            || self.get(HtmlAttribute::AriaHidden).is_some_and(|how| how.eq_ignore_ascii_case("true"))
            || none().any(|(name, value)| {
                name.trim().eq_ignore_ascii_case("display") && value.trim().starts_with("none")
            })
    }

    /// Whether its role is navigation or control, not content.
    pub(super) fn is_navigation(&self) -> bool {
        let role = self.get(HtmlAttribute::Role).unwrap_or_default();
        ["navigation", "search", "menu", "menubar", "contentinfo", "dialog", "alertdialog", "toolbar"]
            .iter()
            .any(|other| role.eq_ignore_ascii_case(other))
    }

    pub(super) fn has_class(&self, wanted: &[&str]) -> bool {
        let classes = self.get(HtmlAttribute::Class).unwrap_or_default();
        classes.split_ascii_whitespace().any(|class| wanted.contains(&class))
    }

    /// The language of code, as the usual highlighters mark it.
    pub(super) fn language(&self) -> Option<String> {
        let classes = self.get(HtmlAttribute::Class).unwrap_or_default();
        let named = classes.split_ascii_whitespace().find_map(|class| {
            ["language-", "lang-", "highlight-source-", "highlight-", "brush:"]
                .iter()
                .find_map(|prefix| class.strip_prefix(prefix))
        });
        // Some use the bare name as a class.
        let plain = || classes.split_ascii_whitespace().find(|class| LANGUAGES.contains(class));
        let name =
            self.get(HtmlAttribute::DataLang).filter(|name| !name.is_empty()).or(named).or_else(plain)?;
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || "+-#._".contains(letter);
        (!name.is_empty() && name.len() <= 32 && name.chars().all(is_name)).then(|| name.to_owned())
    }
}
