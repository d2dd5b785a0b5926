import Basics
import Testing

@Suite struct TimestampTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0),
    ("2026-09-04T18:00:00.000Z", 1_788_544_800),
    ("2013-05-08T14:40:00.851049969-05:00", 1_368_042_000),
    ("2022-01-21T15:24:44Z", 1_642_778_684),
    ("2024-02-29T23:59:59+14:00", 1_709_200_799),
    ("2000-02-29t00:00:00z", 951_782_400),
    ("1969-12-31T23:59:59Z", -1),
    ("2016-12-31T23:59:60Z", 1_483_228_800),
    ("0000-03-01T00:00:00Z", -62_162_035_200),
  ]) func readsRFC3339(text: String, seconds: Int) {
    #expect(Timestamp(rfc3339: text)?.seconds == Int64(seconds))
  }

  @Test(arguments: [
    "", "2026-09-04", "2026-09-04T18:00:00", "2026-9-4T18:00:00Z", "2026-13-01T00:00:00Z", "2025-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z", "2026-09-04T24:00:00Z", "2026-09-04T18:00:00.Z", "2026-09-04T18:00:00.1234567890Z",
    "2026-09-04T18:00:00+25:00", "2026-09-04T18:00:00Zx", "2026-09-04T18:60:00Z", "+026-09-04T18:00:00Z",
    "2026-09-04T18:00:00+0200", "２026-09-04T18:00:00Z",
    // In UTC these are in the years 10000 and -1, which could not be written again.
    "9999-12-31T23:59:59-00:01", "9999-12-31T23:59:60Z", "0000-01-01T00:00:00+00:01",
  ]) func refusesOtherTexts(text: String) {
    #expect(Timestamp(rfc3339: text) == nil)
  }

  @Test(arguments: [
    "Fri, 04 Sep 2026 18:00:00 GMT", "Fri, 04-Sep-2026 18:00:00 GMT", "Fri, 04 sep 2026 18:00:00 UTC",
  ]) func readsHTTPDates(text: String) {
    #expect(Timestamp(httpDate: text)?.seconds == 1_788_544_800)
  }

  @Test(arguments: [
    "", "04 Sep 2026 18:00:00", "Fri, 04 Foo 2026 18:00:00 GMT", "Fri, 04 Sep 26 18:00:00 GMT",
    "Fri, 31 Feb 2026 18:00:00 GMT", "Fri, -4 Sep 2026 18:00:00 GMT", "Fri, 04 Sep 2026 18:00 GMT", "GMT GMT GMT",
  ]) func refusesOtherDates(text: String) {
    #expect(Timestamp(httpDate: text) == nil)
  }

  @Test func writesWhatItReads() {
    // A day and a bit at a time through four centuries meets every month length and both kinds of century year.
    for step in 0..<12_000 {
      let time = Timestamp(seconds: -2_208_988_800 + Int64(step) * 1_090_123)
      #expect(Timestamp(rfc3339: time.rfc3339) == time)
      #expect(Timestamp(httpDate: time.httpDate) == time)
    }
    #expect(Timestamp(seconds: 1_788_544_800).httpDate == "Fri, 04 Sep 2026 18:00:00 GMT")
    #expect(Timestamp(seconds: -1).rfc3339 == "1969-12-31T23:59:59Z")
  }

  @Test(arguments: [
    (Int64.max, "292277026596-12-04T15:30:07Z"), (.min, "-292277022657-01-27T08:29:52Z"), (.min + 86_399, nil),
    (-86_400, nil),
    (-86_401, nil),
  ])
  func writesEveryMomentThereIs(seconds: Int64, text: String?) {
    let written = Timestamp(seconds: seconds).rfc3339
    #expect(text == nil || written == text)
    #expect(!Timestamp(seconds: seconds).httpDate.isEmpty)
  }

  @Test func staysInRange() {
    #expect(Timestamp(seconds: .max).advanced(by: 1).seconds == .max)
    #expect(Timestamp(seconds: .min).advanced(by: -1).seconds == .min)
    #expect(Timestamp(seconds: 5).advanced(by: -7).seconds == -2)
  }
}
