internal import CLinux
internal import Glibc

/// The descriptors 0, 1 and 2, which a program may be started without.
public enum StandardDescriptors {
  /// Takes the numbers of those that are closed, so that no lock file or socket of ours gets one and is then printed to.
  /// They stay of no use: what is open with `O_PATH` can be neither read nor written.
  public static func reserve() {
    for number: Int32 in 0...2 where fcntl(number, F_GETFD) < 0 {
      // The lowest free number, which is this one. It stays open when another program takes our place.
      _ = clinux_open_useless()
    }
  }
}
