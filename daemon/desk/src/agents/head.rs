//! The head of an agent's file: lines of `key: value` between two `---`. As much of YAML as such files use: plain values,
//! quotes, and for `tools` a map or a list, over several lines or in one.

use std::collections::BTreeMap;
use std::str::FromStr;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    values: BTreeMap<String, String>,
    /// The lines below a key, as `name: value` or `name` alone.
    below: BTreeMap<String, Vec<String>>,
}

impl Head {
    /// The head, and the rest of the text. Without a head all of it is the rest.
    pub(super) fn split(text: &str) -> (Self, &str) {
        let inner = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---"));
        match inner {
            Some((head, rest)) => (Self::read(head), rest.trim()),
            None => (Self::default(), text.trim()),
        }
    }

    fn read(text: &str) -> Self {
        let mut head = Self::default();
        let mut last = String::new();
        for line in text.lines().filter(|line| !line.trim().is_empty() && !line.trim().starts_with('#')) {
            if line.starts_with([' ', '\t', '-']) {
                let item = line.trim().trim_start_matches("- ").to_owned();
                head.below.entry(last.clone()).or_default().push(item);
            } else if let Some((key, value)) = line.split_once(':') {
                key.trim().clone_into(&mut last);
                let value = plain(value);
                if !value.is_empty() {
                    head.values.insert(last.clone(), value.to_owned());
                }
            }
        }
        head
    }

    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    pub(super) fn parse<T: FromStr>(&self, key: &str) -> Option<T> {
        self.get(key)?.parse().ok()
    }

    /// `tools` as switches. A map says on or off for each; a list names the only ones there are.
    pub(super) fn tools(&self) -> Vec<(String, bool)> {
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

fn plain(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

/// A tool as it is written, and as we call it: `Read`, `LS` and `Bash(git log:*)` are other programs' ways.
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
    use super::Head;

    #[test]
    fn a_head_is_optional_and_read_line_by_line() {
        let text = "---\nname: \"a\"\n# no: thing\ndescription: b: c\nnested:\n  model: x\nempty:\ntemperature: 0.2\n---\n\nYou are.\n";
        let (head, prompt) = Head::split(text);
        assert_eq!((head.get("name"), head.get("description")), (Some("a"), Some("b: c")));
        assert_eq!((head.get("model"), head.get("empty"), head.get("# no")), (None, None, None));
        assert_eq!((head.parse::<f64>("temperature"), head.parse::<u32>("name")), (Some(0.2), None));
        assert_eq!(prompt, "You are.");
        assert_eq!(Head::split("You are.").1, "You are.");
        assert_eq!(Head::split("---\nnever closed").1, "---\nnever closed");
    }

    #[test]
    fn tools_are_a_map_or_a_list() {
        let tools = |lines: &str| {
            let text = format!("---\n{lines}\nmode: subagent\n---\n");
            let tools = Head::split(&text).0.tools();
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
