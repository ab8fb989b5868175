import Testing

@testable import RedisClient

@Suite struct RedisSlotTests {
    /// From the specification of Redis Cluster.
    @Test func theChecksumIsXMODEM() {
        #expect(RedisSlot.crc16("123456789".utf8) == 0x31C3)
    }

    /// As `CLUSTER KEYSLOT` answers.
    @Test(arguments: [("foo", 12182), ("bar", 5061), ("", 0), ("somekey", 11058), ("foo{hash_tag}", 2515)])
    func slotsAreThoseOfTheServer(_ key: String, slot: Int) {
        #expect(RedisSlot.of(Array(key.utf8)) == slot)
    }

    @Test(arguments: [
        ("{user}.following", "user"), ("foo{{bar}}zap", "{bar"), ("foo{bar}{zap}", "bar"), ("foo{}{bar}", "foo{}{bar}"),
        ("foo{bar", "foo{bar"),
    ])
    func aHashTagAloneCounts(_ key: String, hashed: String) {
        #expect(RedisSlot.of(Array(key.utf8)) == Int(RedisSlot.crc16(hashed.utf8)) % 16_384)
    }

    @Test(arguments: [
        (["GET", "k"], "k"), (["get", "k"], "k"), (["PING"], nil), (["EVALSHA", "x", "1", "k", "a"], "k"),
        (["EVAL", "x", "0", "a"], nil), (["XGROUP", "CREATE", "k", "g", "$"], "k"),
        (["XREADGROUP", "GROUP", "g", "c", "COUNT", "9", "streams", "k", ">"], "k"),
        (["XADD", "k", "*", "f", "v"], "k"),
    ])
    func theKeyIsFoundInTheCommand(_ parts: [String], key: String?) {
        #expect(RedisCommand(parts.map { RedisArgument($0) }).routingKey == key.map { Array($0.utf8) })
    }

    @Test func anExplicitKeyWins() {
        #expect(RedisCommand("DEBUG", "x").routed(by: "k").routingKey == Array("k".utf8))
    }

    @Test func redirectsAreRead() throws {
        let moved = RedisRedirect(RedisError(reply: "MOVED 3999 10.0.0.1:6381"), askedHost: "asked")
        #expect(moved?.kind == .moved && moved?.slot == 3999)
        #expect(moved?.address == .init(host: "10.0.0.1", port: 6381))
        let ask = RedisRedirect(RedisError(reply: "ASK 1 :6381"), askedHost: "asked")
        #expect(ask?.kind == .ask && ask?.address == .init(host: "asked", port: 6381))
        for line in ["MOVED", "MOVED x a:1", "MOVED 99999 a:1", "MOVED 1 a", "ERR MOVED 1 a:1"] {
            #expect(RedisRedirect(RedisError(reply: line), askedHost: "asked") == nil)
        }
    }

    @Test func theSlotMapIsRead() throws {
        func range(_ first: Int64, last: Int64, host: RedisValue, port: Int64) -> RedisValue {
            .array([.integer(first), .integer(last), .array([host, .integer(port), .bytes([])])])
        }
        let reply = RedisValue.array([
            range(0, last: 9, host: .bytes(Array("a".utf8)), port: 1), range(10, last: 16_383, host: .null, port: 2),
        ])
        let map = try #require(RedisSlotMap(reply, askedHost: "asked"))
        #expect(map.owner(of: 9) == .init(host: "a", port: 1))
        #expect(map.owner(of: 10) == .init(host: "asked", port: 2))
        #expect(map.uncoveredSlots == 0)
        for bad in [
            range(5, last: 1, host: .null, port: 1), range(0, last: 16_384, host: .null, port: 1),
            range(0, last: 1, host: .null, port: 70_000), .integer(1),
        ] {
            #expect(RedisSlotMap(.array([bad]), askedHost: "asked") == nil)
        }
    }

    @Test(arguments: [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        ),
    ])
    func scriptsAreNamedBySHA1(_ source: String, digest: String) {
        #expect(RedisScript(source).sha1 == digest)
    }
}
