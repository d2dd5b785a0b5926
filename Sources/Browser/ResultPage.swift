internal import Basics
internal import HTTPServer
internal import SecureMemory

/// The pages that a browser gets here: plain, readable by a screen reader, light or dark as the person has it, and with
/// nothing in them that came from outside.
enum ResultPage {
  case done, refused, over, stranger, nothingHere, leaving

  var title: String {
    switch self {
    case .done: "Back to the terminal"
    case .refused: "Not signed in"
    case .over: "This sign-in is over"
    case .stranger: "Not the sign-in that is waiting"
    case .nothingHere: "Nothing here"
    case .leaving: "One moment"
    }
  }

  var text: String {
    switch self {
    case .done: "The identity provider has answered. You can close this window; mfsctl finishes the sign-in."
    case .refused: "The identity provider did not sign you in. You can close this window; mfsctl says why."
    case .over: "Its answer has been taken, or it was given up. To sign in again, start again in the terminal."
    case .stranger: "What came here does not belong to the sign-in that mfsctl waits for. Nothing was changed."
    case .nothingHere: "mfsctl waits here for a sign-in in the browser. There is nothing else."
    case .leaving: "Your browser is being sent on."
    }
  }

  static func document(title: String, text: String, script: (nonce: String, code: String)? = nil) -> String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(title) - mfsctl</title>
    <style>
    :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
    main { max-width: 34rem; margin: 15vh auto 0; padding: 0 1rem; }
    h1 { font-size: 1.5rem; }
    </style>
    </head>
    <body>
    <main>
    <h1 id="title">\(title)</h1>
    <p id="text" role="status">\(text)</p>
    \(script == nil ? "" : "<noscript><p>This sign-in needs JavaScript in this window, to read the address it ends at.</p></noscript>")
    </main>
    \(script.map { "<script nonce=\"\($0.nonce)\">\($0.code)</script>" } ?? "")
    </body>
    </html>

    """
  }
}

extension ServerResponse {
  /// A page, with the headers that keep its address from travelling on.
  static func page(_ page: ResultPage, status: Int) -> ServerResponse {
    answer(status: status, ResultPage.document(title: page.title, text: page.text), script: "'none'")
  }

  /// The page that reads the fragment, which no server ever gets, and hands it over. The address loses it at once, so that
  /// it is not in the history.
  static func fragmentPage() -> ServerResponse {
    guard let random = try? SecureBytes.random(count: 16) else { return ServerResponse(status: 500) }
    let nonce = unsafe random.withBytes { unsafe Hexadecimal.encode($0) }
    let code = """
      const parameters = location.hash.slice(1);
      history.replaceState(null, "", location.pathname);
      const show = (title, text) => {
        document.getElementById("title").textContent = title;
        document.title = title + " - mfsctl";
        document.getElementById("text").textContent = text;
      };
      fetch(location.pathname, { method: "POST", body: parameters }).then(answer => {
        if (answer.ok) show("\(ResultPage.done.title)", "You can close this window; mfsctl finishes the sign-in.");
        else show("\(ResultPage.stranger.title)", "\(ResultPage.stranger.text)");
      }).catch(() => show("\(ResultPage.over.title)", "\(ResultPage.over.text)"));
      """
    let page = ResultPage.document(
      title: ResultPage.leaving.title, text: "The answer is being read.", script: (nonce, code))
    return answer(status: 200, page, script: "'nonce-\(nonce)'")
  }

  private static func answer(status: Int, _ document: String, script: String) -> ServerResponse {
    var headers: HeaderFields = [
      "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
      "X-Content-Type-Options": "nosniff", "Cross-Origin-Opener-Policy": "same-origin",
      "Content-Security-Policy":
        "default-src 'none'; style-src 'unsafe-inline'; script-src \(script); connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ]
    headers.set("X-Frame-Options", "DENY")
    var response = ServerResponse(status: status, headers: headers, text: document)
    response.connection = .close
    return response
  }
}
