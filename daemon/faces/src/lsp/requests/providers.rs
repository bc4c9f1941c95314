//! Sets up a provider of models.

use copydesk_host::provider_setup::{list_with_servers, provider_info, store_key};
use copydesk_host::session_host::SessionHostError;
use copydesk_protocol::lenient::LenientJson;
use copydesk_protocol::provider::{
    ProviderListParams, ProviderListResult, ProviderSetKeyParams, ProviderSetKeyResult,
};
use tower_lsp_server::jsonrpc::Result;

use super::super::backend::{LspBackend, rpc_error_from};

impl LspBackend {
    pub(super) async fn provider_list(
        &self,
        params: LenientJson<ProviderListParams>,
    ) -> Result<ProviderListResult> {
        // A window without a folder can set up a provider, too.
        let setup = self.host().setup(&self.folder(params.0.folder).unwrap_or_else(|_| "/".into()));
        let registry = setup.load().and_then(|loaded| setup.registry(&loaded));
        let registry = registry.map_err(|error| rpc_error_from(&SessionHostError::failed(error)))?;
        let listed = list_with_servers(&registry).await.into_iter();
        let providers = listed.filter(|listing| !listing.is_offline()).map(provider_info).collect();
        Ok(ProviderListResult { providers })
    }

    pub(super) async fn provider_set_key(
        &self,
        params: LenientJson<ProviderSetKeyParams>,
    ) -> Result<ProviderSetKeyResult> {
        let ProviderSetKeyParams { provider, key } = params.0;
        let setup = self.host().setup(&self.folder(None).unwrap_or_else(|_| "/".into()));
        let stored = setup.load().and_then(|loaded| store_key(&setup, &loaded, &provider, &key.0));
        let stored = stored.map_err(|error| rpc_error_from(&SessionHostError::failed(error)))?;
        Ok(ProviderSetKeyResult {
            replaced: stored.has_replaced,
            overridden_by: stored.overridden_by.map(|origin| origin.to_string()),
        })
    }
}
