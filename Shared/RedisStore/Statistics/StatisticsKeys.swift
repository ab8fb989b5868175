import PushModel
import RedisClient
import ServiceKit
import Store

/// All keys of the statistics. Those of one app and day share a hash tag, so that one script adds a task to all of
/// them.
struct StatisticsKeys {
    /// Hashes in which the tasks of an hour are remembered. At 30 tasks a second each has about 420, which is below the
    /// maximum for a listpack.
    static let memoryShards: UInt64 = 256

    private let tag: String

    init(_ app: AppID, at moment: Timestamp) {
        tag = "{\(app):\(StatisticsInterval.day.start(of: moment).milliseconds / StatisticsInterval.day.rawValue)}"
    }

    /// A hash: the 16 bytes of tasks that began in the hour and were added, to nothing.
    func memory(of task: TaskID, begun: Timestamp) -> RedisArgument {
        RedisArgument("statm:\(tag):\(StatisticsKeys.hour(of: begun)):\(task.low % StatisticsKeys.memoryShards)")
    }

    /// Hashes of one period: value to sums; see `Scripts/Statistics/sums.lua`.
    struct Period {
        /// `total`, the dialects and the platforms, with the prefixes below. In that of a day `since` is the time of its
        /// first task.
        let total: RedisArgument
        let topics: RedisArgument
        /// The names of its labels.
        let names: RedisArgument
        private let prefix: String

        init(prefix: String) {
            self.prefix = prefix
            total = RedisArgument(prefix)
            topics = RedisArgument("\(prefix):topics")
            names = RedisArgument("\(prefix):names")
        }

        func label(_ name: String) -> RedisArgument { RedisArgument("\(prefix):label:\(name)") }

        /// Those that a script gets for tasks with these labels, in the order of `number(of:names:)`.
        func keys(_ names: [String]) -> [RedisArgument] { [total, topics, self.names] + names.map(label) }

        func key(of dimension: StatisticsDimension) -> RedisArgument {
            switch dimension {
            case .total, .dialect, .platform: total
            case .topic: topics
            case .label(let name): label(name)
            }
        }
    }

    func period(_ interval: StatisticsInterval, at moment: Timestamp) -> Period {
        Period(prefix: "stat:\(tag)" + (interval == .day ? "" : ":\(StatisticsKeys.hour(of: moment))"))
    }

    /// Before the value in the field of a period's hash.
    static func prefix(of dimension: StatisticsDimension) -> String {
        switch dimension {
        case .total: "total"
        case .dialect: "dialect="
        case .platform: "platform="
        case .topic, .label: ""
        }
    }

    /// The number of the dimension's hash among the keys of a period in a script, from one.
    static func number(of dimension: StatisticsDimension, names: [String]) -> Int {
        switch dimension {
        case .total, .dialect, .platform: 1
        case .topic: 2
        case .label(let name): 4 + (names.firstIndex { $0.utf8.elementsEqual(name.utf8) } ?? 0)
        }
    }

    /// The names of the labels among these dimensions, each once if each dimension is.
    static func names(in dimensions: some Sequence<StatisticsDimension>) -> [String] {
        dimensions.compactMap { dimension in
            guard case .label(let name) = dimension else { return nil }
            return name
        }
    }

    private static func hour(of moment: Timestamp) -> Int64 {
        max(0, moment.milliseconds) % StatisticsInterval.day.rawValue / StatisticsInterval.hour.rawValue
    }
}
