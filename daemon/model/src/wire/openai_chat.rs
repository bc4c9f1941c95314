//! OpenAI Chat Completions, and the many servers that speak it with an accent.

mod chunk;
mod decode;
mod encode;
mod reasoning_details;

pub(super) use decode::ChatDecoder;
pub(super) use encode::encode;
