//! Anthropic Messages.

mod decode;
mod encode;
mod thinking;

pub(super) use decode::Decode;
pub(super) use encode::encode;
