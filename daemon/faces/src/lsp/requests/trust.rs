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
        let setup = self.host().setup(&self.folder(folder.clone())?);
        let named = match folder {
            Some(folder) if !passed_on => PathBuf::from(folder),
            _ => trust::trusted_root(&setup),
        };
        if !passed_on || trust::folder_trust(&setup).is_trusted() != trusted {
            trust::set_trust(&setup, &named, trusted)
                .map_err(|error| rpc_error_from(&SessionHostError::Failed(error.to_string())))?;
        }
        Ok(trust::named_folder_info(&setup, &named))
    }
}
