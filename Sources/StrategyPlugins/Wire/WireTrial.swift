/// How a host differs from today's, to try whether a plugin gets on with one that has grown or lacks something. The conformance
/// kit asks for it; a run for a user never does.
public struct WireTrial: Hashable, Sendable {
  /// Tables, structures and pairs are larger than this version has them, with rubbish behind what is known.
  public var isGrown: Bool
  /// Answers begin with a field of a name that nobody knows.
  public var isGreased: Bool
  /// The extension that the host does not have; nil for none.
  public var without: String?

  /// A host like any other, unless told otherwise.
  public init(isGrown: Bool = false, isGreased: Bool = false, without: String? = nil) {
    self.isGrown = isGrown
    self.isGreased = isGreased
    self.without = without
  }

  /// The fields for it in a run message; none for a host like any other.
  var fields: [WireRecord.Field] {
    var record = WireRecord()
    if isGrown { record.fields.append(.init("grown", .boolean(true))) }
    if isGreased { record.fields.append(.init("greased", .boolean(true))) }
    if let without { record.fields.append(.init("without", .text(without))) }
    return record.fields.isEmpty ? [] : [.init("trial", .list(record))]
  }

  init(_ record: WireRecord?) {
    self.init(
      isGrown: record?.boolean("grown") ?? false, isGreased: record?.boolean("greased") ?? false,
      without: record?.text("without"))
  }
}
