import Glibc
import ServiceKit

/// The baseline loops of `carillon bench`: the same C client, the same settings, acknowledgements and batches, and
/// nothing else. Prints one JSON object; as a server it prints its address instead.
///
///     BareLoops kafka URL TOPIC PARTITIONS MESSAGES BYTES BATCH WINDOW
///     BareLoops redis PORT STREAM PARTITIONS MESSAGES BYTES BATCH WINDOW
///     BareLoops hashes PORT PATTERN
///     BareLoops http
///     BareLoops microhttpd
///     BareLoops fanout
///     BareLoops datagrams
@main struct BareLoops {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let clock = Monitor(Usage.now)
        let problem: String?
        if arguments == ["http"] {
            problem = BareHTTP.run()
        } else if arguments == ["microhttpd"] {
            problem = BareMicroHTTPD.run()
        } else if arguments == ["fanout"] {
            problem = BareFanout.run()
        } else if arguments == ["datagrams"] {
            problem = BareDatagrams.run()
        } else if arguments.count == 3, arguments[0] == "hashes" {
            problem = BareHashes.run(port: arguments[1], pattern: arguments[2], clock)
        } else if arguments.count == 8, let load = BareLoad(arguments) {
            problem = arguments[0] == "kafka" ? BareKafka.run(load, clock: clock) : BareRedis.run(load, clock: clock)
        } else {
            StandardOutputSink().write(
                line: "usage: BareLoops kafka|redis ADDRESS NAME PARTITIONS MESSAGES BYTES BATCH WINDOW")
            exit(64)
        }
        if let problem {
            StandardOutputSink().write(line: "error \(problem)")
            exit(1)
        }
        let used = Usage.now - clock.withLock { $0 }
        StandardOutputSink().write(
            line: JSONText.object { json in
                json.member("seconds", used.seconds)
                json.member("cpu_seconds", used.cpuSeconds)
                json.member("memory_bytes", used.memoryBytesPeak)
            })
    }
}

/// The load of one run.
struct BareLoad {
    let address: String
    let name: String
    let partitions: Int
    let messages: Int
    let bytes: Int
    let batch: Int
    /// Maximum number of messages sent and not yet consumed.
    let window: Int

    init?(_ arguments: [String]) {
        let numbers = arguments[3...].compactMap { Int($0) }
        guard numbers.count == 5, numbers.allSatisfy({ $0 > 0 }) else { return nil }
        address = arguments[1]
        name = arguments[2]
        (partitions, messages, bytes, batch, window) = (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])
    }

    /// The first batch is a warm-up: connections are made and groups joined before the clock starts.
    var total: Int { messages + batch }

    /// Incompressible bytes, the same in every run.
    var payload: [UInt8] {
        let random = SeededRandomSource(seed: 1)
        return (0..<bytes).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }
}
