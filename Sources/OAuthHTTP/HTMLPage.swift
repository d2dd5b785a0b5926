public import HTTPServer

/// A page for people: plain HTML with no script, a label for each field, a problem told before the form, dark where the system is.
public struct HTMLPage: Sendable {
  /// One input of a form.
  public struct Field: Sendable {
    /// `name` and `id`.
    public var name: String
    /// What it is called.
    public var label: String
    /// What stands in it.
    public var value: String
    /// `type`, such as `password`.
    public var type: String
    /// `autocomplete` (HTML 4.10.18.7), such as `username`.
    public var completion: String

    /// An input.
    public init(_ name: String, _ label: String, value: String = "", type: String = "text", completion: String = "off")
    {
      self.name = name
      self.label = label
      self.value = value
      self.type = type
      self.completion = completion
    }
  }

  /// One button of a form, sent as `action`.
  public struct Button: Sendable {
    /// The value of `action`.
    public var value: String
    /// What stands on it.
    public var label: String

    /// A button.
    public init(_ value: String, _ label: String) {
      self.value = value
      self.label = label
    }
  }

  private let title: String
  private let site: String
  private var parts: [String] = []
  // Fields refer to what is wrong, and so does the title, which is what is read out first.
  private var hasProblem = false

  /// A page of a site with nothing on it but its title.
  public init(_ title: String, site: String) {
    self.title = title
    self.site = site
  }

  /// Adds a paragraph that tells how things are.
  public mutating func say(_ text: String) { parts.append("<p role=\"status\">\(escapedForHTML(text))</p>") }

  /// Adds a paragraph that tells what is wrong.
  public mutating func warn(_ text: String) {
    hasProblem = true
    parts.append("<p role=\"alert\" id=\"problem\">\(escapedForHTML(text))</p>")
  }

  /// Adds a list.
  public mutating func list(_ items: [String]) {
    parts.append("<ul>\n" + items.map { "<li>\(escapedForHTML($0))</li>\n" }.joined() + "</ul>")
  }

  /// Adds a form that is posted to an address, with hidden values first. `account` is whose password it asks for where no field
  /// says so: password managers keep it by that name.
  public mutating func form(
    _ address: String, account: String? = nil, hidden: [(name: String, value: String)] = [], fields: [Field] = [],
    buttons: [Button]
  ) {
    var text = "<form method=\"post\" action=\"\(escapedForHTML(address))\">\n"
    if let account {
      text +=
        "<input type=\"text\" name=\"account\" value=\"\(escapedForHTML(account))\" autocomplete=\"username\" hidden>\n"
    }
    for (name, value) in hidden {
      text += "<input type=\"hidden\" name=\"\(escapedForHTML(name))\" value=\"\(escapedForHTML(value))\">\n"
    }
    let reference = hasProblem ? " aria-describedby=\"problem\"" : ""
    for field in fields {
      text += """
        <p><label for="\(field.name)">\(escapedForHTML(field.label))</label><br>
        <input id="\(field.name)" name="\(field.name)" type="\(field.type)" value="\(escapedForHTML(field.value))" \
        autocomplete="\(field.completion)" autocapitalize="none" spellcheck="false"\(reference)></p>

        """
    }
    text += "<p>"
    text += buttons.map { "<button name=\"action\" value=\"\($0.value)\">\(escapedForHTML($0.label))</button>" }
      .joined(separator: " ")
    parts.append(text + "</p>\n</form>")
  }

  /// The document.
  public var document: String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(hasProblem ? "Error: " : "")\(escapedForHTML(title)) - \(escapedForHTML(site))</title>
    <style>
    :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
    main { max-width: 34rem; margin: 10vh auto 0; padding: 0 1rem; overflow-wrap: anywhere; }
    h1 { font-size: 1.5rem; }
    input, button { font: inherit; padding: 0.25rem 0.5rem; max-width: 100%; box-sizing: border-box; }
    </style>
    </head>
    <body>
    <main>
    <h1>\(escapedForHTML(title))</h1>
    \(parts.joined(separator: "\n"))
    </main>
    </body>
    </html>

    """
  }

  /// The answer with it. There is no `form-action` among the policies, because browsers hold it against the redirect that follows
  /// a form too, and that goes to the app.
  public func response(status: Int) -> ServerResponse {
    ServerResponse(
      status: status,
      headers: [
        "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "Referrer-Policy": "same-origin",
        "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
        "Content-Security-Policy":
          "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
      ], text: document)
  }
}
