import CommandKit
import JSONKit
import ServiceKit

/// Events over UDP, to a running pipeline whose resolvers and reporter work meanwhile; and the same datagrams to a bare
/// loop.
struct EventsBench: Sendable {
    private struct Outcomes {
        let accepted: Int
        let total: Int
    }

    private static let service = "ingest-api"
    private static let pause = Duration.milliseconds(100)
    /// 100,000 datagrams.
    private static let garbageRate = 20_000
    private static let garbageDuration = Duration.seconds(5)
    /// For an app file to take effect, for what waits in the queue, and for one more closed task.
    private static let patience = Duration.seconds(60)

    let harness: LocalHarness
    let port: UInt16
    let load: DatagramLoad

    func run(say: (String) -> Void) async throws -> [BenchFigure] {
        try harness.allowLoopback(scope: "publish")
        var first = 0
        try await wait(for: "an accepted event") {
            try DatagramLoad.sendOne(to: port)
            first += 1
            return try outcomes().accepted > 0
        }
        try await wait(for: "the outcome of the first datagrams") { try outcomes().total == first }
        let garbageMemory = try await memoryTakenByGarbage()
        say("\(load.rate) datagrams a second for \(load.duration.components.seconds) s")
        let (before, usage) = (try outcomes(), try ProcessReading(harness.process(EventsBench.service)))
        let started = Usage.now
        let sent = try await load.run(port: port)
        let closedAtEnd = try await closedTasks()
        let acceptedAtEnd = try outcomes().accepted
        try await wait(for: "the outcome of every datagram") {
            try outcomes().total == before.total + sent
        }
        let seconds = (Usage.now - started).seconds
        let used = try ProcessReading(harness.process(EventsBench.service))
        let accepted = try outcomes().accepted
        say("\(accepted - before.accepted) of \(sent) accepted; waiting until their tasks are closed")
        let lost = accepted - (try await closedTasks(of: accepted))
        say("the same datagrams to a bare loop")
        let cpu = (used.cpuSeconds - usage.cpuSeconds) / Double(accepted - before.accepted)
        let bare = try await bareCPU()
        return [
            BenchFigure(name: "events.udp.rate", value: Double(accepted - before.accepted) / seconds, unit: "events/s"),
            BenchFigure(name: "events.udp.lost", value: Double(lost), unit: "events"),
            BenchFigure(
                name: "events.udp.dropped", value: Double(sent - accepted + before.accepted), unit: "datagrams"),
            BenchFigure(name: "events.udp.backlog", value: Double(acceptedAtEnd - closedAtEnd), unit: "tasks"),
            BenchFigure(
                name: "events.udp.cpu", value: cpu * 100_000, unit: "CPU-seconds per 100,000", ratio: cpu / bare),
            BenchFigure(name: "events.udp.memory", value: Double(used.memoryBytesPeak), unit: "bytes"),
            BenchFigure(name: "events.udp.garbage_memory", value: Double(garbageMemory), unit: "bytes"),
        ]
    }

    /// How much the peak of the service's memory grows with garbage, after which an event is accepted.
    private func memoryTakenByGarbage() async throws -> Int {
        let garbage = DatagramLoad(
            rate: EventsBench.garbageRate, duration: EventsBench.garbageDuration, content: .garbage)
        let (before, usage) = (try outcomes(), try ProcessReading(harness.process(EventsBench.service)))
        let sent = try await garbage.run(port: port)
        try await wait(for: "the outcome of garbage") { try outcomes().total == before.total + sent }
        let used = try ProcessReading(harness.process(EventsBench.service))
        try DatagramLoad.sendOne(to: port)
        try await wait(for: "an accepted event after garbage") { try outcomes().accepted == before.accepted + 1 }
        return used.memoryBytesPeak - usage.memoryBytesPeak
    }

    /// CPU-seconds for a datagram.
    private func bareCPU() async throws -> Double {
        let server = try await BareServer(.datagrams)
        let before = try server.usage()
        let sent = try await load.run(port: server.port)
        return (try server.usage().cpuSeconds - before.cpuSeconds) / Double(sent)
    }

    private func outcomes() throws -> Outcomes {
        let name = "carillon_ingest_handled_datagrams_total{outcome=\""
        var (accepted, total) = (0, 0)
        for line in try harness.metrics(of: EventsBench.service).split(separator: "\n") where line.hasPrefix(name) {
            guard let count = line.split(separator: " ").last.flatMap({ Int($0) }) else { continue }
            total += count
            if line.dropFirst(name.count).hasPrefix("accepted") { accepted = count }
        }
        return Outcomes(accepted: accepted, total: total)
    }

    /// By the reports, which count each task once.
    private func closedTasks() async throws -> Int {
        let http = LocalHTTP()
        let answer = try await http.get("\(harness.url)/v1/statistics?by=dialect", key: harness.key)
        await http.close()
        let rows = answer["rows"]?.elements ?? []
        return rows.filter { $0["value"]?.text == "pushd" }.reduce(0) { $0 + ($1.count("tasks") ?? 0) }
    }

    /// Waits until all are closed, or no further one is for a while.
    private func closedTasks(of accepted: Int) async throws -> Int {
        let time = SystemTimeSource()
        var (closed, deadline) = (try await closedTasks(), time.uptime + EventsBench.patience)
        while closed < accepted, time.uptime < deadline {
            try await Task.sleep(for: EventsBench.pause)
            let count = try await closedTasks()
            if count > closed { (closed, deadline) = (count, time.uptime + EventsBench.patience) }
        }
        return closed
    }

    private func wait(for what: String, until isMet: () async throws -> Bool) async throws {
        let deadline = SystemTimeSource().uptime + EventsBench.patience
        while try await !isMet() {
            guard SystemTimeSource().uptime < deadline else { throw BenchError("waited in vain for \(what)") }
            try await Task.sleep(for: EventsBench.pause)
        }
    }
}
