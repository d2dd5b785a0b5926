internal import Basics
internal import CLinux
internal import Glibc

/// Where the runtime of AddressSanitizer is that a plugin was built for.
public enum SanitizerRuntime: Sendable {
  /// The library that the plugin itself names, as gcc has it.
  case needed
  /// A file, as clang and Swift have it.
  case file(String)
}

/// AddressSanitizer at work on a plugin, in a process that is not shut in.
struct Sanitizer {
  /// A fault of the plugin's memory.
  struct Fault: Equatable {
    /// `asan` or `leaks`.
    let check: String
    /// What it is, and where in the library.
    let text: String
  }

  /// The libraries that a plugin may need when it is tried.
  static let runtimes = [
    "libasan.so.8", "libasan.so.6", "libubsan.so.1", "libclang_rt.asan-x86_64.so", "libclang_rt.asan-aarch64.so",
  ]
  /// Milliseconds that the sanitizer may take to write its report.
  static let patience = 20_000
  // Each fault ends the process, so a report is short; leaks are many at most.
  private static let reportLimit = 1 << 20

  /// The variables of the process.
  let variables: [(name: String, value: String)]

  /// Prepares for a library. Throws ``FailureCode/usage`` when it was not built for it or its runtime is not known.
  init(_ runtime: SanitizerRuntime, for image: SealedImage, name: String) throws(Failure) {
    let needed = unsafe image.withBytes { bytes in (try? unsafe ELFImage(bytes))?.needed ?? [] }
    let isBuiltFor = unsafe image.withBytes { unsafe Sanitizer.contains($0, "__asan_init") }
    guard isBuiltFor else {
      throw Failure(
        .usage, "\(name) was not built with AddressSanitizer",
        hint: "build it with -fsanitize=address (Swift: --sanitize=address)")
    }
    let preload: String
    switch runtime {
    case .file(let path): preload = try Files.realPath(path)
    case .needed:
      guard let library = needed.first(where: { $0.hasPrefix("libasan.so.") }) else {
        throw Failure(
          .usage, "\(name) does not name the library of its AddressSanitizer",
          hint:
            "give --asan-runtime \"$(clang -print-file-name=libclang_rt.asan-x86_64.so)\", of the clang that built it")
      }
      preload = library
    }
    guard !preload.contains(where: { $0 == ":" || $0 == " " }) else {
      throw Failure(.usage, "the path of the runtime has a colon or a space", hint: "give another path to it")
    }
    variables = [
      ("LD_PRELOAD", preload),
      // Modules and offsets instead of names: the library has no path to read symbols from.
      (
        "ASAN_OPTIONS",
        "detect_leaks=1:exitcode=99:symbolize=0:allocator_may_return_null=1:handle_abort=0"
      ),
    ]
  }

  private static func contains(_ bytes: UnsafeRawBufferPointer, _ text: String) -> Bool {
    let wanted = Array(text.utf8)
    guard bytes.count >= wanted.count else { return false }
    return (0...(bytes.count - wanted.count)).contains { start in
      unsafe bytes[start] == wanted[0] && bytes[start..<(start + wanted.count)].elementsEqual(wanted)
    }
  }

  /// Everything that a process prints until its end, which is waited for.
  static func output(of process: PluginProcess) -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let deadline = MonotonicInstant.now().advanced(byMilliseconds: Int64(patience))
    while true {
      var entry = pollfd(fd: process.output, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&entry, 1, deadline.millisecondsLeft) > 0 else { break }
      let got = unsafe read(process.output, &chunk, chunk.count)
      if got < 0, clinux_errno() == EINTR { continue }
      guard got > 0 else { break }
      if bytes.count < reportLimit { bytes += chunk.prefix(got) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The faults in what the sanitizer printed that are the plugin's own.
  static func faults(in text: String) -> [Fault] {
    var found: [Fault] = []
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      if let kind = words(line, after: "ERROR: AddressSanitizer: ") {
        let place = place(lines[(index + 1)...]).map { " at \($0) of the library" } ?? ""
        found.append(Fault(check: "asan", text: "\(OutsideText.clean(kind, limit: 60))\(place)"))
      } else if line.hasPrefix("Direct leak of "), let place = place(lines[(index + 1)...]) {
        let fault = Fault(check: "leaks", text: "what was allocated at \(place) of the library is lost")
        if !found.contains(fault) { found.append(fault) }
      }
    }
    return found
  }

  // The first word of what is wrong, e.g. `heap-buffer-overflow`.
  private static func words(_ line: Substring, after start: String) -> String? {
    guard let range = line.firstRange(of: start) else { return nil }
    return String(line[range.upperBound...].prefix { $0 != " " })
  }

  // The offset of the first frame that is neither the sanitizer's, the C library's nor the Swift runtime's, if the plugin
  // stands there: what this side allocates for a plugin lives as long as the process.
  private static func place(_ frames: ArraySlice<Substring>) -> String? {
    for line in frames {
      let text = line.drop { $0 == " " }
      if text.isEmpty { return nil }
      guard text.hasPrefix("#"), let open = text.lastIndex(of: "("), let plus = text.lastIndex(of: "+"), open < plus
      else {
        continue
      }
      let module = text[text.index(after: open)..<plus]
      let offset = text[text.index(after: plus)...].prefix { $0.isHexDigit || $0 == "x" }
      if module.hasPrefix("/proc/self/fd/") || module.hasPrefix("/memfd:") { return String(offset) }
      let file = module.split(separator: "/").last ?? ""
      let isRuntime = ["libasan", "libclang_rt", "libc.so", "libswift", "libstdc++", "ld-linux", "libgcc"].contains {
        file.hasPrefix($0)
      }
      if !isRuntime { return nil }
    }
    return nil
  }
}
