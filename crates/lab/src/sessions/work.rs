//! The inside of a worker process: orders from its standard input, reports to its standard output.
//!
//! The end of the input is the end of the worker, whatever it is doing: peaje is gone, or needs it no more.

use std::cell::RefCell;
use std::io::{BufRead, Lines, Write};
use std::time::Duration;

use peaje_engine::Connector;
use tokio::sync::mpsc;

use super::crew::Crew;
use super::gauge::Gauge;
use super::held::{Among, threads};
use super::order::{FromWorker, Order, ToWorker};
use super::{HeldError, HoldPlan};
use crate::stop::{Stop, StopRule};

/// How often a worker tells how many sessions it holds, if that has changed.
const TELL_EVERY: Duration = Duration::from_millis(100);

/// Holds sessions as told, until the input ends; a tokio runtime is needed around. The hello line has been read from the input
/// already.
pub async fn work<C: Connector>(
    connector: C,
    warm: Vec<C>,
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
) -> Result<(), HeldError> {
    let mut lines = input.lines();
    let first = lines.next().and_then(Result::ok).unwrap_or_default();
    let beginning = match serde_json::from_str(&first) {
        Ok(ToWorker::Begin(beginning)) => beginning,
        Ok(_) => return Err(HeldError::Words("the first order came before the beginning".to_owned())),
        Err(error) => return Err(HeldError::Words(error.to_string())),
    };
    peaje_host::this_host().raise_open_files_limit();
    let mouth = Mouth(RefCell::new(Box::new(output)));
    let stop = Stop::new();
    let plan = HoldPlan { connector, warm, numbers: beginning.numbers };
    let among = Among { first: beginning.first, threads: beginning.threads };
    let (crew, gauge) = threads(&plan, Some(among), &stop)?;
    let (give, orders) = mpsc::unbounded_channel();
    let ears = stop.clone();
    std::thread::Builder::new()
        .name("orders".to_owned())
        .spawn(move || listen(lines, &give, &ears))
        .map_err(HeldError::Thread)?;
    mouth.say(&FromWorker::Ready);
    serve(crew, orders, &gauge, &stop, &mouth).await;
    Ok(())
}

/// Says that this worker cannot begin, in place of [`work`].
pub fn refuse(words: &str, output: impl Write + Send + 'static) {
    Mouth(RefCell::new(Box::new(output))).say(&FromWorker::Refused(words.to_owned()));
}

/// Standard output, line by line.
struct Mouth(RefCell<Box<dyn Write>>);

impl Mouth {
    fn say(&self, words: &FromWorker) {
        let line = serde_json::to_string(words).expect("numbers and words have a JSON form") + "\n";
        let mut output = self.0.borrow_mut();
        // Where nobody listens any more, the input ends as well.
        let _ = output.write_all(line.as_bytes()).and_then(|()| output.flush());
    }
}

/// Orders wait for each other; a stop comes through at once.
fn listen(lines: Lines<impl BufRead>, orders: &mpsc::UnboundedSender<Order>, stop: &Stop) {
    for line in lines.map_while(Result::ok) {
        match serde_json::from_str(&line) {
            Ok(ToWorker::Order(order)) => {
                let _ = orders.send(order);
            }
            Ok(ToWorker::Stop(rule)) => stop.stop(rule),
            Ok(ToWorker::Begin(_)) | Err(_) => break,
        }
    }
    stop.stop(StopRule::Interrupted);
}

async fn serve(mut crew: Crew, mut orders: mpsc::UnboundedReceiver<Order>, gauge: &Gauge, stop: &Stop, mouth: &Mouth) {
    let obey = async {
        while let Some(order) = orders.recv().await {
            let report = crew.carry(order).await;
            mouth.say(&FromWorker::State(gauge.read()));
            mouth.say(&FromWorker::Report(Box::new(report)));
        }
    };
    let tell_state = async {
        let mut told = gauge.read();
        loop {
            tokio::time::sleep(TELL_EVERY).await;
            let now = gauge.read();
            if now != told {
                mouth.say(&FromWorker::State(now));
                told = now;
            }
        }
    };
    let tell_stop = async {
        if let Some(rule) = stop.other_than(None).await {
            mouth.say(&FromWorker::Stopped(rule));
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = obey => {}
        () = tell_state => {}
        () = tell_stop => {}
    }
}
