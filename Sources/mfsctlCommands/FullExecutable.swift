public import Basics
internal import Glibc

/// The executable with everything that needs libcurl, libsecret or libmicrohttpd.
public enum FullExecutable {
  /// Replaces this process by `mfsctl-full` with the same arguments, environment and open files.
  /// Returns only by throwing ``FailureCode/configuration``.
  public static func replaceProcess(arguments: [String]) throws(Failure) -> Never {
    let path = try Installation.path(of: "mfsctl-full")
    var pointers = unsafe ([path] + arguments).map { unsafe strdup($0) }
    unsafe pointers.append(nil)
    unsafe execv(path, pointers)
    let failure = Failure.system("run \(OutsideText.clean(path, limit: 300))", code: .configuration)
    unsafe pointers.forEach { unsafe free($0) }
    throw failure
  }
}
