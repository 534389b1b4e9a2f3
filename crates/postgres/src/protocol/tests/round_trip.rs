//! What the encoders write, the decoders read; cut short anywhere, it is "more bytes are needed" and never an error.

use std::borrow::Cow;

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::backend::{self, AuthRequest, BackendMessage, Column, TransactionStatus, decode_backend};
use super::super::frontend::{
    self, Described, FrontendMessage, StartupRequest, decode_frontend, decode_sasl_initial, decode_startup,
};

/// Text as the protocol can carry it: without zero bytes.
fn text() -> impl Strategy<Value = String> {
    "[^\0]{0,40}"
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..60)
}

fn check_backend(encoded: &[u8], expected: &BackendMessage<'_>) {
    let (message, length) = decode_backend(encoded).unwrap().unwrap();
    assert_eq!((&message, length), (expected, encoded.len()));
    for end in 0..encoded.len() {
        assert_eq!(decode_backend(&encoded[..end]), Ok(None), "cut at {end}");
    }
    let followed = [encoded, b"more"].concat();
    assert_eq!(decode_backend(&followed).unwrap().unwrap().1, encoded.len());
}

fn check_frontend(encoded: &[u8], expected: &FrontendMessage<'_>) {
    let (message, length) = decode_frontend(encoded).unwrap().unwrap();
    assert_eq!((&message, length), (expected, encoded.len()));
    for end in 0..encoded.len() {
        assert_eq!(decode_frontend(&encoded[..end]), Ok(None), "cut at {end}");
    }
}

fn check_startup(encoded: &[u8], expected: &StartupRequest) {
    let (request, length) = decode_startup(encoded).unwrap().unwrap();
    assert_eq!((&request, length), (expected, encoded.len()));
    for end in 0..encoded.len() {
        assert_eq!(decode_startup(&encoded[..end]), Ok(None), "cut at {end}");
    }
}

fn encoded(write: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out);
    out
}

