//! Counters by application that stay bounded and never fall: twenty places, and `other` for the rest.
//!
//! Ranking anew at every scrape would move an application's count in and out of `other`, and Prometheus would read each
//! such move as a restart of the counter. Here a place is kept; it is given away only after an hour of silence, and
//! then begins at 0 with a start time of its own.

use std::collections::BTreeMap;

/// Applications with a series of their own.
pub const PLACES: usize = 20;
/// An application without a login or session for this long gives its place to a newcomer.
const SILENCE_S: f64 = 3_600.0;

/// Sessions of one application by what they do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SessionStates {
    /// At work.
    pub active: u64,
    /// Waiting for a request.
    pub idle: u64,
    /// Waiting within a transaction.
    pub idle_in_transaction: u64,
    /// Of the idle ones, those that never ran a statement; not counted as `idle`.
    pub never_used: u64,
}

impl SessionStates {
    /// Each state's name and number.
    pub(crate) fn each(self) -> [(&'static str, u64); 4] {
        [
            ("active", self.active),
            ("idle", self.idle),
            ("idle_in_transaction", self.idle_in_transaction),
            ("never_used", self.never_used),
        ]
    }

    fn add(&mut self, more: Self) {
        self.active += more.active;
        self.idle += more.idle;
        self.idle_in_transaction += more.idle_in_transaction;
        self.never_used += more.never_used;
    }

    fn is_none(self) -> bool {
        self == Self::default()
    }
}

/// What one interval brought for one application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ApplicationInterval {
    /// Logins.
    pub logins: u64,
    /// Logouts.
    pub logouts: u64,
    /// Sessions that are open at its end.
    pub sessions: SessionStates,
}

/// One series: counts since it was begun.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    pub(crate) logins: u64,
    pub(crate) logouts: u64,
    pub(crate) sessions: SessionStates,
    /// Seconds since 1970.
    pub(crate) created_s: f64,
    heard_s: f64,
}

impl Place {
    fn new(now_s: f64) -> Self {
        Self { logins: 0, logouts: 0, sessions: SessionStates::default(), created_s: now_s, heard_s: now_s }
    }

    fn take(&mut self, interval: ApplicationInterval) {
        self.logins += interval.logins;
        self.logouts += interval.logouts;
        self.sessions.add(interval.sessions);
    }
}

/// The applications of one server.
#[derive(Debug, Clone, PartialEq)]
pub struct Applications {
    places: BTreeMap<String, Place>,
    other: Place,
}

impl Applications {
    /// None yet; `now_s` is when counting begins, seconds since 1970.
    pub fn new(now_s: f64) -> Self {
        Self { places: BTreeMap::new(), other: Place::new(now_s) }
    }

    /// Adds an interval that ended at `now_s`. Applications that are not in it had no login and have no session.
    pub fn add(&mut self, now_s: f64, interval: &BTreeMap<String, ApplicationInterval>) {
        for place in self.places.values_mut().chain([&mut self.other]) {
            place.sessions = SessionStates::default();
        }
        let mut busiest: Vec<(&String, &ApplicationInterval)> = interval.iter().collect();
        busiest.sort_by_key(|(_, interval)| std::cmp::Reverse(interval.logins));
        for (name, interval) in busiest {
            let silent = interval.logins == 0 && interval.sessions.is_none();
            match self.place(name, now_s) {
                Some(place) => {
                    place.take(*interval);
                    if !silent {
                        place.heard_s = now_s;
                    }
                }
                None => self.other.take(*interval),
            }
        }
    }

    /// The application's place, a free one, or one that has been silent for long.
    fn place(&mut self, name: &str, now_s: f64) -> Option<&mut Place> {
        // An application that calls itself so must not mix with the rest.
        if name == OTHER {
            return None;
        }
        if !self.places.contains_key(name) {
            if self.places.len() >= PLACES {
                let silent = self.places.iter().find(|(_, place)| now_s - place.heard_s >= SILENCE_S);
                let silent = silent.map(|(name, _)| name.clone())?;
                self.places.remove(&silent);
            }
            self.places.insert(name.to_owned(), Place::new(now_s));
        }
        self.places.get_mut(name)
    }

