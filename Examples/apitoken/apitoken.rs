//! apitoken: a token that somebody was given, such as a service, exchanged for a session of the gateway. The gateway takes it
//! as `Authorization: Bearer` and says whose it is. The token goes from the person to the host and from the host to the
//! gateway and the vault; this code holds a handle.

mod mfs;

use mfs::gateway::{self, Session};
use mfs::{Call, Failure, Fields, Host, Reason, Secret, Value};

// Stored under this name of the strategy's own, so that a logout removes it.
const STORED: &str = "auth.plugin.apitoken.token";

fn login(call: &Call, host: &Host) -> Result<Fields, Failure> {
    let token = host
        .ask_secret("API token")?
        .ok_or_else(|| Failure::new(Reason::BadCredentials, "The token is empty."))?;
    let session = open(call, host, token)?;
    let user = session.user.clone().ok_or_else(|| {
        Failure::new(Reason::ProtocolViolation, "The gateway does not say whose session it is.")
    })?;
    // A token says itself whose it is: another name than the one that was asked for is a mistake of somebody's.
    if call.identifier.as_ref().map_or(false, |wanted| *wanted != user) {
        gateway::close(call, host, Value::from(session.cookie_name.as_str()), session.id)?;
        return Err(Failure::new(Reason::Refused, format!("The token is {}'s.", user)));
    }
    Ok(session.add_to(Fields::new().with("identifier", user.as_str()).with("plugin.token", token)))
}

fn refresh(call: &Call, host: &Host) -> Result<Fields, Failure> {
    match host.stored(STORED)? {
        Some(token) => Ok(open(call, host, token)?.add_to(Fields::new())),
        None => Err(Failure::new(Reason::InteractionNeeded, "No token is stored; signing in again is the only way.")),
    }
}

fn logout(call: &Call, host: &Host) -> Result<Fields, Failure> {
    gateway::close_session(call, host)?;
    Ok(Fields::new())
}

fn open(call: &Call, host: &Host, token: Secret) -> Result<Session, Failure> {
    let authorization = host.join(vec![Value::from("Bearer "), Value::Secret(token)])?;
    gateway::open_session(call, host, authorization)
}

mfs::strategy!("apitoken", "1.0.0", login: login, refresh: refresh, logout: logout);
