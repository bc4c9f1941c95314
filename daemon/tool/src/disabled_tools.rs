//! A disabled tool: the model is not offered it, and gets the reason if it calls it.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::context::ToolContext;
use crate::outcome::{ToolError, ToolErrorKind};
use crate::tool::{AnyTool, ToolFuture, TouchedFiles};

/// The permission key of every disabled tool.
pub(crate) const DISABLED_KEY: &str = "off";

/// Replaces the tool of this name.
pub fn disabled_tool(name: impl Into<String>, agent: &str) -> Box<dyn AnyTool> {
    let name = name.into();
    let message = format!("The tool `{name}` is switched off for the agent `{agent}`. Do without it.");
    Box::new(DisabledTool { name, message })
}

struct DisabledTool {
    name: String,
    message: String,
}

impl AnyTool for DisabledTool {
    fn name(&self) -> Cow<'static, str> {
        Cow::Owned(self.name.clone())
    }

    fn permission_key(&self) -> Cow<'static, str> {
        Cow::Borrowed(DISABLED_KEY)
    }

    fn prompt(&self) -> Cow<'static, str> {
        Cow::Borrowed("")
    }

    fn parameters(&self) -> Arc<Value> {
        Arc::new(json!({ "type": "object" }))
    }

    fn touched_files(&self, _arguments: &Value, _context: &ToolContext) -> TouchedFiles {
        TouchedFiles::Nothing
    }

    fn run<'a>(&'a self, _arguments: Value, _context: ToolContext) -> ToolFuture<'a> {
        Box::pin(async { Err(ToolError::new(ToolErrorKind::Denied, &self.message)) })
    }
}
