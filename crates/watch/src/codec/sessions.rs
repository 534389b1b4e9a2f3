//! The sessions of a row: births, deaths, who is at work, and now and then a picture of all that are open.
//!
//! Each field of all births stands together, as the difference to the birth before: that is what compresses.

use crate::codec::bytes::{Reader, Writer};
use crate::codec::{Damaged, past};
use crate::row::{Birth, Death, Interval, Picture, State};

pub(super) fn put(body: &mut Writer, row: &Interval) {
    put_births(body, row.births.iter(), row.server_us);
    body.unsigned(row.deaths.len() as u64);
    let mut serial = 0;
    for death in &row.deaths {
        body.unsigned(death.serial.wrapping_sub(serial));
        serial = death.serial;
    }
    for death in &row.deaths {
        put_state(body, State { idle_since_us: death.idle_since_us, used: death.used }, row.server_us);
    }
    put_busy(body, &row.busy);
    match &row.picture {
        None => body.byte(0),
        Some(Picture::States(states)) => {
            body.byte(1);
            body.unsigned(states.len() as u64);
            for state in states {
                put_state(body, *state, row.server_us);
            }
        }
        Some(Picture::Whole(whole)) => {
            body.byte(2);
            put_births(body, whole.iter().map(|(birth, _)| birth), row.server_us);
            for (_, state) in whole {
                put_state(body, *state, row.server_us);
            }
        }
    }
}

/// Whether reading will accept every moment of the sessions.
pub(super) fn can_be(row: &Interval) -> Result<(), Damaged> {
    let whole = match &row.picture {
        Some(Picture::Whole(whole)) => whole.as_slice(),
        _ => &[],
    };
    let states: &[State] = match &row.picture {
        Some(Picture::States(states)) => states,
        _ => &[],
    };
    let opened = row.births.iter().chain(whole.iter().map(|(birth, _)| birth)).map(|birth| birth.opened_us);
    let idle = states.iter().chain(whole.iter().map(|(_, state)| state)).filter_map(|state| state.idle_since_us);
    let idle_at_death = row.deaths.iter().filter_map(|death| death.idle_since_us);
    opened.chain(idle).chain(idle_at_death).try_for_each(|us| past(us).map(drop))
}

pub(super) fn get(reader: &mut Reader<'_>, row: &mut Interval) -> Result<(), Damaged> {
    let server_us = row.server_us;
    row.births = get_births(reader, server_us)?;
    let count = reader.length()?;
    let mut serials = Vec::with_capacity(count);
    let mut serial = 0_u64;
    for _ in 0..count {
        serial = serial.wrapping_add(reader.unsigned()?);
        serials.push(serial);
    }
    let death = |serial| {
        let State { idle_since_us, used } = get_state(reader, server_us)?;
        Ok(Death { serial, idle_since_us, used })
    };
    row.deaths = serials.into_iter().map(death).collect::<Result<_, _>>()?;
    row.busy = get_busy(reader)?;
    row.picture = match reader.byte()? {
        0 => None,
        1 => {
            let count = reader.length()?;
            Some(Picture::States((0..count).map(|_| get_state(reader, server_us)).collect::<Result<_, _>>()?))
        }
        2 => {
            let births = get_births(reader, server_us)?;
            let whole = births.into_iter().map(|birth| Ok((birth, get_state(reader, server_us)?)));
            Some(Picture::Whole(whole.collect::<Result<_, _>>()?))
        }
        _ => return Err(Damaged),
    };
    Ok(())
}

pub(super) fn put_busy(body: &mut Writer, busy: &[(u32, u32)]) {
    body.unsigned(busy.len() as u64);
    let mut origin = 0;
    for (id, _) in busy {
        body.unsigned(u64::from(id.wrapping_sub(origin)));
        origin = *id;
    }
    for (_, count) in busy {
        body.unsigned(u64::from(*count));
    }
}

pub(super) fn get_busy(reader: &mut Reader<'_>) -> Result<Vec<(u32, u32)>, Damaged> {
    let count = reader.length()?;
    let mut busy = Vec::with_capacity(count);
    let mut origin = 0_u32;
    for _ in 0..count {
        origin = origin.wrapping_add(u32::try_from(reader.unsigned()?).map_err(|_| Damaged)?);
        busy.push((origin, 0));
    }
    for (_, at_work) in &mut busy {
        *at_work = u32::try_from(reader.unsigned()?).map_err(|_| Damaged)?;
    }
    Ok(busy)
}

fn put_births<'a>(body: &mut Writer, births: impl ExactSizeIterator<Item = &'a Birth> + Clone, server_us: i64) {
    body.unsigned(births.len() as u64);
    let mut last = (0_u64, 0_u64);
    for birth in births.clone() {
        body.unsigned(birth.serial.wrapping_sub(last.0));
        body.signed(birth.id.wrapping_sub(last.1) as i64);
        last = (birth.serial, birth.id);
    }
    for birth in births.clone() {
        // Milliseconds before the reading: both clocks are the server's.
        body.signed(server_us.div_euclid(1000) - birth.opened_us.div_euclid(1000));
    }
    for birth in births.clone() {
        body.unsigned(u64::from(birth.origin) << 1 | u64::from(birth.found));
    }
    for birth in births {
        body.optional(birth.process);
    }
}

fn get_births(reader: &mut Reader<'_>, server_us: i64) -> Result<Vec<Birth>, Damaged> {
    let count = reader.length()?;
    let mut births = Vec::with_capacity(count);
    let (mut serial, mut id) = (0_u64, 0_u64);
    for _ in 0..count {
        serial = serial.wrapping_add(reader.unsigned()?);
        id = id.wrapping_add(reader.signed()? as u64);
        births.push(Birth { serial, id, opened_us: 0, origin: 0, process: None, found: false });
    }
    for birth in &mut births {
        birth.opened_us = moment(server_us, reader.signed()?)?;
    }
    for birth in &mut births {
        let packed = reader.unsigned()?;
        birth.origin = u32::try_from(packed >> 1).map_err(|_| Damaged)?;
        birth.found = packed & 1 != 0;
    }
    for birth in &mut births {
        birth.process = reader.optional()?;
    }
    Ok(births)
}

/// A moment, microseconds, from the milliseconds that lie between it and the reading.
fn moment(server_us: i64, before_ms: i64) -> Result<i64, Damaged> {
    let us = server_us.div_euclid(1000).checked_sub(before_ms).and_then(|ms| ms.checked_mul(1000)).ok_or(Damaged)?;
    past(us)
}

fn put_state(body: &mut Writer, state: State, server_us: i64) {
    let used = match state.used {
        None => 0_u64,
        Some(false) => 1,
        Some(true) => 2,
    };
    // 0 = not idle; otherwise the milliseconds it has been idle, never below 0, plus one.
    let idle = state
        .idle_since_us
        .map_or(0, |since| 1 + u64::try_from(server_us.div_euclid(1000) - since.div_euclid(1000)).unwrap_or_default());
    body.unsigned(idle << 2 | used);
}

fn get_state(reader: &mut Reader<'_>, server_us: i64) -> Result<State, Damaged> {
    let packed = reader.unsigned()?;
    let used = match packed & 3 {
        0 => None,
        1 => Some(false),
        2 => Some(true),
        _ => return Err(Damaged),
    };
    let idle_since_us = match packed >> 2 {
        0 => None,
        idle => Some(moment(server_us, i64::try_from(idle - 1).map_err(|_| Damaged)?)?),
    };
    Ok(State { idle_since_us, used })
}
