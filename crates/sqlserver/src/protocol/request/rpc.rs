//! Remote procedure calls: how drivers prepare and execute.

use super::skip_headers;
use crate::protocol::DecodeError;
use crate::protocol::read::Body;
use crate::protocol::types::{Place, TypeInfo, Value, read_whole};

const BY_NUMBER: u16 = 0xffff;
/// Another call follows in the same message.
const NEXT_CALL: u8 = 0xff;
/// Another call follows, and this one is not to be executed.
const NEXT_CALL_NO_EXEC: u8 = 0xfe;
const BY_REFERENCE: u8 = 0x01;
/// Parameters of one call at most (SQL Server's own limit is 2,100).
const MOST_PARAMETERS: usize = 4096;

/// What is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Procedure {
    /// `sp_cursoropen`.
    CursorOpen,
    /// `sp_cursorfetch`.
    CursorFetch,
    /// `sp_cursorclose`.
    CursorClose,
    /// `sp_executesql`.
    ExecuteSql,
    /// `sp_prepare`.
    Prepare,
    /// `sp_execute`.
    Execute,
    /// `sp_prepexec`.
    PrepExec,
    /// `sp_prepexecrpc`.
    PrepExecRpc,
    /// `sp_unprepare`.
    Unprepare,
    /// Another one by its number.
    Number(u16),
    /// By its name, as written.
    Name(String),
}

impl Procedure {
    fn from_number(number: u16) -> Self {
        match number {
            2 => Self::CursorOpen,
            7 => Self::CursorFetch,
            9 => Self::CursorClose,
            10 => Self::ExecuteSql,
            11 => Self::Prepare,
            12 => Self::Execute,
            13 => Self::PrepExec,
            14 => Self::PrepExecRpc,
            15 => Self::Unprepare,
            other => Self::Number(other),
        }
    }

    /// Names count as the numbers they have: some drivers call `sp_executesql` by its name.
    fn from_name(name: String) -> Self {
        match name.trim_start_matches("sys.").to_ascii_lowercase().as_str() {
            "sp_executesql" => Self::ExecuteSql,
            "sp_prepare" => Self::Prepare,
            "sp_execute" => Self::Execute,
            "sp_prepexec" => Self::PrepExec,
            "sp_unprepare" => Self::Unprepare,
            _ => Self::Name(name),
        }
    }
}

/// A parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its name with `@`, or empty.
    pub name: String,
    /// Whether a value comes back.
    pub output: bool,
    /// Its type.
    pub ty: TypeInfo,
    /// Its value.
    pub value: Value,
}

/// One call.
#[derive(Debug, Clone, PartialEq)]
pub struct RpcRequest {
    /// What is called.
    pub procedure: Procedure,
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
}

impl RpcRequest {
    /// The SQL text of `sp_executesql`, `sp_prepare`, `sp_prepexec` and `sp_cursoropen`: a parameter of text at the
    /// place where these have it.
    pub fn sql(&self) -> Option<&str> {
        let at = match self.procedure {
            Procedure::ExecuteSql => 0,
            Procedure::CursorOpen => 1,
            Procedure::Prepare | Procedure::PrepExec => 2,
            _ => return None,
        };
        self.parameters.get(at)?.value.as_str()
    }
}

/// The calls of a message; there is at least one.
pub fn decode_rpc(payload: &[u8]) -> Result<Vec<RpcRequest>, DecodeError> {
    let mut body = Body::new(payload);
    skip_headers(&mut body)?;
    let mut calls = Vec::new();
    loop {
        calls.push(call(&mut body)?);
        if body.is_empty() {
            return Ok(calls);
        }
        // The flag between two calls; some clients send it behind the last one too.
        body.u8("the next call")?;
        if body.is_empty() {
            return Ok(calls);
        }
    }
}

fn call(body: &mut Body<'_>) -> Result<RpcRequest, DecodeError> {
    let procedure = match body.u16("the procedure")? {
        BY_NUMBER => Procedure::from_number(body.u16("the procedure's number")?),
        units => Procedure::from_name(body.text(usize::from(units), "the procedure's name")?),
    };
    body.u16("the call's options")?;
    let mut parameters = Vec::new();
    while body.peek().is_some_and(|b| b != NEXT_CALL && b != NEXT_CALL_NO_EXEC) {
        if parameters.len() == MOST_PARAMETERS {
            return Err(DecodeError::TooLong { what: "a list of parameters", limit: MOST_PARAMETERS });
        }
        parameters.push(parameter(body)?);
    }
    Ok(RpcRequest { procedure, parameters })
}

fn parameter(body: &mut Body<'_>) -> Result<Parameter, DecodeError> {
    let name = body.b_text("a parameter's name")?;
    let output = body.u8("a parameter's flags")? & BY_REFERENCE != 0;
    let ty = TypeInfo::read(body, Place::Parameter)?;
    let value = read_whole(&ty, Place::Parameter, body)?;
    Ok(Parameter { name, output, ty, value })
}
