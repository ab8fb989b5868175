extension RedisClient {
    /// Returns for each server with data a key that routes to it, for `RedisCommand.routed(by:)`: commands such as
    /// `SCAN` see only one server.
    package func keysOfServers() async throws(RedisError) -> [RedisArgument] {
        guard case .cluster(let router) = topology else { return [""] }
        try await router.askWhoHasWhat()
        guard let keys = router.slotMap.keysOfServers else {
            throw RedisError(.notSent, message: "some slots of the cluster have no server")
        }
        return keys
    }
}

extension RedisSlotMap {
    /// Nil if some slot has no server.
    var keysOfServers: [RedisArgument]? {
        guard uncoveredSlots == 0 else { return nil }
        let owners = Set((0..<RedisSlot.count).compactMap { owner(of: $0) })
        var keys: [RedisConfiguration.Address: RedisArgument] = [:]
        // Consecutive numbers spread over the slots, so that even a server with few slots is found soon.
        for number in 0..<(16 * RedisSlot.count) where keys.count < owners.count {
            let key = RedisArgument(number)
            guard let owner = owner(of: RedisSlot.of(key.bytes)), keys[owner] == nil else { continue }
            keys[owner] = key
        }
        return keys.count == owners.count ? Array(keys.values) : nil
    }
}
