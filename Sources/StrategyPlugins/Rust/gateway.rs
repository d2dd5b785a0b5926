//! Sessions of a Couchbase Sync Gateway.
//!
//! The manifest needs POST and DELETE to `setting:EXPO_PUBLIC_SG_URL`, the settings EXPO_PUBLIC_SG_URL and
//! EXPO_PUBLIC_SG_DB, and to close a session the use of auth.sessionId and auth.cookieName.

use super::{Call, Failure, Fields, Host, Reason, Secret, Value};

/// A session that was opened.
pub struct Session {
    pub id: Secret,
    pub cookie_name: String,
    /// Seconds since 1970; None: not known.
    pub expires: Option<i64>,
    /// Whose session the gateway says that it is.
    pub user: Option<String>,
}

impl Session {
    /// The result's fields with those of the session.
    pub fn add_to(&self, fields: Fields) -> Fields {
        let fields = fields
            .with("session", "cookie")
            .with("sessionId", self.id)
            .with("cookieName", self.cookie_name.as_str());
        match self.expires {
            Some(time) => fields.with("sessionExpiresAt", Value::Instant(time)),
            None => fields,
        }
    }
}

/// Opens a session with the value of an Authorization header: POST with an empty body.
pub fn open_session(call: &Call, host: &Host, authorization: Secret) -> Result<Session, Failure> {
    let answer = send(call, host, "POST", "Authorization", authorization)?;
    let status = answer.integer("status").unwrap_or(0);
    if !(200..300).contains(&status) {
        return Err(refusal(status, &answer));
    }
    let database = call.required("EXPO_PUBLIC_SG_DB")?;
    let cookie = texts(&answer, "set-cookie")
        .filter_map(Cookie::parse)
        .filter(|cookie| cookie.name == USUAL_NAME || cookie.path == format!("/{}", database))
        .max_by_key(|cookie| cookie.name == USUAL_NAME);
    let cookie = match cookie {
        Some(cookie) => cookie,
        None => {
            return Err(Failure {
                status,
                ..Failure::new(Reason::ProtocolViolation, "The gateway's answer has no session.")
            })
        }
    };
    let expires = match cookie.max_age {
        Some(seconds) => Some(host.now()? + seconds),
        None => cookie.expires,
    };
    Ok(Session {
        id: host.make_secret(cookie.value.as_bytes())?,
        cookie_name: cookie.name.to_string(),
        expires,
        user: user(&String::from_utf8_lossy(answer.bytes("body"))),
    })
}

/// Closes the stored session: DELETE with its cookie. One that the gateway does not know any more is closed.
pub fn close_session(call: &Call, host: &Host) -> Result<(), Failure> {
    let id = match host.stored("auth.sessionId")? {
        Some(id) => id,
        // Without a session there is nobody to tell.
        None => return Ok(()),
    };
    let name = host.stored("auth.cookieName")?.map_or(Value::from(USUAL_NAME), Value::Secret);
    close(call, host, name, id)
}

/// Closes a session that is known by its cookie.
pub fn close(call: &Call, host: &Host, name: Value, id: Secret) -> Result<(), Failure> {
    let cookie = host.join(vec![name, Value::from("="), Value::Secret(id)])?;
    let answer = send(call, host, "DELETE", "Cookie", cookie)?;
    match answer.integer("status").unwrap_or(0) {
        200..=299 | 401 | 404 => Ok(()),
        status => Err(refusal(status, &answer)),
    }
}

const USUAL_NAME: &str = "SyncGatewaySession";

fn send(call: &Call, host: &Host, method: &str, header: &str, secret: Secret) -> Result<Fields, Failure> {
    let database = call.required("EXPO_PUBLIC_SG_DB")?;
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-';
    if !database.bytes().all(is_plain) {
        return Err(Failure::new(Reason::BadSettings, "EXPO_PUBLIC_SG_DB is not the name of a database."));
    }
    let base = call.required("EXPO_PUBLIC_SG_URL")?;
    let (scheme, rest) = base.split_once("://").unwrap_or(("", ""));
    // ws and wss are what a replicator speaks; a session is opened over http and https.
    let scheme = match scheme.to_ascii_lowercase().as_str() {
        "wss" | "https" => "https",
        "ws" | "http" => "http",
        _ => {
            let text = "EXPO_PUBLIC_SG_URL is not a ws, wss, http or https URL.";
            return Err(Failure::new(Reason::BadSettings, text));
        }
    };
    let url = format!("{}://{}/{}/_session", scheme, rest.trim_end_matches('/'), database);
    host.send(method, &url, Fields::new().with(header, secret).with("Accept", "application/json"))
}

fn refusal(status: i64, answer: &Fields) -> Failure {
    let retry_after = texts(answer, "retry-after").next().and_then(seconds).unwrap_or(-1);
    let (reason, message) = match status {
        401 => (
            Reason::BadCredentials,
            "The gateway rejected the credentials or the name of the database.".to_string(),
        ),
        408 | 425 | 429 | 500..=599 => (Reason::Server, format!("The gateway answered HTTP {}.", status)),
        _ => (Reason::Refused, format!("The gateway answered HTTP {}.", status)),
    };
    Failure { reason, message, status, retry_after }
}

