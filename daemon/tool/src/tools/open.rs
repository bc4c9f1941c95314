//! The folders outside of the workspace that the desk itself has put before the model: the outputs of its calls, and its skills
//! with what they bring along. They may be read without asking; whoever writes or runs anything there asks as everywhere.

use std::path::PathBuf;
use std::sync::Arc;

use copydesk_workspace::files::Place;

use super::Options;
use crate::context::Context;
use crate::outcome::Failure;

#[derive(Debug, Clone)]
pub(super) struct Open(Arc<[PathBuf]>);

impl Open {
    pub(super) fn new(options: &Options) -> Self {
        let skills = options.skills.iter().map(|skill| skill.folder.clone());
        Self([options.spill.folder().to_owned()].into_iter().chain(skills).collect())
    }

    /// What a tool is to look at.
    pub(super) async fn place(&self, context: &Context, path: &str) -> Result<Place, Failure> {
        context.place_to_read(path, &self.0).await
    }
}
