import Bus
import CommandKit
import ServiceKit
import Synchronization
import Topics

/// One run of the bus benchmark, in the measured process.
struct BenchLoad: Command {
    static let declaration = CommandDeclaration(
        "load", purpose: "send messages over the bus once and print the resources used; run by carillon bench bus",
        operands: "TOPIC PARTITIONS MESSAGES BYTES BATCH WINDOW", options: [.bus])

    private let load: BusLoad

    init(_ arguments: CommandArguments) throws(UsageError) {
        let numbers = arguments.operands.dropFirst().compactMap { Int($0) }
        guard let topic = arguments.operands.first, numbers.count == 5, numbers.allSatisfy({ $0 > 0 }) else {
            throw UsageError("load requires a topic and five integers")
        }
        load = BusLoad(
            topic: topic, partitions: numbers[0], messages: numbers[1], bytes: numbers[2], batch: numbers[3],
            window: numbers[4])
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let line = try await context.withBus { bus in try await measure(bus) }
        context.terminal.print(line)
        return 0
    }

    private func measure(_ bus: any Bus) async throws -> String {
        let topic = Topic<OpaqueMessage>(
            TopicDeclaration(
                load.topic, kind: .work, admission: .forward,
                partitions: .init(kafka: load.partitions, embedded: load.partitions), key: "", from: ["bench"],
                to: ["bench"]))
        let environment = WorkerEnvironment(log: .bench)
        let handled = HandledCount()
        let worker = Worker(
            channel: topic.channel, group: load.topic, handler: CountingHandler(handled: handled),
            options: WorkerOptions(),
            consumer: try await bus.makeConsumer(ConsumerOptions(channel: topic.channel, group: load.topic)),
            producer: try await bus.makeProducer(ProducerOptions()), environment: environment)
        let running = Task { try await worker.run() }
        let producer = try await bus.makeProducer(ProducerOptions())

        // The first message also waits until the group has formed.
        let latencies = try await pings(200, topic: topic, producer: producer, handled: handled)
        let started = Usage.now
        try await flood(topic, producer: producer, handled: handled)
        let used = Usage.now - started
        worker.stop()
        try await running.value
        await producer.close()
        return JSONText.object { json in
            json.member("seconds", used.seconds)
            json.member("cpu_seconds", used.cpuSeconds)
            json.member("memory_bytes", used.memoryBytesPeak)
            json.member("latency_p50_ms", latencies.percentile(50))
            json.member("latency_p99_ms", latencies.percentile(99))
        }
    }

    /// Latency from `send` to the handler in milliseconds, one message at a time.
    private func pings(
        _ count: Int, topic: Topic<OpaqueMessage>, producer: any BusProducer, handled: HandledCount
    ) async throws -> [Double] {
        let time = SystemTimeSource()
        let message = OpaqueMessage(load.payload)
        var latencies: [Double] = []
        for number in 0...count {
            let started = time.uptime
            let target = handled.count + 1
            async let arrived: Void = handled.wait(for: target)
            try await producer.send([topic.message(message, key: [UInt8(truncatingIfNeeded: number)])])
            await arrived
            if number > 0 { latencies.append((time.uptime - started).inSeconds * 1_000) }
        }
        return latencies
    }

    /// Twice as many senders as batches fit into the window, each with one batch in flight: a sender may still wait for
    /// its acknowledgement long after its messages were handled.
    private func flood(
        _ topic: Topic<OpaqueMessage>, producer: any BusProducer, handled: HandledCount
    ) async throws {
        let message = OpaqueMessage(load.payload)
        let before = handled.count
        let sent = SentCount()
        try await withThrowingTaskGroup(of: Void.self) { senders in
            for _ in 0..<max(1, 2 * load.window / load.batch) {
                senders.addTask {
                    while true {
                        let start = sent.take(load.batch)
                        guard start < load.messages else { return }
                        let batch = (start..<min(start + load.batch, load.messages)).map { number in
                            topic.message(message, key: withUnsafeBytes(of: UInt64(number)) { Array($0) })
                        }
                        await handled.wait(for: before + start + load.batch - load.window)
                        try await producer.send(batch)
                    }
                }
            }
            try await senders.waitForAll()
        }
        await handled.wait(for: before + load.messages)
    }
}

private struct CountingHandler: MessageHandler {
    let handled: HandledCount

    func handle(
        _ messages: [ReceivedMessage<OpaqueMessage>], context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        handled.add(messages.count)
        return []
    }
}

/// Assigns message numbers to the senders.
private final class SentCount: Sendable {
    private let next = Atomic<Int>(0)

    func take(_ count: Int) -> Int {
        next.wrappingAdd(count, ordering: .relaxed).oldValue
    }
}

/// Number of handled messages, by which the senders stay within the window.
private final class HandledCount: Sendable {
    private struct State {
        var count = 0
        var waiters: [(target: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }

    func add(_ number: Int) {
        let due = state.withLock { state in
            state.count += number
            let count = state.count
            let due = state.waiters.filter { $0.target <= count }
            state.waiters.removeAll { $0.target <= count }
            return due
        }
        for waiter in due { waiter.continuation.resume() }
    }

    func wait(for target: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.count < target { state.waiters.append((target, continuation)) }
                return state.count >= target
            }
            if isReached { continuation.resume() }
        }
    }
}
