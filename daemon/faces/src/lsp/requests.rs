//! The table of our methods that a client may call, with their handlers. No handler waits for a user or a
//! model.

use copydesk_protocol::method::RequestMethod;
use copydesk_protocol::table;
use tower_lsp_server::LspServiceBuilder;

use super::backend::LspBackend;

mod daemon;
mod diagnostics;
mod documents;
mod inline;
mod permissions;
mod providers;
mod reviews;
mod sessions;
mod trust;
mod turns;

pub(super) fn register(builder: LspServiceBuilder<LspBackend>) -> LspServiceBuilder<LspBackend> {
    builder
        .custom_method(table::SessionNew::METHOD, LspBackend::session_new)
        .custom_method(table::SessionList::METHOD, LspBackend::session_list)
        .custom_method(table::SessionPending::METHOD, LspBackend::session_pending)
        .custom_method(table::SessionLoad::METHOD, LspBackend::session_load)
        .custom_method(table::SessionParts::METHOD, LspBackend::session_parts)
        .custom_method(table::SessionLeave::METHOD, LspBackend::session_leave)
        .custom_method(table::SessionFork::METHOD, LspBackend::session_fork)
        .custom_method(table::SessionRename::METHOD, LspBackend::session_rename)
        .custom_method(table::SessionDelete::METHOD, LspBackend::session_delete)
        .custom_method(table::SessionSetModel::METHOD, LspBackend::session_set_model)
        .custom_method(table::SessionSetAgent::METHOD, LspBackend::session_set_agent)
        .custom_method(table::SessionSetReview::METHOD, LspBackend::session_set_review)
        .custom_method(table::SessionSetPreset::METHOD, LspBackend::session_set_preset)
        .custom_method(table::SessionSearch::METHOD, LspBackend::session_search)
        .custom_method(table::TurnStart::METHOD, LspBackend::turn_start)
        .custom_method(table::TurnSteer::METHOD, LspBackend::turn_steer)
        .custom_method(table::TurnCancel::METHOD, LspBackend::turn_cancel)
        .custom_method(table::TurnStopCall::METHOD, LspBackend::turn_stop_call)
        .custom_method(table::Undo::METHOD, LspBackend::undo)
        .custom_method(table::Redo::METHOD, LspBackend::redo)
        .custom_method(table::ReviewList::METHOD, LspBackend::review_list)
        .custom_method(table::ReviewDecide::METHOD, LspBackend::review_decide)
        .custom_method(table::ReviewComment::METHOD, LspBackend::review_comment)
        .custom_method(table::InlineStart::METHOD, LspBackend::inline_start)
        .custom_method(table::InlineRefine::METHOD, LspBackend::inline_refine)
        .custom_method(table::InlineCancel::METHOD, LspBackend::inline_cancel)
        .custom_method(table::Models::METHOD, LspBackend::models)
        .custom_method(table::ProviderList::METHOD, LspBackend::provider_list)
        .custom_method(table::ProviderSetKey::METHOD, LspBackend::provider_set_key)
        .custom_method(table::Agents::METHOD, LspBackend::agents)
        .custom_method(table::Status::METHOD, LspBackend::status)
        .custom_method(table::TrustSet::METHOD, LspBackend::trust_set)
        .custom_method(table::PermissionList::METHOD, LspBackend::permission_list)
        .custom_method(table::PermissionRevoke::METHOD, LspBackend::permission_revoke)
        .custom_method(table::PermissionExplain::METHOD, LspBackend::permission_explain)
        .custom_method(table::ServersRestart::METHOD, LspBackend::servers_restart)
        .custom_method(table::Diagnostics::METHOD, LspBackend::diagnostics)
        .custom_method(table::DocumentVerify::METHOD, LspBackend::document_verify)
        .custom_method(table::LogSet::METHOD, LspBackend::log_set)
        .custom_method(table::Stop::METHOD, LspBackend::stop)
}
