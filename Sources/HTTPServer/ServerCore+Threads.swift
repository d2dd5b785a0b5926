internal import Glibc

// Under this key a thread has the address of the server's core that it works for; nil when the system has no key left.
private let ownKey: pthread_key_t? = {
  var key = pthread_key_t()
  return unsafe pthread_key_create(&key, nil) == 0 ? key : nil
}()

extension ServerCore {
  /// Marks the calling thread as one of this server's.
  func mark() {
    if let ownKey { unsafe pthread_setspecific(ownKey, Unmanaged.passUnretained(self).toOpaque()) }
  }

  /// The server that the calling thread works for, which must not have ended.
  static var ofThisThread: ServerCore? {
    guard let ownKey, let mark = unsafe pthread_getspecific(ownKey) else { return nil }
    return unsafe Unmanaged<ServerCore>.fromOpaque(mark).takeUnretainedValue()
  }

  /// Whether the calling thread is one of this server's. Such a thread cannot wait for the server's end: that is its own.
  var isOnOwnThread: Bool {
    guard let ownKey, let mark = unsafe pthread_getspecific(ownKey) else { return false }
    return unsafe mark == Unmanaged.passUnretained(self).toOpaque()
  }
}
