//! Tests of the server itself: over a socket, byte by byte.

mod client;
mod faults;
mod gates;
mod script;
mod wires;
