internal import BackendAdmin
internal import BackendStore
internal import Basics
internal import CommandLine

let deviceCommand = CommandSpec(
  "device", "the devices that sign-ins are bound to",
  subcommands: [
    CommandSpec(
      "list", "list the devices, last seen first",
      options: [
        .value("user", .text("USER"), "of this user only"),
        .value("limit", .integer("N", 1...100_000), "at most so many (default: 1000)"),
      ]),
    CommandSpec(
      "remove", "remove a user's device", details: "Its sign-ins end at once, and so do their access tokens.",
      operands: [
        OperandSpec(.text("USER"), .one, "the user's name or id"),
        OperandSpec(.text("DEVICE"), .one, "the device's id"),
      ]),
  ])

func runDeviceList(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  var user: User?
  if let name = invocation.value("user") { user = try call.administration.user(name) }
  let devices = try call.store.devices(user: user?.id, limit: invocation.integer("limit") ?? 1_000)
  let names = try call.names(of: devices.map(\.user))
  return try call.list(
    "devices", devices, columns: ["USER", "DEVICE", "LAST SEEN", "USER NAME", "NAME", "VERDICT"],
    document: { Call.document($0.document, names[$0.user]) }
  ) { device in
    [
      device.user, device.id, device.lastSeenAt.rfc3339, names[device.user] ?? "-", device.name, device.verdict?.text,
    ]
  }
}

func runDeviceRemove(_ invocation: Invocation, _ console: Console) throws(Failure) -> ExitCode {
  let call = try Call(invocation, console)
  let user = try call.administration.user(call.operand(0))
  let ended = try call.administration.removeDevice(call.operand(1), of: user)
  return try call.done(
    ["user": .string(user.id), "device": .string(call.operand(1)), "ended": .strings(ended.map(\.id))],
    "removed the device; \(Call.count(ended.count, "sign-in")) ended")
}
