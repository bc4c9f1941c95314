//! Reads a response body up to a limit, which applies after decompression.

use reqwest::Response;

use super::fetch::broken;
use crate::outcome::ToolError;

/// The bytes that were read, and whether there are more.
pub(super) struct ResponseBody {
    pub(super) bytes: Vec<u8>,
    pub(super) is_cut: bool,
}

pub(super) async fn read(response: &mut Response, most: usize) -> Result<ResponseBody, ToolError> {
    let mut bytes = Vec::new();
    loop {
        let chunk = response.chunk().await;
        let Some(chunk) = chunk.map_err(|error| broken(&error, bytes.len()))? else {
            return Ok(ResponseBody { bytes, is_cut: false });
        };
        let room = most.saturating_sub(bytes.len());
        if chunk.len() > room {
            bytes.extend_from_slice(chunk.get(..room).unwrap_or_default());
            return Ok(ResponseBody { bytes, is_cut: true });
        }
        bytes.extend_from_slice(&chunk);
    }
}
