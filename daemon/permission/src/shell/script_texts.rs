//! Scripts of `sed` and `awk` that only print.

/// One `s` command, or an address with `p`, `d` or `q`. `e`, `w` and `r`, also as flags of `s`, run, write or
/// read; several commands may hide one.
pub(super) fn is_plain_sed_script(script: &str) -> bool {
    let behind_address = script.trim_start_matches(|c: char| c.is_ascii_digit() || ",$ ".contains(c));
    if matches!(behind_address, "p" | "d" | "q" | "=" | "!d" | "!p") {
        return true;
    }
    let Some(body) = behind_address.strip_prefix('s') else { return false };
    let Some(delimiter) = body.chars().next().filter(|c| c.is_ascii_punctuation() && *c != '\\') else {
        return false;
    };
    let mut fields = 0;
    let mut flags = String::new();
    let mut characters = body.chars().skip(1);
    while let Some(c) = characters.next() {
        match c {
            '\\' if fields < 2 => drop(characters.next()),
            '\n' => return false,
            c if c == delimiter => fields += 1,
            c if fields == 2 => flags.push(c),
            _ => {}
        }
    }
    fields == 2 && flags.chars().all(|c| "gpiI".contains(c) || c.is_ascii_digit())
}

/// Without anything that runs, reads or writes besides the input.
pub(super) fn is_plain_awk_script(script: &str) -> bool {
    !["system", "getline", "|", ">", "@", "close", "fflush", "ENVIRON", "\\"]
        .iter()
        .any(|word| script.contains(word))
}
