/// What a log says of a redirect URI that somebody asked for, and that may be anything.
enum RedirectText {
  /// Its scheme, host and path. What may be a secret is left out: the query, the fragment, and who is named before the host.
  static func shown(_ uri: String) -> String {
    let text = uri.prefix { $0 != "?" && $0 != "#" }
    // What begins like a URL ends its host at the first '/' after the two; of anything else no part is sure to be the path.
    let scheme = text.prefix { $0 != ":" && $0 != "/" }, rest = text.dropFirst(scheme.count)
    let isURL = rest.hasPrefix("://")
    let place = isURL ? rest.dropFirst(3) : rest
    let host = isURL ? place.prefix { $0 != "/" } : place
    guard let at = host.lastIndex(of: "@") else { return String(text) }
    return "\(isURL ? "\(scheme)://" : "")\(place[place.index(after: at)...])"
  }
}
