/// The hidden parts of each file of a stack, looked for when something of that file is to be shown; most files have nothing
/// to show.
final class SecretTexts {
  private let documents: [EnvDocument?]
  private let catalog: Catalog
  private var texts: [SecretText?]

  init(_ documents: [EnvDocument?], catalog: Catalog) {
    self.documents = documents
    self.catalog = catalog
    texts = Array(repeating: nil, count: documents.count)
  }

  /// The hidden parts of the file at an index of the stack; nil for one that was not read.
  subscript(_ file: Int32) -> SecretText? {
    guard let index = documents.indices.contains(Int(file)) ? Int(file) : nil, let document = documents[index] else {
      return nil
    }
    if let known = texts[index] { return known }
    let made = SecretText(document, catalog: catalog)
    texts[index] = made
    return made
  }
}
