//! The published schema is the one the types generate. `scripts/schema` writes it.

use std::path::Path;

#[test]
fn the_published_schema_is_the_generated_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema/peaje.run.1.schema.json");
    let generated = serde_json::to_string_pretty(&peaje_model::json_schema()).expect("JSON") + "\n";
    if std::env::var_os("PEAJE_WRITE_SCHEMA").is_some() {
        std::fs::write(&path, &generated).expect("the schema's folder is there");
    }
    let published = std::fs::read_to_string(&path).expect("the schema is published");
    assert!(published == generated, "the types have changed: run scripts/schema and commit the result");
}
