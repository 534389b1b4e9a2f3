//! Lists as programs write them: told by their content, in each encoding, and never a panic.

use std::fs::File;
use std::ops::ControlFlow;
use std::process::Command;

use peaje_files::listing::{Encoding, Entry, Kind, ListingError, ListingOptions, Summary, What, read};
use proptest::prelude::*;

#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    folder: String,
    name: String,
    what: What,
    size: Option<u64>,
    short: Option<String>,
}

fn with(bytes: &[u8], options: &ListingOptions) -> Result<(Summary, Vec<Line>), ListingError> {
    let mut lines = Vec::new();
    let text = |bytes: &[u8]| bytes.escape_ascii().to_string();
    let own = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap_or_else(|_| text(bytes));
    let summary = read(bytes, options, |e: Entry<'_>| {
        let short = e.short.map(str::to_owned);
        lines.push(Line { folder: own(e.folder), name: own(e.name), what: e.what, size: e.size, short });
        ControlFlow::Continue(())
    })?;
    Ok((summary, lines))
}

fn all(bytes: &[u8]) -> (Summary, Vec<Line>) {
    with(bytes, &ListingOptions::default()).unwrap()
}

fn pairs(lines: &[Line]) -> Vec<(&str, &str)> {
    lines.iter().map(|l| (&*l.folder, &*l.name)).collect()
}

#[test]
fn find_says_which_are_folders_by_what_follows() {
    let (summary, lines) = all(b"/data\n/data/a\n/data/a/1\n/data/a/2\n/data/empty\n/data/z\n");
    assert_eq!((summary.kind, summary.entries, summary.folders), (Kind::Find, 5, 1));
    assert_eq!(pairs(&lines), [("/data", "a"), ("/data/a", "1"), ("/data/a", "2"), ("/data", "empty"), ("/data", "z")]);
    assert_eq!(lines.iter().map(|l| l.what == What::Folder).collect::<Vec<_>>(), [true, false, false, false, false]);
    // Files only: nothing is held to be where the search began.
    assert_eq!(pairs(&all(b"./a/1\n./a/2\n./b").1), [("./a", "1"), ("./a", "2"), (".", "b")]);
    assert_eq!(pairs(&all(b"/\n/etc\n/etc/passwd\n").1), [("/", "etc"), ("/etc", "passwd")]);
    assert_eq!(pairs(&all(b"/one\n/one/x\n/two\n/two/y\n").1), [("/one", "x"), ("/two", "y")]);
}

#[test]
fn a_name_with_a_newline() {
    let (_, lines) = all(b".\n./two\nlines\n./b\n");
    assert_eq!(pairs(&lines), [(".", "two\nlines"), (".", "b")]);
    let (summary, lines) = all(b".\0./two\nlines\0./b\xFF\0");
    assert_eq!((summary.kind, summary.not_utf8), (Kind::Find0, 1));
    assert_eq!(pairs(&lines), [(".", "two\nlines"), (".", "b\\xff")]);
}

/// The programs themselves, on a real folder.
#[test]
fn what_find_and_ls_write() {
    let here = tempfile::tempdir().unwrap();
    crate::tree::plant(here.path(), 8);
    let expected = crate::tree::slow(here.path());
    let total = expected.files + expected.folders + expected.others;
    let listed = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(here.path()).output().unwrap();
        all(&output.stdout).0
    };
    assert_eq!(listed("find", &["."]).entries, total);
    assert_eq!(listed("find", &[here.path().to_str().unwrap(), "-print0"]).entries, total);
    assert_eq!(listed("find", &[".", "-type", "f"]).entries, expected.files);
    let names = std::fs::read_dir(here.path()).unwrap().count() as u64;
    for arguments in [["-f"], ["-1f"]] {
        let summary = listed("ls", &arguments);
        assert_eq!((summary.kind, summary.entries), (Kind::Names, names));
    }
    File::create(here.path().join("end")).unwrap();
    assert_eq!(listed("ls", &["-1f"]).entries, names + 1);
}

#[test]
fn names_go_into_the_folder_that_is_told() {
    let options = ListingOptions { folder: b"/srv/store".to_vec(), ..ListingOptions::default() };
    let (summary, lines) = with(b".\n..\n0001\r\nb c\n", &options).unwrap();
    assert_eq!((summary.kind, summary.entries), (Kind::Names, 2));
    assert_eq!(pairs(&lines), [("/srv/store", "0001"), ("/srv/store", "b c")]);
}

const BARE: &str = "D:\\data\\one.txt\r\nD:\\data\\sub\r\nD:\\data\\sub\\año.txt\r\n\\\\server\\share\\x\r\n";

