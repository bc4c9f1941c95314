//! A tool that is switched off: no model is told of it, and one that calls it all the same is told why not.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::context::Context;
use crate::outcome::{Failure, FailureKind};
use crate::tool::{AnyTool, Running, Touches};

/// The key of all of them, by which the registry knows them.
pub(crate) const OFF: &str = "off";

/// Stands in for the tool of this name.
pub fn off(name: impl Into<String>, agent: &str) -> Box<dyn AnyTool> {
    let name = name.into();
    let message = format!("The tool `{name}` is switched off for the agent `{agent}`. Do without it.");
    Box::new(Off { name, message })
}

struct Off {
    name: String,
    message: String,
}

impl AnyTool for Off {
    fn name(&self) -> Cow<'static, str> {
        Cow::Owned(self.name.clone())
    }

    fn key(&self) -> Cow<'static, str> {
        Cow::Borrowed(OFF)
    }

    fn prompt(&self) -> Cow<'static, str> {
        Cow::Borrowed("")
    }

    fn parameters(&self) -> Arc<Value> {
        Arc::new(json!({ "type": "object" }))
    }

    fn touches(&self, _arguments: &Value, _context: &Context) -> Touches {
        Touches::Nothing
    }

    fn run<'a>(&'a self, _arguments: Value, _context: Context) -> Running<'a> {
        Box::pin(async { Err(Failure::new(FailureKind::Denied, &self.message)) })
    }
}
