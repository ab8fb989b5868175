import ServiceKit
import TestSupport
import Testing

@testable import JSONKit

/// The memory of a document is estimated before it is allocated.
@Suite(.timeLimit(.minutes(5))) struct JSONSizeTests {
    private func refusal(_ text: String, limits: JSONLimits) -> JSONError? {
        do throws(JSONError) {
            _ = try JSON(text, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("1", 1, 0, 0, 0),
        ("[1,2,3]", 4, 1, 0, 0),
        (#"{"a":[1,{"b":"c"}],"d":"e,[{:\"\\"}"#, 6, 3, 3, 5),
        (#"["\\","]:,{[","\"",0]"#, 5, 1, 0, 3),
        ("[\"never closed,,,", 2, 1, 0, 1),
        ("\"\\", 1, 0, 0, 1),
    ])
    func whatIsInTextsDoesNotCount(_ text: String, values: Int, containers: Int, members: Int, strings: Int) {
        let size = JSONSize(of: Array(text.utf8))
        #expect(size.values == values)
        #expect(size.containers == containers)
        #expect(size.members == members)
        #expect(size.strings == strings)
    }

    @Test func moreValuesThanAllowedAreRefused() {
        let limits = JSONLimits(valuesMaximum: 4)
        #expect(refusal("[1,2,3]", limits: limits) == nil)
        #expect(refusal("[1,2,3,4]", limits: limits)?.code == .tooManyValues)
        #expect(refusal("[1,2,3,4]", limits: limits)?.description == "the document has more than 4 values")
        #expect(refusal(#"["1,2,3,4"]"#, limits: limits) == nil)
    }

    @Test func moreListsAndObjectsThanAllowedAreRefused() {
        let limits = JSONLimits(containersMaximum: 2)
        #expect(refusal("[{}]", limits: limits) == nil)
        #expect(refusal("[{},[]]", limits: limits)?.description == "the document has more than 2 arrays and objects")
    }

    private static let shapes = [
        "zeros", "empty-texts", "long-texts", "empty-lists", "nested-lists", "nested-objects", "one-name", "names",
    ]

    /// A separate process reads a document of this shape just within the limits, since peak memory is measured per
    /// process.
    @Test(arguments: shapes)
    func memoryIsLinearAndWithinTheEstimate(_ shape: String) async throws {
        let process = try ChildProcess(builtExecutable("JSONProbe"), arguments: [shape])
        let line = try #require(await process.line { $0.hasPrefix("{") })
        let figures = try JSON(line)
        guard case .integer(let bytes) = figures["bytes"], case .integer(let peak) = figures["peak"],
            case .integer(let estimate) = figures["estimate"], figures["is_read"] == .bool(true)
        else {
            Issue.record("\(line)")
            return
        }
        #expect(peak <= 40 * bytes + JSONSizeTests.constant, "\(line)")
        #expect(peak <= estimate + JSONSizeTests.constant, "\(line)")
        // A far too high estimate would refuse documents that fit.
        #expect(estimate <= 6 * peak + JSONSizeTests.constant, "\(line)")
        #expect(await process.end() == .exited(0))
    }

    /// Overhead of the allocator, and the 20,000 lists and objects that every document may have.
    private static let constant: Int64 = 4 << 20

    @Test func beyondTheLimitNoMemoryIsTaken() async throws {
        let process = try ChildProcess(builtExecutable("JSONProbe"), arguments: ["too-many"])
        let line = try #require(await process.line { $0.hasPrefix("{") })
        let figures = try JSON(line)
        guard case .integer(let bytes) = figures["bytes"], case .integer(let peak) = figures["peak"] else {
            Issue.record("\(line)")
            return
        }
        #expect(bytes > 10 << 20)
        #expect(figures["is_read"] == .bool(false))
        #expect(peak < bytes / 4, "\(line)")
        #expect(await process.end() == .exited(0))
    }
}
