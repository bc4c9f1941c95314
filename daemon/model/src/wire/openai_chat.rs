//! OpenAI Chat Completions, and the many servers that speak it with an accent.

mod chunk;
mod decode;
mod details;
mod encode;

pub(super) use decode::Decode;
pub(super) use encode::encode;
