//! Where a line may break.

/// The words of a text; a number and one of `units` behind it are one.
pub fn pieces(text: &str, units: &[&str]) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let bare = word.trim_end_matches(['.', ',', ';', ':', ')', '?']);
        match pieces.last_mut() {
            Some(last) if units.contains(&bare) && last.ends_with(|c: char| c.is_ascii_digit()) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => pieces.push(word.to_owned()),
        }
    }
    pieces
}
