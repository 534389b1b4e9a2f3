//! The closed form against a folder that is a set of names, and against names and figures seen elsewhere.

mod brute;
mod seen;
mod table;