#[test]
fn dir_bare_in_every_encoding() {
    let utf16 = |order: fn(u16) -> [u8; 2], mark: &str| -> Vec<u8> {
        format!("{mark}{BARE}").encode_utf16().flat_map(order).collect()
    };
    let one_byte = |n: u8| -> Vec<u8> { BARE.chars().map(|c| if c == 'ñ' { n } else { c as u8 }).collect() };
    let cases = [
        (BARE.as_bytes().to_vec(), Encoding::Bytes),
        (format!("\u{feff}{BARE}").into_bytes(), Encoding::Bytes),
        (utf16(u16::to_le_bytes, ""), Encoding::Utf16Le),
        (utf16(u16::to_le_bytes, "\u{feff}"), Encoding::Utf16Le),
        (utf16(u16::to_be_bytes, ""), Encoding::Utf16Be),
        (utf16(u16::to_be_bytes, "\u{feff}"), Encoding::Utf16Be),
        (one_byte(0xF1), Encoding::Windows1252),
        (one_byte(0xA4), Encoding::Cp850),
    ];
    for (bytes, encoding) in cases {
        let (summary, lines) = all(&bytes);
        assert_eq!((summary.kind, summary.encoding, summary.skipped), (Kind::DirBare, encoding, 0));
        let expected =
            [("D:\\data", "one.txt"), ("D:\\data", "sub"), ("D:\\data\\sub", "año.txt"), ("\\\\server\\share", "x")];
        assert_eq!(pairs(&lines), expected, "{encoding:?}");
    }
    // Against its content, somebody who knows better is believed.
    let options = ListingOptions { encoding: Some(Encoding::Windows1252), ..ListingOptions::default() };
    assert_eq!(with(&one_byte(0xA4), &options).unwrap().1[2].name, "a¤o.txt");
}

/// As cmd.exe of an English Windows writes `dir /x`.
const ENGLISH: &str = " Volume in drive D is Data\r
 Volume Serial Number is 1234-ABCD\r
\r
 Directory of D:\\store\r
\r
12/01/2026  10:04 AM    <DIR>                       .\r
12/01/2026  10:04 AM    <DIR>                       ..\r
12/01/2026  10:05 AM         1,234,567 000000~1     00000019-00000050-0004\r
12/01/2026  10:05 AM                 0              plain.txt\r
12/01/2026  10:06 AM    <DIR>          LONGFO~1     Long folder name\r
12/01/2026  10:06 AM    <JUNCTION>     JUNCTI~1     Junction to [D:\\else where]\r
12/01/2026  10:07 AM                12 ALONGN~1.TXT A long name.text\r
               3 File(s)      1,234,579 bytes\r
\r
     Total Files Listed:\r
               3 File(s)      1,234,579 bytes\r
               3 Dir(s)  12,345,678,912 bytes free\r
";

#[test]
fn dir_with_short_names() {
    let (summary, lines) = all(ENGLISH.as_bytes());
    assert_eq!((summary.kind, summary.skipped, summary.entries, summary.folders), (Kind::DirTable, 0, 5, 1));
    let line = |name: &str, what, size, short: Option<&str>| {
        let short = short.map(str::to_owned);
        Line { folder: "D:\\store".into(), name: name.into(), what, size, short }
    };
    let expected = [
        line("00000019-00000050-0004", What::File, Some(1_234_567), Some("000000~1")),
        line("plain.txt", What::File, Some(0), None),
        line("Long folder name", What::Folder, None, Some("LONGFO~1")),
        line("Junction to", What::Other, None, Some("JUNCTI~1")),
        line("A long name.text", What::File, Some(12), Some("ALONGN~1.TXT")),
    ];
    assert_eq!(lines, expected);
}

/// A Spanish one, without short names, over two folders, in the code page of consoles: `a. m.` has a hard space.
#[test]
fn dir_in_spanish() {
    let text = " El volumen de la unidad D es Datos\r
 El número de serie del volumen es: 1234-ABCD\r
\r
 Directorio de D:\\Año 2026\r
\r
01/12/2026  10:04    <DIR>          .\r
01/12/2026  10:04    <DIR>          ..\r
01/12/2026  10:05         1.234.567 canción.mp3\r
01/12/2026  10:05 a. m.             1.024  empieza con espacio\r
               2 archivos      1.235.591 bytes\r
\r
 Directorio de D:\\Año 2026\\sub carpeta\r
\r
01.12.26  9.04                 7 x\r
";
    let bytes: Vec<u8> = text
        .chars()
        .map(|c| match c {
            'ñ' => 0xA4,
            'ó' => 0xA2,
            'ú' => 0xA3,
            c => c as u8,
        })
        .collect();
    let (summary, lines) = all(&bytes);
    assert_eq!((summary.kind, summary.encoding, summary.skipped), (Kind::DirTable, Encoding::Cp850, 0));
    let found: Vec<_> = lines.iter().map(|l| (&*l.folder, &*l.name, l.size)).collect();
    let expected = [
        ("D:\\Año 2026", "canción.mp3", Some(1_234_567)),
        ("D:\\Año 2026", " empieza con espacio", Some(1_024)),
        ("D:\\Año 2026\\sub carpeta", "x", Some(7)),
    ];
    assert_eq!(found, expected);
    assert_eq!(all(text.as_bytes()).1, lines, "UTF-8 says the same");
}

