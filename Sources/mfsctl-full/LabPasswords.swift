internal import Basics
internal import GatewayLab
internal import Glibc
internal import SecureMemory

/// Random passwords for users who were given none, each in a file of mode 0600 in a folder of its own.
final class LabPasswords {
  private(set) var files: [(user: String, path: String)] = []
  private var folder: String?

  /// Makes a password of 24 characters and writes it to a file. Throws ``FailureCode/inputOutput``.
  func make(for user: String) throws(Failure) -> SecureBytes {
    let password = try Gateway.randomPassword()
    let path = try "\(privateFolder())/user-\(files.count + 1).password"
    let file = try FileDescriptor.open(path, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
    try unsafe password.withBytes { (bytes) throws(Failure) in try unsafe file.write(bytes) }
    files.append((user, path))
    return password
  }

  /// Removes the files and the folder.
  func remove() {
    for file in files { unsafe unlink(file.path) }
    if let folder { unsafe rmdir(folder) }
    files = []
    folder = nil
  }

  private func privateFolder() throws(Failure) -> String {
    if let folder { return folder }
    let made = try LabFolder.make()
    folder = made
    return made
  }
}

/// Folders that are the lab's own while it runs.
enum LabFolder {
  /// Makes one that nobody else can enter. Throws ``FailureCode/inputOutput``.
  static func make() throws(Failure) -> String {
    let parent = try Environment.current().path("TMPDIR") ?? "/tmp"
    var template = Array("\(parent)/mfsctl-lab-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else {
      throw .system("make a folder in \(OutsideText.clean(parent, limit: 300))")
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes one with the files in it.
  static func remove(_ folder: String) {
    guard let directory = unsafe opendir(folder) else { return }
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      unsafe unlink("\(folder)/\(name)")
    }
    unsafe closedir(directory)
    unsafe rmdir(folder)
  }
}
