//! The server tested as its clients will find it: over a socket, byte by byte.

mod client;
mod faults;
mod gates;
mod script;
mod wires;
