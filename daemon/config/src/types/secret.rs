//! A string that must not reach a log, not even by `{:?}`.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use crate::mask::mask;

#[derive(Clone, PartialEq, Eq, Deserialize)]
pub struct ConfigSecret(String);

impl ConfigSecret {
    /// The string itself. The name makes every use easy to find.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<String> for ConfigSecret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for ConfigSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&mask(&self.0))
    }
}

impl JsonSchema for ConfigSecret {
    fn schema_name() -> Cow<'static, str> {
        "Secret".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}
