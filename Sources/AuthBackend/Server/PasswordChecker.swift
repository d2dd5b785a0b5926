internal import Basics
internal import CSodium
internal import Glibc
internal import SecureMemory

/// Checks passwords by Argon2id (RFC 9106) through libsodium, a bounded number at a time, so that sign-ins can neither take all memory
/// nor the processors that refreshes need.
final class PasswordChecker: Sendable {
  /// 19 MiB and two passes, the least that OWASP names.
  static let memory = 19 << 20, operations: UInt64 = 2

  private let places: Monitor<PasswordPlaces>

  // The hash of random bytes that nobody knows, with the same cost. It is made before the first name that is not known comes, which would
  // take longer otherwise.
  private let noOnes: String

  /// A checker of so many passwords at a time while so many wait. Throws when memory runs out.
  init(workers: Int, queue: Int) throws(Failure) {
    places = Monitor(PasswordPlaces(workers: workers, queue: queue))
    noOnes = try PasswordChecker.hash(try SecureBytes.random(count: 32))
  }

  private enum Verdict {
    case right, wrong, outOfMemory
  }

  /// Whether a password is the one of a hash. Without a hash it takes as long, and is not. `account` is whose it is, where that is known
  /// by more than the name that was typed. Nil when too many are waiting. Throws when memory runs out, which says nothing of the password.
  func check(
    _ password: borrowing SecureBytes, against hash: String?, known account: String? = nil
  ) throws(Failure) -> Bool? {
    guard let place = enter(known: account) else { return nil }
    defer { leave(place) }
    let verdict = PasswordChecker.verdict(on: password, hash ?? noOnes)
    switch verdict {
    case .right: return hash != nil
    case .wrong: return false
    case .outOfMemory: throw Failure(.outOfMemory, "cannot check a password: memory ran out")
    }
  }

  // `crypto_pwhash_str_verify` says of both that the password is wrong, so what is of our kind is computed and compared here.
  private static func verdict(on password: borrowing SecureBytes, _ hash: String) -> Verdict {
    unsafe password.withBytes { bytes in
      guard let secret = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return .wrong }
      let count = UInt64(bytes.count)
      guard let text = Argon2Text(hash) else {
        return unsafe crypto_pwhash_str_verify(hash, secret, count) == 0 ? .right : .wrong
      }
      var made = [UInt8](repeating: 0, count: text.hash.count)
      errno = 0
      let result = unsafe crypto_pwhash(
        &made, UInt64(made.count), secret, count, text.salt, text.operations, text.memory,
        crypto_pwhash_ALG_ARGON2ID13)
      // Costs that it does not know are the hash's fault.
      guard result == 0 else { return errno == EINVAL || errno == EFBIG ? .wrong : .outOfMemory }
      return unsafe sodium_memcmp(made, text.hash, made.count) == 0 ? .right : .wrong
    }
  }

  /// The hash to store of a new password of a known account's, made when it is its turn. Nil when too many are waiting. Throws when memory
  /// runs out.
  func make(_ password: borrowing SecureBytes, known account: String) throws(Failure) -> String? {
    guard let place = enter(known: account) else { return nil }
    defer { leave(place) }
    return try PasswordChecker.hash(password)
  }

  /// Takes a place and waits for its turn; ``leave(_:)`` gives it back. Nil when all places for this one are taken, those of the queue
  /// too.
  func enter(known account: String?) -> PasswordPlaces.Place? {
    guard let place = places.withLock(wake: .nobody, { $0.take(known: account) }) else { return nil }
    places.wait { $0.begin(place) ? () : nil }
    // It may be the others' turn now, at another worker.
    places.update { ((), $0.hasTurn ? .all : .nobody) }
    return place
  }

  func leave(_ place: PasswordPlaces.Place) { places.withLock { $0.leave(place) } }

  /// How many wait for their turn.
  var waiting: Int { places.withLock(wake: .nobody) { $0.waiting } }

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
