internal import BackendStore
internal import Basics

/// What a page calls devices: by their names, and where those do not tell them apart by the ends of their ids too, so that no two
/// buttons say the same (WCAG 2.2, 2.4.6 and 4.1.2).
struct DeviceNames {
  // Before what is shown of an id. A name that has it itself gets an id behind it, so that it passes for no other's.
  private static let mark = " (id "
  private let texts: [String: String]

  /// The names of all devices on a page; their ids differ.
  init(_ devices: [Device]) {
    let names = devices.map { OutsideText.clean($0.name, limit: 64) }
    let counts = Dictionary(names.map { (DeviceNames.heard($0), 1) }, uniquingKeysWith: +)
    let length = DeviceNames.length(devices.map(\.id))
    var texts: [String: String] = [:]
    for (device, name) in zip(devices, names) {
      let isClear = counts[DeviceNames.heard(name)] == 1 && !name.contains(DeviceNames.mark)
      let end = device.id.count > length ? "\u{2026}" + device.id.suffix(length) : device.id
      texts[device.id] = isClear ? name : name + DeviceNames.mark + OutsideText.clean(end, limit: 130) + ")"
    }
    self.texts = texts
  }

  /// The name of one of them.
  subscript(_ device: Device) -> String { texts[device.id] ?? OutsideText.clean(device.id, limit: 130) }

  // Names that are read out alike are the same: white space is one blank, and case is not heard.
  private static func heard(_ name: String) -> String {
    name.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
  }

  // How many of their last characters tell the ids apart: six, or as many as it takes.
  private static func length(_ ids: [String]) -> Int {
    let longest = ids.map(\.count).max() ?? 0
    var length = 6
    while length < longest, Set(ids.map { $0.suffix(length) }).count < ids.count { length += 1 }
    return length
  }
}
