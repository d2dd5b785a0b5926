//! A login strategy in Rust, over the C interface of `mfs_strategy.h`. A plugin is one function for each operation and one
//! table; nothing in it is unsafe:
//!
//! ```ignore
//! fn login(call: &Call, host: &Host) -> Result<Fields, Failure> { ... }
//! mfs::strategy!("badge", "1.0.0", login: login);
//! ```
//!
//! An operation runs to its end on one thread. It never prints, opens nothing and keeps nothing: the process ends with it.
//! A panic ends the process too (`-C panic=abort`), and the user is told that the plugin failed.
#![allow(dead_code)]

pub mod abi;
pub mod gateway;
pub mod host;
pub mod value;

pub use host::Host;
pub use value::{Fields, Secret, Value};

/// Why an operation failed; the numbers are those of `mfs_reason_t`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    BadSettings = 1,
    BadCredentials = 2,
    InteractionNeeded = 3,
    Network = 4,
    Server = 5,
    ProtocolViolation = 6,
    Refused = 7,
    Cancelled = 8,
    Denied = 9,
    Internal = 10,
}

/// What a person is told, without a secret.
pub struct Failure {
    pub reason: Reason,
    pub message: String,
    /// The HTTP status that led to it; 0: none.
    pub status: i64,
    /// Seconds to wait, as the server said; -1: it did not.
    pub retry_after: i64,
}

impl Failure {
    pub fn new(reason: Reason, message: impl Into<String>) -> Failure {
        Failure { reason, message: message.into(), status: 0, retry_after: -1 }
    }
}

/// What an operation is given.
pub struct Call {
    /// Who signs in, when that is known beforehand.
    pub identifier: Option<String>,
    settings: Fields,
}

impl Call {
    /// A setting; None when it is absent or empty.
    pub fn setting(&self, name: &str) -> Option<&str> {
        self.settings.text(name).filter(|text| !text.is_empty())
    }

    /// A setting that must be there.
    pub fn required(&self, name: &str) -> Result<&str, Failure> {
        self.setting(name).ok_or_else(|| Failure::new(Reason::BadSettings, format!("{} is not set", name)))
    }
}

/// Runs an operation of the plugin's and reports what came of it.
///
/// # Safety
/// The pointers are those that the host passes to an operation.
pub unsafe fn run(
    host: *const abi::Host,
    call: *const abi::Call,
    sink: *const abi::Sink,
    operation: fn(&Call, &Host) -> Result<Fields, Failure>,
) {
    let given = &*call;
    let identifier =
        if given.identifier.ptr.is_null() { None } else { Some(value::text(given.identifier)) };
    let request = Call { identifier, settings: value::read(given.settings) };
    let sink = &*sink;
    match operation(&request, &Host::new(host)) {
        Ok(fields) => fields.lend(|record| (sink.success)(sink.context, record)),
        Err(failure) => {
            let lent = abi::Failure {
                struct_size: std::mem::size_of::<abi::Failure>() as u32,
                reason: failure.reason as u32,
                message: abi::Slice { ptr: failure.message.as_ptr(), len: failure.message.len() as u64 },
                http_status: failure.status,
                retry_after: failure.retry_after,
            };
            (sink.failure)(sink.context, &lent)
        }
    }
}

/// Makes the table and the exported function. `login` is always there; `refresh` and `logout` when the manifest lists them.
macro_rules! strategy {
    ($name:literal, $version:literal, login: $login:path $(, refresh: $refresh:path)? $(, logout: $logout:path)?) => {
        static TABLE: $crate::mfs::abi::Strategy = $crate::mfs::abi::Strategy {
            struct_size: std::mem::size_of::<$crate::mfs::abi::Strategy>() as u32,
            abi_version: $crate::mfs::abi::VERSION,
            name: $crate::mfs::abi::Slice::of($name),
            version: $crate::mfs::abi::Slice::of($version),
            header: $crate::mfs::abi::Slice::of(""),
            login: $crate::mfs::operation!($login),
            refresh: $crate::mfs::operation!($($refresh)?),
            logout: $crate::mfs::operation!($($logout)?),
        };

        /// What the host calls first.
        #[no_mangle]
        pub extern "C" fn mfs_strategy_entry(newest: u32) -> *const $crate::mfs::abi::Strategy {
            if newest >= $crate::mfs::abi::VERSION { &TABLE } else { std::ptr::null() }
        }
    };
}

macro_rules! operation {
    () => {
        None
    };
    ($function:path) => {{
        unsafe extern "C" fn operation(
            host: *const $crate::mfs::abi::Host,
            call: *const $crate::mfs::abi::Call,
            sink: *const $crate::mfs::abi::Sink,
        ) {
            $crate::mfs::run(host, call, sink, $function)
        }
        Some(operation)
    }};
}

pub(crate) use operation;
pub(crate) use strategy;
