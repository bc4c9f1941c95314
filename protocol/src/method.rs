//! What a method is: its name, its direction, what goes there and what comes back.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::lenient;

/// What may be sent as params or result.
pub trait MessagePayload: Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {}

impl<T: Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static> MessagePayload for T {}

/// A method that is answered. Implemented by the markers of [`crate::table`] and nothing else.
pub trait RequestMethod: sealed::Sealed {
    const METHOD: &'static str;
    const DIRECTION: Direction;
    /// The answer may take as long as a person does. Only asks of the desk may (law 2).
    const WAITS_FOR_PERSON: bool;
    type Params: MessagePayload;
    type Result: MessagePayload;
}

/// A method that is not answered. Implemented by the markers of [`crate::table`] and nothing else.
pub trait NotificationMethod: sealed::Sealed {
    const METHOD: &'static str;
    const DIRECTION: Direction;
    type Params: MessagePayload;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Direction {
    ToDesk,
    ToClient,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum MethodKind {
    Request,
    Notification,
}

/// One line of the table, as data.
#[derive(Debug, Clone, Copy)]
pub struct Method {
    /// What stands in `method` on the wire.
    pub name: &'static str,
    /// The marker's name.
    pub marker: &'static str,
    pub doc: &'static str,
    pub direction: Direction,
    pub kind: MethodKind,
    pub waits_for_person: bool,
    pub params: PayloadType,
    /// A notification has none.
    pub result: Option<PayloadType>,
}

/// A type, as much of it as can be said without naming it.
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

    /// Its JSON Schema; what it refers to is kept by the generator.
    pub fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.schema)(generator)
    }

    /// Reads a value as the type and writes it again: what we do not know is gone, and what is wrong is an error.
    pub fn round_trip(&self, value: Value) -> Result<Value, serde_json::Error> {
        (self.round_trip)(value)
    }
}

pub(crate) mod sealed {
    //! Keeps the traits to the table.
    pub trait Sealed {}
}

/// Makes markers and the list from the lines of the table.
macro_rules! methods {
    ($( #[doc = $doc:literal] $direction:ident $kind:ident $marker:ident = $name:literal
        ($params:ty $(=> $result:ty)? $(; $person:ident)?) )*) => {
        $( $crate::method::declare! { $doc, $direction, $kind, $marker, $name, $params $(=> $result)? $(; $person)? } )*

        /// The whole table, in the order of the page.
        pub fn methods() -> Vec<$crate::method::Method> {
            vec![$( $crate::method::Method {
                name: concat!("copydesk/", $name),
                marker: stringify!($marker),
                doc: $doc.trim_ascii(),
                direction: $crate::method::Direction::$direction,
                kind: $crate::method::MethodKind::$kind,
                waits_for_person: $crate::method::person!($($person)?),
                params: $crate::method::PayloadType::of::<$params>(),
                result: $crate::method::result!($($result)?),
            } ),*]
        }
    };
}

macro_rules! declare {
    ($doc:literal, $direction:ident, Request, $marker:ident, $name:literal,
        $params:ty => $result:ty $(; $person:ident)?) => {
        #[doc = $doc]
        #[derive(Debug, Clone, Copy)]
        pub enum $marker {}

        impl $crate::method::sealed::Sealed for $marker {}

        impl $crate::method::RequestMethod for $marker {
            const METHOD: &'static str = concat!("copydesk/", $name);
            const DIRECTION: $crate::method::Direction = $crate::method::Direction::$direction;
            const WAITS_FOR_PERSON: bool = $crate::method::person!($($person)?);
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

macro_rules! person {
    () => {
        false
    };
    (waits_for_person) => {
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

pub(crate) use {declare, methods, person, result};
