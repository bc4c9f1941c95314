//! OpenAI Responses, stateless: the provider stores nothing, each request carries the whole conversation, and
//! encrypted reasoning is echoed.

mod decode;
mod encode;

pub(super) use decode::ResponsesDecoder;
pub(super) use encode::encode;
