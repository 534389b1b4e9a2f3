//! The program name under which the measured sessions appear in a server's views.

/// The shortest limit of the engines: PostgreSQL cuts program names at 63 bytes.
const LONGEST: usize = 63;

/// `peaje`, or `peaje TAG`, as every server will keep it: printable ASCII, at most 63 bytes.
pub fn program_name(tag: Option<&str>) -> String {
    let name = match tag.map(str::trim).filter(|tag| !tag.is_empty()) {
        None => "peaje".to_owned(),
        Some(tag) => format!("peaje {tag}"),
    };
    name.chars().map(|c| if c == ' ' || c.is_ascii_graphic() { c } else { '?' }).take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_names() {
        for (tag, expected) in [
            (None, "peaje".to_owned()),
            (Some("CHG0012345"), "peaje CHG0012345".to_owned()),
            (Some("  "), "peaje".to_owned()),
            (Some("año\n"), "peaje a?o".to_owned()),
            (Some(&"x".repeat(100)), format!("peaje {}", "x".repeat(57))),
        ] {
            assert_eq!(program_name(tag), expected);
        }
    }
}
