import Testing

@testable import RedisClient

@Suite struct RedisMemoryWatchTests {
    private static func info(used: String, maximum: String) -> String {
        "# Memory\r\nused_memory:\(used)\r\nused_memory_human:1.00M\r\nused_memory_peak:99999999\r\n"
            + "maxmemory:\(maximum)\r\nmaxmemory_human:1.00G\r\nmaxmemory_policy:noeviction\r\n"
    }

    @Test(arguments: [
        (699, 1_000, 69), (700, 1_000, 70), (1_200, 1_000, 100), (0, 1_000, 0), (700, 0, 0),
        (6_999_999_999, 10_000_000_000, 69), (7_000_000_000, 10_000_000_000, 70),
    ])
    func tellsTheShare(used: Int, maximum: Int, expected: Int) {
        #expect(RedisMemoryWatch.percentUsed(info: Self.info(used: "\(used)", maximum: "\(maximum)")) == expected)
    }

    @Test(arguments: ["", "used_memory:5", info(used: "many", maximum: "10"), info(used: "9", maximum: "-1")])
    func whatCannotBeReadHoldsNothingUp(info: String) {
        #expect(RedisMemoryWatch.percentUsed(info: info) == 0)
    }
}
