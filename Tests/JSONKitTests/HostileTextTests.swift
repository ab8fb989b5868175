import JSONKit
import ServiceKit
import TestSupport
import Testing

/// Texts made to be expensive to compare are refused, or cost as much as others. The limit is a hundredth of the cost
/// of comparing them unchecked, and several times the cost in a debug build.
@Suite struct HostileTextTests {
    private static let bytes = 2 << 20
    private static let costMaximum = Duration.microseconds(2)

    private static let marks = [
        LargeText("raw marks", text: CombiningMarks.text(bytes: bytes)),
        LargeText("escaped marks", text: String(repeating: #"\u0301\u0323"#, count: bytes / 12)),
    ]

    private func error(_ document: String, limits: JSONLimits) -> JSONError? {
        do throws(JSONError) {
            _ = try JSON(document, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: marks, [true, false])
    func longRowsOfMarksAreRefusedAtOnce(_ marks: LargeText, isName: Bool) {
        let limits = JSONLimits(bytesMaximum: 16 << 20, nameBytesMaximum: .max)
        let document = isName ? "{\"\(marks.text)\":1,\n \"b\":2}" : "[\"\(marks.text)\",\n \"b\"]"
        var refused: JSONError?
        let time = threadTime { refused = error(document, limits: limits) }
        #expect(refused?.code == .tooManyMarks)
        #expect(refused?.description == "line 1, column 2: a string has more than 30 combining marks in a row")
        #expect(time < HostileTextTests.costMaximum * document.utf8.count, "\(time) for \(document.utf8.count) bytes")
    }

    /// The maximum of marks in all names and values: reading, finding, comparing and hashing take linear time.
    @Test func whatIsTakenIsComparedInLinearTime() throws {
        let row = "e" + String(repeating: CombiningMarks.pair, count: 15)
        let long = String(repeating: row, count: 16)
        let members = (0..<1_000).map { "\"\(long)\($0)\":\"\(long)\"" }
        let document = "{\(members.joined(separator: ","))}"
        var found = 0
        let time = try threadTime {
            let value = try JSON(document, limits: JSONLimits(bytesMaximum: 16 << 20))
            let object = value.object ?? JSONObject()
            found = object.names.filter { object[$0]?.text == long }.count
            #expect(value == .object(object))
            #expect(Set(object.names).count == 1_000)
        }
        #expect(found == 1_000)
        #expect(time < HostileTextTests.costMaximum * document.utf8.count, "\(time) for \(document.utf8.count) bytes")
    }

    @Test func marksAreCountedAfterUnescaping() throws {
        let most = String(repeating: #"\u0301"#, count: 30)
        #expect(try JSON("[\"e\(most)\"]").elements?.first?.text?.unicodeScalars.count == 31)
        #expect(error("[1,\"e\(most)\u{323}\"]", limits: JSONLimits())?.code == .tooManyMarks)
        #expect(error("[1,\"e\(most)\u{323}\"]", limits: JSONLimits())?.position?.column == 4)
        // A mark outside the BMP: U+1D165, as the surrogate pair that JSON escapes need.
        #expect(
            error("[\"\(String(repeating: #"\ud834\udd65"#, count: 31))\"]", limits: JSONLimits())?.code
                == .tooManyMarks)
    }

    /// The search for the position reads texts in pieces of 4,096 bytes: it must find a row that spans two of them.
    @Test(arguments: 4_000...4_110) func aRowIsFoundAcrossPieces(_ before: Int) {
        let start = String(repeating: "a", count: before)
        for mark in ["\u{301}", "\u{1D165}"] {
            let most = String(repeating: mark, count: 30)
            #expect(error("[\"\(start)\(most)\"}", limits: JSONLimits())?.code == .syntax)
            #expect(error("[\"\(start)\(most)\(mark)\"]", limits: JSONLimits())?.code == .tooManyMarks)
        }
    }

    @Test func namesAreBounded() {
        let limits = JSONLimits(nameBytesMaximum: 10)
        #expect(error(#"{"0123456789":"a longer text"}"#, limits: limits) == nil)
        #expect(error(#"{"01234\u0035678é":1}"#, limits: limits)?.code == .nameTooLong)
        #expect(error(#"{"0123456789":[{"0123456789a":1}]}"#, limits: limits)?.code == .nameTooLong)
        #expect(
            error(#"{"0123456789":[{"0123456789a":1}]}"#, limits: limits)?.description
                == "line 1, column 17: a name has more than 10 bytes")
        #expect(JSONLimits().nameBytesMaximum == 1_024)
    }
}
