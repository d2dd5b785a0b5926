import Testing
import TestSupport

/// The keyring's disk is full: its files may not grow beyond a limit, and its writes fail from there on.
@Suite struct FullDiskTests {
  private func script(limitKiB: Int, change: String, status: Int) -> String {
    """
    secret-service-probe init
    secret-service-probe fill mfs.dbkey.main auth.a
    secret-service-probe show > before
    stop_keyring
    (trap '' XFSZ; ulimit -f \(limitKiB); unlock)
    expect \(status) secret-service-probe \(change)
    status=0; secret-service-probe show > during || status=$?
    echo "during $status"
    stop_keyring
    unlock
    secret-service-probe show > after
    cut -d' ' -f1,2 after
    """
  }

  /// gnome-keyring makes an item in two writes; when the second fails, an item without a secret is left in its memory.
  @Test func aChangeThatCannotBeWrittenDownIsExit41AndLeavesTheOldVault() throws {
    let result = try KeyringSession().run(
      script(limitKiB: 8, change: "set auth.big 12000", status: 41) + "\ncmp before during; cmp before after\n")
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
    #expect(result.text == "during 0\ngeneration 2\nauth.a 40\nmfs.dbkey.main 40\n")
    #expect(result.errorText.contains("is the disk of the keyring full?"))
  }

  @Test func aChangeThatIsWrittenDownAndNoMoreIsExit50AndFinishedWhenThereIsRoom() throws {
    let result = try KeyringSession().run(script(limitKiB: 8, change: "set auth.big 3000", status: 50))
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
    #expect(result.text == "during 50\ngeneration 3\nauth.a 40\nauth.big 3000\nmfs.dbkey.main 40\n")
    #expect(result.errorText.contains("partial: the change is written down but not yet carried out in full"))
  }
}
