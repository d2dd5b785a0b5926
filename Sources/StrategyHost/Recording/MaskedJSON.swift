internal import Basics
internal import SecureMemory

/// Masks the values of a JSON document without a copy of any of them outside of guarded memory: only what may be kept is
/// ever made a text.
@safe struct MaskedJSON {
  private let bytes: UnsafeRawBufferPointer
  /// Keeps what was masked out of other texts.
  private let hide: (SecureBox) -> Void
  /// What stands in place of the next masked value.
  private let placeholder: () -> String
  /// A kept text, with known secrets in it masked.
  private let scrub: (String) -> String
  /// Whether a member's name holds nothing that is to be masked.
  private let isPlain: (String) -> Bool

  private let size: Int
  private var at = 0
  private var out = ""
  private var key = ""
  /// The open objects and arrays, and the name that an array's items go by.
  private var open: [(isObject: Bool, key: String)] = []
  private var expectsName = false

  private init(
    _ bytes: UnsafeRawBufferPointer, hide: @escaping (SecureBox) -> Void,
    placeholder: @escaping () -> String, scrub: @escaping (String) -> String, isPlain: @escaping (String) -> Bool
  ) {
    unsafe self.bytes = bytes
    size = bytes.count
    self.hide = hide
    self.placeholder = placeholder
    self.scrub = scrub
    self.isPlain = isPlain
  }

  /// The masked document; nil when it is not a JSON object of at most 1 MiB.
  static func masked(
    _ bytes: UnsafeRawBufferPointer, hide: @escaping (SecureBox) -> Void,
    placeholder: @escaping () -> String, scrub: @escaping (String) -> String, isPlain: @escaping (String) -> Bool
  ) -> String? {
    // It is well formed from here on, so that the walk below need not look at every mistake.
    guard (try? unsafe JSONReader.members(bytes)) != nil else { return nil }
    var mask = unsafe MaskedJSON(bytes, hide: hide, placeholder: placeholder, scrub: scrub, isPlain: isPlain)
    mask.walk()
    return mask.out
  }

  private mutating func walk() {
    while at < size {
      let byte = unsafe bytes[at]
      switch byte {
      case 0x7B:
        begin(isObject: true, "{")
      case 0x5B:
        begin(isObject: false, "[")
      case 0x7D, 0x5D:
        end(byte == 0x7D ? "}" : "]")
      case 0x2C:
        out += ","
        expectsName = open.last?.isObject ?? false
        if let last = open.last, !last.isObject { key = last.key }
        at += 1
      case 0x3A:
        out += ":"
        at += 1
      case 0x22: string()
      case 0x20, 0x09, 0x0A, 0x0D: at += 1
      default: scalar()
      }
    }
  }

  private mutating func begin(isObject: Bool, _ sign: String) {
    out += sign
    open.append((isObject, key))
    expectsName = isObject
    at += 1
  }

  private mutating func end(_ sign: String) {
    out += sign
    if let last = open.popLast() { key = last.key }
    expectsName = false
    at += 1
  }

  private mutating func string() {
    let start = at + 1
    at = start
    while at < size, unsafe bytes[at] != 0x22 { at += unsafe bytes[at] == 0x5C ? 2 : 1 }
    let content = unsafe UnsafeRawBufferPointer(rebasing: bytes[min(start, size)..<min(at, size)])
    at += 1
    let text: String
    if expectsName {
      expectsName = false
      let name = unsafe content.count <= 32 ? String(decoding: content, as: UTF8.self) : ""
      let isKept = !name.isEmpty && RecordingRules.isWord(name) && isPlain(name)
      if !isKept { unsafe conceal(content) }
      key = name
      text = isKept ? name : placeholder()
    } else {
      text = unsafe value(content)
    }
    out += JSONValue.string(text).text
  }

  private func value(_ content: UnsafeRawBufferPointer) -> String {
    let treatment = RecordingRules.treatment(of: key)
    if treatment != .mask, content.count <= 2_048 {
      // Slashes are often escaped; with any other escape it is not looked into.
      let text = unsafe String(decoding: content, as: UTF8.self).replacing("\\/", with: "/")
      if !text.contains("\\") {
        if treatment == .keep { return scrub(text) }
        if let place = RecordingRules.place(text) { return scrub(place) }
      }
    }
    guard content.count > 0 else { return "" }
    unsafe conceal(content)
    return placeholder()
  }

  private func conceal(_ content: UnsafeRawBufferPointer) {
    if let copy = try? unsafe SecureBytes(copying: content) { hide(SecureBox(copy)) }
  }

  // A number, true, false or null.
  private mutating func scalar() {
    let start = at
    while at < size, unsafe ![0x2C, 0x7D, 0x5D, 0x20, 0x09, 0x0A, 0x0D].contains(bytes[at]) { at += 1 }
    let content = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<at])
    let isNumber = unsafe content.first.map { $0 == 0x2D || (0x30...0x39).contains($0) } ?? false
    if isNumber, RecordingRules.treatment(of: key) != .keep {
      unsafe conceal(content)
      out += "0"
    } else {
      out += unsafe String(decoding: content, as: UTF8.self)
    }
  }
}
