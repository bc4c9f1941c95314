//! What a method is: its name, its direction, its params and its result.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::lenient;

/// A type of params or results.
pub trait MessagePayload: Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {}

impl<T: Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static> MessagePayload for T {}

/// A method with a response. Only the markers of [`crate::table`] implement it.
pub trait RequestMethod: sealed::Sealed {
    const METHOD: &'static str;
    const DIRECTION: Direction;
    /// Whether the response may wait for a user. Only asks of the daemon may (law 2).
    const WAITS_FOR_USER: bool;
    type Params: MessagePayload;
    type Result: MessagePayload;
}

/// A method without a response. Only the markers of [`crate::table`] implement it.
pub trait NotificationMethod: sealed::Sealed {
    const METHOD: &'static str;
    const DIRECTION: Direction;
    type Params: MessagePayload;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Direction {
    ToDaemon,
    ToClient,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum MethodKind {
    Request,
    Notification,
}

/// One row of the table, as data.
#[derive(Debug, Clone, Copy)]
pub struct Method {
    /// The value of `method` on the wire.
    pub name: &'static str,
    /// The marker's name.
    pub marker: &'static str,
    pub doc: &'static str,
    pub direction: Direction,
    pub kind: MethodKind,
    pub waits_for_user: bool,
    pub params: PayloadType,
    /// A notification has none.
    pub result: Option<PayloadType>,
}

/// A type of params or results, with its name erased.
#[derive(Debug, Clone, Copy)]
pub struct PayloadType {
    schema: fn(&mut SchemaGenerator) -> Schema,
    round_trip: fn(Value) -> Result<Value, serde_json::Error>,
}

impl PayloadType {
    pub(crate) const fn of<T: MessagePayload>() -> Self {
        Self {
            schema: |generator| generator.subschema_for::<T>(),
            round_trip: |value| serde_json::to_value(lenient::decode::<T>(value)?),
        }
    }

    /// Its JSON Schema. The generator keeps the definitions that it refers to.
    pub fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.schema)(generator)
    }

    /// Reads a value as the type and writes it again. Unknown fields are dropped; an invalid value is an error.
    pub fn round_trip(&self, value: Value) -> Result<Value, serde_json::Error> {
        (self.round_trip)(value)
    }
}

pub(crate) mod sealed {
    //! Prevents implementations outside of the table.
    pub trait Sealed {}
}

/// Generates the markers and the list from the rows of the table.
macro_rules! methods {
    ($( #[doc = $doc:literal] $direction:ident $kind:ident $marker:ident = $name:literal
        ($params:ty $(=> $result:ty)? $(; $user:ident)?) )*) => {
        $( $crate::method::declare! { $doc, $direction, $kind, $marker, $name, $params $(=> $result)? $(; $user)? } )*

        /// The whole table, in the order of `README.md`.
        pub fn methods() -> Vec<$crate::method::Method> {
            vec![$( $crate::method::Method {
                name: concat!("copydesk/", $name),
                marker: stringify!($marker),
                doc: $doc.trim_ascii(),
                direction: $crate::method::Direction::$direction,
                kind: $crate::method::MethodKind::$kind,
                waits_for_user: $crate::method::waits_for_user!($($user)?),
                params: $crate::method::PayloadType::of::<$params>(),
                result: $crate::method::result!($($result)?),
            } ),*]
        }
    };
}

macro_rules! declare {
    ($doc:literal, $direction:ident, Request, $marker:ident, $name:literal,
        $params:ty => $result:ty $(; $user:ident)?) => {
        #[doc = $doc]
        #[derive(Debug, Clone, Copy)]
        pub enum $marker {}

        impl $crate::method::sealed::Sealed for $marker {}

        impl $crate::method::RequestMethod for $marker {
            const METHOD: &'static str = concat!("copydesk/", $name);
            const DIRECTION: $crate::method::Direction = $crate::method::Direction::$direction;
            const WAITS_FOR_USER: bool = $crate::method::waits_for_user!($($user)?);
            type Params = $params;
            type Result = $result;
        }
    };
    ($doc:literal, $direction:ident, Notification, $marker:ident, $name:literal, $params:ty) => {
        #[doc = $doc]
        #[derive(Debug, Clone, Copy)]
        pub enum $marker {}

        impl $crate::method::sealed::Sealed for $marker {}

        impl $crate::method::NotificationMethod for $marker {
            const METHOD: &'static str = concat!("copydesk/", $name);
            const DIRECTION: $crate::method::Direction = $crate::method::Direction::$direction;
            type Params = $params;
        }
    };
}

macro_rules! waits_for_user {
    () => {
        false
    };
    (waits_for_user) => {
        true
    };
}

macro_rules! result {
    () => {
        None
    };
    ($result:ty) => {
        Some($crate::method::PayloadType::of::<$result>())
    };
}

pub(crate) use {declare, methods, result, waits_for_user};
