//! Every method of ours that a client may call, and which handler answers it. None of them waits for a person or a model.

use copydesk_protocol::method::Request;
use copydesk_protocol::table;
use tower_lsp_server::LspServiceBuilder;

use super::backend::Backend;

mod desk;
mod inline;
mod reviews;
mod sessions;
mod turns;

pub(super) fn register(builder: LspServiceBuilder<Backend>) -> LspServiceBuilder<Backend> {
    builder
        .custom_method(table::SessionNew::METHOD, Backend::session_new)
        .custom_method(table::SessionList::METHOD, Backend::session_list)
        .custom_method(table::SessionLoad::METHOD, Backend::session_load)
        .custom_method(table::SessionParts::METHOD, Backend::session_parts)
        .custom_method(table::SessionLeave::METHOD, Backend::session_leave)
        .custom_method(table::SessionFork::METHOD, Backend::session_fork)
        .custom_method(table::SessionRename::METHOD, Backend::session_rename)
        .custom_method(table::SessionDelete::METHOD, Backend::session_delete)
        .custom_method(table::SessionSetModel::METHOD, Backend::session_set_model)
        .custom_method(table::SessionSetAgent::METHOD, Backend::session_set_agent)
        .custom_method(table::SessionSetReview::METHOD, Backend::session_set_review)
        .custom_method(table::SessionSearch::METHOD, Backend::session_search)
        .custom_method(table::TurnStart::METHOD, Backend::turn_start)
        .custom_method(table::TurnSteer::METHOD, Backend::turn_steer)
        .custom_method(table::TurnCancel::METHOD, Backend::turn_cancel)
        .custom_method(table::Undo::METHOD, Backend::undo)
        .custom_method(table::Redo::METHOD, Backend::redo)
        .custom_method(table::ReviewList::METHOD, Backend::review_list)
        .custom_method(table::ReviewDecide::METHOD, Backend::review_decide)
        .custom_method(table::ReviewComment::METHOD, Backend::review_comment)
        .custom_method(table::InlineStart::METHOD, Backend::inline_start)
        .custom_method(table::InlineRefine::METHOD, Backend::inline_refine)
        .custom_method(table::InlineCancel::METHOD, Backend::inline_cancel)
        .custom_method(table::Models::METHOD, Backend::models)
        .custom_method(table::Agents::METHOD, Backend::agents)
        .custom_method(table::Status::METHOD, Backend::status)
        .custom_method(table::ServersRestart::METHOD, Backend::servers_restart)
        .custom_method(table::Stop::METHOD, Backend::stop)
}
