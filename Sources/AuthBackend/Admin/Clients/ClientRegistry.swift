public import BackendStore
public import Basics
internal import YAML

/// A registry of clients in a YAML file, read strictly: unknown fields, doubles and whatever ``ClientCheck`` refuses are errors.
public enum ClientRegistry {
  private static let fields = [
    "id", "name", "redirect-uris", "post-logout-redirect-uris", "scopes", "grants", "first-party", "audience", "device",
    "attestation", "grace-seconds", "enabled", "properties",
  ]

  /// The clients of a file. What a client leaves out is as ``BackendStore/Client/init(id:name:redirectURIs:)`` has it.
  ///
  /// Throws ``FailureCode/configuration`` with `file:line:column` of what is wrong with each client - of what cannot be read as one the
  /// first fault -, ``FailureCode/notFound`` and ``FailureCode/inputOutput``.
  public static func read(_ path: String) throws(Failure) -> [Client] {
    let document = try YAMLDocument.read(path).fields(of: "a registry of clients", ["version", "clients"])
    let version = try document.required("version")
    guard try version.integer() == 1 else {
      throw version.failure("this version of the registry is not known", hint: "write version: 1")
    }
    var clients: [Client] = [], faults: [Failure] = [], count = 0
    for node in try document.required("clients").items() {
      do throws(Failure) {
        let client = try client(node)
        guard !clients.contains(where: { $0.id == client.id }) else {
          throw node.failure("the client '\(client.id)' stands here twice", hint: "remove one of them")
        }
        clients.append(client)
        let wrong = ClientCheck.faults(of: client)
        faults += wrong.map { node.failure($0.message, hint: $0.hint ?? "correct it") }
        count += wrong.isEmpty ? 0 : 1
      } catch {
        faults.append(error)
        count += 1
      }
    }
    guard let fault = faults.first else { return clients }
    guard faults.count > 1 else { throw fault }
    throw Failure(
      fault.code, faults.map(\.description).joined(separator: "\n"),
      hint: "\(count == 1 ? "one client is" : "\(count) clients are") wrong; nothing was changed")
  }

  private static func client(_ node: YAMLNode) throws(Failure) -> Client {
    let own = try node.fields(of: "a client", fields)
    var client = Client(
      id: try own.required("id").nonEmptyString(), name: try own.required("name").nonEmptyString(),
      redirectURIs: try own.optional("redirect-uris")?.strings() ?? [])
    if let node = own.optional("post-logout-redirect-uris") { client.postLogoutRedirectURIs = try node.strings() }
    if let node = own.optional("scopes") { client.scopes = try node.strings() }
    if let node = own.optional("grants") { client.grants = Set(try node.strings()) }
    if let node = own.optional("first-party") { client.isFirstParty = try node.bool() }
    if let node = own.optional("audience") { client.audience = try node.nonEmptyString() }
    if let node = own.optional("device") {
      let word = try node.word(of: Client.DevicePolicy.allCases.map(\.rawValue))
      client.devicePolicy = Client.DevicePolicy(rawValue: word) ?? .required
    }
    if let node = own.optional("attestation") {
      let word = try node.word(of: Client.AttestationPolicy.allCases.map(\.rawValue))
      client.attestation = Client.AttestationPolicy(rawValue: word) ?? .require
    }
    if let node = own.optional("grace-seconds") { client.graceSeconds = try node.integer(in: 0...10) }
    if let node = own.optional("enabled") { client.isEnabled = try node.bool() }
    for entry in try own.optional("properties")?.entries() ?? [] {
      if case .sequence = entry.value.content {
        client.properties[entry.name] = try entry.value.texts().joined(separator: ",")
      } else {
        client.properties[entry.name] = try entry.value.text()
      }
    }
    return client
  }
}
