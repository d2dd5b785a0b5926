import TestSupport

/// A generator of env files that hold secrets and then were damaged.
struct DamagedFile {
  private var random: SeededGenerator
  private var secrets: [[UInt8]] = []
  private lazy var windows = Set(
    secrets.flatMap { secret in (0...(secret.count - 6)).map { DamagedFile.window(secret, $0) } })
  /// The file as pieces; line ends may not be put into a name, since nobody can tell then that it was one.
  private var pieces: [(bytes: [UInt8], isName: Bool)] = []

  init(seed: UInt64) { random = SeededGenerator(seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678) }

  /// The first six bytes of a secret that stand in a text; nil when there are none.
  mutating func shownPart(of text: String) -> String? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 6 else { return nil }
    for start in 0...(bytes.count - 6) where windows.contains(DamagedFile.window(bytes, start)) {
      return String(decoding: bytes[start..<start + 6], as: UTF8.self)
    }
    return nil
  }

  private static func window(_ bytes: [UInt8], _ start: Int) -> UInt64 {
    bytes[start..<start + 6].reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func make() -> [UInt8] {
    for _ in 0..<2 + below(5) { if below(2) == 0 { addSecret() } else { addPlain() } }
    if secrets.isEmpty { addSecret() }
    for _ in 0..<1 + below(5) { damage() }
    return pieces.flatMap(\.bytes)
  }

  private mutating func addSecret() {
    let name = pick(["DB_PASSWORD", "API_TOKEN", "AUTH_SECRET", "db.password", "PASSWORD", "SMTP_PASS", "my-api-key"])
    let form = pick([
      "@=#", "@=\"#\"", "@='#'", "@=`#`", "@=\"#|#|#\"", "@='#|#'", "@: #", "@:#", "@: \"#\"", "@ = #",
      "@=#|#", "@= |#", "@:|#", "export @=#", "export @='#'", "@=\"#", "@='#|#", "@=# # #",
    ])
    for byte in form.utf8 {
      switch byte {
      case UInt8(ascii: "@"): pieces.append((Array(name.utf8), true))
      case UInt8(ascii: "#"):
        var secret: [UInt8] = []
        for _ in 0..<12 + below(24) { secret.append(pick(DamagedFile.letters)) }
        secrets.append(secret)
        pieces.append((secret, false))
      case UInt8(ascii: "|"): pieces.append(([0x0A], false))
      default: pieces.append(([byte], false))
      }
    }
    pieces.append(([0x0A], false))
  }

  private mutating func addPlain() {
    let line = pick([
      "EXPO_PUBLIC_SG_DB=mfs", "TOOL=1", "# a note", "URL=http://$HOST/x", "NAME: value", "QUOTED=\"a b\"",
      "export X=", "D= ", "", "  # c=1", "TOOL=$X", "S='it'", "LAST=\"", "word", "EXPO_PUBLIC_AUTH_STRATEGY=demo",
    ])
    pieces.append((Array((line + "\n").utf8), false))
  }

  private mutating func damage() {
    let ends = pieces.indices.filter { pieces[$0].bytes.last == 0x0A }
    switch below(8) {
    case 0: if let end = ends.randomElement(using: &self) { replaceLineEnd(end, [0x0D]) }
    case 1: if let end = ends.randomElement(using: &self) { replaceLineEnd(end, [0x0D, 0x0A]) }
    case 2: insert(pick([[0x22], [0x27], [0x60]]), intoNames: true)
    case 3: insert([0x3A], intoNames: true)
    case 4: insert(pick([[0x0D], [0x0D, 0x0D], [0]]), intoNames: true)
    case 5: insert(pick([[0x0D, 0x0A], [0x0A]]), intoNames: false)
    case 6: insert(pick([Array("#".utf8), [0xEF, 0xBB, 0xBF], Array(" # ".utf8)]), intoNames: true)
    default:
      let word = pick(["export ", "\u{FEFF}", "#", "# ", "  ", "\""])
      let start = ends.randomElement(using: &self).map { $0 + 1 } ?? 0
      pieces.insert((Array(word.utf8), false), at: below(2) == 0 ? 0 : start)
    }
  }

  private mutating func replaceLineEnd(_ index: Int, _ end: [UInt8]) {
    pieces[index].bytes = pieces[index].bytes.dropLast() + end
  }

  private mutating func insert(_ bytes: [UInt8], intoNames: Bool) {
    let index = below(pieces.count)
    guard intoNames || !pieces[index].isName else { return }
    pieces[index].bytes.insert(contentsOf: bytes, at: below(pieces[index].bytes.count + 1))
  }

  private static let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)

  private mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(max(limit, 1))) }
  private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}

extension DamagedFile: RandomNumberGenerator {
  mutating func next() -> UInt64 { random.next() }
}