fn texts<'a>(answer: &'a Fields, name: &'a str) -> impl Iterator<Item = &'a str> + 'a {
    let headers = answer.list("headers").map_or(&[][..], |headers| &headers.0[..]);
    headers.iter().filter(move |header| header.0 == name).filter_map(|header| match &header.1 {
        Value::Text(text) => Some(text.as_str()),
        _ => None,
    })
}

/// A Set-Cookie header (RFC 6265).
struct Cookie<'a> {
    name: &'a str,
    value: &'a str,
    path: String,
    max_age: Option<i64>,
    expires: Option<i64>,
}

impl<'a> Cookie<'a> {
    fn parse(line: &'a str) -> Option<Cookie<'a>> {
        let mut parts = line.split(';');
        let (name, value) = parts.next()?.split_once('=')?;
        let mut cookie = Cookie { name, value, path: String::new(), max_age: None, expires: None };
        if name.is_empty() || value.is_empty() {
            return None;
        }
        for part in parts {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            match name.trim().to_ascii_lowercase().as_str() {
                "path" => cookie.path = value.to_string(),
                "max-age" => cookie.max_age = seconds(value),
                "expires" => cookie.expires = date(value),
                _ => {}
            }
        }
        Some(cookie)
    }
}

/// Whole seconds, 0 to a year.
fn seconds(text: &str) -> Option<i64> {
    text.parse().ok().filter(|seconds| (0..=31_536_000).contains(seconds))
}

/// The moment of a date of a cookie or of HTTP, `Fri, 04 Sep 2037 18:00:00 GMT`.
fn date(text: &str) -> Option<i64> {
    let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let words: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if words.len() < 7 {
        return None;
    }
    let month = months.iter().position(|month| words[2].eq_ignore_ascii_case(month))? as i64;
    let number = |index: usize, range: std::ops::RangeInclusive<i64>| {
        words[index].parse().ok().filter(|number| range.contains(number))
    };
    let (day, year): (i64, i64) = (number(1, 1..=31)?, number(3, 1970..=9999)?);
    let (hour, minute, second) = (number(4, 0..=23)?, number(5, 0..=59)?, number(6, 0..=60)?);
    // Days since 1970 of a Gregorian date; the year begins in March, so that a leap day is its last.
    let (y, m) = if month < 2 { (year - 1, month + 10) } else { (year, month - 2) };
    let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719_468;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

/// The name in `"userCtx":{...,"name":"alice"...}`; None for one that has an escape, which a gateway's names do not.
fn user(body: &str) -> Option<String> {
    let context = body.split_once("\"userCtx\"")?.1;
    let name = context.split_once("\"name\"")?.1.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let name = name.split_once('"')?.0;
    if name.is_empty() || name.contains('\\') { None } else { Some(name.to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read() {
        assert_eq!(date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(date("Fri, 04 Sep 2037 18:00:00 GMT"), Some(2_135_700_000));
        assert_eq!(date("Fri, 04-Sep-2037 18:00:00 GMT"), Some(2_135_700_000));
        assert_eq!(date("Tue, 29 Feb 2028 23:59:59 GMT"), Some(1_835_481_599));
        assert_eq!(date("Wed, 01 Mar 2028 00:00:00 GMT"), Some(1_835_481_600));
        for wrong in ["", "soon", "Fri, 04 Xyz 2037 18:00:00 GMT", "Fri, 32 Jan 2037 18:00:00 GMT", "Fri, 04 Sep"] {
            assert_eq!(date(wrong), None, "{}", wrong);
        }
        assert_eq!((seconds("60"), seconds("-1"), seconds("x"), seconds("31536001")), (Some(60), None, None, None));
    }

    #[test]
    fn cookies_are_read() {
        let cookie = Cookie::parse("a=b=c; Path=/mfs; Max-Age=60; HttpOnly").unwrap();
        assert_eq!((cookie.name, cookie.value, cookie.path.as_str(), cookie.max_age), ("a", "b=c", "/mfs", Some(60)));
        for wrong in ["", "=", "=x", "a=", "a", ";;"] {
            assert!(Cookie::parse(wrong).is_none(), "{}", wrong);
        }
    }

    #[test]
    fn the_user_is_read() {
        let body = r#"{"ok":true,"userCtx":{"channels":{"!":1},"name":"alice"}}"#;
        assert_eq!(user(body), Some("alice".to_string()));
        for wrong in ["", "{}", r#"{"name":"x"}"#, r#"{"userCtx":{"name":null}}"#, r#"{"userCtx":{"name":"a\"b"}}"#] {
            assert_eq!(user(wrong), None, "{}", wrong);
        }
    }
}
