extension RedisClient {
    /// For each server that has data a key that leads to it, for `RedisCommand.routed(by:)`: commands such as `SCAN` see
    /// one server only. Nil while it is not known who has which slot.
    package var keysOfServers: [RedisArgument]? {
        switch topology {
        case .standalone: [""]
        case .cluster(let router): router.keysOfServers
        }
    }
}

extension RedisClusterRouter {
    var keysOfServers: [RedisArgument]? {
        let map = slotMap
        guard map.uncoveredSlots == 0 else { return nil }
        let owners = Set((0..<RedisSlot.count).compactMap { map.owner(of: $0) })
        var keys: [RedisConfiguration.Address: RedisArgument] = [:]
        // Keys that are counted up spread over the slots, so that even a server with few of them is met soon.
        for number in 0..<(16 * RedisSlot.count) where keys.count < owners.count {
            let key = RedisArgument(number)
            guard let owner = map.owner(of: RedisSlot.of(key.bytes)), keys[owner] == nil else { continue }
            keys[owner] = key
        }
        return keys.count == owners.count ? Array(keys.values) : nil
    }
}
