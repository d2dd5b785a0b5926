//! Records and their values, copied in both directions: what is lent is lent for one call only.

use super::abi;

/// A secret that the host holds. It can be sent, stored and combined, but not seen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Secret(pub u64);

/// A value of a record.
pub enum Value {
    Text(String),
    Bytes(Vec<u8>),
    Integer(i64),
    Boolean(bool),
    /// Seconds since 1970-01-01T00:00:00Z.
    Instant(i64),
    Secret(Secret),
    List(Fields),
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_string())
    }
}

impl From<Secret> for Value {
    fn from(secret: Secret) -> Value {
        Value::Secret(secret)
    }
}

/// Named values, in order.
#[derive(Default)]
pub struct Fields(pub Vec<(String, Value)>);

impl Fields {
    pub fn new() -> Fields {
        Fields::default()
    }

    /// The same with one more value.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Fields {
        self.0.push((name.to_string(), value.into()));
        self
    }

    /// The first value of that name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|field| field.0 == name).map(|field| &field.1)
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    pub fn bytes(&self, name: &str) -> &[u8] {
        match self.get(name) {
            Some(Value::Bytes(bytes)) => bytes,
            _ => &[],
        }
    }

    pub fn integer(&self, name: &str) -> Option<i64> {
        match self.get(name) {
            Some(Value::Integer(number)) => Some(*number),
            _ => None,
        }
    }

    pub fn secret(&self, name: &str) -> Option<Secret> {
        match self.get(name) {
            Some(Value::Secret(secret)) => Some(*secret),
            _ => None,
        }
    }

    pub fn list(&self, name: &str) -> Option<&Fields> {
        match self.get(name) {
            Some(Value::List(fields)) => Some(fields),
            _ => None,
        }
    }

    /// Lends the record to a function of the host's.
    pub fn lend<R>(&self, body: impl FnOnce(abi::Record) -> R) -> R {
        // The pairs of inner lists are kept beside, and must not move while the record is lent.
        let mut kept = Vec::new();
        let pairs = self.pairs(&mut kept);
        body(record(&pairs))
    }

    fn pairs(&self, kept: &mut Vec<Vec<abi::Pair>>) -> Vec<abi::Pair> {
        let mut pairs = Vec::with_capacity(self.0.len());
        for (name, value) in &self.0 {
            let mut pair = abi::Pair {
                name: slice(name.as_bytes()),
                kind: 0,
                reserved: 0,
                number: 0,
                secret: 0,
                bytes: slice(&[]),
                list: record(&[]),
            };
            match value {
                Value::Text(text) => (pair.kind, pair.bytes) = (abi::TEXT, slice(text.as_bytes())),
                Value::Bytes(bytes) => (pair.kind, pair.bytes) = (abi::BYTES, slice(bytes)),
                Value::Integer(number) => (pair.kind, pair.number) = (abi::INTEGER, *number),
                Value::Boolean(flag) => (pair.kind, pair.number) = (abi::BOOLEAN, *flag as i64),
                Value::Instant(time) => (pair.kind, pair.number) = (abi::INSTANT, *time),
                Value::Secret(secret) => (pair.kind, pair.secret) = (abi::SECRET, secret.0),
                Value::List(fields) => {
                    let inner = fields.pairs(kept);
                    (pair.kind, pair.list) = (abi::LIST, record(&inner));
                    kept.push(inner);
                }
            }
            pairs.push(pair);
        }
        pairs
    }
}

fn slice(bytes: &[u8]) -> abi::Slice {
    abi::Slice { ptr: bytes.as_ptr(), len: bytes.len() as u64 }
}

fn record(pairs: &[abi::Pair]) -> abi::Record {
    abi::Record {
        pairs: pairs.as_ptr(),
        count: pairs.len() as u32,
        pair_size: std::mem::size_of::<abi::Pair>() as u32,
    }
}

/// Copies bytes that the host lends.
///
/// # Safety
/// The slice is one that the host passed, and is lent still.
pub unsafe fn bytes(slice: abi::Slice) -> Vec<u8> {
    if slice.ptr.is_null() || slice.len == 0 {
        return Vec::new();
    }
    std::slice::from_raw_parts(slice.ptr, slice.len as usize).to_vec()
}

/// Copies text that the host lends.
///
/// # Safety
/// As with [`bytes`].
pub unsafe fn text(slice: abi::Slice) -> String {
    String::from_utf8_lossy(&bytes(slice)).into_owned()
}

/// Copies a record that the host lends. A kind that is not known is left out, as an unknown field is.
///
/// # Safety
/// As with [`bytes`].
pub unsafe fn read(record: abi::Record) -> Fields {
    let mut fields = Fields::new();
    for index in 0..record.count as usize {
        // A host that has grown has larger pairs, so they are never stepped over by the size that is known here.
        let at = (record.pairs as *const u8).add(index * record.pair_size as usize);
        let pair = &*(at as *const abi::Pair);
        let value = match pair.kind {
            abi::TEXT => Value::Text(text(pair.bytes)),
            abi::BYTES => Value::Bytes(bytes(pair.bytes)),
            abi::INTEGER => Value::Integer(pair.number),
            abi::BOOLEAN => Value::Boolean(pair.number != 0),
            abi::INSTANT => Value::Instant(pair.number),
            abi::SECRET => Value::Secret(Secret(pair.secret)),
            abi::LIST => Value::List(read(pair.list)),
            _ => continue,
        };
        fields.0.push((text(pair.name), value));
    }
    fields
}