    /// Each series with its name, `other` last.
    pub(crate) fn each(&self) -> impl Iterator<Item = (&str, &Place)> {
        self.places.iter().map(|(name, place)| (name.as_str(), place)).chain([(OTHER, &self.other)])
    }

    /// Whether an application has a series of its own.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }
}

/// The name of the series of all the rest.
pub(crate) const OTHER: &str = "other";

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(names: &[(&str, u64)]) -> BTreeMap<String, ApplicationInterval> {
        let one = |logins| ApplicationInterval { logins, logouts: logins, ..ApplicationInterval::default() };
        names.iter().map(|(name, logins)| ((*name).to_owned(), one(*logins))).collect()
    }

    fn logins(applications: &Applications, name: &str) -> Option<u64> {
        applications.each().find(|(known, _)| *known == name).map(|(_, place)| place.logins)
    }

    #[test]
    fn the_busiest_get_the_places_and_no_count_ever_falls() {
        let mut applications = Applications::new(0.0);
        let many: Vec<(String, u64)> = (0..30).map(|n| (format!("app{n:02}"), n)).collect();
        let first: Vec<(&str, u64)> = many.iter().map(|(name, n)| (name.as_str(), *n)).collect();
        applications.add(10.0, &interval(&first));
        assert_eq!(applications.each().count(), PLACES + 1);
        assert_eq!(logins(&applications, "app29"), Some(29));
        assert_eq!(logins(&applications, "app09"), None);
        assert_eq!(logins(&applications, OTHER), Some((0..10).sum()));
        // The order turns round: places stay where they are.
        applications.add(20.0, &interval(&[("app00", 1_000), ("app29", 1)]));
        assert_eq!(logins(&applications, "app29"), Some(30));
        assert_eq!(logins(&applications, OTHER), Some(45 + 1_000));
    }

    #[test]
    fn a_place_that_was_silent_for_an_hour_goes_to_a_newcomer_who_begins_at_zero() {
        let mut applications = Applications::new(0.0);
        let names: Vec<String> = (0..PLACES).map(|n| format!("app{n:02}")).collect();
        let all: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), 5)).collect();
        applications.add(10.0, &interval(&all));
        applications.add(3_600.0, &interval(&[("new", 7)]));
        assert_eq!(logins(&applications, "new"), None, "nobody has been silent for an hour");
        applications.add(3_605.0, &interval(&all[1..]));
        applications.add(3_611.0, &interval(&[("new", 8)]));
        assert_eq!(logins(&applications, "new"), Some(8));
        assert_eq!(logins(&applications, "app00"), None);
        assert_eq!(logins(&applications, OTHER), Some(7), "what was counted there stays there");
        let created = applications.each().find(|(name, _)| *name == "new").map(|(_, place)| place.created_s);
        assert_eq!(created, Some(3_611.0));
    }

    #[test]
    fn an_application_that_calls_itself_other_is_with_the_rest() {
        let mut applications = Applications::new(0.0);
        applications.add(1.0, &interval(&[(OTHER, 3)]));
        assert_eq!(applications.each().filter(|(name, _)| *name == OTHER).count(), 1);
        assert_eq!(logins(&applications, OTHER), Some(3));
    }

    #[test]
    fn sessions_are_those_of_the_last_interval() {
        let mut applications = Applications::new(0.0);
        let sessions = SessionStates { active: 2, idle: 1, ..SessionStates::default() };
        let with = ApplicationInterval { sessions, ..ApplicationInterval::default() };
        applications.add(1.0, &[("a".to_owned(), with)].into());
        applications.add(2.0, &[("a".to_owned(), with)].into());
        assert_eq!(applications.each().next().map(|(_, place)| place.sessions), Some(sessions));
        applications.add(3.0, &BTreeMap::new());
        assert_eq!(applications.each().next().map(|(_, place)| place.sessions), Some(SessionStates::default()));
    }
}
