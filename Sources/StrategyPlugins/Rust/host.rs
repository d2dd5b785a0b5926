//! What a strategy can ask of its host. What the manifest does not declare, or the user did not grant, is denied.

use super::{abi, value, Failure, Fields, Reason, Secret, Value};
use std::ffi::c_void;

const NOT_FOUND: u32 = 5;

pub struct Host {
    table: *const abi::Host,
}

impl Host {
    /// # Safety
    /// The table is the host's, and lives as long as the process.
    pub unsafe fn new(table: *const abi::Host) -> Host {
        Host { table }
    }

    fn table(&self) -> &abi::Host {
        unsafe { &*self.table }
    }

    /// Writes a line to the log: 1 debug, 2 info, 3 warning, 4 error. Never log a secret.
    pub fn log(&self, level: u32, text: &str) {
        unsafe { (self.table().log)(self.table().context, level, lent(text)) }
    }

    /// The wall clock, in seconds since 1970.
    pub fn now(&self) -> Result<i64, Failure> {
        let mut seconds = 0;
        let status = unsafe { (self.table().now_wall)(self.table().context, &mut seconds) };
        check(status, None).map(|_| seconds)
    }

    /// Whether the user cancelled or the time is up. A loop that takes long asks.
    pub fn is_cancelled(&self) -> bool {
        unsafe { (self.table().is_cancelled)(self.table().context) != 0 }
    }

    /// Asks a person for what may be seen.
    pub fn ask(&self, question: &str) -> Result<String, Failure> {
        let request = Fields::new().with("text", question).with("secret", Value::Boolean(false));
        let answer = self.call("mfs.prompt/1", 0, &request)?;
        answer.text("text").map(str::to_string).ok_or_else(malformed)
    }

    /// Asks a person for a secret; None when nothing was typed.
    pub fn ask_secret(&self, question: &str) -> Result<Option<Secret>, Failure> {
        let request = Fields::new().with("text", question).with("secret", Value::Boolean(true));
        let answer = self.call("mfs.prompt/1", 0, &request)?;
        if let Some(Value::Boolean(true)) = answer.get("empty") {
            return Ok(None);
        }
        answer.secret("secret").map(Some).ok_or_else(malformed)
    }

    /// A stored value, to be used and not seen; None when nothing is stored.
    pub fn stored(&self, name: &str) -> Result<Option<Secret>, Failure> {
        let (status, answer) = self.try_call("mfs.vault/1", 0, &Fields::new().with("name", name))?;
        if status == NOT_FOUND {
            return Ok(None);
        }
        check(status, answer.text("message"))?;
        answer.secret("secret").map(Some).ok_or_else(malformed)
    }

    /// The host's keeping of bytes that are a secret.
    pub fn make_secret(&self, bytes: &[u8]) -> Result<Secret, Failure> {
        self.secret(0, &Fields::new().with("bytes", Value::Bytes(bytes.to_vec())))
    }

    /// The parts, texts and secrets, as one secret.
    pub fn join(&self, parts: Vec<Value>) -> Result<Secret, Failure> {
        let parts = Fields(parts.into_iter().map(|part| ("part".to_string(), part)).collect());
        self.secret(1, &Fields::new().with("parts", Value::List(parts)))
    }

    /// The value of an Authorization header (RFC 7617); the identifier is a text or a secret.
    pub fn basic(&self, identifier: impl Into<Value>, password: Secret) -> Result<Secret, Failure> {
        self.secret(2, &Fields::new().with("identifier", identifier).with("password", password))
    }

    fn secret(&self, number: usize, request: &Fields) -> Result<Secret, Failure> {
        self.call("mfs.secret/1", number, request)?.secret("secret").ok_or_else(malformed)
    }

    /// Sends a request; the answer has `status`, `headers` and `body`. Redirects are answers.
    pub fn send(&self, method: &str, url: &str, headers: Fields) -> Result<Fields, Failure> {
        let request =
            Fields::new().with("method", method).with("url", url).with("headers", Value::List(headers));
        self.call("mfs.http/1", 0, &request)
    }

    /// Makes the call of a number of an extension.
    pub fn call(&self, extension: &str, number: usize, request: &Fields) -> Result<Fields, Failure> {
        let (status, answer) = self.try_call(extension, number, request)?;
        check(status, answer.text("message"))?;
        Ok(answer)
    }

    /// The same, with the status that it ended with.
    pub fn try_call(&self, extension: &str, number: usize, request: &Fields) -> Result<(u32, Fields), Failure> {
        let function = self.function(extension, number).ok_or_else(|| {
            Failure::new(Reason::Internal, format!("This plugin needs a newer mfsctl: {} is not there.", extension))
        })?;
        let mut answer = Fields::new();
        let receiver = abi::Receiver {
            struct_size: std::mem::size_of::<abi::Receiver>() as u32,
            reserved: 0,
            context: &mut answer as *mut Fields as *mut c_void,
            receive: Some(receive),
        };
        let status = request.lend(|record| unsafe { function(self.table().context, record, &receiver) });
        Ok((status, answer))
    }

    // Every extension begins with its size and a reserved word, and then its calls.
    fn function(&self, extension: &str, number: usize) -> Option<abi::HostCall> {
        let table = unsafe { (self.table().get_extension)(self.table().context, lent(extension)) } as *const u8;
        let (at, size) = (8 + number * std::mem::size_of::<abi::HostCall>(), std::mem::size_of::<abi::HostCall>());
        if table.is_null() || (unsafe { *(table as *const u32) } as usize) < at + size {
            return None;
        }
        unsafe { *(table.add(at) as *const Option<abi::HostCall>) }
    }
}

unsafe extern "C" fn receive(context: *mut c_void, record: abi::Record) {
    *(context as *mut Fields) = value::read(record);
}

fn lent(text: &str) -> abi::Slice {
    abi::Slice { ptr: text.as_ptr(), len: text.len() as u64 }
}

fn malformed() -> Failure {
    Failure::new(Reason::Internal, "The host's answer is malformed.")
}

// What a status means to a strategy that does not know better.
fn check(status: u32, message: Option<&str>) -> Result<(), Failure> {
    let reason = match status {
        0 => return Ok(()),
        1 => Reason::Denied,
        2 => Reason::Cancelled,
        3 | 4 => Reason::Network,
        6 => Reason::InteractionNeeded,
        7 | 10 => Reason::ProtocolViolation,
        9 => Reason::Refused,
        _ => Reason::Internal,
    };
    Err(Failure::new(reason, message.unwrap_or("A call of the host failed.")))
}
