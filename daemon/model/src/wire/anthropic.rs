//! Anthropic Messages.

mod decode;
mod encode;
mod thinking;

pub(super) use decode::AnthropicDecoder;
pub(super) use encode::encode;
