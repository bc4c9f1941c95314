//! The trait of a tool, and its type-erased form in the registry.

use std::borrow::Cow;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::arguments;
use crate::context::ToolContext;
use crate::outcome::{ToolError, ToolErrorKind, ToolOutput};

/// A tool that a model may call. The model reads the doc comments of `Parameters`.
pub trait Tool: Send + Sync + 'static {
    type Parameters: DeserializeOwned + JsonSchema + Send + 'static;

    fn name(&self) -> Cow<'static, str>;

    /// The key in permission rules: `edit` for all tools that change files.
    fn permission_key(&self) -> Cow<'static, str> {
        self.name()
    }

    /// What it does and when to use it, for the model; in a file beside the tool.
    fn prompt(&self) -> Cow<'static, str>;

    /// The files that it will read or change. Calls of one step that touch the same file run one after the other.
    fn touched_files(&self, _parameters: &Self::Parameters, _context: &ToolContext) -> TouchedFiles {
        TouchedFiles::Nothing
    }

    /// The calls of a batch, which run instead of it.
    fn inner_calls(&self, _parameters: Self::Parameters) -> Vec<InnerCall> {
        Vec::new()
    }

    fn run(
        &self,
        parameters: Self::Parameters,
        context: ToolContext,
    ) -> impl Future<Output = Result<ToolOutput, ToolError>> + Send;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TouchedFiles {
    Nothing,
    Files(Vec<PathBuf>),
    /// Unknown: it waits for the calls before it, and those after it wait for it.
    Everything,
}

/// A call of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct InnerCall {
    pub name: String,
    pub arguments: Value,
}

pub type ToolFuture<'a> = Pin<Box<dyn Future<Output = Result<ToolOutput, ToolError>> + Send + 'a>>;

/// A tool whose parameters are known only at run time (MCP, custom tools), or a typed one behind [`box_tool`].
pub trait AnyTool: Send + Sync {
    fn name(&self) -> Cow<'static, str>;
    fn permission_key(&self) -> Cow<'static, str>;
    fn prompt(&self) -> Cow<'static, str>;
    /// A JSON Schema of an object.
    fn parameters(&self) -> Arc<Value>;
    /// The error says why the arguments do not fit.
    fn check(&self, _arguments: &Value) -> Result<(), String> {
        Ok(())
    }
    fn touched_files(&self, arguments: &Value, context: &ToolContext) -> TouchedFiles;
    /// The calls of a batch.
    fn inner_calls(&self, _arguments: &Value) -> Vec<InnerCall> {
        Vec::new()
    }
    fn run<'a>(&'a self, arguments: Value, context: ToolContext) -> ToolFuture<'a>;
}

/// Erases the parameter type of a tool.
pub fn box_tool<T: Tool>(tool: T) -> Box<dyn AnyTool> {
    Box::new(TypedTool { tool, parameters: OnceLock::new() })
}

struct TypedTool<T> {
    tool: T,
    /// Made once: every request to the model has it.
    parameters: OnceLock<Arc<Value>>,
}

impl<T: Tool> AnyTool for TypedTool<T> {
    fn name(&self) -> Cow<'static, str> {
        self.tool.name()
    }

    fn permission_key(&self) -> Cow<'static, str> {
        self.tool.permission_key()
    }

    fn prompt(&self) -> Cow<'static, str> {
        self.tool.prompt()
    }

    fn parameters(&self) -> Arc<Value> {
        let make = || Arc::new(schemars::schema_for!(T::Parameters).to_value());
        Arc::clone(self.parameters.get_or_init(make))
    }

    fn check(&self, arguments: &Value) -> Result<(), String> {
        arguments::deserialize_arguments::<T::Parameters>(arguments.clone()).map(drop)
    }

    fn touched_files(&self, arguments: &Value, context: &ToolContext) -> TouchedFiles {
        // Arguments that do not fit touch nothing: the call will fail with the reason.
        match arguments::deserialize_arguments::<T::Parameters>(arguments.clone()) {
            Ok(parameters) => self.tool.touched_files(&parameters, context),
            Err(_) => TouchedFiles::Nothing,
        }
    }

    fn inner_calls(&self, arguments: &Value) -> Vec<InnerCall> {
        let parameters = arguments::deserialize_arguments::<T::Parameters>(arguments.clone());
        parameters.map(|parameters| self.tool.inner_calls(parameters)).unwrap_or_default()
    }

    fn run<'a>(&'a self, arguments: Value, context: ToolContext) -> ToolFuture<'a> {
        Box::pin(async move {
            let unfit = |problem: String| {
                let message = arguments::mismatch_message(&self.tool.name(), &problem, &self.parameters());
                ToolError::new(ToolErrorKind::Arguments, message)
            };
            let parameters = arguments::deserialize_arguments(arguments).map_err(unfit)?;
            self.tool.run(parameters, context).await
        })
    }
}
