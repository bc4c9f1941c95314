//! What the user always allows, and which rule decides about a call.

use copydesk_host::permission_report::{NamedCall, report_permission};
use copydesk_host::session_host::{SessionHostError, convert};
use copydesk_protocol::lenient::LenientJson;
use copydesk_protocol::permission::{
    PermissionExplainParams, PermissionExplainResult, PermissionListParams, PermissionListResult,
    PermissionRevokeParams, PermissionRevokeResult,
};
use tower_lsp_server::jsonrpc::Result;

use super::super::backend::{LspBackend, rpc_error_from};

impl LspBackend {
    pub(super) async fn permission_list(
        &self,
        params: LenientJson<PermissionListParams>,
    ) -> Result<PermissionListResult> {
        let folder = self.folder(params.0.folder)?;
        self.host().list_replies(&folder).await.map_err(|error| rpc_error_from(&error))
    }

    pub(super) async fn permission_revoke(
        &self,
        params: LenientJson<PermissionRevokeParams>,
    ) -> Result<PermissionRevokeResult> {
        let folder = self.folder(params.0.folder.clone())?;
        let revoked = self.host().revoke_replies(&folder, &params.0).await;
        Ok(PermissionRevokeResult { revoked: revoked.map_err(|error| rpc_error_from(&error))? })
    }

    pub(super) async fn permission_explain(
        &self,
        params: LenientJson<PermissionExplainParams>,
    ) -> Result<PermissionExplainResult> {
        let PermissionExplainParams { folder, key, target, agent, preset } = params.0;
        let setup = self.host().setup(&self.folder(folder)?);
        let named = match key {
            Some(key) => NamedCall { key, target, agent: None, preset: None },
            None => NamedCall::from_text(&target),
        };
        let call = NamedCall { agent, preset: preset.map(convert::preset_from_client), ..named };
        let failed = |error| rpc_error_from(&SessionHostError::failed(error));
        let loaded = setup.load().map_err(failed)?;
        let report = report_permission(&setup, &loaded, &call).await.map_err(failed)?;
        Ok(report.into_info())
    }
}
