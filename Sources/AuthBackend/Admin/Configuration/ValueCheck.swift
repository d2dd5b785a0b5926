internal import AuthBackend
internal import Basics
internal import Settings

/// What a value says beyond its declaration: each item of a list counts by itself, so that one that is wrong hides no other, and numeric
/// addresses are such.
struct ValueCheck {
  /// What is wrong with the items, or with the one value.
  let findings: [ConfigurationFinding]
  /// Of a list without a default, the items that are right.
  let rest: String?
  /// Whether it is a list.
  let isList: Bool
  /// Whether it is a list that is one but for its items.
  let isOfItemsAlone: Bool

  private static let addresses: Set<String> = ["LISTEN_ADDRESS", "METRICS_ADDRESS", "TRUSTED_PROXIES"]

  init(_ setting: Setting, _ value: String) {
    let name = setting.name
    let isAddress = ValueCheck.addresses.contains(String(name.dropFirst(ConfigurationSource.prefix.count)))
    guard case .list(let pattern, let limits) = setting.type else {
      (rest, isList, isOfItemsAlone) = (nil, false, false)
      let isWrong = isAddress && AddressText.bytes(of: value) == nil
      findings =
        isWrong
        ? [ConfigurationFinding(true, name, "\(name) is no numeric address", "write one such as 127.0.0.1 or ::1")] : []
      return
    }
    var found: [ConfigurationFinding] = [], good: [Substring] = []
    for (index, item) in value.split(separator: ",").enumerated() {
      let item = item.drop { $0 == " " }
      let isMatching = SettingType.list(itemPattern: pattern, ValueLimits()).problem(with: String(item)) == nil
      guard !isMatching || isAddress && AddressText.bytes(of: String(item)) == nil else {
        good.append(item)
        continue
      }
      found.append(
        ConfigurationFinding(
          true, name,
          "\(name) has an item, number \(index + 1), that "
            + (isAddress ? "is no numeric address" : "does not match \(OutsideText.clean(pattern ?? "", limit: 200))"),
          isAddress
            ? "list addresses, not names or networks, such as 127.0.0.1 or ::1"
            : setting.example.map { "write the list like \(OutsideText.clean($0, limit: 80))" }))
    }
    findings = found
    rest = setting.defaultValue == nil && !good.isEmpty ? good.joined(separator: ",") : nil
    isList = true
    let isWhole = SettingType.list(itemPattern: nil, limits).problem(with: value) == nil
    isOfItemsAlone = isWhole && !found.isEmpty
  }
}
