internal import Basics

/// Builds the tree of one document from events, without recursion, within limits.
struct TreeBuilder {
  private struct Level {
    let place: YAMLPlace
    let isMapping: Bool
    var items: [YAMLNode] = []
    var entries: [YAMLEntry] = []
    var name: (text: String, place: YAMLPlace)?
    // Only for mappings too long to search one by one.
    var seen: Set<String> = []
  }

  private let limits: YAMLLimits
  private var levels: [Level] = []
  private var root: YAMLNode?
  private var count = 0

  private init(limits: YAMLLimits) { self.limits = limits }

  static func build(_ reader: inout EventReader, limits: YAMLLimits) throws(Failure) -> YAMLNode {
    var builder = TreeBuilder(limits: limits)
    var documents = 0
    while true {
      let (event, place) = try reader.next()
      switch event {
      case .streamStart, .documentEnd: break
      case .documentStart:
        documents += 1
        if documents > 1 {
          throw place.failure("a second document begins here", hint: "keep one document in a file")
        }
      case .scalar(let text, let isPlain): try builder.takeScalar(text, isPlain: isPlain, at: place)
      case .sequenceStart: try builder.open(isMapping: false, at: place)
      case .mappingStart: try builder.open(isMapping: true, at: place)
      case .sequenceEnd, .mappingEnd: try builder.close()
      case .streamEnd:
        guard let root = builder.root else { throw EventReader.emptyFailure(reader.file) }
        return root
      }
    }
  }

  private mutating func takeScalar(_ text: String, isPlain: Bool, at place: YAMLPlace) throws(Failure) {
    try countNode(at: place)
    if let top = levels.indices.last, levels[top].isMapping, levels[top].name == nil {
      try takeName(text, isPlain: isPlain, at: place, level: top)
    } else {
      put(YAMLNode(.scalar(text, isPlain: isPlain), at: place))
    }
  }

  private mutating func takeName(_ text: String, isPlain: Bool, at place: YAMLPlace, level: Int) throws(Failure) {
    if isPlain, text == "<<" { throw place.failure("merge keys (<<) are not accepted", hint: "write the fields out") }
    if isPlain, text.isEmpty { throw place.failure("a name is missing before ':'", hint: "write one") }
    let isNew: Bool
    if levels[level].entries.count < 16 {
      isNew = !levels[level].entries.contains { $0.name == text }
    } else {
      if levels[level].seen.isEmpty { levels[level].seen = Set(levels[level].entries.lazy.map(\.name)) }
      isNew = levels[level].seen.insert(text).inserted
    }
    guard isNew else {
      throw place.failure("'\(OutsideText.clean(text, limit: 80))' stands here twice", hint: "keep one of them")
    }
    levels[level].name = (text, place)
  }

  private mutating func open(isMapping: Bool, at place: YAMLPlace) throws(Failure) {
    try countNode(at: place)
    if let top = levels.last, top.isMapping, top.name == nil {
      throw place.failure("a name must be text here, not a list or a mapping", hint: "write a word before ':'")
    }
    guard levels.count < limits.depth else {
      throw place.failure("this is nested more than \(limits.depth) levels deep", hint: "make it flatter")
    }
    levels.append(Level(place: place, isMapping: isMapping))
  }

  private mutating func close() throws(Failure) {
    guard let level = levels.popLast() else { return }
    put(YAMLNode(level.isMapping ? .mapping(level.entries) : .sequence(level.items), at: level.place))
  }

  private mutating func put(_ node: YAMLNode) {
    guard let top = levels.indices.last else {
      root = node
      return
    }
    if let name = levels[top].name {
      levels[top].entries.append(YAMLEntry(name: name.text, place: name.place, value: node))
      levels[top].name = nil
    } else {
      levels[top].items.append(node)
    }
  }

  private mutating func countNode(at place: YAMLPlace) throws(Failure) {
    count += 1
    guard count <= limits.nodes else {
      throw place.failure("the file has more than \(limits.nodes) values", hint: "is it the right file?")
    }
  }
}
