//! `mfs_strategy.h`, version 1, as Rust sees it: the structures and tables, field by field. Everything is said there.

use std::ffi::c_void;

pub const VERSION: u32 = 1;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Slice {
    pub ptr: *const u8,
    pub len: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Record {
    pub pairs: *const Pair,
    pub count: u32,
    pub pair_size: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Pair {
    pub name: Slice,
    pub kind: u32,
    pub reserved: u32,
    pub number: i64,
    pub secret: u64,
    pub bytes: Slice,
    pub list: Record,
}

pub const TEXT: u32 = 1;
pub const BYTES: u32 = 2;
pub const INTEGER: u32 = 3;
pub const BOOLEAN: u32 = 4;
pub const INSTANT: u32 = 5;
pub const SECRET: u32 = 6;
pub const LIST: u32 = 7;

#[repr(C)]
pub struct Receiver {
    pub struct_size: u32,
    pub reserved: u32,
    pub context: *mut c_void,
    pub receive: Option<unsafe extern "C" fn(*mut c_void, Record)>,
}

#[repr(C)]
pub struct Host {
    pub struct_size: u32,
    pub abi_version: u32,
    pub context: *mut c_void,
    pub log: unsafe extern "C" fn(*mut c_void, u32, Slice),
    pub now_wall: unsafe extern "C" fn(*mut c_void, *mut i64) -> u32,
    pub now_monotonic: unsafe extern "C" fn(*mut c_void, *mut i64) -> u32,
    pub random: unsafe extern "C" fn(*mut c_void, *mut u8, u64) -> u32,
    pub wipe: unsafe extern "C" fn(*mut c_void, *mut c_void, u64),
    pub is_cancelled: unsafe extern "C" fn(*mut c_void) -> u8,
    pub get_extension: unsafe extern "C" fn(*mut c_void, Slice) -> *const c_void,
}

pub type HostCall = unsafe extern "C" fn(*mut c_void, Record, *const Receiver) -> u32;

#[repr(C)]
pub struct Failure {
    pub struct_size: u32,
    pub reason: u32,
    pub message: Slice,
    pub http_status: i64,
    pub retry_after: i64,
}

#[repr(C)]
pub struct Sink {
    pub struct_size: u32,
    pub reserved: u32,
    pub context: *mut c_void,
    pub success: unsafe extern "C" fn(*mut c_void, Record),
    pub failure: unsafe extern "C" fn(*mut c_void, *const Failure),
}

#[repr(C)]
pub struct Call {
    pub struct_size: u32,
    pub operation: u32,
    pub deadline: i64,
    pub identifier: Slice,
    pub settings: Record,
}

pub type Operation = unsafe extern "C" fn(*const Host, *const Call, *const Sink);

/// The plugin's table. A null operation is one that it does not have.
#[repr(C)]
pub struct Strategy {
    pub struct_size: u32,
    pub abi_version: u32,
    pub name: Slice,
    pub version: Slice,
    pub header: Slice,
    pub login: Option<Operation>,
    pub refresh: Option<Operation>,
    pub logout: Option<Operation>,
}

// The texts are constants, and a process has one thread.
unsafe impl Sync for Strategy {}

impl Slice {
    pub const fn of(text: &'static str) -> Slice {
        Slice { ptr: text.as_ptr(), len: text.len() as u64 }
    }
}
