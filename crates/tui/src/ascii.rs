//! The same screen in ASCII: done once, on the finished picture, so that no other part has to think of it.

use ratatui::buffer::Buffer;

/// Replaces everything that is not ASCII. Levels of curves and bars stay apart; letters lose their accents.
pub(crate) fn fold(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if !cell.symbol().is_ascii() {
            let c = cell.symbol().chars().next().unwrap_or(' ');
            cell.set_char(plain(c));
        }
    }
}

/// The same in a text.
pub(crate) fn folded(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii() { c } else { plain(c) }).collect()
}

fn plain(c: char) -> char {
    match c {
        '▁' => '_',
        '▂' => '.',
        '▃' | '–' | '─' | '░' => '-',
        '▄' => '=',
        '▅' => '+',
        '▆' => '*',
        '▇' => '@',
        '█' => '#',
        '·' => ':',
        '…' => '~',
        '×' => 'x',
        '«' | '»' => '"',
        '→' => '>',
        'á' | 'à' | 'â' | 'ä' | 'ã' | 'å' => 'a',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'ì' | 'î' | 'ï' => 'i',
        'ó' | 'ò' | 'ô' | 'ö' | 'õ' => 'o',
        'µ' | 'ú' | 'ù' | 'û' | 'ü' => 'u',
        'ñ' => 'n',
        'ç' => 'c',
        'Á' => 'A',
        'É' => 'E',
        'Í' => 'I',
        'Ó' => 'O',
        'Ú' => 'U',
        'Ñ' => 'N',
        _ => '?',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_stay_apart_and_accents_go() {
        let levels: std::collections::BTreeSet<char> = "▁▂▃▄▅▆▇█·".chars().map(plain).collect();
        assert_eq!(levels.len(), 9);
        assert_eq!(folded("sesión – año 日"), "sesion - ano ?");
    }
}
