/// What the app's login screen says, and so what its toolkit says, to the letter: the apostrophes are typographic. Its
/// questions are the strategies' own.
public enum SessionTexts {
  /// The title of the login screen.
  public static let title = "Sign in"
  /// The server rejected identifier and password.
  public static let wrongCredentials = "Wrong email or password."
  /// The server could not be reached.
  public static let unreachable = "Can’t reach the server. You can still open last session if it hasn’t expired."
  /// The banner over an app that works on without its server because nobody is signed in any more.
  public static let banner = "Sign in to sync."
}
