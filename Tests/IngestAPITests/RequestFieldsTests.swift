import HTTPServer
import JSONKit
import PushModel
import TestSupport
import Testing

@testable import IngestAPI

/// Bodies are parsed into names and values, or refused with a reason.
@Suite struct RequestFieldsTests {
    private func fields(_ body: String, type: String) throws -> RequestFields {
        try fields(Array(body.utf8), type: type)
    }

    private func fields(_ body: [UInt8], type: String) throws -> RequestFields {
        let headers = HTTPHeaders(["content-type": type])
        return try RequestFields(
            HTTPRequest(method: .post, path: "/", headers: headers, body: HTTPRequestBody(body)))
    }

    @Test(arguments: [
        ("a=1&b=two+words&c=%C3%A9%26%3D", ["a": "1", "b": "two words", "c": "é&="]),
        ("a=1&a=2", ["a": "2"]),
        ("a&b=&&=c&d=x=y", ["a": "", "b": "", "": "c", "d": "x=y"]),
        ("n%61me=%2B", ["name": "+"]),
        ("é=ü", ["é": "ü"]),
    ])
    func readsForms(body: String, expected: [String: String]) throws {
        let fields = try fields(body, type: "application/x-www-form-urlencoded")
        #expect(fields.object.members.count == expected.count)
        for (name, value) in expected { #expect(try fields.text(name) == value) }
    }

    /// Parsed as by Express; a deeper level, or one without a name, stays part of a plain name.
    @Test func bracketsInFormsNest() throws {
        let fields = try fields(
            "sport[ignore_message]=1&sport%5Bother%5D=2&plain=3&a[b][c]=4&[d]=5&e[]=6&f]=7&g[h=8&i=9&i[j]=10&k[l]=11&k=12",
            type: "application/x-www-form-urlencoded")
        #expect(
            JSON.object(fields.object).compactText == #"{"sport":{"ignore_message":"1","other":"2"},"plain":"3","#
                + #""a[b][c]":"4","[d]":"5","e[]":"6","f]":"7","g[h":"8","i":{"j":"10"},"k":"12"}"#)
    }

    /// Goal: many members of one object cost as much as plain names. Method: the CPU time of both.
    @Test func nestedNamesCostWhatOthersDo() throws {
        func time(_ name: (Int) -> String) throws -> Duration {
            let body = (0..<FormBody.fieldsMaximum).map { "\(name($0))=1" }.joined(separator: "&")
            return try threadTime {
                let object = try fields(body, type: "application/x-www-form-urlencoded").object
                #expect((object["sport"]?.object ?? object).members.count == FormBody.fieldsMaximum)
            }
        }
        let (plain, nested) = (try time { "sport\($0)" }, try time { "sport[\($0)]" })
        #expect(nested < plain * 8 + .milliseconds(50), "\(nested), and \(plain) for plain names")
    }

    @Test(arguments: ["application/x-www-form-urlencoded", "application/json"])
    func anEmptyTextIsNoNumberAndNoFlag(type: String) throws {
        let body = type == "application/json" ? #"{"badge":"","flag":""}"# : "badge=&flag="
        let fields = try fields(body, type: type)
        #expect(try fields.integer("badge", in: 0...9) == nil)
        #expect(try fields.flag("flag") == nil)
    }

    @Test func readsJSON() throws {
        let fields = try fields(
            #"{"text":"é","whole":-7,"large":18446744073709551615,"half":7.5,"yes":true,"no":false,"nil":null,"a":1,"a":2}"#,
            type: "application/json")
        #expect(try fields.text("text") == "é")
        #expect(try fields.text("whole") == "-7")
        #expect(try fields.text("large") == "18446744073709551615")
        #expect(try fields.text("half") == "7.5")
        #expect(try fields.text("yes") == "true")
        #expect(try fields.text("no") == "false")
        #expect(try fields.text("nil") == nil)
        #expect(try fields.text("absent") == nil)
        #expect(try fields.text("a") == "2")
    }

    @Test(arguments: [
        "Application/JSON", "application/json;charset=latin1", " application/json ; charset=utf-8",
    ])
    func theTypeIsReadWithoutItsParameters(type: String) throws {
        #expect(try fields("{\"a\":1}", type: type).text("a") == "1")
    }

    @Test(arguments: ["", "text/plain", "multipart/form-data; boundary=x", "application/problem+json"])
    func otherTypesAreRefused(type: String) {
        #expect(throws: BodyError.unknownMediaType(String(type.prefix { $0 != ";" }))) { try fields("a=1", type: type) }
    }

    @Test(arguments: ["application/json", "application/x-www-form-urlencoded", "text/plain", ""])
    func anEmptyBodyHasNoFields(type: String) throws {
        #expect(try fields("", type: type).object.members.isEmpty)
    }

    @Test(arguments: ["a=%", "a=%4", "a=%zz", "a=%FF", "a=%00", "%C3=a"])
    func formsWithBrokenEscapesAreRefused(body: String) {
        #expect(throws: BodyError.self) { try fields(body, type: "application/x-www-form-urlencoded") }
    }

    @Test(arguments: ["application/json", "application/x-www-form-urlencoded"])
    func whatIsNotUTF8IsRefused(type: String) {
        let body =
            type == "application/json" ? Array("{\"a\":\"".utf8) + [0xC3] + Array("\"}".utf8) : [0x61, 0x3D, 0xFF]
        #expect(throws: BodyError.self) { try fields(body, type: type) }
    }

    @Test(arguments: ["{", "[]", "1", "\"a\"", "null", "{\"a\":1}x", "{\"a\":1,}", "{'a':1}", "a=1"])
    func otherJSONIsRefused(body: String) {
        #expect(throws: BodyError.self) { try fields(body, type: "application/json") }
    }

    @Test(arguments: ["{\"a\":[]}", "{\"a\":{\"b\":1}}"])
    func listsAndObjectsAreNoTexts(body: String) throws {
        let fields = try fields(body, type: "application/json")
        #expect(throws: InvalidValueError.self) { try fields.text("a") }
    }

    @Test func deepNestingIsRefused() {
        let body = "{\"a\":" + String(repeating: "[", count: 10_000)
        #expect(throws: BodyError.self) { try fields(body, type: "application/json") }
    }

    /// Names and values of combining marks in the order most expensive to compare, unescaped and escaped.
    @Test(arguments: [
        LargeText("unescaped", text: CombiningMarks.text(bytes: 1 << 20)),
        LargeText("escaped", text: String(repeating: "%CC%81%CC%A3", count: 1 << 16)),
    ])
    func formsOfMarksAreRefusedAtOnce(_ marks: LargeText) {
        let marks = marks.text
        for body in ["\(marks)a=1&\(marks)b=2", "a=\(marks)&b=\(marks)"] {
            let time = threadTime {
                #expect(throws: BodyError.self) { try fields(body, type: "application/x-www-form-urlencoded") }
            }
            #expect(time < .microseconds(2) * body.utf8.count, "\(time) for \(body.utf8.count) bytes")
        }
    }

    @Test func namesAndNumberOfFormFieldsAreBounded() throws {
        let type = "application/x-www-form-urlencoded"
        let name = String(repeating: "n", count: FormBody.nameBytesMaximum)
        #expect(try fields("\(name)=1", type: type).text(name) == "1")
        #expect(throws: BodyError.malformed("The form has a name of more than 1024 bytes.")) {
            try fields("a=1&\(name)%6E=1", type: type)
        }
        let most = String(repeating: "a=1&", count: FormBody.fieldsMaximum)
        #expect(try fields(most, type: type).object.members.count == 1)
        #expect(throws: BodyError.malformed("The form has more than 20000 fields.")) {
            try fields(most + "a=1", type: type)
        }
    }
}
