//! Whether the user trusts a folder.

use std::path::PathBuf;

use copydesk_host::session_host::SessionHostError;
use copydesk_host::trust;
use copydesk_protocol::lenient::LenientJson;
use copydesk_protocol::trust::{TrustInfo, TrustSetParams};
use tower_lsp_server::jsonrpc::Result;

use super::super::backend::{LspBackend, rpc_error_from};

impl LspBackend {
    pub(super) async fn trust_set(&self, params: LenientJson<TrustSetParams>) -> Result<TrustInfo> {
        let TrustSetParams { folder, trusted, passed_on } = params.0;
        let there = self.host().setup(&self.folder(folder.clone())?);
        let named = match folder {
            Some(folder) if !passed_on => PathBuf::from(folder),
            // The question was about the folder, so the answer must not reach up to the home.
            _ => trust::root_below_home(&there),
        };
        // The configuration files that sessions of this client read, if they lie in the folder.
        let own = self.folder(None).map(|folder| self.host().setup(&folder)).ok();
        let setup = own.filter(|own| own.cwd.starts_with(&named)).unwrap_or(there);
        if !passed_on || !trust::is_answered(&setup) {
            trust::set_trust(&setup, &named, trusted)
                .map_err(|error| rpc_error_from(&SessionHostError::Failed(error.to_string())))?;
        }
        Ok(trust::named_folder_info(&setup, &named))
    }
}
