import ServiceKit
import Testing

@testable import JSONKit

/// Invalid JSON throws an error with its position; nothing traps.
@Suite struct JSONErrorTests {
    private func error(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) -> JSONError? {
        do throws(JSONError) {
            _ = try JSON(bytes, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    private func error(_ text: String, limits: JSONLimits = JSONLimits()) -> JSONError? {
        error(Array(text.utf8), limits: limits)
    }

    @Test(arguments: [
        ("", "line 1, column 1: unexpected end of the document; expected a value"),
        (" \n ", "line 2, column 2: unexpected end of the document; expected a value"),
        ("[1,]", "line 1, column 4: unexpected ']'; expected a value"),
        ("[,1]", "line 1, column 2: unexpected ','; expected a value or ]"),
        ("[1 2]", "line 1, column 4: unexpected '2'; expected a comma or ]"),
        ("[1,2", "line 1, column 5: unexpected end of the document; expected a comma or ]"),
        ("[1}", "line 1, column 3: unexpected '}'; expected a comma or ]"),
        ("{\n  \"a\": 1,\n}", "line 3, column 1: unexpected '}'; expected a quoted name"),
        ("{a:1}", "line 1, column 2: unexpected 'a'; expected a quoted name or }"),
        (#"{"a" 1}"#, "line 1, column 6: unexpected '1'; expected a colon"),
        (#"{"a":1 "b":2}"#, "line 1, column 8: unexpected '\"'; expected a comma or }"),
        (#"{"é":1]"#, "line 1, column 7: unexpected ']'; expected a comma or }"),
        ("[1] 2", "line 1, column 5: unexpected '2'; expected the end of the document"),
        ("nul", "line 1, column 1: unexpected 'n'; expected a value"),
        ("'a'", "line 1, column 1: unexpected '''; expected a value"),
        ("\u{FEFF}[]", "line 1, column 1: unexpected byte order mark; expected a value"),
        ("[\"open]", "line 1, column 2: unterminated string"),
        ("[\"a\nb\"]", "line 1, column 4: unescaped control character in a string; write it as an escape such as \\n"),
        (#"["\x"]"#, #"line 1, column 3: invalid escape; write a backslash as \\"#),
        (#"["\u12g4"]"#, #"line 1, column 3: invalid escape; write a backslash as \\"#),
        (#"["\udc00"]"#, "line 1, column 3: unpaired surrogate"),
        (#"["\ud83dx"]"#, "line 1, column 3: unpaired surrogate"),
        ("[01]", "line 1, column 2: invalid number"),
        ("[1.]", "line 1, column 2: invalid number"),
        ("[-]", "line 1, column 2: invalid number"),
        ("[1e]", "line 1, column 2: invalid number"),
        ("[18446744073709551616]", "line 1, column 2: number out of range"),
        ("[-9223372036854775809]", "line 1, column 2: number out of range"),
        ("[1e400]", "line 1, column 2: number out of range"),
    ])
    func namesThePlace(_ text: String, description: String) {
        let error = error(text)
        #expect(error?.code == .syntax)
        #expect(error?.description == description)
    }

    @Test(
        arguments: [[0xFF], [0xED, 0xA0, 0x80], [0xC0, 0xAF], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82]] as [[UInt8]])
    func namesWhereUTF8Ends(_ bytes: [UInt8]) {
        let error = error(Array("[\n\"é".utf8) + bytes + Array("\"]".utf8))
        #expect(error?.code == .invalidUTF8)
        #expect(error?.description == "line 2, column 3: invalid UTF-8")
    }

    @Test func depthIsBounded() {
        let limits = JSONLimits(depthMaximum: 3)
        #expect(error("[{\"a\":[1]}]", limits: limits) == nil)
        #expect(error("[{\"a\":[[1]]}]", limits: limits)?.code == .tooDeep)
        #expect(error("[{\"a\":[[1]]}]", limits: limits)?.position?.column == 8)
        #expect(error(String(repeating: "[", count: 10_000))?.code == .tooDeep)
        #expect(error(String(repeating: "[", count: 500_000))?.code == .tooManyValues)
        let deepest = JSONLimits(depthMaximum: 10_000).depthMaximum
        let document = String(repeating: "[", count: deepest) + "1" + String(repeating: "]", count: deepest)
        #expect(error(document, limits: JSONLimits(depthMaximum: deepest)) == nil)
        #expect(error("[\(document)]", limits: JSONLimits(depthMaximum: deepest))?.code == .tooDeep)
    }

    @Test func sizeIsBounded() {
        let limits = JSONLimits(bytesMaximum: 100)
        #expect(error("\"\(String(repeating: "a", count: 98))\"", limits: limits) == nil)
        #expect(error("\"\(String(repeating: "a", count: 99))\"", limits: limits)?.code == .tooLarge)
        #expect(error([], limits: JSONLimits(bytesMaximum: 0))?.code == .syntax)
    }

    @Test func noMemoryIsTheOnlyErrorThatMayPass() {
        #expect(!JSONError(code: .syntax, message: "", position: nil).isRetriable)
        #expect(JSONError(code: .outOfMemory, message: "", position: nil).isRetriable)
    }

    /// Documents with random changes: the parser and the search for the position must agree on which of them are JSON,
    /// or an error would have no position.
    @Test func thePlaceIsFoundInWhateverIsRefused() {
        let seeds = [
            #"{"a":[1,-2.5e+3,true,false,null],"b":{"c":"\u00e9\ud83d\udd14\\\"\n/"},"d":18446744073709551615}"#,
            #"[[[["deep"]]],"é🔔",-0,0.0,1E9,{"":{}}]"#,
        ].map { Array($0.utf8) }
        let random = SeededRandomSource(seed: 7)
        let noise = Array("\"\\{}[]:,0-.eE u\nd8tn\u{80}é".utf8) + [0x00, 0xFF, 0xC0]
        var refusals = 0
        for round in 0..<30_000 {
            var bytes = seeds[round % seeds.count]
            for _ in 0...(random.next() % 3) {
                let place = Int(random.next() % UInt64(bytes.count))
                switch random.next() % 3 {
                case 0: bytes[place] = noise[Int(random.next() % UInt64(noise.count))]
                case 1: bytes.remove(at: place)
                default: bytes.insert(noise[Int(random.next() % UInt64(noise.count))], at: place)
                }
            }
            let limits = JSONLimits(depthMaximum: 5)
            let refused = error(bytes, limits: limits)
            refusals += refused == nil ? 0 : 1
            #expect(JSONSyntax.error(in: bytes, limits) == refused, "\(String(decoding: bytes, as: UTF8.self))")
            #expect((refused == nil) == (refused?.position == nil))
        }
        #expect(refusals > 10_000)
    }
}
