import RedisClient

/// What a Redis server reports about itself.
struct RedisInfo: Sendable {
    private let lines: [Substring]

    /// The section `everything` also counts commands.
    init(_ client: RedisClient, section: RedisArgument = "default") async throws {
        let text = try await client.send(RedisCommand("INFO", section)).string ?? ""
        lines = text.split(whereSeparator: \.isNewline)
    }

    func text(_ name: String) throws -> Substring {
        guard let line = lines.first(where: { $0.hasPrefix(name + ":") }) else {
            throw BenchError("redis-server does not report \(name)")
        }
        return line.dropFirst(name.count + 1)
    }

    func number(_ name: String) throws -> Double {
        guard let value = Double(try text(name)) else { throw BenchError("redis-server reports no number as \(name)") }
        return value
    }

    /// One of the figures of a command, such as `calls`.
    func number(_ figure: String, ofCommand command: String) throws -> Double {
        let fields = try text("cmdstat_\(command)").split(separator: ",")
        guard let field = fields.first(where: { $0.hasPrefix(figure + "=") }),
            let value = Double(field.dropFirst(figure.count + 1))
        else { throw BenchError("redis-server does not report the \(figure) of \(command)") }
        return value
    }
}
