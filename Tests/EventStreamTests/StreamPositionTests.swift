import PushModel
import Testing

@testable import EventStream

@Suite struct StreamPositionTests {
    @Test(arguments: [[], [0], [1, 2], [127, 128, 16_384], [.max, 0, 1 << 40]])
    func aPositionIsReadBack(offsets: [Int64]) {
        let position = StreamPosition(offsets)
        #expect(StreamPosition(position.text) == position)
    }

    @Test func aPositionIsShort() {
        #expect(StreamPosition([5, 120]).text.utf8.count == 3)
        #expect(StreamPosition([Int64](repeating: 1_000_000, count: 4)).text.utf8.count == 16)
    }

    @Test(arguments: [
        "?", "gA", "_____________w", String(repeating: "A", count: 2_000),
        Base64URL.encode([UInt8](repeating: 0, count: 65)),
        Base64URL.encode([UInt8](repeating: 0xFF, count: 10)),
    ])
    func othersAreNone(text: String) {
        #expect(StreamPosition(text) == nil)
    }

    @Test func positionsAreComparedByPartition() {
        let position = StreamPosition([5, 7])
        #expect(position.includes(StreamPosition([5])) && position.includes(StreamPosition()))
        #expect(!position.includes(StreamPosition([6, 0])) && !position.includes(StreamPosition([0, 0, 1])))
        #expect(position.union(StreamPosition([6, 1, 2])) == StreamPosition([6, 7, 2]))
        var changed = position
        changed[3] = 9
        #expect(changed == StreamPosition([5, 7, 0, 9]) && changed[8] == 0)
    }
}
