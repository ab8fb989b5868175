import Bus
import Glibc
import ServiceHost
import ServiceKit
import Topics

/// A service that prints what it handles, for tests that kill a consumer or stop a service. A message `wait` is handled
/// only after a line arrives on standard input; a message `trap` crashes the process.
@main struct BusProbe {
    static func main() async {
        await ServiceHost.main(
            "bus-probe", purpose: "prints the messages of one topic",
            configuration: { ProbeConfiguration(environment: &$0) },
            build: { context, configuration in
                let options = ConsumerOptions(
                    channel: configuration.topic.channel, group: configuration.group, batchMessagesMaximum: 10)
                return [context.worker(options, handler: PrintingHandler())]
            })
    }
}

struct ProbeConfiguration: Sendable {
    let topic: Topic<OpaqueMessage>
    let group: String

    init(environment: inout EnvironmentReader) {
        let name = environment.text("PROBE_TOPIC", default: "probe", meaning: "The topic to read.")
        let partitions = environment.integer("PROBE_PARTITIONS", default: 4, in: 1...64, meaning: "Its partitions.")
        group = environment.text("PROBE_GROUP", default: "probe", meaning: "The consumer group to join.")
        topic = Topic(
            TopicDeclaration(
                name, kind: .work, admission: .forward, partitions: .init(kafka: partitions, embedded: partitions),
                key: "",
                from: ["test"], to: ["bus-probe"]))
    }
}

struct PrintingHandler: MessageHandler {
    private let sink = StandardOutputSink()
    private let input = InputLines()

    func handle(
        _ messages: [ReceivedMessage<OpaqueMessage>], context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        for message in messages {
            let text = String(decoding: message.message.bytes, as: UTF8.self)
            if text == "wait" {
                sink.write(line: "waiting")
                await input.next()
                try Task.checkCancellation()
            }
            guard text != "trap" else { fatalError("requested trap") }
            sink.write(line: "handled \(text)")
        }
        return []
    }
}

/// Standard input, read by its own thread so that a handler that waits for a line blocks nothing else.
final class InputLines: Sendable {
    private let arrived = OneTimeEvent()

    init() {
        NativeThread(name: "input") { [arrived] in
            _ = readLine()
            arrived.happen()
        }.detach()
    }

    func next() async {
        await arrived.wait()
    }
}
