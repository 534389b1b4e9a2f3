//! Short names (8.3) as NTFS makes them: which one a file gets, and how many probes of the folder's index it costs.
//!
//! A newcomer would count files. What costs is names that share their first characters: the short names of such a class
//! are a fixed stock in levels, and each create walks through every level that is full already. The rules are those of
//! Microsoft's page on `RtlGenerate8dot3Name` and of public reverse engineering; Wine and Samba make other names.

mod cost;
mod folder;
mod generate;
mod hash;
mod legal;
mod shape;

pub use cost::{BLOCK, Block, Course, Knee, THRESHOLDS};
pub use folder::{Created, Folder, ShortName};
pub use generate::{Candidates, CodePage, KEPT, MOST_TRIES};
pub use hash::Generation;
pub use legal::is_legal;
pub use shape::{Names, Shape};
