//! Documents around their text: those without a name, saving, files that change under a buffer, and what the editor shows.

mod files;
mod names;
mod selection;
mod untitled;
