/// The keys of well-known services, by the prefixes that those services gave them to be found by.
struct SecretKeyForm {
  /// With an article.
  let kind: String
  let prefix: String
  /// The fewest bytes that follow the prefix.
  let rest: Int

  private init(_ kind: String, _ prefix: String, _ rest: Int) {
    self.kind = kind
    self.prefix = prefix
    self.rest = rest
  }

  /// Whether a value is such a key: the prefix, then at least so many letters, digits, `-`, `_` or `.` and nothing else.
  func matches(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.first == prefix.utf8.first, bytes.starts(with: prefix.utf8) else { return false }
    let tail = bytes.dropFirst(prefix.utf8.count)
    return tail.count >= rest && tail.allSatisfy { SecretSigns.isTokenByte($0) || $0 == 0x2E }
  }

  static let all: [SecretKeyForm] = [
    SecretKeyForm("an AWS access key", "AKIA", 16),
    SecretKeyForm("an AWS access key", "ASIA", 16),
    SecretKeyForm("a GitHub token", "ghp_", 20),
    SecretKeyForm("a GitHub token", "gho_", 20),
    SecretKeyForm("a GitHub token", "ghu_", 20),
    SecretKeyForm("a GitHub token", "ghs_", 20),
    SecretKeyForm("a GitHub token", "ghr_", 20),
    SecretKeyForm("a GitHub token", "github_pat_", 20),
    SecretKeyForm("a GitLab token", "glpat-", 20),
    SecretKeyForm("a Stripe secret key", "sk_live_", 8),
    SecretKeyForm("a Stripe secret key", "sk_test_", 8),
    SecretKeyForm("a Stripe secret key", "rk_live_", 8),
    SecretKeyForm("a Stripe webhook secret", "whsec_", 16),
    SecretKeyForm("a Google API key", "AIza", 30),
    SecretKeyForm("a Google access token", "ya29.", 20),
    SecretKeyForm("a Slack token", "xoxb-", 10),
    SecretKeyForm("a Slack token", "xoxp-", 10),
    SecretKeyForm("a Slack token", "xoxa-", 10),
    SecretKeyForm("a Slack token", "xoxr-", 10),
    SecretKeyForm("a Slack token", "xoxs-", 10),
    SecretKeyForm("a SendGrid key", "SG.", 60),
    SecretKeyForm("an API key", "sk-", 20),
    SecretKeyForm("an npm token", "npm_", 30),
    SecretKeyForm("a Hugging Face token", "hf_", 30),
    SecretKeyForm("a DigitalOcean token", "dop_v1_", 30),
    SecretKeyForm("a Supabase secret key", "sb_secret_", 16),
    SecretKeyForm("a Shopify token", "shpat_", 20),
    SecretKeyForm("an age secret key", "AGE-SECRET-KEY-1", 20),
  ]
}
