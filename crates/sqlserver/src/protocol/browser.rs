//! SQL Browser (MC-SQLR): a question by UDP, port 1434, for the port of an instance.

/// Its port.
pub const PORT: u16 = 1434;
/// Longest instance name, as the service accepts it.
pub const LONGEST_NAME: usize = 32;

const ONE_INSTANCE: u8 = 0x04;
const ANSWER: u8 = 0x05;

/// The question for one instance (`CLNT_UCAST_INST`).
pub fn question(instance: &str) -> Vec<u8> {
    let mut question = vec![ONE_INSTANCE];
    question.extend(instance.bytes().take(LONGEST_NAME));
    question.push(0);
    question
}

/// The instance that a question asks for.
pub fn decode_question(datagram: &[u8]) -> Option<String> {
    let (&ONE_INSTANCE, name) = datagram.split_first()? else { return None };
    let end = name.iter().position(|b| *b == 0)?;
    let name = &name[..end];
    (!name.is_empty() && name.len() <= LONGEST_NAME).then(|| String::from_utf8_lossy(name).into_owned())
}

/// The answer for an instance that listens on this port.
pub fn answer(server: &str, instance: &str, version: &str, port: u16) -> Vec<u8> {
    let text = format!("ServerName;{server};InstanceName;{instance};IsClustered;No;Version;{version};tcp;{port};;");
    let bytes = &text.as_bytes()[..text.len().min(1024)];
    let mut out = vec![ANSWER];
    out.extend_from_slice(&(bytes.len() as u16).to_le_bytes());
    out.extend_from_slice(bytes);
    out
}

/// What an answer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answered {
    /// The instance's TCP port.
    Port(u16),
    /// The instance is there and listens on no TCP port.
    NoTcp,
    /// Not an answer, or one for another instance.
    Nothing,
}

/// Reads an answer. The server's name in it is not believed: only the port is taken.
pub fn decode_answer(datagram: &[u8], instance: &str) -> Answered {
    let Some((&[ANSWER, a, b], text)) = datagram.split_first_chunk::<3>() else { return Answered::Nothing };
    let length = usize::from(u16::from_le_bytes([a, b]));
    let Some(text) = text.get(..length) else { return Answered::Nothing };
    let text = String::from_utf8_lossy(text);
    let mut words = text.split(';');
    let mut named = false;
    let mut port = Answered::NoTcp;
    while let (Some(key), Some(value)) = (words.next(), words.next()) {
        match key.to_ascii_lowercase().as_str() {
            // One instance's list ends with an empty key.
            "" => break,
            "instancename" => named = value.eq_ignore_ascii_case(instance),
            "tcp" => port = value.parse().ok().filter(|p| *p > 0).map_or(Answered::NoTcp, Answered::Port),
            _ => {}
        }
    }
    if named { port } else { Answered::Nothing }
}
