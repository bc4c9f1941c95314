//! The first law (order): applies notifications about documents and language servers before the framework sees
//! them, while the reader waits, in the order of arrival.

use std::future::ready;
use std::sync::Arc;
use std::task::{Context, Poll};

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tower::Service;
use tower_lsp_server::jsonrpc::{Request, Response};
use tower_lsp_server::{ExitedError, LspService};

use super::backend::LspBackend;
use super::{documents, server_reports};
use crate::lifecycle::BoxFuture;

/// Applies a notification from its JSON text, so that a document is not copied into a tree. Returns whether it was one
/// to apply.
pub(super) type ApplyNotification = Arc<dyn Fn(&str, &RawValue) -> bool + Send + Sync>;

pub(super) fn apply_to(backend: LspBackend) -> ApplyNotification {
    Arc::new(move |method, params| {
        if documents::is_sync(method) {
            backend.sync(method, params);
        } else if server_reports::is_report(method) {
            backend.report_server(method, params);
        } else {
            return false;
        }
        true
    })
}

/// The framework, without what it would do wrong.
pub(super) struct OrderedService(pub(super) LspService<LspBackend>);

impl Service<Request> for OrderedService {
    type Response = Option<Response>;
    type Error = ExitedError;
    type Future = BoxFuture<Result<Option<Response>, ExitedError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), ExitedError>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        if request.method() == "$/cancelRequest" {
            // The framework would drop the handler half done (law 3).
            return Box::pin(ready(Ok(None)));
        }
        self.0.call(with_params(request))
    }
}

/// Our methods take an object; a client that omits it means an empty one. `initialize` requires `capabilities`;
/// a client that omits them has none.
fn with_params(request: Request) -> Request {
    let is_hello = request.method() == "initialize";
    let is_ours = request.method().starts_with("copydesk/");
    if !is_hello && (!is_ours || request.params().is_some()) {
        return request;
    }
    let (method, id, params) = request.into_parts();
    let mut params = params.unwrap_or_else(|| json!({}));
    if let (true, Some(params)) = (is_hello, params.as_object_mut()) {
        params.entry("capabilities").or_insert_with(|| json!({}));
        params.entry("processId").or_insert(Value::Null);
        params.entry("rootUri").or_insert(Value::Null);
    }
    let request = Request::build(method).params(params);
    match id {
        Some(id) => request.id(id).finish(),
        None => request.finish(),
    }
}
