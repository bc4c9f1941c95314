//! `copydesk` on a real terminal: what the user sees, and what the keys do.
//!
//! A pseudo-terminal carries the bytes, an emulator shows them. Tests wait for the screen, never for time.

pub(crate) mod approval;
mod commands;
mod editing;
mod hostile;
pub(crate) mod hunks;
mod interrupts;
mod layout;
mod markdown;
mod patches;
mod pictures;
mod places;
pub(crate) mod problems;
mod questions;
mod sandbox;
pub(crate) mod screen;
mod secret;
pub(crate) mod svg;
mod tasks;
mod tour;
mod trust;
mod web;
