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
    // What is shown of each scalar, or of the mask: where it ends in `shown`, and how wide it is.
    var shown: [UInt8] = []
    var pieces: [(end: Int, width: Int, isMeant: Bool)] = []
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
      var width = 1
      if let masked, masked.contains(offset) {
        shown += Resolution.mask.utf8
        width = Resolution.mask.utf8.count
        offset = max(masked.upperBound, offset + 1)
      } else {
        offset += 1
        while offset < bytes.endIndex, bytes[offset] & 0xC0 == 0x80, offset < start + 4 { offset += 1 }
        width = Excerpt.append(bytes[start..<offset], to: &shown)
      }
      let meant = isMeant(start, offset)
      if meant, firstMeant == nil { firstMeant = pieces.count }
      pieces.append((shown.count, width, meant))
    }
    if firstMeant == nil { pieces.append((shown.count, 0, true)) }
    let focus = firstMeant ?? pieces.count - 1
    let from = focus < Excerpt.width * 3 / 4 ? 0 : focus - Excerpt.width / 4
    let isCutBefore = isCut || from > 0
    let window = pieces[from...].prefix(Excerpt.width)
    var text = shown[(from == 0 ? 0 : pieces[from - 1].end)..<(window.last?.end ?? shown.count)]
    if from + window.count < pieces.count || offset < bytes.endIndex { text += "\u{2026}".utf8 }
    while text.last == Byte.space { text.removeLast() }
    var marks: [UInt8] = isCutBefore ? [Byte.space] : []
    for piece in window {
      let mark: UInt8 = piece.isMeant ? 0x5E : Byte.space
      marks.append(contentsOf: repeatElement(mark, count: max(piece.width, piece.isMeant ? 1 : 0)))
    }
    while marks.last == Byte.space { marks.removeLast() }
    line = (isCutBefore ? "\u{2026}" : "") + String(decoding: text, as: UTF8.self)
    self.marks = String(decoding: marks, as: UTF8.self)
  }

  /// Appends one scalar as it may be shown and returns its width; a tab is a blank, so that marks stay below their place.
  private static func append(_ scalar: ArraySlice<UInt8>, to shown: inout [UInt8]) -> Int {
    if scalar.count == 1, let byte = scalar.first, byte == Byte.tab || (0x20..<0x7F).contains(byte) {
      shown.append(byte == Byte.tab ? Byte.space : byte)
      return 1
    }
    let text = OutsideText.clean(bytes: scalar)
    shown += text.utf8
    return text.unicodeScalars.count
  }
}
