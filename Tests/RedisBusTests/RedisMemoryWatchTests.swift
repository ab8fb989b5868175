import Testing

@testable import RedisBus

@Suite struct RedisMemoryWatchTests {
    private static func info(used: String, maximum: String) -> String {
        "# Memory\r\nused_memory:\(used)\r\nused_memory_human:1.00M\r\nused_memory_peak:99999999\r\n"
            + "maxmemory:\(maximum)\r\nmaxmemory_human:1.00G\r\nmaxmemory_policy:noeviction\r\n"
    }

    @Test(arguments: [
        (699, 1_000, false), (700, 1_000, true), (1_200, 1_000, true), (0, 1_000, false), (700, 0, false),
        (6_999_999_999, 10_000_000_000, false), (7_000_000_000, 10_000_000_000, true),
    ])
    func isCrowdedFromTheShareOn(used: Int, maximum: Int, expected: Bool) {
        let info = Self.info(used: "\(used)", maximum: "\(maximum)")
        #expect(RedisMemoryWatch.isCrowded(info: info, percentMaximum: 70) == expected)
    }

    @Test(arguments: ["", "used_memory:5", info(used: "many", maximum: "10"), info(used: "9", maximum: "-1")])
    func whatCannotBeReadHoldsNobodyUp(info: String) {
        #expect(!RedisMemoryWatch.isCrowded(info: info, percentMaximum: 70))
    }
}
