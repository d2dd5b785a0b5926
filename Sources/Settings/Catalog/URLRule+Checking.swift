internal import Basics

extension URLRule {
  /// What is wrong with a URL for this setting; nil when it is right.
  func problem(with value: String) -> SettingType.ValueProblem? {
    let url: URLReference
    switch URLReference.parse(value) {
    case .success(let parsed): url = parsed
    case .failure(let problem): return .init("is not a URL: it \(problem.phrase)", "write it like \(shape)")
    }
    guard schemes.contains(url.scheme) else {
      let known = schemes.map { "\($0)://" }.joined(separator: ", ")
      return .init("does not begin with one of: \(known)", "write it like \(shape)")
    }
    guard !url.hasUserInformation else {
      return .init(
        "has a user name or password in front of its host", "remove everything up to the '@'; people sign in otherwise")
    }
    if url.port != nil, !components.contains(.port) { return .init("has a port", "remove it") }
    if !url.path.isEmpty, !components.contains(.path) {
      return .init(
        "has a path\(url.path == "/" ? ", a single '/'" : "")",
        "end it after the host\(components.contains(.port) ? " or port" : "")")
    }
    if url.query != nil, !components.contains(.query) { return .init("has a query", "remove the '?' and what follows") }
    if url.fragment != nil, !components.contains(.fragment) {
      return .init("has a fragment", "remove the '#' and what follows")
    }
    return nil
  }

  private var shape: String {
    let scheme = schemes.first ?? "https"
    return "\(scheme)://host" + (components.contains(.port) ? ":port" : "")
      + (components.contains(.path) ? "/path" : "")
  }
}
