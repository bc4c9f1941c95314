//! What is known of a file's text: a set of its trigrams, as bits.
//!
//! A trigram is three bytes in a row, ASCII letters in lower case. Each sets one bit. A text that contains a literal has the
//! bits of all its trigrams; one that does not contain it has them rarely. So a signature rules files out and never rules out
//! one that matches. It takes about a thirtieth of the text, and a changed file changes nothing but its own signature; an index
//! from trigrams to files would be ten times as large, and would have to be merged.

/// The bits of the largest signature. Its hash must have as many values.
const MAX_BITS: usize = 1 << MAX_BITS_LOG;
const MAX_BITS_LOG: u32 = 17;

const MIN_BITS: usize = 64;

/// A signature is halved as long as at most this part of its bits is set: a literal of ten letters then finds one wrong file
/// in some thousand.
const MAX_DENSITY: f64 = 0.35;

/// A set of trigrams. Its size depends on their number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TextSignature {
    /// Nothing is known: the file is too large, cannot be read, or is decoded before it is searched.
    Unknown,
    Bits(Box<[u64]>),
}

/// Where a trigram is in the largest signature. In a smaller one it is at the remainder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TrigramBit(u32);

impl TrigramBit {
    pub(super) fn new([first, second, third]: [u8; 3]) -> Self {
        let lower = |byte: u8| u32::from(byte.to_ascii_lowercase());
        Self::of_folded(lower(first) << 16 | lower(second) << 8 | lower(third))
    }

    /// Multiplied by the golden ratio; the middle bits depend on all three bytes.
    fn of_folded(trigram: u32) -> Self {
        Self(trigram.wrapping_mul(0x9E37_79B1) >> 13 & (MAX_BITS as u32 - 1))
    }
}

/// Makes signatures, one after the other, in the same memory.
#[derive(Debug)]
pub(super) struct SignatureBuilder {
    bits: Box<[u64]>,
}

impl SignatureBuilder {
    pub(super) fn new() -> Self {
        Self { bits: vec![0; MAX_BITS / 64].into() }
    }

    /// The signature of a file's content, as a search reads it.
    pub(super) fn build(&mut self, content: &[u8]) -> TextSignature {
        // A search decodes UTF-16.
        if content.starts_with(b"\xFF\xFE") || content.starts_with(b"\xFE\xFF") {
            return TextSignature::Unknown;
        }
        self.bits.fill(0);
        let mut trigram = 0;
        for (index, byte) in content.iter().enumerate() {
            // A search stops at a NUL byte: the file is binary.
            if *byte == 0 {
                break;
            }
            trigram = (trigram << 8 | u32::from(byte.to_ascii_lowercase())) & 0x00FF_FFFF;
            if index >= 2 {
                let bit = TrigramBit::of_folded(trigram).0 as usize;
                if let Some(word) = self.bits.get_mut(bit / 64) {
                    *word |= 1 << (bit % 64);
                }
            }
        }
        self.halve()
    }

    /// The smallest signature that is not too dense.
    fn halve(&mut self) -> TextSignature {
        let mut words = self.bits.len();
        while words * 64 > MIN_BITS {
            let (low, high) = self.bits.split_at(words / 2);
            let halved = low.iter().zip(high).map(|(low, high)| (low | high).count_ones());
            if f64::from(halved.sum::<u32>()) > MAX_DENSITY * (words * 32) as f64 {
                break;
            }
            words /= 2;
            let (low, high) = self.bits.split_at_mut(words);
            low.iter_mut().zip(high).for_each(|(low, high)| *low |= *high);
        }
        TextSignature::Bits(self.bits.get(..words).unwrap_or_default().into())
    }
}

impl TextSignature {
    pub(super) fn may_contain(&self, trigram: TrigramBit) -> bool {
        let Self::Bits(words) = self else { return true };
        let bit = trigram.0 as usize & (words.len() * 64 - 1);
        words.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }

    pub(super) fn size(&self) -> usize {
        match self {
            Self::Unknown => 0,
            Self::Bits(words) => words.len() * 8,
        }
    }

    /// From stored words. `None` if no builder makes a signature of this length.
    pub(super) fn from_words(words: Vec<u64>) -> Option<Self> {
        let is_valid = words.len().is_power_of_two() && words.len() <= MAX_BITS / 64;
        is_valid.then(|| Self::Bits(words.into()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn trigrams(text: &[u8]) -> impl Iterator<Item = TrigramBit> + '_ {
        text.windows(3).map(|three| TrigramBit::new([three[0], three[1], three[2]]))
    }

    proptest! {
        #[test]
        fn a_text_may_contain_each_of_its_parts(text in "\\PC{0,400}", start in 0..400usize, length in 0..40usize) {
            let signature = SignatureBuilder::new().build(text.as_bytes());
            let part: Vec<u8> = text.bytes().skip(start).take(length).collect();
            prop_assert!(trigrams(&part).all(|trigram| signature.may_contain(trigram)));
            let upper = part.to_ascii_uppercase();
            prop_assert!(trigrams(&upper).all(|trigram| signature.may_contain(trigram)), "in another case");
        }
    }

    #[test]
    fn a_signature_rules_out_most_texts_and_takes_little_room() {
        let words = |seed: usize| -> String {
            (0..2000).map(|number| format!("name{:x} ", (number * 7919 + seed) * 104_729)).collect()
        };
        let mut builder = SignatureBuilder::new();
        let signatures: Vec<_> = (0..50).map(|seed| builder.build(words(seed * 31).as_bytes())).collect();
        let size: usize = signatures.iter().map(TextSignature::size).sum();
        assert!(size < 50 * 8 * 1024, "{size}");
        let maybe = signatures
            .iter()
            .filter(|signature| trigrams(b"absentWord").all(|trigram| signature.may_contain(trigram)));
        assert_eq!(maybe.count(), 0);
    }

    #[test]
    fn an_empty_text_has_the_smallest_signature() {
        let signature = SignatureBuilder::new().build(b"");
        assert_eq!(signature, TextSignature::Bits([0].into()));
        assert!(!signature.may_contain(TrigramBit::new(*b"abc")));
    }

    #[test]
    fn what_a_search_decodes_is_unknown_and_nothing_counts_after_a_nul() {
        let mut builder = SignatureBuilder::new();
        assert_eq!(builder.build(b"\xFF\xFEa\0b\0c\0"), TextSignature::Unknown);
        let signature = builder.build(b"abc\0xyz");
        assert!(signature.may_contain(TrigramBit::new(*b"ABC")));
        assert!(!signature.may_contain(TrigramBit::new(*b"xyz")));
    }
}
