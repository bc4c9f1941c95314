mod page;
mod table;
mod tolerance;
mod wire;
