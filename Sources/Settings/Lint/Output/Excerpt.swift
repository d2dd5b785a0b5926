internal import Basics

/// The line that a finding is about, as it may be shown, with marks below the place: without control characters, cut to
/// a window around the place, and with the values of secrets masked.
struct Excerpt {
  /// The most scalars of a line that are shown.
  static let width = 100

  /// The line.
  let line: String
  /// Blanks and carets.
  let marks: String

  /// `masked` is the part of the line, as offsets into its bytes, in whose place a mask stands; `range` the part that is
  /// meant.
  init(_ bytes: ArraySlice<UInt8>, range: Range<Int>, masked: Range<Int>?) {
    var pieces: [(text: String, isMeant: Bool)] = []
    // Of a line of a million characters only the window is looked at.
    var offset = max(bytes.startIndex, min(range.lowerBound, bytes.endIndex) - Excerpt.width * 3)
    while offset > bytes.startIndex, offset < bytes.endIndex, bytes[offset] & 0xC0 == 0x80 { offset -= 1 }
    let isCut = offset > bytes.startIndex
    var firstMeant: Int?
    func isMeant(_ start: Int, _ end: Int) -> Bool {
      range.isEmpty
        ? start <= range.lowerBound && range.lowerBound < end : start < range.upperBound && range.lowerBound < end
    }
    while offset < bytes.endIndex {
      if let firstMeant, pieces.count > firstMeant + Excerpt.width { break }
      let start = offset
      let text: String
      if let masked, masked.contains(offset) {
        text = Resolution.mask
        offset = max(masked.upperBound, offset + 1)
      } else {
        offset += 1
        while offset < bytes.endIndex, bytes[offset] & 0xC0 == 0x80, offset < start + 4 { offset += 1 }
        text = Excerpt.shown(bytes[start..<offset])
      }
      let meant = isMeant(start, offset)
      if meant, firstMeant == nil { firstMeant = pieces.count }
      pieces.append((text, meant))
    }
    if firstMeant == nil { pieces.append(("", true)) }
    let focus = firstMeant ?? pieces.count - 1
    let from = focus < Excerpt.width * 3 / 4 ? 0 : focus - Excerpt.width / 4
    let isCutBefore = isCut || from > 0
    let shown = pieces[from...].prefix(Excerpt.width)
    var line = isCutBefore ? "\u{2026}" : "", marks = isCutBefore ? " " : ""
    for (text, isMeant) in shown {
      line += text
      marks += String(repeating: isMeant ? "^" : " ", count: max(text.unicodeScalars.count, isMeant ? 1 : 0))
    }
    if from + shown.count < pieces.count || offset < bytes.endIndex { line += "\u{2026}" }
    while marks.last == " " { marks.removeLast() }
    while line.last == " " { line.removeLast() }
    (self.line, self.marks) = (line, marks)
  }

  /// One scalar as it may be shown; a tab is a blank, so that marks stay below their place.
  private static func shown(_ scalar: ArraySlice<UInt8>) -> String {
    guard scalar.count == 1, let byte = scalar.first else { return OutsideText.clean(bytes: scalar) }
    if byte == Byte.tab { return " " }
    return (0x20..<0x7F).contains(byte) ? String(Unicode.Scalar(byte)) : OutsideText.clean(bytes: scalar)
  }
}