/// Dates in the order of other languages, digits grouped as theirs, the path first.
#[test]
fn dir_in_other_languages() {
    for (row, size) in [
        ("2026-12-01  10:05         1\u{a0}234\u{a0}567 name.txt", 1_234_567),
        ("2026/12/01  10:05         1,234,567 name.txt", 1_234_567),
        ("2026. 12. 01.", 0),
        ("01.12.2026  10:05         1'234'567 name.txt", 1_234_567),
        ("2026-12-01  오전 10:05         1,234,567 name.txt", 1_234_567),
        ("01/12/2026  10:05 p. m.         1.234.567 name.txt", 1_234_567),
        ("2026.12.01.  10:05         1\u{202f}234 name.txt", 1_234),
    ] {
        let text = format!(" D:\\資料 的目錄\r\n\r\n{row}\r\n");
        let (summary, lines) = all(text.as_bytes());
        if size == 0 {
            assert_eq!((summary.skipped, summary.first_skipped), (1, Some(3)), "a date of three words");
            continue;
        }
        assert_eq!((summary.kind, summary.skipped), (Kind::DirTable, 0), "{row}");
        let found = (&*lines[0].folder, &*lines[0].name, lines[0].size);
        assert_eq!(found, ("D:\\資料", "name.txt", Some(size)), "{row}");
    }
}

#[test]
fn errors_name_the_line() {
    let long = [b"/a/b\n".repeat(3), vec![b'x'; 70_000]].concat();
    let error = with(&long, &ListingOptions::default()).unwrap_err().to_string();
    assert!(error.starts_with("line 4 is longer than"), "{error}");
    let error = with(b"ok\n\x01\x02\x03\x04\x05\x06", &ListingOptions::default()).unwrap_err().to_string();
    assert!(error.starts_with("line 2 holds control characters"), "{error}");
    let cut = with(b"peaje files manifest 1 full\n\x1f\x8b", &ListingOptions::default()).unwrap_err().to_string();
    assert!(cut.contains("cut off after 0 entries"), "{cut}");
}

#[test]
fn a_reader_that_fails_or_is_stopped() {
    struct Fails;
    impl std::io::Read for Fails {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("the network is gone"))
        }
    }
    let list = std::io::Read::chain(std::io::Cursor::new(b"/a/b\n".repeat(20_000)), Fails);
    let error = read(list, &ListingOptions::default(), |_| ControlFlow::Continue(())).unwrap_err();
    assert!(matches!(&error, ListingError::Read { line: 20_000, .. }), "{error}");
    let summary = read(&b"/a/b\n/a/c\n/a/d\n"[..], &ListingOptions::default(), |_| ControlFlow::Break(())).unwrap();
    assert_eq!((summary.stopped, summary.entries), (true, 1));
}

fn kind() -> impl Strategy<Value = Option<Kind>> {
    let kinds = [Kind::Find, Kind::Find0, Kind::Names, Kind::DirBare, Kind::DirTable, Kind::Manifest];
    proptest::option::of(proptest::sample::select(kinds.to_vec()))
}

fn encoding() -> impl Strategy<Value = Option<Encoding>> {
    use Encoding::{Bytes, Cp850, Utf16Be, Utf16Le, Windows1252};
    proptest::option::of(proptest::sample::select(vec![Bytes, Utf16Le, Utf16Be, Windows1252, Cp850]))
}

proptest! {
    #[test]
    fn garbage_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..300), kind in kind(), encoding in encoding()) {
        let _ = with(&bytes, &ListingOptions { kind, encoding, folder: Vec::new() });
    }

    /// Nearly right is what finds the slices that are off by one.
    #[test]
    fn nearly_a_table_never_panics(
        rows in proptest::collection::vec("( Directory of |12/01/2026  10:04|<DIR>|<ñ>|1,234| |~|\\.|D:\\\\|\\\\\\\\|ñ|日|\r|\n){0,12}", 0..8),
        kind in kind(),
    ) {
        let _ = with(rows.concat().as_bytes(), &ListingOptions { kind, ..ListingOptions::default() });
    }

    /// A list of paths comes back as it was, in UTF-16 too.
    #[test]
    fn windows_paths_come_back(names in proptest::collection::vec("[a-zñ日 ]{1,10}[a-z]", 1..30)) {
        let text = names.iter().fold(String::new(), |text, name| text + "C:\\some\\" + name + "\r\n");
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for bytes in [text.into_bytes(), wide] {
            let (_, lines) = all(&bytes);
            prop_assert_eq!(lines.iter().map(|l| l.name.clone()).collect::<Vec<_>>(), names.clone());
        }
    }
}
