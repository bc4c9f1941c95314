//! How many tokens a text has, without a tokenizer: those weigh tens of megabytes, and no vendor but one publishes its own.
//!
//! Words, digits, punctuation, blanks and letters of other scripts are counted, each with the weight that a tokenizer of today gives
//! it on average (`tests/tokens.md` has the errors). Bytes divided by four are wrong by a third for JSON, and by half for digits.

/// In thousandths of a token.
mod weight {
    pub(super) const WORD: u64 = 1030;
    pub(super) const LETTER_BEYOND_SIX: u64 = 230;
    pub(super) const THREE_DIGITS: u64 = 1000;
    pub(super) const PUNCTUATION: u64 = 500;
    pub(super) const BLANKS: u64 = 700;
    pub(super) const IDEOGRAPH: u64 = 830;
    pub(super) const OTHER_LETTER: u64 = 330;
}

/// What a tokenizer takes together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CharacterClass {
    Letter { is_upper: bool },
    Digit,
    Blank,
    LineBreak,
    Punctuation,
    Ideograph,
    OtherLetter,
}

impl CharacterClass {
    fn of(character: char) -> Self {
        match character {
            'a'..='z' => Self::Letter { is_upper: false },
            'A'..='Z' => Self::Letter { is_upper: true },
            '0'..='9' => Self::Digit,
            ' ' | '\t' => Self::Blank,
            '\n' | '\r' => Self::LineBreak,
            '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'.. => {
                Self::Ideograph
            }
            character if character.is_ascii() => Self::Punctuation,
            _ => Self::OtherLetter,
        }
    }
}

/// About how many tokens a text has.
pub fn estimate_tokens(text: &str) -> u64 {
    let mut thousandths = 0_u64;
    let mut before = None;
    let mut run = 0_u64;
    for character in text.chars() {
        let class = CharacterClass::of(character);
        run = if before.is_some_and(|before| continues(before, class)) { run + 1 } else { 1 };
        thousandths += match class {
            CharacterClass::Letter { .. } if run == 1 => weight::WORD,
            CharacterClass::Letter { .. } if run > 6 => weight::LETTER_BEYOND_SIX,
            CharacterClass::Digit if run % 3 == 1 => weight::THREE_DIGITS,
            CharacterClass::Punctuation if run == 1 => weight::PUNCTUATION,
            CharacterClass::Punctuation => weight::PUNCTUATION / 2,
            // A single blank belongs to the word behind it.
            CharacterClass::Blank if run == 2 => weight::BLANKS,
            CharacterClass::LineBreak if run == 1 => weight::BLANKS,
            CharacterClass::Ideograph => weight::IDEOGRAPH,
            CharacterClass::OtherLetter => weight::OTHER_LETTER,
            _ => 0,
        };
        before = Some(class);
    }
    thousandths.div_ceil(1000)
}

/// Whether a character belongs to the run of the one before it. A word ends where a capital letter follows a small one.
fn continues(before: CharacterClass, class: CharacterClass) -> bool {
    match (before, class) {
        (CharacterClass::Letter { is_upper: was }, CharacterClass::Letter { is_upper }) => was || !is_upper,
        // The indentation of a line is one token with its break.
        (CharacterClass::LineBreak, CharacterClass::Blank) => true,
        _ => before == class,
    }
}
