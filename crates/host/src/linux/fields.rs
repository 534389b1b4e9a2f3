//! The form that most files of `/proc` share: a name, a colon, a number, a unit.
//!
//! The kernel adds lines and leaves them out from release to release: they are found by name, and what is not there is
//! `None`, never zero.

/// `Name:   1234 kB` in bytes; of several lines of that name the sum, as `smaps` has one for each mapping.
pub(super) fn bytes(text: &str, name: &str) -> Option<u64> {
    let mut sum = None;
    for value in values(text, name) {
        let mut words = value.split_ascii_whitespace();
        let number: u64 = words.next()?.parse().ok()?;
        if words.next() != Some("kB") {
            return None;
        }
        sum = Some(number.checked_mul(1024)?.checked_add(sum.unwrap_or(0))?);
    }
    sum
}

/// `Name:   1234`, a plain number.
pub(super) fn number(text: &str, name: &str) -> Option<u64> {
    values(text, name).next()?.split_ascii_whitespace().next()?.parse().ok()
}

fn values<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines().filter_map(move |line| line.strip_prefix(name)?.strip_prefix(':'))
}

/// `name 1234`: `vmstat`, and the files of control groups.
pub(super) fn word(text: &str, name: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
    value.split_ascii_whitespace().next()?.parse().ok()
}

/// `TCP: inuse 14 orphan 0 tw 27 …`: names and values alternate.
pub(super) fn labelled(text: &str, group: &str, name: &str) -> Option<u64> {
    let (_, rest) = text.lines().filter_map(|line| line.split_once(':')).find(|(head, _)| *head == group)?;
    let words: Vec<&str> = rest.split_ascii_whitespace().collect();
    words.chunks_exact(2).find(|pair| pair[0] == name)?[1].parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_numbers_and_units() {
        let text =
            "Name:\tPss: 3 kB\nPss:      12 kB\nPss_Dirty:  5 kB\nPss:       8 kB\nThreads:\t7\nHugePages_Free:   2\n";
        assert_eq!(bytes(text, "Pss"), Some(20 * 1024), "the sum, and no other name that begins alike");
        assert_eq!(bytes(text, "Pss_Dirty"), Some(5 * 1024));
        assert_eq!(bytes(text, "SwapPss"), None);
        assert_eq!(bytes(text, "Threads"), None, "it has no unit");
        assert_eq!(number(text, "Threads"), Some(7));
        assert_eq!(word("pswpin 3\npswpout 4 5\n", "pswpout"), Some(4));
        assert_eq!(word("pswpinx 3\n", "pswpin"), None);
        assert_eq!(labelled("TCP: inuse 14 orphan 0 mem\n", "TCP", "orphan"), Some(0));
        assert_eq!(labelled("TCP: inuse 14 orphan 0 mem\n", "TCP", "mem"), None);
    }

    #[test]
    fn what_is_damaged_is_not_known() {
        for text in
            ["Pss:", "Pss: kB", "Pss: -4 kB", "Pss: 18446744073709551615 kB", "Pss: 1 kB\nPss: x kB", "Pss 4 kB"]
        {
            assert_eq!(bytes(text, "Pss"), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(text in ".{0,300}", group in "[A-Za-z_]{0,6}") {
            let text = format!("{group}: {text}\n{group} {text}\n{group}:{text}kB");
            let _ = (bytes(&text, &group), number(&text, &group), word(&text, &group), labelled(&text, &group, "mem"));
        }
    }
}
