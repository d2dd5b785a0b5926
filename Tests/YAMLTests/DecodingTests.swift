import Basics
import Testing

@testable import YAML

@Suite struct DecodingTests {
  private func failure(_ text: String, _ read: (YAMLNode) throws(Failure) -> Void) throws -> Failure {
    let node = try #require(try parse("v: " + text + "\n").entries().first).value
    do throws(Failure) { try read(node) } catch { return error }
    throw Failure(.bug, "\(text) was accepted")
  }

  @Test func unknownFieldsGetAHint() throws {
    let found = try failure("{nmae: x}") { (node) throws(Failure) in
      _ = try node.fields(of: "a thing", ["name", "age"])
    }
    #expect(found.message == "a.yaml:1:5: a thing has no field 'nmae'")
    #expect(found.hint == "did you mean 'name'?")
    let other = try failure("{zzzzzz: x}") { (node) throws(Failure) in _ = try node.fields(of: "a thing", ["name"]) }
    #expect(other.hint == "the fields are: name")
  }

  @Test func missingFieldsAreNamed() throws {
    let found = try failure("{age: 1, name: null}") { (node) throws(Failure) in
      _ = try node.fields(of: "a thing", ["name", "age"]).required("name")
    }
    #expect(found.message == "a.yaml:1:4: a thing needs the field 'name'")
  }

  @Test func wrongTypesAreNamed() throws {
    let cases: [(String, (YAMLNode) throws(Failure) -> Void, String)] = [
      ("1", { (n) throws(Failure) in _ = try n.string() }, "must be a string, not a number"),
      ("true", { (n) throws(Failure) in _ = try n.string() }, "must be a string, not a boolean"),
      ("null", { (n) throws(Failure) in _ = try n.text() }, "must be a single value, not null"),
      ("[a]", { (n) throws(Failure) in _ = try n.text() }, "must be a single value, not a list"),
      ("''", { (n) throws(Failure) in _ = try n.nonEmptyString() }, "is empty"),
      ("yes", { (n) throws(Failure) in _ = try n.bool() }, "must be true or false, not a string"),
      ("'true'", { (n) throws(Failure) in _ = try n.bool() }, "must be true or false, not a string"),
      ("'1'", { (n) throws(Failure) in _ = try n.integer() }, "must be a whole number, not a string"),
      ("1.5", { (n) throws(Failure) in _ = try n.integer() }, "must be a whole number, not a number"),
      ("11", { (n) throws(Failure) in _ = try n.integer(in: 0...10) }, "out of range"),
      ("99999999999999999999", { (n) throws(Failure) in _ = try n.integer() }, "out of range"),
      ("{a: 1}", { (n) throws(Failure) in _ = try n.items() }, "must be a list, not a mapping"),
      ("[1]", { (n) throws(Failure) in _ = try n.strings() }, "must be a string, not a number"),
      ("a", { (n) throws(Failure) in _ = try n.entries() }, "must be a mapping, not a string"),
      ("errr", { (n) throws(Failure) in _ = try n.word(of: ["error", "off"]) }, "not one of: error, off"),
    ]
    for (text, read, message) in cases {
      let found = try failure(text, read)
      #expect(found.code == .configuration && found.message.contains(message), "\(found.message)")
      #expect(found.message.hasPrefix("a.yaml:1:") && found.hint?.isEmpty == false)
    }
  }

  @Test func readsRightValues() throws {
    let fields = try parse("s: x\nq: '1'\nn: 7\nb: true\nl: [1, true, x]\nnone:\n").anyFields(of: "a thing")
    #expect(try fields.required("s").string() == "x")
    #expect(try fields.required("q").string() == "1")
    #expect(try fields.required("n").integer() == 7)
    #expect(try fields.required("b").bool())
    #expect(try fields.required("l").texts() == ["1", "true", "x"])
    #expect(fields.optional("none") == nil && fields.optional("other") == nil)
    #expect(fields.place(of: "none")?.line == 6 && fields.place(of: "other") == nil)
  }

  @Test func readsFiles() throws {
    #expect(throws: Failure(.notFound, "")) { try YAMLDocument.read("/nonexistent/a.yaml") }
    #expect(throws: Failure(.usage, "")) { try YAMLDocument.read("/") }
    #expect(throws: Failure(.usage, "")) { try YAMLDocument.read("/dev/zero") }
  }
}
