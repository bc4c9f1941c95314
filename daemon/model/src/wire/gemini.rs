//! Gemini's `generateContent`.

mod decode;
mod encode;

pub(super) use decode::GeminiDecoder;
pub(super) use encode::encode;
