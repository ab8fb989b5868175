import Bus
import Testing

/// The expected values are those of the test suite of Kafka's Java client (`Utils.murmur2`).
@Suite struct PartitionerTests {
    @Test(arguments: [
        ("21", -973_932_308), ("foobar", -790_332_482), ("a-little-bit-long-string", -985_981_536),
        ("a-little-bit-longer-string", -1_486_304_829),
        ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971),
        ("abc", 479_470_107),
    ])
    func agreesWithTheJavaClient(text: String, hash: Int32) {
        #expect(Int32(bitPattern: Partitioner.murmur2(Array(text.utf8))) == hash)
    }

    @Test func everyKeyHasAPlace() {
        for number in 0..<1_000 {
            #expect((0..<7).contains(Partitioner.partition(ofKey: Array("key \(number)".utf8), count: 7)))
        }
    }
}
