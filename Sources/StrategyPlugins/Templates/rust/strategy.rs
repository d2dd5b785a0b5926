//! mystrategy: a name and a password, exchanged for a session of the gateway. The password goes from the person to the host
//! and from the host to the gateway; this code holds a handle.

mod mfs;

use mfs::gateway;
use mfs::{Call, Failure, Fields, Host, Reason, Value};

fn login(call: &Call, host: &Host) -> Result<Fields, Failure> {
    let question = call.setting("EXPO_PUBLIC_MYSTRATEGY_QUESTION").unwrap_or("User name");
    let identifier = match &call.identifier {
        Some(known) => known.clone(),
        None => host.ask(question)?,
    };
    if identifier.is_empty() {
        return Err(Failure::new(Reason::BadCredentials, "The name is empty."));
    }
    let password = host
        .ask_secret("Password")?
        .ok_or_else(|| Failure::new(Reason::BadCredentials, "The password is empty."))?;
    let authorization = host.basic(identifier.as_str(), password)?;
    let session = gateway::open_session(call, host, authorization)?;
    Ok(session.add_to(Fields::new().with("identifier", identifier.as_str()).with("password", password)))
}

fn refresh(call: &Call, host: &Host) -> Result<Fields, Failure> {
    let (identifier, password) = match (host.stored("auth.identifier")?, host.stored("auth.password")?) {
        (Some(identifier), Some(password)) => (identifier, password),
        _ => {
            let text = "No password is stored; signing in again is the only way.";
            return Err(Failure::new(Reason::InteractionNeeded, text));
        }
    };
    let authorization = host.basic(Value::Secret(identifier), password)?;
    Ok(gateway::open_session(call, host, authorization)?.add_to(Fields::new()))
}

fn logout(call: &Call, host: &Host) -> Result<Fields, Failure> {
    gateway::close_session(call, host)?;
    Ok(Fields::new())
}

mfs::strategy!("mystrategy", "0.1.0", login: login, refresh: refresh, logout: logout);
