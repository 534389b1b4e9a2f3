//! Millions of files: counted by folder and by the start of their names, read from lists made elsewhere, and written as
//! compact lists for use elsewhere.
//!
//! A newcomer would ask the file system about each file. Counting needs no such question: the kernel's list of a folder
//! holds the kind of each entry, and asking costs six times as much as reading.

mod class;
pub mod listing;
pub mod manifest;
pub mod scan;

pub use class::{Class, ClassCount, Classes, Counts};
