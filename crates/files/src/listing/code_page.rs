//! The two code pages in which `dir` of western Europe writes when it does not write Unicode.

use std::borrow::Cow;

use super::Encoding;

/// Code page 850, from 0x80.
const CP850: [char; 128] = [
    'Ç', 'ü', 'é', 'â', 'ä', 'à', 'å', 'ç', 'ê', 'ë', 'è', 'ï', 'î', 'ì', 'Ä', 'Å', 'É', 'æ', 'Æ', 'ô', 'ö', 'ò', 'û',
    'ù', 'ÿ', 'Ö', 'Ü', 'ø', '£', 'Ø', '×', 'ƒ', 'á', 'í', 'ó', 'ú', 'ñ', 'Ñ', 'ª', 'º', '¿', '®', '¬', '½', '¼', '¡',
    '«', '»', '░', '▒', '▓', '│', '┤', 'Á', 'Â', 'À', '©', '╣', '║', '╗', '╝', '¢', '¥', '┐', '└', '┴', '┬', '├', '─',
    '┼', 'ã', 'Ã', '╚', '╔', '╩', '╦', '╠', '═', '╬', '¤', 'ð', 'Ð', 'Ê', 'Ë', 'È', 'ı', 'Í', 'Î', 'Ï', '┘', '┌', '█',
    '▄', '¦', 'Ì', '▀', 'Ó', 'ß', 'Ô', 'Ò', 'õ', 'Õ', 'µ', 'þ', 'Þ', 'Ú', 'Û', 'Ù', 'ý', 'Ý', '¯', '´', '\u{ad}', '±',
    '‗', '¾', '¶', '§', '÷', '¸', '°', '¨', '·', '¹', '³', '²', '■', '\u{a0}',
];

/// Text of a line: UTF-8 when it is, else of this code page.
pub(super) fn text(line: &[u8], page: Encoding) -> Cow<'_, str> {
    match std::str::from_utf8(line) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) if page == Encoding::Cp850 => line.iter().map(|byte| of_850(*byte)).collect::<String>().into(),
        Err(_) => encoding_rs::WINDOWS_1252.decode_without_bom_handling(line).0,
    }
}

fn of_850(byte: u8) -> char {
    byte.checked_sub(0x80).map_or(char::from(byte), |at| CP850[usize::from(at)])
}

/// Which of the two is more likely: small letters with accents lie below 0xA6 in one and above 0xBF in the other, where
/// each has what no name holds.
pub(super) fn likely(text: &[u8]) -> Encoding {
    let count = |range: std::ops::RangeInclusive<u8>| text.iter().filter(|byte| range.contains(byte)).count();
    // 0xFF is a hard space of code page 850, as French groups digits.
    if count(0x80..=0xA7) + count(0xFF..=0xFF) > count(0xBF..=0xFE) { Encoding::Cp850 } else { Encoding::Windows1252 }
}

#[cfg(test)]
mod tests {
    use super::{likely, text};
    use crate::listing::Encoding;

    #[test]
    fn the_same_words_in_both() {
        let (ansi, console) = (b"A\xF1o canci\xF3n.txt", b"A\xA4o canci\xA2n.txt");
        assert_eq!(likely(ansi), Encoding::Windows1252);
        assert_eq!(likely(console), Encoding::Cp850);
        assert_eq!(text(ansi, Encoding::Windows1252), "Año canción.txt");
        assert_eq!(text(console, Encoding::Cp850), "Año canción.txt");
        assert_eq!(text("Año".as_bytes(), Encoding::Cp850), "Año");
        assert_eq!(text(b"\xFF\xE1\xB5", Encoding::Cp850), "\u{a0}ßÁ");
    }
}
