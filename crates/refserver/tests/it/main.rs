//! The tests of this crate that see it from outside, in one program: each linked alone would take a disk's room for
//! nothing. A file is a subject.

mod common;
mod in_models;
mod limits;
mod logins;
mod models;
mod models_ends;
mod models_memory;
mod mysql_limits;
mod mysql_logins;
mod mysql_observer;
mod mysql_programs;
mod mysql_queries;
mod mysql_support;
mod mysql_watcher;
mod observer;
mod programs;
mod queries;
mod tds;
mod tds_clients;
mod tds_common;
mod tds_logins;
mod tds_observer;
mod tds_second_opinion;
mod tds_watcher;
mod watcher;
