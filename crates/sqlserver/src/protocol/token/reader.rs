//! Reads the tokens of an answer as its bytes arrive, in bounded memory.
//!
//! A newcomer would wait for a whole row. A value may be 2 GB long and a row has no length in front: values are
//! followed byte by byte, kept only when wanted, and never beyond a limit.

use super::buffer::{Budget, Buffer, Rows};
use super::values::{Progress, Values};
use super::{Token, decode, id};
use crate::protocol::DecodeError;
use crate::protocol::login7::feature;
use crate::protocol::read::Body;
use crate::protocol::types::{Column, Place, TypeInfo};

/// Columns of one result at most, as in SQL Server.
const MOST_COLUMNS: u16 = 4096;
/// Longest acknowledgement of features.
const MOST_FEATURE_DATA: usize = 64 << 10;

/// Reads one answer after the other.
#[derive(Debug)]
pub struct TokenReader {
    buffer: Buffer,
    budget: Budget,
    columns: Vec<Column>,
    state: State,
}

#[derive(Debug)]
enum State {
    /// At the beginning of a token.
    Token,
    /// In COLMETADATA: so many columns are missing.
    Columns(u16),
    /// In a row or an output parameter.
    Values(Values),
    /// In a token that is passed over.
    Skip { left: u64, token: u8 },
    /// In FEATUREEXTACK.
    Features(Vec<(u8, Vec<u8>)>),
}

/// A step of the reader.
enum Step {
    Token(Token),
    Again,
    More,
}

/// How a token begins.
enum Begun {
    Token(Token),
    State(State),
    Columns(u16),
}

impl TokenReader {
    /// A reader that does this with rows.
    pub fn new(rows: Rows) -> Self {
        Self { buffer: Buffer::default(), budget: Budget::new(rows), columns: Vec::new(), state: State::Token }
    }

    /// The columns of the rows that are being read.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Adds the payload of a packet.
    pub fn push(&mut self, payload: &[u8]) {
        self.buffer.push(payload);
    }

    /// Whether an answer may end here: no token is begun.
    pub fn is_between_tokens(&self) -> bool {
        matches!(self.state, State::Token) && self.buffer.rest().is_empty()
    }

    /// Bytes that wait for the rest of their token.
    pub fn buffered(&self) -> usize {
        self.buffer.rest().len()
    }

