//! What a call becomes that cannot be understood: the tool `invalid`, which no model is told of. It says what was called, and
//! fails with the reason.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::context::Context;
use crate::outcome::{Failure, FailureKind};
use crate::prepared::Prepared;
use crate::tool::{AnyTool, Running, Touches};

/// Its name, which no other tool may have.
pub(crate) const INVALID: &str = "invalid";

struct Invalid {
    kind: FailureKind,
    message: String,
}

/// A call that fails with this message. What was written stays readable: the model sees it again with the result, and not
/// every server takes a name back that is none.
pub(crate) fn invalid(tool: &str, arguments: &str, kind: FailureKind, message: String) -> Prepared {
    let written = serde_json::from_str(arguments).ok().filter(Value::is_object);
    let written = written.unwrap_or_else(|| Value::String(arguments.to_owned()));
    let arguments = json!({ "tool": tool, "arguments": written });
    Prepared::new(Arc::new(Invalid { kind, message }), arguments, true, Vec::new())
}

impl AnyTool for Invalid {
    fn name(&self) -> Cow<'static, str> {
        INVALID.into()
    }

    fn key(&self) -> Cow<'static, str> {
        INVALID.into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        "".into()
    }

    fn parameters(&self) -> Arc<Value> {
        Arc::new(json!({ "type": "object" }))
    }

    fn touches(&self, _arguments: &Value, _context: &Context) -> Touches {
        Touches::Nothing
    }

    fn run<'a>(&'a self, _arguments: Value, _context: Context) -> Running<'a> {
        Box::pin(async { Err(Failure::new(self.kind, &self.message)) })
    }
}
