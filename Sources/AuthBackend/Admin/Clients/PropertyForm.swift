internal import AuthBackend

/// The form of a client's property that the server reads: what is written otherwise would count as nothing, in silence.
struct PropertyForm {
  /// What is right, for who wrote something else.
  let words: String
  let isRight: (String) -> Bool

  static var all: [(name: String, form: PropertyForm)] {
    [
      (
        "apple-app-id",
        PropertyForm(words: "TEAMID.bundle.id, such as ABCDE12345.com.example.app", isRight: AppID.isApple)
      ),
      ("apple-attest-environment", oneOf("production", "development")),
      ("android-package", PropertyForm(words: "the package, such as com.example.app", isRight: AppID.isAndroid)),
      (
        "android-sha256-fingerprints",
        PropertyForm(words: "SHA-256 fingerprints, 64 hexadecimal digits each, with commas between them") { text in
          text.split { $0 == "," || $0 == " " }.count == AppID.fingerprints(text).count
        }
      ),
      ("android-device", oneOf("any", "basic", "device", "strong")), ("wrong-device", oneOf("revoke", "keep")),
      ("native-new-users", oneOf("create", "refuse")), ("native-nonce", oneOf("sha256", "any")),
    ]
  }

  private static func oneOf(_ words: String...) -> PropertyForm {
    PropertyForm(words: words.joined(separator: " or ")) { words.contains($0) }
  }
}
