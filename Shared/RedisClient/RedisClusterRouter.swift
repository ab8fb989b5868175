import ServiceKit
import Synchronization

/// Sends each command to the server that owns its key's slot, and follows slots as they move.
final class RedisClusterRouter: Sendable {
    private struct State {
        var map = RedisSlotMap()
        var nodes: [RedisConfiguration.Address: RedisNode] = [:]
        var isAsking = false
        var lastAsked: Duration?
        var isClosed = false
        /// Why the last request for the slots failed.
        var slotsError: RedisError?
    }

    /// A slot rarely moves twice during one command; more redirects mean that the cluster's servers disagree.
    static let redirectsMaximum = 5
    /// Minimum time between two requests for the slots; meanwhile each redirect corrects its own slot.
    private static let askingInterval: Duration = .milliseconds(100)

    private let seeds: [RedisConfiguration.Address]
    private let commandDeadline: Duration
    private let time: any TimeSource
    private let makeNode: @Sendable (RedisConfiguration.Address) -> RedisNode
    private let state = Mutex(State())

    init(
        _ configuration: RedisConfiguration, time: any TimeSource,
        makeNode: @escaping @Sendable (RedisConfiguration.Address) -> RedisNode
    ) {
        seeds = configuration.addresses
        commandDeadline = configuration.commandDeadline
        self.time = time
        self.makeNode = makeNode
        for seed in seeds { _ = node(seed) }
        askForSlots()
    }

    var slotMap: RedisSlotMap { state.withLock { $0.map } }

    /// Commands for one server are sent together and in order; those for different servers are independent.
    func submit(_ commands: [RedisPending]) {
        var groups: [(node: RedisNode, commands: [RedisPending])] = []
        for command in commands {
            let target = node(for: command.command)
            let following = follow(command, from: target, redirects: 0)
            if let index = groups.firstIndex(where: { $0.node === target }) {
                groups[index].commands.append(following)
            } else {
                groups.append((target, [following]))
            }
        }
        for group in groups { group.node.submitOrRefuse(group.commands) }
    }

    var obstacle: RedisError? {
        let (map, nodes, slotsError) = state.withLock { ($0.map, $0.nodes, $0.slotsError) }
        guard !map.servers.isEmpty else {
            let reason = slotsError.map { ": \($0.message); for a single server use redis:// or rediss://" } ?? ""
            return nodes.values.lazy.compactMap(\.obstacle).first
                ?? RedisError(.notSent, message: "the cluster's slots are not known yet\(reason)")
        }
        guard map.uncoveredSlots == 0 else {
            return RedisError(.notSent, message: "\(map.uncoveredSlots) slots of the cluster have no server")
        }
        return map.servers.lazy.compactMap { nodes[$0]?.obstacle }.first
    }

    func close(within limit: Duration) async {
        let nodes = state.withLock { state in
            state.isClosed = true
            return Array(state.nodes.values)
        }
        await withTaskGroup(of: Void.self) { group in
            for node in nodes {
                group.addTask { [time] in await node.close(within: limit, time: time) }
            }
        }
    }
}

extension RedisClusterRouter {
    private func node(for command: RedisCommand) -> RedisNode {
        if let key = command.routingKey, let owner = state.withLock({ $0.map.owner(of: RedisSlot.of(key)) }) {
            return node(owner)
        }
        return anyNode()
    }

    /// A connected node, if there is one: it has newer information.
    private func anyNode() -> RedisNode {
        let nodes = state.withLock { Array($0.nodes.values) }
        return nodes.first { $0.obstacle == nil } ?? node(seeds[0])
    }

    private func node(_ address: RedisConfiguration.Address) -> RedisNode {
        state.withLock { state in
            if let known = state.nodes[address] { return known }
            let made = makeNode(address)
            state.nodes[address] = made
            // A redirect during closing must not leave a connection open.
            if state.isClosed { made.refuseCommands() }
            return made
        }
    }

    /// The same command with a completion that follows redirects first.
    private func follow(_ original: RedisPending, from source: RedisNode, redirects: Int) -> RedisPending {
        RedisPending(command: original.command, submitted: original.submitted, deadline: original.deadline) { result in
            guard case .failure(let error) = result else { return original.completion(result) }
            guard let redirect = RedisRedirect(error, askedHost: source.address.host) else {
                // The server may have been replaced by another.
                if error.code == .notSent || error.code == .unknown { self.askForSlots() }
                return original.completion(result)
            }
            guard redirects < RedisClusterRouter.redirectsMaximum else { return original.completion(result) }
            self.resend(original, after: redirect, redirects: redirects + 1)
        }
    }

    private func resend(_ original: RedisPending, after redirect: RedisRedirect, redirects: Int) {
        let target = node(redirect.address)
        let following = follow(original, from: target, redirects: redirects)
        switch redirect.kind {
        case .moved:
            state.withLock { $0.map.assign(redirect.slot, to: redirect.address) }
            askForSlots()
            target.submitOrRefuse([following])
        case .ask:
            let asking = RedisPending(
                command: RedisCommand("ASKING"), submitted: original.submitted, deadline: original.deadline
            ) { _ in }
            target.submitOrRefuse([asking, following])
        }
    }
}

extension RedisClusterRouter {
    /// Returns once the answer is part of the map.
    func askWhoHasWhat() async throws(RedisError) {
        let node = anyNode()
        let now = time.uptime
        let result = await withCheckedContinuation { continuation in
            let question = RedisPending(
                command: RedisCommand("CLUSTER", "SLOTS"), submitted: now, deadline: now + commandDeadline
            ) { continuation.resume(returning: $0) }
            node.submitOrRefuse([question])
        }
        learn(result, from: node.address.host)
        _ = try result.get()
    }

    private func askForSlots() {
        let now = time.uptime
        let asks = state.withLock { state in
            let isRecent = state.lastAsked.map { now - $0 < RedisClusterRouter.askingInterval } ?? false
            guard !state.isAsking, !isRecent, !state.isClosed else { return false }
            state.isAsking = true
            state.lastAsked = now
            return true
        }
        guard asks else { return }
        let node = anyNode()
        let question = RedisPending(
            command: RedisCommand("CLUSTER", "SLOTS"), submitted: now, deadline: now + commandDeadline
        ) { result in self.learn(result, from: node.address.host) }
        node.submitOrRefuse([question])
    }

    private func learn(_ result: Result<RedisValue, RedisError>, from host: String) {
        let map = (try? result.get()).flatMap { RedisSlotMap($0, askedHost: host) }
        let retired = state.withLock { state -> [RedisNode] in
            state.isAsking = false
            if case .failure(let error) = result { state.slotsError = error } else { state.slotsError = nil }
            // A node that has just joined has no slots yet; the present map is better.
            guard let map, !map.servers.isEmpty else { return [] }
            state.map = map
            let gone = state.nodes.keys.filter { !map.servers.contains($0) && !seeds.contains($0) }
            return gone.compactMap { state.nodes.removeValue(forKey: $0) }
        }
        map?.servers.forEach { _ = node($0) }
        for node in retired {
            // Commands submitted to the node still complete; the task keeps the node until then.
            Task { [commandDeadline, time] in await node.close(within: commandDeadline, time: time) }
        }
    }
}
