/// The known owner of each slot.
struct RedisSlotMap: Equatable {
    private(set) var servers: [RedisConfiguration.Address] = []
    /// For each slot an index into `servers`, or -1.
    private var owners = [Int](repeating: -1, count: RedisSlot.count)

    init() {}

    /// Parses a reply to `CLUSTER SLOTS`; nil if it is malformed. An empty host name means the server that was asked.
    init?(_ reply: RedisValue, askedHost: String) {
        guard let ranges = reply.array else { return nil }
        for range in ranges {
            guard let fields = range.array, fields.count >= 3, let first = fields[0].integer,
                let last = fields[1].integer, let primary = fields[2].array, primary.count >= 2,
                let port = primary[1].integer.flatMap({ UInt16(exactly: $0) }), first >= 0, first <= last,
                last < Int64(RedisSlot.count)
            else { return nil }
            let name = primary[0].string ?? ""
            let address = RedisConfiguration.Address(host: name.isEmpty ? askedHost : name, port: port)
            for slot in Int(first)...Int(last) { assign(slot, to: address) }
        }
    }

    func owner(of slot: Int) -> RedisConfiguration.Address? {
        owners[slot] < 0 ? nil : servers[owners[slot]]
    }

    var uncoveredSlots: Int { owners.count { $0 < 0 } }

    mutating func assign(_ slot: Int, to address: RedisConfiguration.Address) {
        if let known = servers.firstIndex(of: address) {
            owners[slot] = known
        } else {
            servers.append(address)
            owners[slot] = servers.count - 1
        }
    }
}
