//! The front matter of agent and skill files: lines of `key: value` between two `---`. Supports the part of YAML that such
//! files use: plain values, quotes, block scalars, and for `tools` a map or a list.

use std::collections::BTreeMap;
use std::str::FromStr;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct FrontMatter {
    values: BTreeMap<String, String>,
    /// The indented lines below a key: `name: value` or `name`.
    below: BTreeMap<String, Vec<String>>,
    /// The line of each key.
    lines: BTreeMap<String, usize>,
    /// The first problem.
    problem: Option<FrontMatterProblem>,
}

/// What is wrong with front matter, and the line of the file, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontMatterProblem {
    pub line: usize,
    pub what: String,
}

impl FrontMatter {
    /// Splits a text into front matter and body. A text without front matter is all body. Lines must end with `\n`.
    pub fn split(text: &str) -> (Self, &str) {
        let Some(inner) = text.strip_prefix("---\n") else { return (Self::default(), text.trim()) };
        let closed = match inner.strip_prefix("---") {
            Some(rest) => Some(("", rest)),
            None => inner.split_once("\n---"),
        };
        match closed {
            Some((head, rest)) => (Self::read(head), rest.trim()),
            None => {
                let what = "the head begins here and is never closed by a second `---`".to_owned();
                let problem = Some(FrontMatterProblem { line: 1, what });
                (Self { problem, ..Self::default() }, text.trim())
            }
        }
    }

    fn read(text: &str) -> Self {
        let mut head = Self::default();
        let (mut last, mut begun) = (String::new(), Vec::new());
        for (at, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.trim().starts_with('#') {
                continue;
            }
            if line.starts_with([' ', '\t', '-']) {
                let item = line.trim().trim_start_matches("- ").to_owned();
                head.below.entry(last.clone()).or_default().push(item);
            } else if let Some((key, value)) = line.split_once(':') {
                key.trim().clone_into(&mut last);
                // The line before the first one is `---`.
                head.lines.insert(last.clone(), at + 2);
                if is_open(value.trim()) {
                    head.wrong(at + 2, format!("the quotes after `{last}` are not closed"));
                }
                if value.trim().starts_with(['[', '{']) {
                    begun.push(last.clone());
                }
                let value = plain(value);
                if !value.is_empty() {
                    head.values.insert(last.clone(), value.to_owned());
                }
            } else {
                let shown: String = line.trim().chars().take(40).collect();
                head.wrong(at + 2, format!("`{shown}` is no `key: value`"));
            }
        }
        if let Some(key) = begun.iter().find(|key| head.is_open_list(key)) {
            head.wrong(head.line(key), format!("the bracket after `{key}` is not closed"));
        }
        head
    }

    /// Whether a list or map in brackets has no end, neither in its line nor in those below.
    fn is_open_list(&self, key: &str) -> bool {
        let value = self.get(key).unwrap_or_default();
        let end = if value.starts_with('[') { ']' } else { '}' };
        let mut below = self.below.get(key).into_iter().flatten();
        !value.contains(end) && !below.any(|line| line.contains(end))
    }

    fn wrong(&mut self, line: usize, what: String) {
        self.problem.get_or_insert(FrontMatterProblem { line, what });
    }

    pub fn problem(&self) -> Option<&FrontMatterProblem> {
        self.problem.as_ref()
    }

    /// The line of a key; that of the front matter if the key is missing.
    pub fn line(&self, key: &str) -> usize {
        self.lines.get(key).copied().unwrap_or(1)
    }

    pub fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    /// A value with its continuation lines or block scalar (`>`, `|`), joined to one line.
    pub fn text(&self, key: &str) -> Option<String> {
        let value = self.get(key).unwrap_or_default();
        let is_mark =
            value.starts_with(['>', '|']) && value.chars().skip(1).all(|mark| "+-0123456789".contains(mark));
        let first = Some(value).filter(|_| !is_mark);
        let below = self.below.get(key).into_iter().flatten().map(String::as_str);
        let text =
            first.into_iter().chain(below).flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ");
        Some(text).filter(|text| !text.is_empty())
    }

    pub fn parse<T: FromStr>(&self, key: &str) -> Option<T> {
        self.get(key)?.parse().ok()
    }

    /// `tools` as switches. A map switches each tool on or off; a list names the only tools that are on.
    pub fn tools(&self) -> Vec<(String, bool)> {
        let in_line = self.get("tools").map(|line| line.trim_matches(['[', ']', '{', '}']).split(','));
        let items = in_line.into_iter().flatten().chain(self.below_tools());
        let (mut map, mut list) = (Vec::new(), Vec::new());
        for item in items.map(plain).filter(|item| !item.is_empty()) {
            let pair = item.rsplit_once(':').and_then(|(name, on)| Some((name, on.trim().parse().ok()?)));
            match pair {
                Some((name, on)) => map.push((plain(name).to_owned(), on)),
                None => list.extend(names(item).map(|name| (name, true))),
            }
        }
        if !list.is_empty() {
            map.insert(0, ("*".to_owned(), false));
        }
        map.extend(list);
        map
    }

