//! The size of a model's context, as a server states it when it refuses a request as too long.

/// Words before or behind the number that is the limit. The other numbers are the request's.
const BEFORE: [&str; 8] = [
    "maximum context length is",
    "maximum prompt length is",
    "tokens allowed (",
    "context limit",
    "token limit:",
    "context size (",
    "context window of",
    "tokens >",
];
const BEHIND: [&str; 2] = ["maximum", "token limit"];
/// A smaller number is no context.
const MIN_LIMIT: u64 = 1_000;

/// In tokens; `None` if the message does not say it.
pub fn stated_limit(message: &str) -> Option<u64> {
    let message = message.to_lowercase();
    let after = |words: &&str| {
        let at = message.find(*words)? + words.len();
        let rest = message.get(at..)?;
        // `190000 + 32000 > 200000`: what is compared stands last.
        match rest.split_once('>') {
            Some((sum, limit)) if *words == "context limit" && sum.len() < 40 => first_number(limit),
            _ => first_number(rest),
        }
    };
    let stated = BEFORE.iter().find_map(after).or_else(|| {
        BEHIND.iter().find_map(|words| {
            let before = message.split(words).next().filter(|before| before.len() < message.len())?;
            last_number(before)
        })
    });
    stated.filter(|limit| *limit >= MIN_LIMIT)
}

/// A number that the text begins with, after at most a few signs.
fn first_number(text: &str) -> Option<u64> {
    let at = text.find(|letter: char| letter.is_ascii_digit()).filter(|at| *at < 4)?;
    let rest = text.get(at..)?;
    let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != ',').unwrap_or(rest.len());
    rest.get(..end)?.replace(',', "").parse().ok()
}

/// A number that the text ends with.
fn last_number(text: &str) -> Option<u64> {
    let text = text.trim_end();
    let start = text.rfind(|letter: char| !letter.is_ascii_digit() && letter != ',').map_or(0, |at| at + 1);
    text.get(start..)?.replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::stated_limit;

    #[test]
    fn the_limit_is_read_where_a_server_states_it() {
        for (message, expected) in [
            ("prompt is too long: 210000 tokens > 200000 maximum", Some(200_000)),
            (
                "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease it",
                Some(200_000),
            ),
            (
                "This model's maximum context length is 128,000 tokens. However, your messages resulted in 130000 tokens.",
                Some(128_000),
            ),
            (
                "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
                Some(1_048_576),
            ),
            ("Invalid request: Your request exceeded model token limit: 262144", Some(262_144)),
            (
                "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
                Some(32_768),
            ),
            (
                "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
                Some(131_072),
            ),
            ("the request exceeds the available context size (4096 tokens), try increasing it", Some(4_096)),
            ("prompt too long; exceeded max context length by 10 tokens", None),
            ("the request exceeds the available context size, try increasing it", None),
            ("Your input exceeds the context window of this model.", None),
            ("context limit: 12", None),
            ("maximum", None),
            ("", None),
        ] {
            assert_eq!(stated_limit(message), expected, "{message}");
        }
    }
}