#[test]
fn messages_without_fields() {
    type Write = fn(&mut Vec<u8>);
    let backend: [(Write, BackendMessage<'_>); 10] = [
        (backend::authentication_ok, BackendMessage::Authentication(AuthRequest::Ok)),
        (backend::authentication_cleartext, BackendMessage::Authentication(AuthRequest::CleartextPassword)),
        (backend::empty_query, BackendMessage::EmptyQuery),
        (backend::parse_complete, BackendMessage::ParseComplete),
        (backend::bind_complete, BackendMessage::BindComplete),
        (backend::close_complete, BackendMessage::CloseComplete),
        (backend::no_data, BackendMessage::NoData),
        (backend::portal_suspended, BackendMessage::PortalSuspended),
        (|out| backend::authentication_unsupported(out, 9), BackendMessage::Authentication(AuthRequest::Sspi)),
        (|out| backend::authentication_unsupported(out, 77), BackendMessage::Authentication(AuthRequest::Unknown(77))),
    ];
    for (write, expected) in backend {
        check_backend(&encoded(write), &expected);
    }
    for status in [TransactionStatus::Idle, TransactionStatus::InTransaction, TransactionStatus::Failed] {
        check_backend(&encoded(|out| backend::ready_for_query(out, status)), &BackendMessage::ReadyForQuery(status));
    }
    check_frontend(&encoded(frontend::terminate), &FrontendMessage::Terminate);
    check_frontend(&encoded(frontend::flush), &FrontendMessage::Flush);
    check_frontend(&encoded(frontend::sync), &FrontendMessage::Sync);
    check_startup(&encoded(frontend::ssl_request), &StartupRequest::Ssl);
    check_startup(&encoded(frontend::gss_encryption_request), &StartupRequest::GssEncryption);
}

proptest! {
    #[test]
    fn authentication(salt in any::<[u8; 4]>(), data in bytes(), names in vec("[A-Z0-9-]{1,20}", 0..4)) {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let check = |write: &dyn Fn(&mut Vec<u8>), request| {
            check_backend(&encoded(|out| write(out)), &BackendMessage::Authentication(request));
        };
        check(&|out| backend::authentication_md5(out, salt), AuthRequest::Md5Password { salt });
        check(&|out| backend::authentication_sasl(out, &names), AuthRequest::Sasl { mechanisms: names.clone() });
        check(&|out| backend::authentication_sasl_continue(out, &data), AuthRequest::SaslContinue(&data));
        check(&|out| backend::authentication_sasl_final(out, &data), AuthRequest::SaslFinal(&data));
    }

    #[test]
    fn settings_keys_and_tags(name in text(), value in text(), process_id in any::<i32>(), key in bytes()) {
        check_backend(
            &encoded(|out| backend::parameter_status(out, &name, &value)),
            &BackendMessage::ParameterStatus { name: Cow::from(&name), value: Cow::from(&value) },
        );
        check_backend(
            &encoded(|out| backend::backend_key_data(out, process_id, &key)),
            &BackendMessage::BackendKeyData { process_id, secret_key: &key },
        );
        check_backend(
            &encoded(|out| backend::command_complete(out, &value)),
            &BackendMessage::CommandComplete(Cow::from(&value)),
        );
        check_backend(
            &encoded(|out| backend::negotiate_protocol_version(out, process_id, &[&name, &value])),
            &BackendMessage::NegotiateProtocolVersion {
                minor: process_id,
                unknown_options: vec![Cow::from(&name), Cow::from(&value)],
            },
        );
    }

    #[test]
    fn errors_and_notices(severity in text(), code in text(), message in text(), hint in proptest::option::of(text())) {
        let error = backend::ServerError {
            severity: severity.clone(),
            code: code.clone(),
            message: message.clone(),
            detail: None,
            hint: hint.clone(),
        };
        let hint = hint.as_deref();
        check_backend(
            &encoded(|out| backend::error(out, &severity, &code, &message, hint)),
            &BackendMessage::Error(error.clone()),
        );
        check_backend(
            &encoded(|out| backend::notice(out, &severity, &code, &message, hint)),
            &BackendMessage::Notice(error),
        );
    }

    #[test]
    fn results(
        names in vec(text(), 0..5),
        type_oid in any::<u32>(),
        type_size in any::<i16>(),
        values in vec(proptest::option::of(bytes()), 0..5),
        types in vec(any::<u32>(), 0..5),
    ) {
        let columns: Vec<Column<'_>> =
            names.iter().map(|n| Column { name: Cow::from(n), type_oid, type_size, format: 0 }).collect();
        let description = encoded(|out| backend::row_description(out, &columns));
        check_backend(&description, &BackendMessage::RowDescription(&description[5..]));
        prop_assert_eq!(backend::decode_columns(&description[5..]).unwrap(), columns);

        let values: Vec<Option<&[u8]>> = values.iter().map(Option::as_deref).collect();
        let row = encoded(|out| backend::data_row(out, &values));
        check_backend(&row, &BackendMessage::DataRow(&row[5..]));
        prop_assert_eq!(backend::decode_row(&row[5..]).unwrap(), values);

        let parameters = encoded(|out| backend::parameter_description(out, &types));
        check_backend(&parameters, &BackendMessage::ParameterDescription(&parameters[5..]));
    }

    #[test]
    fn startup(pairs in vec(("[^\0]{1,20}", text()), 0..8), minor in any::<u16>(), process_id in any::<i32>(), key in bytes()) {
        let parameters: Vec<(&str, &str)> = pairs.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        check_startup(
            &encoded(|out| frontend::startup(out, &parameters)),
            &StartupRequest::Startup { major: 3, minor: 0, parameters: pairs.clone() },
        );
        check_startup(
            &encoded(|out| frontend::startup_version(out, 3, minor, &parameters)),
            &StartupRequest::Startup { major: 3, minor, parameters: pairs.clone() },
        );
        check_startup(
            &encoded(|out| frontend::cancel_request(out, process_id, &key)),
            &StartupRequest::Cancel { process_id, secret_key: key.clone() },
        );
    }

    #[test]
    fn passwords(mechanism in text(), data in bytes()) {
        let initial = encoded(|out| frontend::sasl_initial_response(out, &mechanism, &data));
        check_frontend(&initial, &FrontendMessage::Password(&initial[5..]));
        prop_assert_eq!(decode_sasl_initial(&initial[5..]).unwrap(), (mechanism.as_str(), Some(data.as_slice())));
        let later = encoded(|out| frontend::sasl_response(out, &data));
        check_frontend(&later, &FrontendMessage::Password(&data));
        let password = encoded(|out| frontend::password(out, &data));
        check_frontend(&password, &FrontendMessage::Password(&[data.as_slice(), b"\0"].concat()));
    }

    #[test]
    fn queries(
        name in text(),
        query in text(),
        types in vec(any::<u32>(), 0..5),
        formats in vec(any::<i16>(), 0..5),
        values in vec(proptest::option::of(bytes()), 0..5),
        max_rows in any::<i32>(),
    ) {
        check_frontend(&encoded(|out| frontend::query(out, &query)), &FrontendMessage::Query(&query));
        check_frontend(
            &encoded(|out| frontend::parse(out, &name, &query, &types)),
            &FrontendMessage::Parse { statement: &name, query: &query, parameter_types: types.clone() },
        );
        let parameters: Vec<Option<&[u8]>> = values.iter().map(Option::as_deref).collect();
        check_frontend(
            &encoded(|out| frontend::bind(out, &name, &query, &formats, &parameters, &formats)),
            &FrontendMessage::Bind {
                portal: &name,
                statement: &query,
                parameter_formats: formats.clone(),
                parameters: parameters.clone(),
                result_formats: formats.clone(),
            },
        );
        check_frontend(
            &encoded(|out| frontend::execute(out, &name, max_rows)),
            &FrontendMessage::Execute { portal: &name, max_rows },
        );
        for what in [Described::Statement, Described::Portal] {
            check_frontend(
                &encoded(|out| frontend::describe(out, what, &name)),
                &FrontendMessage::Describe { what, name: &name },
            );
            check_frontend(
                &encoded(|out| frontend::close(out, what, &name)),
                &FrontendMessage::Close { what, name: &name },
            );
        }
    }
}
