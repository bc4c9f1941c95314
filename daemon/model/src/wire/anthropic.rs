//! Anthropic Messages.

mod decode;
mod encode;

pub(super) use decode::Decode;
pub(super) use encode::encode;
