internal import Basics
internal import CSodium
internal import SecureMemory

/// Checks passwords by Argon2id (RFC 9106) through libsodium, a bounded number at a time, so that sign-ins can neither take all memory
/// nor the processors that refreshes need.
final class PasswordChecker: Sendable {
  /// 19 MiB and two passes, the least that OWASP names.
  static let memory = 19 << 20, operations: UInt64 = 2

  private let places: Monitor<PasswordPlaces>

  init(workers: Int, queue: Int) { places = Monitor(PasswordPlaces(workers: workers, queue: queue)) }

  /// Whether a password is the one of a hash. Without a hash it takes as long, and is not. Nil when too many are waiting.
  func check(_ password: borrowing SecureBytes, against hash: String?) -> Bool? {
    guard enter() else { return nil }
    defer { leave() }
    let text = Array((hash ?? PasswordChecker.noOnes).utf8CString)
    let isRight = unsafe password.withBytes { bytes in
      unsafe text.withUnsafeBufferPointer { hash -> Bool in
        guard let hash = hash.baseAddress, let secret = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        else {
          return false
        }
        return unsafe crypto_pwhash_str_verify(hash, secret, UInt64(bytes.count)) == 0
      }
    }
    return isRight && hash != nil
  }

  /// The hash to store of a new password, made when it is its turn. Nil when too many are waiting. Throws when memory runs out.
  func make(_ password: borrowing SecureBytes) throws(Failure) -> String? {
    guard enter() else { return nil }
    defer { leave() }
    return try PasswordChecker.hash(password)
  }

  /// Takes a place and waits for its turn; ``leave()`` gives it back. False when all places are taken, those of the queue too.
  func enter() -> Bool {
    guard places.withLock(wake: .nobody, { $0.take() }) else { return false }
    places.wait { $0.begin() ? () : nil }
    return true
  }

  func leave() { places.withLock { $0.leave() } }

  /// How many wait for their turn.
  var waiting: Int { places.withLock(wake: .nobody) { $0.waiting } }

  // The hash of random bytes that nobody knows, with the same cost.
  private static let noOnes: String = {
    guard let secret = try? SecureBytes.random(count: 32), let hash = try? PasswordChecker.hash(secret) else {
      return ""
    }
    return hash
  }()

  /// The hash to store of a password, in Argon2's own text form. Throws when memory runs out.
  static func hash(_ password: borrowing SecureBytes) throws(Failure) -> String {
    var text = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
    let result = unsafe password.withBytes { bytes in
      unsafe text.withUnsafeMutableBufferPointer { out -> Int32 in
        guard let base = out.baseAddress, let secret = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        else {
          return -1
        }
        return unsafe crypto_pwhash_str(base, secret, UInt64(bytes.count), operations, memory)
      }
    }
    guard result == 0 else { throw Failure(.outOfMemory, "cannot hash a password: memory ran out") }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
