import Testing
import TestSupport

/// The vault commands on a keyring, from `mfsctl`, which hands them to `mfsctl-full`.
@Suite struct VaultCommandTests {
  @Test func aVaultIsMadeFilledReadLoggedOutAndWiped() throws {
    let result = try KeyringSession().run(
      """
      mfsctl vault init --backend secret-service
      printf 'tok\\0en\\n' > value
      mfsctl vault set auth.sessionId < value
      head -c 32 /dev/urandom > key
      mfsctl vault set mfs.dbkey.main < key
      mfsctl vault get auth.sessionId | cmp - value
      mfsctl vault logout --dry-run
      mfsctl vault get auth.sessionId | cmp - value
      mfsctl --json vault logout
      mfsctl vault logout
      mfsctl vault get mfs.dbkey.main | cmp - key
      expect 10 mfsctl vault get auth.sessionId
      mfsctl --json vault list | sed -E 's/20[0-9TZ:-]+/TIME/'
      mfsctl vault logout --wipe
      mfsctl --json vault status
      """)
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
    let expected = """
      made the vault of 'default' in the backend 'secret-service'
      would be deleted  auth.sessionId
      would be kept     mfs.dbkey.main
      """
    #expect(result.text.hasPrefix(expected), "\(result.text)")
    #expect(result.text.contains(#""deleted":["auth.sessionId"],"kept":["mfs.dbkey.main"],"generation":4"#))
    let names = #"{"names":[{"name":"mfs.dbkey.main","type":"secret","bytes":32,"updatedAt":"TIME"}]"#
    #expect(result.text.contains(names))
    let status =
      #"{"profile":"default","backend":"secret-service","initialised":true,"locked":false,"generation":5,"#
      + #""slots":[],"file":null}"#
    #expect(result.text.hasSuffix(status + "\n"), "\(result.text)")
  }

  /// Killed at each message of the logout: no `auth.*` key survives the next command once the logout was written down.
  @Test func aKilledLogoutIsFinishedByTheNextCommandReadOnlyOrNot() throws {
    let result = try KeyringSession().run(
      """
      mfsctl vault init --backend secret-service
      printf key | mfsctl vault set mfs.dbkey.main 2>/dev/null
      for n in $(seq 14 60); do
        printf a | mfsctl vault set auth.sessionId 2>/dev/null
        printf b | mfsctl vault set auth.refreshToken 2>/dev/null
        status=0
        strace -f -o /dev/null -e trace=sendmsg --inject=sendmsg:signal=KILL:when=$n mfsctl vault logout 2>/dev/null || \
          status=$?
        begun=no
        [ -z "$(secret-tool search --all service mfsctl key @pending 2>&1 | grep attribute)" ] || begun=yes
        names=$(mfsctl --json vault list | grep -o '"name":"[^"]*"' | tr '\\n' ' ')
        echo "begun=$begun $names"
        [ "$(mfsctl vault get mfs.dbkey.main)" = key ]
        [ $status = 137 ] || break
      done 2>/dev/null
      [ $status = 0 ]
      """, seconds: 300)
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
    let lines = Set(result.text.split(separator: "\n").filter { $0.hasPrefix("begun=") })
    let kept = #""name":"mfs.dbkey.main" "#
    let all = #""name":"auth.refreshToken" "name":"auth.sessionId" "# + kept
    #expect(lines == ["begun=no \(all)", "begun=yes \(kept)", "begun=no \(kept)"], "\(lines)")
  }

  @Test func aLockedKeyringIsExit21AndNothingChanges() throws {
    let result = try KeyringSession().run(
      """
      mfsctl vault init --backend secret-service
      printf secret-canary | mfsctl vault set auth.sessionId
      stop_keyring
      start_locked
      for command in list 'get auth.sessionId' logout 'logout --wipe' 'logout --dry-run' 'delete auth.sessionId' \
        'generate mfs.deviceId' 'list --allow-prompt'
      do
        expect 21 timeout 10 mfsctl vault $command </dev/null
      done
      expect 21 mfsctl vault set auth.idToken <<< x
      mfsctl --json vault status
      stop_keyring
      unlock
      mfsctl vault get auth.sessionId
      """)
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
    #expect(result.text.contains(#""initialised":true,"locked":true,"generation":null"#), "\(result.text)")
    #expect(result.text.hasSuffix("secret-canary"))
    #expect(!result.errorText.contains("secret-canary"))
    #expect(result.errorText.contains("the keyring is locked"))
  }

