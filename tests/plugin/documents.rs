//! Documents apart from their text: unnamed ones, saving, files that change under a buffer, and what the editor shows.

mod files;
mod names;
mod selection;
mod untitled;
