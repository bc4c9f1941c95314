//! What a method is: its name, its direction, what goes there and what comes back.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::lenient;

/// What may be sent as params or result.
pub trait Wire: Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {}

impl<T: Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static> Wire for T {}

/// A method that is answered. Implemented by the markers of [`crate::table`] and nothing else.
pub trait Request: sealed::Sealed {
    const METHOD: &'static str;
    const DIRECTION: Direction;
    /// The answer may take as long as a person does. Only asks of the desk may (law 2).
    const WAITS_FOR_PERSON: bool;
    type Params: Wire;
    type Result: Wire;
}

/// A method that is not answered. Implemented by the markers of [`crate::table`] and nothing else.
pub trait Notification: sealed::Sealed {
    const METHOD: &'static str;
    const DIRECTION: Direction;
    type Params: Wire;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Direction {
    ToDesk,
    ToClient,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
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
    pub kind: Kind,
    pub waits_for_person: bool,
    pub params: Shape,
    /// A notification has none.
    pub result: Option<Shape>,
}

/// A type, as much of it as can be said without naming it.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    schema: fn(&mut SchemaGenerator) -> Schema,
    pass: fn(Value) -> Result<Value, serde_json::Error>,
}

impl Shape {
    pub(crate) const fn of<T: Wire>() -> Self {
        Self {
            schema: |generator| generator.subschema_for::<T>(),
            pass: |value| serde_json::to_value(lenient::decode::<T>(value)?),
        }
    }

    /// Its JSON Schema; what it refers to is kept by the generator.
    pub fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.schema)(generator)
    }

    /// Reads a value as the type and writes it again: what we do not know is gone, and what is wrong is an error.
    pub fn pass(&self, value: Value) -> Result<Value, serde_json::Error> {
        (self.pass)(value)
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
                kind: $crate::method::Kind::$kind,
                waits_for_person: $crate::method::person!($($person)?),
                params: $crate::method::Shape::of::<$params>(),
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

        impl $crate::method::Request for $marker {
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

        impl $crate::method::Notification for $marker {
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
        Some($crate::method::Shape::of::<$result>())
    };
}

pub(crate) use {declare, methods, person, result};
