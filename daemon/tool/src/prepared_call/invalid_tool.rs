//! The tool `invalid`, which no model is offered: a call that the daemon cannot understand becomes a call of it. It shows
//! what the model wrote, and fails with the reason.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};

use super::PreparedCall;
use crate::context::ToolContext;
use crate::outcome::{ToolError, ToolErrorKind};
use crate::tool::{AnyTool, ToolFuture, TouchedFiles};

/// Reserved: no other tool may have this name.
pub(crate) const INVALID: &str = "invalid";

struct InvalidTool {
    kind: ToolErrorKind,
    message: String,
}

/// A call that fails with this message. It keeps what the model wrote, because the model sees it again with the result, and
/// some providers reject unknown tool names in the history.
pub(crate) fn invalid_call(
    tool: &str,
    arguments: &str,
    kind: ToolErrorKind,
    message: String,
) -> PreparedCall {
    let written = serde_json::from_str(arguments).ok().filter(Value::is_object);
    let written = written.unwrap_or_else(|| Value::String(arguments.to_owned()));
    let arguments = json!({ "tool": tool, "arguments": written });
    PreparedCall::new(Arc::new(InvalidTool { kind, message }), arguments, true, Vec::new())
}

impl AnyTool for InvalidTool {
    fn name(&self) -> Cow<'static, str> {
        INVALID.into()
    }

    fn permission_key(&self) -> Cow<'static, str> {
        INVALID.into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        "".into()
    }

    fn parameters(&self) -> Arc<Value> {
        Arc::new(json!({ "type": "object" }))
    }

    fn touched_files(&self, _arguments: &Value, _context: &ToolContext) -> TouchedFiles {
        TouchedFiles::Nothing
    }

    fn run<'a>(&'a self, _arguments: Value, _context: ToolContext) -> ToolFuture<'a> {
        Box::pin(async { Err(ToolError::new(self.kind, &self.message)) })
    }
}