    fn below_tools(&self) -> impl Iterator<Item = &str> {
        self.below.get("tools").into_iter().flatten().map(String::as_str)
    }
}

/// A quoted value ends in the line in which it begins.
fn is_open(value: &str) -> bool {
    ['"', '\''].iter().any(|quote| {
        value
            .strip_prefix(*quote)
            .is_some_and(|rest| !rest.ends_with(*quote) && !rest.contains(&format!("{quote} #")))
    })
}

fn plain(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

/// Translates a tool's name from other programs to ours: `ReadTool`, `LS`, `Bash(git log:*)`.
fn names(item: &str) -> impl Iterator<Item = String> {
    let name = item.split('(').next().unwrap_or_default().trim();
    let ours = match name.to_ascii_lowercase().as_str() {
        "ls" => "list".to_owned(),
        "multiedit" => "edit".to_owned(),
        other => other.to_owned(),
    };
    [name.to_owned(), ours].into_iter()
}

#[cfg(test)]
mod tests {
    use super::FrontMatter;

    #[test]
    fn a_head_is_optional_and_read_line_by_line() {
        let text = "---\nname: \"a\"\n# no: thing\ndescription: b: c\nnested:\n  model: x\nempty:\ntemperature: 0.2\n---\n\nYou are.\n";
        let (head, prompt) = FrontMatter::split(text);
        assert_eq!((head.get("name"), head.get("description")), (Some("a"), Some("b: c")));
        assert_eq!((head.get("model"), head.get("empty"), head.get("# no")), (None, None, None));
        assert_eq!((head.parse::<f64>("temperature"), head.parse::<u32>("name")), (Some(0.2), None));
        assert_eq!(prompt, "You are.");
        assert_eq!(FrontMatter::split("You are.").1, "You are.");
        assert_eq!(FrontMatter::split("---\nnever closed").1, "---\nnever closed");
    }

    #[test]
    fn what_is_no_head_is_told_with_its_line() {
        let problem = |text: &str| {
            FrontMatter::split(text).0.problem().map(|problem| format!("{}: {}", problem.line, problem.what))
        };
        assert_eq!(problem("no head"), None);
        assert_eq!(problem("---\nname: a\n# b\n---\nrest"), None);
        assert_eq!(problem("---\n---\nrest"), None);
        let never = "1: the head begins here and is never closed by a second `---`";
        assert_eq!(problem("---\nname: a\n").as_deref(), Some(never));
        assert_eq!(
            problem("---\nname: a\n\nnonsense\nmore\n---\n").as_deref(),
            Some("4: `nonsense` is no `key: value`")
        );
        let quotes = "2: the quotes after `name` are not closed";
        assert_eq!(problem("---\nname: \"a\n---\n").as_deref(), Some(quotes));
        assert_eq!(problem("---\nname: \"a\" # b\nother: it's\n---\n"), None);
        let bracket = "3: the bracket after `description` is not closed";
        assert_eq!(problem("---\nname: a\ndescription: [broken\n---\n").as_deref(), Some(bracket));
        for fine in ["[WIP] it works", "[a, b]", "{ a: true }", "[a,\n  b]", "\"[quoted\"", "see [1"] {
            assert_eq!(problem(&format!("---\ndescription: {fine}\n---\n")), None, "{fine}");
        }
    }

    #[test]
    fn a_text_may_have_several_lines() {
        let text = |lines: &str| {
            let text = format!("---\nname: a\n{lines}\n---\n");
            let (head, _) = FrontMatter::split(&text);
            (head.text("description"), head.line("description"))
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(text("description: one"), (some("one"), 3));
        for lines in
            ["description: >\n  one\n  two", "description: |-\n  one\n\n  two", "description: one\n  two"]
        {
            assert_eq!(text(lines).0, some("one two"), "{lines}");
        }
        assert_eq!(
            (text("description: >"), text("description:"), text("other: x").1),
            ((None, 3), (None, 3), 1)
        );
    }

    #[test]
    fn tools_are_a_map_or_a_list() {
        let tools = |lines: &str| {
            let text = format!("---\n{lines}\nmode: subagent\n---\n");
            let tools = FrontMatter::split(&text).0.tools();
            tools
                .iter()
                .map(|(name, on)| format!("{}{name}", if *on { "+" } else { "-" }))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            tools("tools:\n  bash: false\n  \"mcp_*\": false\n  read: true"),
            ["-bash", "-mcp_*", "+read"]
        );
        assert_eq!(tools("tools: { bash: false, read: true }"), ["-bash", "+read"]);
        let list = ["-*", "+Read", "+read", "+LS", "+list", "+Bash", "+bash"];
        assert_eq!(tools("tools: Read, LS, Bash(git log:*)"), list);
        assert_eq!(tools("tools: [Read, LS, \"Bash\"]"), list);
        assert_eq!(tools("tools:\n  - Read\n  - LS\n  - Bash"), list);
        assert_eq!(tools("tools:\n- Read\n- LS\n- Bash"), list);
        assert_eq!(tools("tools:"), [""; 0]);
        assert_eq!(tools("other:\n  bash: false"), [""; 0]);
    }
}