  /// A value is in the keyring and nowhere else: no file here holds it, plain or in base64, and no command line.
  @Test func aValueIsFoundInTheKeyringOnly() throws {
    let result = try KeyringSession().run(
      """
      mfsctl vault init --backend secret-service > out 2>&1
      strace -f -qq -e trace=execve -v -s 4096 -o calls mfsctl --verbose vault set auth.sessionId \
        <<< canary-4711-canary-4711 >> out 2>&1
      for command in list status 'logout --dry-run' 'get auth.idToken' logout; do
        mfsctl --verbose vault $command >> out 2>&1 || :
        mfsctl --verbose --json vault $command >> out 2>&1 || :
      done
      grep -c mfsctl calls
      for offset in 0 1 2; do
        printf %s "xxx canary-4711-canary-4711" | tail -c +$((offset + 1)) | base64 -w0 | cut -c9-28
      done > patterns
      echo canary-4711 >> patterns
      grep -rlaF -f patterns . --exclude patterns --exclude session.sh || echo nowhere
      """)
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
    #expect(result.text.hasSuffix("nowhere\n"), "\(result.text)")
  }

  @Test func theBackendIsPinned() throws {
    let result = try KeyringSession().run(
      """
      mfsctl vault init --backend secret-service
      expect 24 mfsctl vault init --backend file --generate --key-file new.key
      [ ! -e new.key ]
      expect 11 mfsctl vault init --backend secret-service
      mfsctl --profile filed vault init --generate --key-file file.key
      expect 24 mfsctl --profile filed vault init --backend secret-service
      expect 20 secret-service-probe show
      # Without its bus a pinned profile fails; it does not turn to a file.
      DBUS_SESSION_BUS_ADDRESS= expect 23 mfsctl vault list
      DBUS_SESSION_BUS_ADDRESS= expect 23 mfsctl vault set auth.idToken <<< x
      [ ! -e "$MFSCTL_HOME/data/vault/default.mfsv" ]
      """, environment: ["PROBE_PROFILE": "filed"])
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
    #expect(result.errorText.contains("is kept in the backend 'secret-service', not in 'file'"))
    #expect(result.errorText.contains("is kept in the backend 'file', not in 'secret-service'"))
  }

  /// A maker that was stopped after it made the vault and before it pinned the backend can be run again.
  @Test func anUnpinnedNewVaultIsTakenAndAFilledOneIsNot() throws {
    let result = try KeyringSession().run(
      """
      secret-service-probe init
      mfsctl vault init --backend secret-service
      mfsctl vault list
      PROBE_PROFILE=filled secret-service-probe init
      PROBE_PROFILE=filled secret-service-probe fill auth.a
      expect 11 mfsctl --profile filled vault init --backend secret-service
      """, environment: ["PROBE_PROFILE": "default"])
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
  }

  @Test func aDamagedVaultIsRemovedByAWipeAndCanBeMadeAgain() throws {
    let result = try KeyringSession().run(
      """
      mfsctl vault init --backend secret-service
      printf x | mfsctl vault set auth.sessionId
      printf junk | secret-tool store --label=x service mfsctl profile default key auth.sessionId v 1
      expect 30 mfsctl vault list
      expect 30 mfsctl vault logout
      mfsctl --json vault logout --wipe
      [ -z "$(secret-tool search --all service mfsctl 2>&1 | grep attribute)" ]
      mfsctl --json vault logout --wipe
      mfsctl vault init --backend secret-service
      mfsctl --json vault list
      """)
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
    #expect(result.text.contains(#""destroyed":true"#))
    #expect(result.text.hasSuffix("{\"names\":[],\"generation\":1}\n"))
  }
}
