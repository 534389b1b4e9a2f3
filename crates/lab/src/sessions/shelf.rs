//! The sessions that one thread holds, each in its place: the place's number is what the bell rings for.

/// A session, and whether it has worked.
#[derive(Debug)]
pub(super) struct Item<S> {
    pub(super) session: S,
    pub(super) warm: bool,
}

#[derive(Debug)]
enum Place<S> {
    Free,
    Held(Item<S>),
    /// In use: its item is elsewhere, and comes back.
    Out,
}

/// Sessions by place. Places are filled from the first on, so that their order is that of opening as long as none
/// was dropped.
#[derive(Debug)]
pub(super) struct Shelf<S> {
    places: Vec<Place<S>>,
    free: Vec<u32>,
    held: u64,
    /// Where the next round goes on.
    next: usize,
}

impl<S> Default for Shelf<S> {
    fn default() -> Self {
        Self { places: Vec::new(), free: Vec::new(), held: 0, next: 0 }
    }
}

impl<S> Shelf<S> {
    /// Sessions on it, those in use too.
    pub(super) fn held(&self) -> u64 {
        self.held
    }

    /// Adds a session; its place.
    pub(super) fn add(&mut self, item: Item<S>) -> u32 {
        self.held += 1;
        if let Some(index) = self.free.pop() {
            self.places[index as usize] = Place::Held(item);
            return index;
        }
        self.places.push(Place::Held(item));
        (self.places.len() - 1) as u32
    }

    /// The session at a place, unless it is in use or gone.
    pub(super) fn get(&mut self, index: u32) -> Option<&mut Item<S>> {
        match self.places.get_mut(index as usize) {
            Some(Place::Held(item)) => Some(item),
            _ => None,
        }
    }

    /// Takes the next session in turn, for use: each has its turn before one has a second. Its place waits for it.
    pub(super) fn take_next(&mut self) -> Option<(u32, Item<S>)> {
        let count = self.places.len();
        let index =
            (self.next..count).chain(0..self.next.min(count)).find(|&i| matches!(self.places[i], Place::Held(_)))?;
        self.next = index + 1;
        self.take(index as u32).map(|item| (index as u32, item))
    }

    /// Takes the first session for use, from a place on, of which this holds.
    pub(super) fn take_first(&mut self, from: u32, wanted: impl Fn(&Item<S>) -> bool) -> Option<(u32, Item<S>)> {
        let fits = |place: &Place<S>| matches!(place, Place::Held(item) if wanted(item));
        let index = (from as usize..self.places.len()).find(|&i| fits(&self.places[i]))? as u32;
        self.take(index).map(|item| (index, item))
    }

    fn take(&mut self, index: u32) -> Option<Item<S>> {
        match std::mem::replace(&mut self.places[index as usize], Place::Out) {
            Place::Held(item) => Some(item),
            other => {
                self.places[index as usize] = other;
                None
            }
        }
    }

    /// A session comes back from use.
    pub(super) fn put_back(&mut self, index: u32, item: Item<S>) {
        self.places[index as usize] = Place::Held(item);
    }

    /// A place becomes free: its session was taken and does not come back, or has ended where it stood.
    pub(super) fn free(&mut self, index: u32) {
        let place = &mut self.places[index as usize];
        if !matches!(place, Place::Free) {
            *place = Place::Free;
            self.free.push(index);
            self.held -= 1;
        }
        if self.held == 0 {
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shelf(sessions: u32) -> Shelf<u32> {
        let mut shelf = Shelf::default();
        for session in 0..sessions {
            assert_eq!(shelf.add(Item { session, warm: false }), session);
        }
        shelf
    }

    #[test]
    fn everyone_has_a_turn_before_one_has_a_second() {
        let mut shelf = shelf(3);
        shelf.free(1);
        let mut turns = Vec::new();
        for _ in 0..4 {
            let (index, item) = shelf.take_next().expect("two are there");
            turns.push(item.session);
            shelf.put_back(index, item);
        }
        assert_eq!(turns, [0, 2, 0, 2]);
    }

    #[test]
    fn what_is_in_use_is_held_and_not_given_twice() {
        let mut shelf = shelf(2);
        let (index, item) = shelf.take_next().expect("one");
        assert!(shelf.get(index).is_none());
        assert_eq!(shelf.take_next().map(|(i, _)| i), Some(1));
        assert!(shelf.take_next().is_none());
        assert_eq!(shelf.held(), 2);
        shelf.put_back(index, item);
        shelf.free(1);
        assert_eq!(shelf.held(), 1);
        assert_eq!(shelf.add(Item { session: 9, warm: true }), 1, "a free place is used again");
        assert_eq!(shelf.take_first(0, |item| item.warm).map(|(i, item)| (i, item.session)), Some((1, 9)));
    }
}
