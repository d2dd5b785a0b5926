public import HTTPServer

extension Backend {
  /// Tells the operator's side, as `answer.unsendable`, that the answer to a request could not be sent, so that the client got an empty
  /// 500. To be called by whoever runs the server, see `Server.UnsendableHandler`. Waits for nobody.
  public func couldNotSend(_ request: ServerRequest, _ reason: String) {
    let call = BackendCall(backend: self, request: request)
    call.announce("answer.unsendable", ["endpoint": call.endpoint?.rawValue, "failure": reason], alert: true)
  }
}
