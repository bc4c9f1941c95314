//! The package managers that install programs into a project.

use serde::Deserialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PackageManager {
    /// npm, yarn, pnpm and the like: `node_modules/.bin`.
    Npm,
    /// pip, uv, Poetry, Pipenv: virtual environments.
    Python,
    /// Composer: `vendor/bin`.
    Php,
}

impl PackageManager {
    pub(crate) const ALL: [Self; 3] = [Self::Npm, Self::Python, Self::Php];
}
