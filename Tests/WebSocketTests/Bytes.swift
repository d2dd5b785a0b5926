/// Bytes from hexadecimal digits; blanks do not count.
func hex(_ text: String) -> [UInt8] {
  let digits = text.filter { $0 != " " }.map { UInt8($0.hexDigitValue ?? 0) }
  return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