    /// The next token; `None` = more bytes are needed.
    pub fn next_token(&mut self) -> Result<Option<Token>, DecodeError> {
        loop {
            match self.step() {
                Ok(Step::Token(token)) => return Ok(Some(token)),
                Ok(Step::Again) => {}
                Ok(Step::More) | Err(DecodeError::Short(_)) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
    }

    fn step(&mut self) -> Result<Step, DecodeError> {
        match &mut self.state {
            State::Token => self.begin(),
            State::Columns(_) => self.column(),
            State::Values(values) => match values.step(&mut self.buffer, &self.columns, &mut self.budget)? {
                Progress::Again => Ok(Step::Again),
                Progress::More => Ok(Step::More),
                Progress::Complete => Ok(self.complete()),
            },
            State::Skip { left, .. } => {
                *left -= self.buffer.take(*left).len() as u64;
                Ok(if *left > 0 { Step::More } else { self.complete() })
            }
            State::Features(_) => self.feature(),
        }
    }

    /// Ends the token that is being read.
    fn complete(&mut self) -> Step {
        Step::Token(match std::mem::replace(&mut self.state, State::Token) {
            State::Values(values) => values.into_token(),
            State::Features(list) => Token::FeatureExtAck(list),
            State::Skip { token: id::FED_AUTH_INFO, .. } => Token::FedAuthInfo,
            State::Skip { token, .. } => Token::Other(token),
            State::Columns(_) | State::Token => Token::Columns,
        })
    }

    fn begin(&mut self) -> Result<Step, DecodeError> {
        let columns = self.columns.len();
        match self.buffer.read(|body| begin(body, columns))? {
            Begun::Token(token) => return Ok(Step::Token(token)),
            Begun::State(state) => self.state = state,
            Begun::Columns(count) => {
                self.columns.clear();
                self.state = State::Columns(count);
                if count == 0 {
                    return Ok(self.complete());
                }
            }
        }
        Ok(Step::Again)
    }

    fn column(&mut self) -> Result<Step, DecodeError> {
        let State::Columns(left) = &mut self.state else { return Ok(Step::Again) };
        self.columns.push(self.buffer.read(column)?);
        *left -= 1;
        Ok(if *left == 0 { self.complete() } else { Step::Again })
    }

    fn feature(&mut self) -> Result<Step, DecodeError> {
        let State::Features(list) = &mut self.state else { return Ok(Step::Again) };
        let held: usize = list.iter().map(|(_, data)| data.len() + 8).sum();
        match self.buffer.read(|body| one_feature(body, held))? {
            Some(feature) => {
                list.push(feature);
                Ok(Step::Again)
            }
            None => Ok(self.complete()),
        }
    }
}

/// Reads the beginning of a token, or the whole of it.
fn begin(body: &mut Body<'_>, columns: usize) -> Result<Begun, DecodeError> {
    let token = body.u8("a token")?;
    let skip = |left: u64| Begun::State(State::Skip { left, token });
    Ok(match token {
        id::DONE | id::DONE_PROC | id::DONE_IN_PROC => Begun::Token(Token::Done(decode::done(token, body)?)),
        id::RETURN_STATUS => Begun::Token(Token::ReturnStatus(body.array("a status").map(i32::from_le_bytes)?)),
        id::ENV_CHANGE | id::ERROR | id::INFO | id::LOGIN_ACK | id::SSPI => {
            let content = body.us_bytes("a token's content")?;
            Begun::Token(decode::short_token(token, content).map_err(never_complete)?)
        }
        id::TAB_NAME | id::COL_INFO | id::ORDER => skip(body.u16("a token's length")?.into()),
        id::OFFSET => skip(4),
        id::SESSION_STATE | id::FED_AUTH_INFO => skip(body.u32("a token's length")?.into()),
        id::FEATURE_EXT_ACK => Begun::State(State::Features(Vec::new())),
        id::COL_METADATA => match body.u16("the number of columns")? {
            // No description: nothing is going to be sent.
            u16::MAX => Begun::Columns(0),
            n if n > MOST_COLUMNS => {
                return Err(DecodeError::TooLong { what: "a list of columns", limit: usize::from(MOST_COLUMNS) });
            }
            n => Begun::Columns(n),
        },
        id::ROW => Begun::State(State::Values(Values::of_row(Vec::new()))),
        id::NBC_ROW => {
            let nulls = body.bytes(columns.div_ceil(8), "the nulls of a row")?.to_vec();
            Begun::State(State::Values(Values::of_row(nulls)))
        }
        id::RETURN_VALUE => Begun::State(State::Values(Values::of_parameter(return_value(body)?))),
        other => return Err(DecodeError::UnknownToken(other)),
    })
}

fn column(body: &mut Body<'_>) -> Result<Column, DecodeError> {
    // User type and flags.
    body.bytes(6, "a column's flags")?;
    let ty = TypeInfo::read(body, Place::Column)?;
    ty.read_table_name(body)?;
    Ok(Column { name: body.b_text("a column's name")?, ty })
}

fn return_value(body: &mut Body<'_>) -> Result<(String, TypeInfo), DecodeError> {
    body.u16("an output parameter")?;
    let name = body.b_text("an output parameter's name")?;
    // Status, user type, flags.
    body.bytes(7, "an output parameter")?;
    Ok((name, TypeInfo::read(body, Place::Parameter)?))
}

/// A feature; `None` = the end of the list.
fn one_feature(body: &mut Body<'_>, held: usize) -> Result<Option<(u8, Vec<u8>)>, DecodeError> {
    let number = body.u8("a feature")?;
    if number == feature::TERMINATOR {
        return Ok(None);
    }
    let length = body.u32("a feature's length")? as usize;
    if held.saturating_add(length) > MOST_FEATURE_DATA {
        return Err(DecodeError::TooLong { what: "a list of features", limit: MOST_FEATURE_DATA });
    }
    Ok(Some((number, body.bytes(length, "a feature")?.to_vec())))
}

/// Within bytes that are all there, "more is needed" is an error.
pub(super) fn never_complete(error: DecodeError) -> DecodeError {
    match error {
        DecodeError::Short(what) => DecodeError::Malformed(what),
        other => other,
    }
}
