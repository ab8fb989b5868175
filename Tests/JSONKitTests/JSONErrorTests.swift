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
        ("", "line 1, column 1: the document ends where a value should follow"),
        (" \n ", "line 2, column 2: the document ends where a value should follow"),
        ("[1,]", "line 1, column 4: there is ] where a value should be"),
        ("[,1]", "line 1, column 2: there is , where a value or ] should be"),
        ("[1 2]", "line 1, column 4: there is 2 where a comma or ] should be"),
        ("[1,2", "line 1, column 5: the document ends where a comma or ] should follow"),
        ("[1}", "line 1, column 3: there is } where a comma or ] should be"),
        ("{\n  \"a\": 1,\n}", "line 3, column 1: there is } where a name in quotation marks should be"),
        ("{a:1}", "line 1, column 2: there is a where a name in quotation marks or } should be"),
        (#"{"a" 1}"#, "line 1, column 6: there is 1 where a colon should be"),
        (#"{"a":1 "b":2}"#, "line 1, column 8: there is \" where a comma or } should be"),
        (#"{"é":1]"#, "line 1, column 7: there is ] where a comma or } should be"),
        ("[1] 2", "line 1, column 5: there is 2 where the end of the document should be"),
        ("nul", "line 1, column 1: there is n where a value should be"),
        ("'a'", "line 1, column 1: there is ' where a value should be"),
        ("\u{FEFF}[]", "line 1, column 1: there is a byte order mark where a value should be"),
        ("[\"open]", "line 1, column 2: the text that begins here is never closed"),
        ("[\"a\nb\"]", "line 1, column 4: a control character in a text; write it as an escape such as \\n"),
        (#"["\x"]"#, #"line 1, column 3: an escape that JSON does not have; a backslash itself is written \\"#),
        (#"["\u12g4"]"#, #"line 1, column 3: an escape that JSON does not have; a backslash itself is written \\"#),
        (#"["\udc00"]"#, "line 1, column 3: half of a surrogate pair"),
        (#"["\ud83dx"]"#, "line 1, column 3: half of a surrogate pair"),
        ("[01]", "line 1, column 2: a number that JSON does not have"),
        ("[1.]", "line 1, column 2: a number that JSON does not have"),
        ("[-]", "line 1, column 2: a number that JSON does not have"),
        ("[1e]", "line 1, column 2: a number that JSON does not have"),
        ("[18446744073709551616]", "line 1, column 2: a number too large to be taken"),
        ("[-9223372036854775809]", "line 1, column 2: a number too large to be taken"),
        ("[1e400]", "line 1, column 2: a number too large to be taken"),
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
        #expect(error?.description == "line 2, column 3: the bytes here are no UTF-8")
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
