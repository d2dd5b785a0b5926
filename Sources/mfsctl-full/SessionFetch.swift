internal import Basics
internal import CommandLine
internal import Glibc
internal import SecureMemory
internal import Session
internal import StrategyHost
internal import Vault
internal import mfsctlCommands

/// `session fetch`.
func sessionFetch(_ call: SessionCall) throws(Failure) -> ExitCode {
  let request = try fetchRequest(call.invocation)
  let configuration = try call.configuration()
  // A mistake there is no reason to ask for a passphrase.
  try SessionFetch.check(request, for: configuration)
  let vault = try call.vault.store.open()
  let strategies = try call.strategies(call.vault, .signals)
  let fetch = SessionFetch(configuration: configuration) { () throws(Failure) in
    call.service(configuration, vault, strategies)
  }
  let output = FetchedBody(call.console)
  let answer = try fetch.send(request, to: output)
  if call.console.json { try call.console.document(output.document(answer)) }
  if let failure = answer.failure { throw failure }
  return .done
}

private func fetchRequest(_ invocation: Invocation) throws(Failure) -> SessionFetch.Request {
  let file = invocation.value("data-file")
  let method = invocation.value("method") ?? (file == nil ? "GET" : "POST")
  guard let url = invocation.operands.first else { throw Failure(.bug, "there is no URL") }
  var request = SessionFetch.Request(method, url)
  if let file {
    guard method != "GET", method != "HEAD" else {
      throw Failure(.usage, "a \(method) has no body", hint: "leave out --data-file, or give another --method")
    }
    guard file != "-" || invocation.integer("passphrase-fd") != 0 else {
      throw Failure(
        .usage, "--data-file - and --passphrase-fd 0 would both read stdin",
        hint: "give the vault's passphrase on another descriptor")
    }
    request.body = SecureBox(
      file == "-"
        ? try SecretInput.read(descriptor: 0, limit: 64 << 20, what: "the body on stdin")
        : try bytes(of: file))
  }
  for header in invocation.values("header") {
    guard let colon = header.firstIndex(of: ":") else {
      throw Failure(.usage, "--header '\(OutsideText.clean(header, limit: 60))' is not NAME:VALUE")
    }
    let value = header[header.index(after: colon)...].drop { $0 == " " }
    request.fields.append((String(header[..<colon]), String(value)))
  }
  if let limit = invocation.integer("limit") { request.limit = limit }
  if let seconds = invocation.integer("timeout") { request.seconds = seconds }
  return request
}

private func bytes(of file: String) throws(Failure) -> SecureBytes {
  let read = try Files.read(file, limit: 64 << 20)
  let bytes = try SecureBytes(count: read.count)
  unsafe bytes.withMutableBytes { unsafe $0.copyBytes(from: read) }
  return bytes
}

/// The body of the answer: to stdout as it comes, or kept for the document of `--json`.
private final class FetchedBody: FetchOutput {
  private let console: Console
  private var kept: [UInt8] = []

  init(_ console: Console) { self.console = console }

  func take(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    if console.json { unsafe kept += bytes } else { try unsafe console.write(bytes: bytes) }
  }

  func document(_ answer: SessionFetch.Answer) -> JSONValue {
    let text = String(validating: kept, as: UTF8.self)
    return [
      "status": .number(answer.status), "contentType": .optional(answer.contentType),
      "encoding": text == nil ? "base64" : "utf8", "body": .string(text ?? base64(kept)),
    ]
  }
}

/// Base64 of RFC 4648, 4, with padding.
private func base64(_ bytes: [UInt8]) -> String {
  let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  var out: [UInt8] = []
  out.reserveCapacity((bytes.count + 2) / 3 * 4)
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let group = bytes[start..<min(start + 3, bytes.count)]
    let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
    for place in 0..<4 {
      out.append(place <= group.count ? alphabet[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
    }
  }
  return String(decoding: out, as: UTF8.self)
}
