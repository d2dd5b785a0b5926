public import Basics

/// The fields of a mapping, to be read by name.
public struct YAMLFields: Sendable {
  /// What the mapping is, e.g. `a setting`, for messages.
  public let subject: String
  /// Where it begins.
  public let place: YAMLPlace
  /// Its entries in order.
  public let entries: [YAMLEntry]

  /// The value of a field that may be left out; nil when it is absent or null.
  public func optional(_ name: String) -> YAMLNode? {
    guard let value = entries.first(where: { $0.name == name })?.value, !value.isNull else { return nil }
    return value
  }

  /// The value of a field that must be there.
  public func required(_ name: String) throws(Failure) -> YAMLNode {
    guard let value = optional(name) else {
      throw place.failure("\(subject) needs the field '\(name)'", hint: "add '\(name): ...'")
    }
    return value
  }

  /// Where a field's name stands; nil when it is absent.
  public func place(of name: String) -> YAMLPlace? { entries.first { $0.name == name }?.place }
}
