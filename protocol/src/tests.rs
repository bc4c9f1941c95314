mod readme;
mod table;
mod tolerance;
mod wire;
