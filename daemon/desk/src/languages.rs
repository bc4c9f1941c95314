//! What says what is wrong with a text, for the sessions of this desk.

pub(crate) mod editor;
