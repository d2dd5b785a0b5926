internal import CMicroHTTPD
internal import Glibc

/// The place of a request's head in memory, followed from part to part, to see that it is nothing but a request line and the fields that the
/// library names, each line ended by CR LF (RFC 9112 2.1).
///
/// The library takes more, and drops what it does not understand: it joins a folded line to the name before it (5.2), and ends the head at a
/// line that begins with a colon or a zero, so that what follows is the next request; a zero ends a value. A proxy in front may read all that
/// otherwise. But it leaves the parts where they were received, with zeros for what stood between them, and tells how long the head was:
/// whatever it dropped is a gap.
struct RequestHead {
  private let start: UInt
  /// Where the next line begins; nil after a gap.
  private var next: UInt?

  /// A request line, whose target had `targetSize` bytes.
  init(
    method: UnsafePointer<CChar>?, target: UnsafePointer<CChar>?, targetSize: Int, version: UnsafePointer<CChar>?
  ) {
    start = unsafe RequestHead.address(method)
    guard let method = unsafe method, let version = unsafe version else { return }
    let targetPlace = unsafe RequestHead.address(target), versionPlace = unsafe RequestHead.address(version)
    // One blank between the parts, as RFC 9112 3 has it.
    guard targetPlace == start &+ UInt(unsafe strlen(method)) &+ 1,
      versionPlace == targetPlace &+ UInt(targetSize) &+ 1
    else { return }
    next = versionPlace &+ UInt(unsafe strlen(version)) &+ 2
  }

  /// The next field; the blanks before a value are no part of it, those after it are.
  mutating func add(name: UnsafePointer<CChar>?, _ nameSize: Int, value: UnsafePointer<CChar>?, _ valueSize: Int) {
    let namePlace = unsafe RequestHead.address(name), valuePlace = unsafe RequestHead.address(value)
    guard let place = next, place == namePlace, valuePlace > namePlace &+ UInt(nameSize) else {
      next = nil
      return
    }
    next = valuePlace &+ UInt(valueSize) &+ 2
  }

  /// Whether that is all of a head of so many bytes, but for the empty line at its end.
  func isWhole(size: Int) -> Bool { next.map { $0 &- start &+ 2 == UInt(bitPattern: size) } ?? false }

  private static func address(_ pointer: UnsafePointer<CChar>?) -> UInt { UInt(bitPattern: pointer) }
}
