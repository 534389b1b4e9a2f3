//! Whether a name is a short name by itself: then NTFS keeps one entry for both, and probes nothing.

/// What no short name may hold.
const FORBIDDEN: &[u8] = b"*?<>|\"+=,;[]:/\\";

/// Whether a file of this name gets no other short name. A name with a space inside would pass the documented test, but
/// NTFS makes a short name for it; a name beyond ASCII is none where extended characters are off, as they are by default.
pub fn is_legal(name: &str) -> bool {
    let (base, extension) = match name.split_once('.') {
        Some((base, extension)) => (base, Some(extension)),
        None => (name, None),
    };
    let good = |part: &str, most: usize| {
        (1..=most).contains(&part.len())
            && part.bytes().all(|c| (0x21..0x7F).contains(&c) && c != b'.' && !FORBIDDEN.contains(&c))
    };
    matches!(name, "." | "..") || good(base, 8) && extension.is_none_or(|extension| good(extension, 3))
}

#[cfg(test)]
mod tests {
    use super::is_legal;

    #[test]
    fn the_rules_one_by_one() {
        for name in [".", "..", "a", "Qt", "README.TXT", "12345678.123", "a~1", "x-y_z.(1)", "MixedCas.e"] {
            assert!(is_legal(name), "{name}");
        }
        for name in [
            "",
            "...",
            ".a",
            "a.",
            "a.b.c",
            "123456789",
            "a.1234",
            "a b",
            " a",
            "a ",
            "a .b",
            "a+b",
            "a,b",
            "a=b",
            "[a]",
            "a;b",
            "a:b",
            "é",
            "a\u{1}",
            "a\u{7f}",
            "a?",
            "a*",
        ] {
            assert!(!is_legal(name), "{name:?}");
        }
    }
}
