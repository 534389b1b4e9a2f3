//! Short names seen on Windows.

use peaje_names83::{Candidates, CodePage, Created, Folder, Generation, is_legal};

/// The names of one folder in the order of their creation.
fn names(generation: Generation, long: &[&str]) -> Vec<String> {
    let mut folder = Folder::new(generation);
    let short = |name: &&str| match folder.create(name) {
        Created::Named { name, .. } => name.to_string(),
        Created::Legal => (*name).to_owned(),
        Created::Exhausted { .. } => panic!("{name}"),
    };
    long.iter().map(short).collect()
}

#[test]
fn a_fifth_file_that_begins_alike_is_hashed() {
    let long: Vec<String> = (1..=5).map(|n| format!("Long File Name {n}.txt")).collect();
    let long: Vec<&str> = long.iter().map(String::as_str).collect();
    let expected = ["LONGFI~1.TXT", "LONGFI~2.TXT", "LONGFI~3.TXT", "LONGFI~4.TXT", "LO1796~1.TXT"];
    assert_eq!(names(Generation::Old, &long), expected);
    // Each with its own checksum.
    assert_eq!(names(Generation::Old, &[&long[..], &["Long File Name 6.txt"]].concat())[5], "LO279A~1.TXT");
}

#[test]
fn music_of_windows_7() {
    let long = [
        "Rammstein - Der Meister.mp3",
        "Rammstein - Eifersucht.mp3",
        "Rammstein - Feuer Frei.mp3",
        "Rammstein - Führe Mich.mp3",
        "Rammstein - Haifisch.mp3",
        "Rammstein & Tatu - Moscow.mp3",
    ];
    let expected = ["RAMMST~1.MP3", "RAMMST~2.MP3", "RAMMST~3.MP3", "RAMMST~4.MP3", "RA6BAA~1.MP3", "RA8E17~1.MP3"];
    assert_eq!(names(Generation::New, &long), expected);
}

#[test]
fn letters_beyond_ascii() {
    let first = |name: &str, page| Candidates::of(name, Generation::Old, page).candidate(1).expect("a first one");
    for (long, short) in [
        ("éèàùç.txt", "5C2D~1.TXT"),
        ("çùàèé.txt", "423C~1.TXT"),
        ("éèàùçeeauc.txt", "EEAUC~1.TXT"),
        ("éèeéèçcùu.txt", "ECU~1.TXT"),
        ("test.éxè", "TEST~1.X"),
        ("t£$t¤.txt", "T$T~1.TXT"),
        ("Menu Démarrer", "MENUDM~1"),
        ("Sélecteur de configuration clavier.lnk", "SLECTE~1.LNK"),
    ] {
        assert_eq!(first(long, CodePage::Off), short, "{long}");
        assert_eq!(names(Generation::Old, &[long]), [short], "{long}");
    }
    assert_eq!(first("Menu Démarrer", CodePage::Cp850), "MENUDÉ~1");
    assert_eq!(first("éèàùç.txt", CodePage::Cp850), "ÉÈÀÙÇ~1.TXT");
}

#[test]
fn well_known_folders() {
    let long = ["Documents and Settings", "Program Files", "Program Files (x86)", "System Volume Information"];
    assert_eq!(names(Generation::New, &long), ["DOCUME~1", "PROGRA~1", "PROGRA~2", "SYSTEM~1"]);
    for (long, short) in [
        ("5+6 June Report.doc", "5_6JUN~1.DOC"),
        ("a.testing.file.bat", "ATESTI~1.BAT"),
        ("Default Desktop Policy.xml", "DEFAUL~1.XML"),
        ("Longfilename", "LONGFI~1"),
        ("a.txt3", "AEE90~1.TXT"),
        ("test file.txt", "TESTFI~1.TXT"),
    ] {
        assert_eq!(names(Generation::New, &[long]), [short], "{long}");
    }
    assert!(is_legal("Qt"));
    assert_eq!(
        Candidates::of("Microsoft Visual Studio", Generation::Old, CodePage::Off).candidate(5).as_deref(),
        Some("MIAF9D~1")
    );
}
