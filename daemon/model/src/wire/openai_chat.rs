//! OpenAI Chat Completions and its many compatible servers.

mod chunk;
mod decode;
mod encode;
mod reasoning_details;

pub(super) use decode::ChatDecoder;
pub(super) use encode::encode;
