internal import Basics
internal import CYAML

/// What the parser sees next. Text is copied out, so nothing of the C library's outlives a step.
enum Event {
  case documentStart
  case documentEnd
  case scalar(String, isPlain: Bool)
  case sequenceStart
  case sequenceEnd
  case mappingStart
  case mappingEnd
  case streamStart
  case streamEnd
}

/// libyaml's parser over a buffer that must outlive it, reduced to events. What this toolkit does not accept in YAML at
/// all - anchors, aliases, tags, directives - is refused here.
@safe struct EventReader: ~Copyable {
  // On the heap because libyaml keeps the parser's own address inside it.
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let input: UnsafeRawBufferPointer
  let file: String

  init(_ input: UnsafeRawBufferPointer, file: String) throws(Failure) {
    self.file = file
    unsafe self.input = unsafe input
    unsafe parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    guard unsafe yaml_parser_initialize(parser) == 1 else {
      throw Failure(.inputOutput, "no memory to read \(OutsideText.clean(file, limit: 300))")
    }
    // UTF-8 only: guessing would accept UTF-16.
    unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    // libyaml asserts that there is a pointer.
    guard let base = input.baseAddress else { throw EventReader.emptyFailure(file) }
    unsafe yaml_parser_set_input_string(parser, base.assumingMemoryBound(to: UInt8.self), input.count)
  }

  deinit {
    unsafe yaml_parser_delete(parser)
    unsafe parser.deallocate()
  }

  /// The next event and where it begins.
  mutating func next() throws(Failure) -> (event: Event, place: YAMLPlace) {
    var raw = unsafe yaml_event_t()
    guard unsafe yaml_parser_parse(parser, &raw) == 1 else { throw syntaxFailure() }
    defer { unsafe yaml_event_delete(&raw) }
    let place = unsafe self.place(raw.start_mark)
    return (try unsafe EventReader.event(raw, at: place), place)
  }

  static func emptyFailure(_ file: String) -> Failure {
    YAMLPlace(file: file, line: 1, column: 1).failure("the file is empty", hint: "is it the right file?")
  }

  func place(_ mark: yaml_mark_t) -> YAMLPlace {
    YAMLPlace(file: file, line: Int(clamping: mark.line) + 1, column: Int(clamping: mark.column) + 1)
  }

  private static func event(_ raw: yaml_event_t, at place: YAMLPlace) throws(Failure) -> Event {
    switch unsafe raw.type {
    case YAML_STREAM_START_EVENT: return .streamStart
    case YAML_STREAM_END_EVENT: return .streamEnd
    case YAML_DOCUMENT_START_EVENT:
      try unsafe checkDirectives(raw, at: place)
      return .documentStart
    case YAML_DOCUMENT_END_EVENT: return .documentEnd
    case YAML_SCALAR_EVENT:
      let scalar = unsafe raw.data.scalar
      try unsafe refuse(anchor: scalar.anchor != nil, tag: scalar.tag != nil, at: place)
      let bytes = unsafe UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      return unsafe .scalar(
        String(decoding: bytes, as: UTF8.self), isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
    case YAML_SEQUENCE_START_EVENT:
      let start = unsafe raw.data.sequence_start
      try unsafe refuse(anchor: start.anchor != nil, tag: start.tag != nil, at: place)
      return .sequenceStart
    case YAML_SEQUENCE_END_EVENT: return .sequenceEnd
    case YAML_MAPPING_START_EVENT:
      let start = unsafe raw.data.mapping_start
      try unsafe refuse(anchor: start.anchor != nil, tag: start.tag != nil, at: place)
      return .mappingStart
    case YAML_MAPPING_END_EVENT: return .mappingEnd
    case YAML_ALIAS_EVENT:
      throw place.failure("aliases (*name) are not accepted", hint: "write the value out where it is needed")
    default:
      throw place.failure("there is something here that cannot be read", hint: "write it as plain YAML")
    }
  }

  private static func refuse(anchor: Bool, tag: Bool, at place: YAMLPlace) throws(Failure) {
    if anchor {
      throw place.failure("anchors (&name) are not accepted", hint: "write the value out where it is needed")
    }
    if tag { throw place.failure("tags (!name) are not accepted", hint: "leave it out; quote what is text") }
  }

  private static func checkDirectives(_ raw: yaml_event_t, at place: YAMLPlace) throws(Failure) {
    let start = unsafe raw.data.document_start
    if unsafe start.tag_directives.start != start.tag_directives.end {
      throw place.failure("%TAG directives are not accepted", hint: "remove the line")
    }
    if let version = unsafe start.version_directive?.pointee, version.major != 1 || version.minor != 2 {
      throw place.failure("the file says that it is YAML \(version.major).\(version.minor)", hint: "use YAML 1.2")
    }
  }
}

extension EventReader {
  /// What libyaml says is wrong, with its place. For a byte that is not UTF-8 it knows an offset only.
  private func syntaxFailure() -> Failure {
    let problem = unsafe parser.pointee.problem.map { unsafe String(cString: $0) } ?? "it cannot be read"
    switch unsafe parser.pointee.error {
    case YAML_MEMORY_ERROR:
      return Failure(.inputOutput, "no memory to read \(OutsideText.clean(file, limit: 300))")
    case YAML_READER_ERROR:
      return placeOfByte(unsafe parser.pointee.problem_offset).failure(
        "this is not text in UTF-8: \(OutsideText.clean(problem))", hint: "save the file as UTF-8")
    default:
      let context = unsafe parser.pointee.context.map { unsafe " " + String(cString: $0) } ?? ""
      return place(unsafe parser.pointee.problem_mark).failure(
        "this is not YAML: \(OutsideText.clean(problem + context))",
        hint: "check indentation and quotes at and above this line")
    }
  }

  private func placeOfByte(_ offset: Int) -> YAMLPlace {
    var line = 1
    var column = 1
    for byte in unsafe Array(input.prefix(max(offset, 0))) {
      if byte == 0x0A {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return YAMLPlace(file: file, line: line, column: column)
  }
}
