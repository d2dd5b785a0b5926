internal import HTTPServer

/// A text as forms encode it (`+` for a blank, `%` escapes), decoded; nil when it is no such text. RFC 6749 2.3.1 has a client's id
/// encoded so before it becomes the name of `Basic`.
public func formDecoded(_ text: String) -> String? { PercentEncoding.decode(text[...], plusIsBlank: true) }
