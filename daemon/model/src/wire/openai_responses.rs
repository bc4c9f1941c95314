//! OpenAI Responses, stateless: nothing is stored at the provider's, the whole conversation goes along each time and
//! encrypted reasoning is echoed.

mod decode;
mod encode;

pub(super) use decode::ResponsesDecoder;
pub(super) use encode::encode;
