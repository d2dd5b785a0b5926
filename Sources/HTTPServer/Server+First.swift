public import Basics

extension Server {
  /// A server whose first step says of each request what becomes of it; ``FirstStep/handler`` is none of its answers, and cuts the
  /// connection. It throws what the other one does.
  public convenience init(
    options: ServerOptions = ServerOptions(), identity: ServerIdentity? = nil, first: @escaping FirstHandler,
    onUnsendable: UnsendableHandler? = nil
  ) throws(Failure) {
    try self.init(
      options: options, identity: identity, handler: { _ in .cut }, first: first, onUnsendable: onUnsendable)
  }
}
