internal import Basics
internal import CSQLite

/// A prepared statement of one connection.
@safe final class Statement {
  private let handle: OpaquePointer

  /// Prepares one statement for many uses.
  init(_ sql: String, on connection: OpaquePointer) throws(Failure) {
    var made: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
    guard code == SQLITE_OK, let made = unsafe made else {
      throw unsafe Database.failure(code, on: connection, doing: "prepare a statement of")
    }
    unsafe handle = made
  }

  deinit { unsafe sqlite3_finalize(handle) }

  /// Gives the parameters their values, the first one first. Returns SQLite's code.
  func bind(_ values: [SQLValue]) -> Int32 {
    var index: Int32 = 0
    for value in values {
      index += 1
      let code: Int32
      switch value {
      case .null: code = unsafe sqlite3_bind_null(handle, index)
      case .integer(let number): code = unsafe sqlite3_bind_int64(handle, index, number)
      case .text(var text):
        code = text.withUTF8 { unsafe mfs_bind_text(handle, index, $0.baseAddress, Int32(clamping: $0.count)) }
      case .blob(let bytes):
        code = unsafe bytes.withUnsafeBytes {
          unsafe mfs_bind_blob(handle, index, $0.baseAddress, Int32(clamping: $0.count))
        }
      }
      if code != SQLITE_OK { return code }
    }
    return SQLITE_OK
  }

  /// Goes on to the next row. Returns SQLite's code.
  func step() -> Int32 { unsafe sqlite3_step(handle) }

  /// Lets go of rows and locks, so that it can be used again.
  func reset() { unsafe sqlite3_reset(handle) }

  func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

  func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  func text(_ column: Int32) -> String {
    guard let start = unsafe sqlite3_column_text(handle, column) else { return "" }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  func blob(_ column: Int32) -> [UInt8] {
    guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }
}
