import Synchronization

/// The metrics of one process. Get an instrument once and keep it: the look-up takes a lock, counting does not.
package final class Metrics: Sendable {
    package typealias Labels = KeyValuePairs<String, String>

    private struct Series: Hashable {
        let name: MetricName
        let labels: String
    }

    private enum Instrument {
        case counter(Counter)
        case gauge(Gauge)
        case histogram(Histogram)
    }

    /// Limits the memory that label values from outside can take.
    private let seriesMaximum = 10_000
    private let series = Mutex<[Series: Instrument]>([:])

    package init() {}

    package func counter(_ name: MetricName, labels: Labels = [:]) -> Counter {
        precondition(name.kind == .counter, "\(name.rawValue) is not a counter")
        let made = instrument(name, labels: labels) { .counter(Counter()) }
        guard case .counter(let counter) = made else { return Counter() }
        return counter
    }

    package func gauge(_ name: MetricName, labels: Labels = [:]) -> Gauge {
        precondition(name.kind == .gauge, "\(name.rawValue) is not a gauge")
        let made = instrument(name, labels: labels) { .gauge(Gauge()) }
        guard case .gauge(let gauge) = made else { return Gauge() }
        return gauge
    }

    package func histogram(_ name: MetricName, labels: Labels = [:]) -> Histogram {
        precondition(name.kind == .histogram, "\(name.rawValue) is not a histogram")
        let made = instrument(name, labels: labels) { .histogram(Histogram()) }
        guard case .histogram(let histogram) = made else { return Histogram() }
        return histogram
    }

    /// An instrument beyond the limit works but is not exported.
    private func instrument(_ name: MetricName, labels: Labels, make: () -> Instrument) -> Instrument {
        let key = Series(name: name, labels: Metrics.render(labels))
        return series.withLock { series in
            if let known = series[key] { return known }
            let made = make()
            if series.count < seriesMaximum { series[key] = made }
            return made
        }
    }

    /// The Prometheus text exposition format, version 0.0.4.
    package func exposition() -> String {
        let snapshot = series.withLock { $0 }
        var text = ""
        for name in MetricName.allCases {
            let members = snapshot.filter { $0.key.name == name }.sorted { $0.key.labels < $1.key.labels }
            guard !members.isEmpty else { continue }
            text += "# HELP \(name.rawValue) \(name.help)\n# TYPE \(name.rawValue) \(name.kind.rawValue)\n"
            for (key, instrument) in members {
                switch instrument {
                case .counter(let counter):
                    text += Metrics.line(name.rawValue, labels: key.labels, value: "\(counter.value)")
                case .gauge(let gauge): text += Metrics.line(name.rawValue, labels: key.labels, value: "\(gauge.value)")
                case .histogram(let histogram):
                    text += Metrics.lines(name.rawValue, labels: key.labels, histogram: histogram)
                }
            }
        }
        return text
    }

    private static func line(_ name: String, labels: String, value: String) -> String {
        labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }

    private static func lines(_ name: String, labels: String, histogram: Histogram) -> String {
        let comma = labels.isEmpty ? "" : labels + ","
        var text = ""
        var cumulative = 0
        let (counts, sum) = histogram.snapshot()
        for (bound, count) in zip(Histogram.bounds, counts) {
            cumulative += count
            text += "\(name)_bucket{\(comma)le=\"\(bound)\"} \(cumulative)\n"
        }
        cumulative += counts.last ?? 0
        text += "\(name)_bucket{\(comma)le=\"+Inf\"} \(cumulative)\n"
        return text + line(name + "_sum", labels: labels, value: "\(sum)")
            + line(name + "_count", labels: labels, value: "\(cumulative)")
    }

    private static func render(_ labels: Labels) -> String {
        labels.map { key, value in
            var escaped = ""
            for scalar in value.unicodeScalars {
                switch scalar {
                case "\\": escaped += "\\\\"
                case "\"": escaped += "\\\""
                case "\n": escaped += "\\n"
                default: escaped.unicodeScalars.append(scalar)
                }
            }
            return "\(key)=\"\(escaped)\""
        }.joined(separator: ",")
    }
}

package final class Counter: Sendable {
    private let total = Atomic<Int>(0)

    package func increment(by amount: Int = 1) {
        total.add(amount, ordering: .relaxed)
    }

    package var value: Int { total.load(ordering: .relaxed) }
}

package final class Gauge: Sendable {
    private let current = Atomic<Int>(0)

    package func set(_ value: Int) {
        current.store(value, ordering: .relaxed)
    }

    package func add(_ amount: Int) {
        current.add(amount, ordering: .relaxed)
    }

    package var value: Int { current.load(ordering: .relaxed) }
}

/// Counts durations in fixed buckets from a millisecond to ten seconds.
package final class Histogram: Sendable {
    /// Upper bounds in seconds.
    package static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private struct State {
        var counts = [Int](repeating: 0, count: Histogram.bounds.count + 1)
        var sum = 0.0
    }

    private let state = Mutex(State())

    package func record(_ duration: Duration) {
        let seconds = duration.inSeconds
        let bucket = Histogram.bounds.firstIndex { seconds <= $0 } ?? Histogram.bounds.count
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += seconds
        }
    }

    fileprivate func snapshot() -> (counts: [Int], sum: Double) {
        state.withLock { ($0.counts, $0.sum) }
    }
}
