//! What creating a folder's files costs, create by create, in blocks.

use crate::folder::{Created, Folder};
use crate::hash::Generation;

/// Creates in one block.
pub const BLOCK: u64 = 10_000;
/// Mean probes per create at which a knee is told.
pub const THRESHOLDS: [u32; 6] = [10, 100, 1_000, 3_000, 10_000, 100_000];

/// One block of creates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// Files in the folder at its end.
    pub files: u64,
    /// Mean probes of one of its creates.
    pub probes_per_create: f64,
    /// Probes of all creates up to its end.
    pub probes_total: u64,
}

/// The first block whose creates cost so much.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Knee {
    /// The threshold.
    pub threshold: u32,
    /// Files at the end of that block.
    pub files: u64,
    /// Mean probes of that block.
    pub probes_per_create: f64,
}

/// The course of filling a folder.
#[derive(Debug, Clone, Default)]
pub struct Course {
    folder: Folder,
    files: u64,
    legal: u64,
    exhausted: u64,
    probes_total: u64,
    block_started_at: u64,
    blocks: Vec<Block>,
}

impl Course {
    /// An empty folder.
    pub fn new(generation: Generation) -> Self {
        Self { folder: Folder::new(generation), ..Self::default() }
    }

    /// One more file.
    pub fn create(&mut self, name: &str) -> Created {
        let created = self.folder.create(name);
        match created {
            Created::Legal => self.legal += 1,
            Created::Exhausted { .. } => self.exhausted += 1,
            Created::Named { .. } => {}
        }
        self.files += 1;
        self.probes_total += u64::from(created.probes());
        if self.files.is_multiple_of(BLOCK) {
            self.end_block(BLOCK);
        }
        created
    }

    fn end_block(&mut self, creates: u64) {
        let probes = self.probes_total - self.block_started_at;
        self.block_started_at = self.probes_total;
        let probes_per_create = probes as f64 / creates as f64;
        self.blocks.push(Block { files: self.files, probes_per_create, probes_total: self.probes_total });
    }

    /// Files so far.
    pub fn files(&self) -> u64 {
        self.files
    }

    /// Files whose long name is a short name.
    pub fn legal(&self) -> u64 {
        self.legal
    }

    /// Files for which no short name was left.
    pub fn exhausted(&self) -> u64 {
        self.exhausted
    }

    /// Probes of all creates.
    pub fn probes_total(&self) -> u64 {
        self.probes_total
    }

    /// The blocks that are complete.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// For each threshold that was reached, where.
    pub fn knees(&self) -> Vec<Knee> {
        let knee = |threshold: u32| {
            let block = self.blocks.iter().find(|block| block.probes_per_create >= f64::from(threshold))?;
            Some(Knee { threshold, files: block.files, probes_per_create: block.probes_per_create })
        };
        THRESHOLDS.into_iter().filter_map(knee).collect()
    }
}
