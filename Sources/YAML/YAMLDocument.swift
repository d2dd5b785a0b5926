public import Basics

/// Reads a strict subset of YAML 1.2: one document, unique names, the core schema's scalars, no anchors, aliases, merge
/// keys, tags or directives other than `%YAML 1.2`.
///
/// Every failure is ``FailureCode/configuration`` with `file:line:column` and a next step.
public enum YAMLDocument {
  /// The tree of a document. `file` is its name in messages.
  public static func parse(
    _ bytes: [UInt8], file: String, limits: YAMLLimits = .standard
  ) throws(Failure) -> YAMLNode {
    guard bytes.count <= limits.bytes else {
      throw YAMLPlace(file: file, line: 1, column: 1).failure(
        "the file is larger than \(limits.bytes) bytes", hint: "is it the right file?")
    }
    return try unsafe bytes.span.bytes.withUnsafeBytes { (buffer: UnsafeRawBufferPointer) throws(Failure) -> YAMLNode in
      // A byte-order mark is no character of the text; left in, libyaml would count it as a column.
      let text = unsafe buffer.starts(with: [0xEF, 0xBB, 0xBF]) ? .init(rebasing: buffer.dropFirst(3)) : buffer
      var reader = try unsafe EventReader(text, file: file)
      return try TreeBuilder.build(&reader, limits: limits)
    }
  }

  /// The tree of a file. Besides what ``parse(_:file:limits:)`` throws: ``FailureCode/notFound`` when it is missing,
  /// ``FailureCode/usage`` when it is no regular file, ``FailureCode/inputOutput`` when it cannot be read.
  public static func read(_ path: String, limits: YAMLLimits = .standard) throws(Failure) -> YAMLNode {
    try parse(try Files.read(path, limit: limits.bytes), file: path, limits: limits)
  }
}
