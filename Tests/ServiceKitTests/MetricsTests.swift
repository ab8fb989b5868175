import ServiceKit
import Testing

@Suite struct MetricsTests {
    private let metrics = Metrics()

    @Test func countsUnderOneNameAndSetOfLabels() {
        metrics.counter(.busMessagesHandled, labels: ["topic": "tasks"]).increment(by: 2)
        metrics.counter(.busMessagesHandled, labels: ["topic": "tasks"]).increment()
        metrics.counter(.busMessagesHandled, labels: ["topic": "audience"]).increment()
        let lines = sampleLines()
        #expect(
            lines == [
                "carillon_bus_messages_handled_total{topic=\"audience\"} 1",
                "carillon_bus_messages_handled_total{topic=\"tasks\"} 3",
            ])
    }

    @Test func aGaugeGoesBothWays() {
        let gauge = metrics.gauge(.httpConnectionsOpen)
        gauge.set(5)
        gauge.add(-7)
        #expect(sampleLines() == ["carillon_http_open_connections -2"])
    }

    @Test func describesEachMetricOnce() {
        metrics.counter(.busMessagesHandled, labels: ["topic": "a"]).increment()
        metrics.counter(.busMessagesHandled, labels: ["topic": "b"]).increment()
        let text = metrics.exposition()
        #expect(text.hasSuffix("\n"))
        #expect(
            text.split(separator: "\n").filter { $0.hasPrefix("#") } == [
                "# HELP carillon_bus_messages_handled_total \(MetricName.busMessagesHandled.help)",
                "# TYPE carillon_bus_messages_handled_total counter",
            ])
    }

    @Test func escapesLabelValues() {
        metrics.counter(.busDeadLetters, labels: ["reason": "a \"b\" \\ c\nd"]).increment()
        #expect(sampleLines() == [#"carillon_bus_dead_letters_total{reason="a \"b\" \\ c\nd"} 1"#])
    }

    @Test func aHistogramCountsEachBucketWithTheOnesBelow() {
        let histogram = metrics.histogram(.redisCommandDuration, labels: ["command": "GET"])
        for duration in [Duration.milliseconds(1), .milliseconds(2), .seconds(10), .seconds(11)] {
            histogram.record(duration)
        }
        let lines = sampleLines()
        let name = "carillon_redis_command_duration_seconds"
        #expect(lines.count == Histogram.bounds.count + 3)
        #expect(lines.first == "\(name)_bucket{command=\"GET\",le=\"0.001\"} 1")
        #expect(lines[1] == "\(name)_bucket{command=\"GET\",le=\"0.0025\"} 2")
        #expect(
            lines.suffix(4) == [
                "\(name)_bucket{command=\"GET\",le=\"10.0\"} 3", "\(name)_bucket{command=\"GET\",le=\"+Inf\"} 4",
                "\(name)_sum{command=\"GET\"} 21.003", "\(name)_count{command=\"GET\"} 4",
            ])
    }

    @Test func labelsFromOutsideCannotFillTheMemory() {
        for index in 0..<10_010 { metrics.counter(.busDeadLetters, labels: ["reason": "\(index)"]).increment() }
        #expect(sampleLines().count == 10_000)
    }

    private func sampleLines() -> [String] {
        metrics.exposition().split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
    }
}
