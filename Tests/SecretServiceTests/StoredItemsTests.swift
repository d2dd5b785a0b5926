import Testing
import TestSupport

/// What is in the keyring, as other programs see it.
@Suite struct StoredItemsTests {
  @Test func everyItemHasTheFullSetOfAttributesAndNoSecretInThem() throws {
    let result = try KeyringSession().run(
      """
      secret-service-probe init
      secret-service-probe fill auth.sessionId mfs.dbkey.main
      secret-tool search --all service mfsctl 2>&1
      """)
    #expect(result.status == 0, "\(result.errorText)")
    let items = result.text.split(separator: "[").map { $0.split(separator: "\n").map(String.init) }
    #expect(items.count == 3)
    for lines in items {
      let secretless = lines.filter { !$0.hasPrefix("secret = ") }
      let names = Set(secretless.filter { $0.hasPrefix("attribute.") }.map { $0.prefix { $0 != " " } })
      #expect(names == ["attribute.service", "attribute.profile", "attribute.key", "attribute.v"])
      #expect(secretless.contains("schema = org.mfs.vault.Item"))
      let key = try #require(secretless.first { $0.hasPrefix("attribute.key = ") }?.dropFirst(16))
      #expect(secretless.contains("label = mfsctl probe \(key)"))
      // The values are made of their names; what is added to the letters shows in no attribute.
      let secret = try #require(lines.first { $0.hasPrefix("secret = ") }?.dropFirst(9))
      #expect(secret.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+/=".contains($0)) })
      #expect(!secretless.joined().contains(secret))
    }
  }

  @Test func twoProfilesDoNotSeeEachOther() throws {
    let result = try KeyringSession().run(
      """
      secret-service-probe init; secret-service-probe fill auth.a
      PROBE_PROFILE=probe2 secret-service-probe init
      PROBE_PROFILE=probe2 secret-service-probe fill auth.b
      PROBE_PROFILE=probe2 secret-service-probe wipe
      secret-service-probe show
      PROBE_PROFILE=probe2 secret-service-probe destroy
      PROBE_PROFILE=probe2 expect 20 secret-service-probe show
      secret-service-probe show
      """)
    #expect(result.status == 0, "\(result.errorText)")
    let lines = result.text.split(separator: "\n").map { $0.prefix(16) }
    #expect(lines.count == 5)
    #expect(lines[0] == "generation 2" && lines[1].hasPrefix("auth.a ") && lines[2] == "true")
    #expect(lines[3] == "generation 2" && lines[4].hasPrefix("auth.a "))
  }

  @Test func aLargeValueAndAllElseOutlivesTheDaemon() throws {
    let result = try KeyringSession().run(
      """
      secret-service-probe init
      secret-service-probe set mfs.dbkey.large 1048576
      secret-service-probe fill auth.a mfs.dbkey.main
      secret-service-probe show > before
      stop_keyring
      unlock
      secret-service-probe show > after
      cmp before after
      cat after
      """)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.text.contains("mfs.dbkey.large 1048576 "))
  }

  @Test func logoutKeepsTheDatabaseKeyBitForBit() throws {
    let result = try KeyringSession().run(
      """
      secret-service-probe init
      secret-service-probe fill auth.a auth.b mfs.dbkey.main mfs.deviceId authx
      secret-service-probe show | grep -v -e '^auth\\.' -e generation > before
      secret-service-probe logout
      secret-service-probe show | grep -v generation > after
      cmp before after
      [ $(wc -l < after) = 3 ]
      [ $(secret-tool search --all service mfsctl 2>&1 | grep -c 'attribute.key = auth\\.') = 0 ]
      """)
    #expect(result.status == 0, "\(result.errorText)")
  }

  /// Two items with one set of attributes, as a client makes that stores without replacing.
  @Test func ofDuplicatesTheNewestCountsAndADeleteRemovesAll() throws {
    let result = try KeyringSession().run(
      """
      secret-service-probe init
      secret-service-probe set auth.a 5
      secret-tool lookup service mfsctl profile probe key auth.a v 1 > old
      secret-service-probe set auth.a 6
      secret-service-probe show > before
      # An attribute more makes another item that answers to ours.
      secret-tool store --label=copy service mfsctl profile probe key auth.a v 1 copy yes < old
      [ $(secret-tool search --all service mfsctl key auth.a 2>&1 | grep -c '^attribute.key') = 2 ]
      secret-service-probe show > during
      cmp before during
      secret-service-probe set auth.a 7
      [ $(secret-tool search --all service mfsctl key auth.a 2>&1 | grep -c '^attribute.key') = 1 ]
      secret-tool store --label=copy service mfsctl profile probe key auth.a v 1 copy yes < old
      secret-service-probe logout
      [ $(secret-tool search --all service mfsctl key auth.a 2>&1 | grep -c '^attribute.key') = 0 ]
      secret-service-probe show
      """)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.text == "generation 5\n")
  }

  @Test func aForeignOrNewerItemIsRefusedAndNothingIsOverwritten() throws {
    let result = try KeyringSession().run(
      """
      secret-service-probe init
      secret-service-probe set auth.a 5
      attributes='service mfsctl profile probe key auth.a v 1'
      secret-tool lookup $attributes > good
      printf 'not ours' | secret-tool store --label=x $attributes
      expect 30 secret-service-probe show
      expect 30 secret-service-probe set auth.b 1
      printf 'TUZTSQIGYXV0aC5h' | secret-tool store --label=x $attributes
      expect 33 secret-service-probe show
      secret-tool store --label=x $attributes < good
      secret-service-probe show
      secret-tool clear service mfsctl profile probe key @vault
      expect 30 secret-service-probe show
      expect 30 secret-service-probe init
      secret-service-probe destroy
      secret-service-probe init
      secret-service-probe show
      """)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.errorText.contains("secret-tool clear service mfsctl profile probe key 'auth.a'"))
    #expect(result.text.hasSuffix("true\ngeneration 1\n"))
  }
}
