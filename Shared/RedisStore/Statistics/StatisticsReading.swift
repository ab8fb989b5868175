import RedisClient
import ServiceKit
import Store

/// Reads some values of a dimension, or all, from hashes of periods. The cost of reading some does not grow with the
/// others.
struct StatisticsReading {
    private let dimension: StatisticsDimension
    private let values: [String]?
    private let prefix: String

    init(of dimension: StatisticsDimension, values: [String]?) {
        self.dimension = dimension
        self.values = values
        prefix = StatisticsKeys.prefix(of: dimension)
    }

    /// True if an answer may have a thousand values.
    var isLong: Bool { values == nil && prefix.isEmpty }

    func command(_ period: StatisticsKeys.Period) -> RedisCommand {
        let key = period.key(of: dimension)
        guard let values else { return RedisCommand("HGETALL", key) }
        return RedisCommand(["HMGET", key] + values.map { RedisArgument(prefix + $0) })
    }

    /// The values that are stored, with the texts of their sums.
    func entries(_ answer: RedisValue) -> [(value: [UInt8], sums: String)] {
        let answers = answer.array ?? []
        if let values {
            return zip(values, answers).compactMap { value, sums in sums.string.map { (Array(value.utf8), $0) } }
        }
        // Fields and contents in turn; other dimensions may be in the same hash.
        return stride(from: 0, to: answers.count - 1, by: 2).compactMap { place in
            guard let field = answers[place].bytes, field.starts(with: prefix.utf8) else { return nil }
            return (Array(field.dropFirst(prefix.utf8.count)), answers[place + 1].string ?? "")
        }
    }
}
