import ServiceKit
import Testing

@Suite struct ChunksTests {
    @Test func chunksKeepOrderAndOnlyTheLastIsShorter() {
        #expect([Int]().chunks(of: 3).isEmpty)
        #expect([1, 2, 3].chunks(of: 3) == [[1, 2, 3]])
        #expect([0, 1, 2, 3, 4].dropFirst().chunks(of: 3) == [[1, 2, 3], [4]])
        #expect((0..<7).chunks(of: 3) == [0..<3, 3..<6, 6..<7])
    }
}
