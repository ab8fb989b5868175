import Bus
import MemoryBus
import PushModel
import ServiceKit
import Topics

extension HistoryRun {
    /// The messages are lost before the process goes on.
    func loseMessages(of role: Role, _ count: Int, suspended duration: Duration) async {
        async let suspension: Void = fleet.suspend(role, after: 0, for: duration)
        await world.pause(duration)
        for channel in role.workThatExpires {
            let lost = world.bus.removeUnhandled(count, of: channel)
            record.loseMessages(of: lost.compactMap(\.task))
            world.trace.note(world.loop.milliseconds, event: "\(lost.count) messages of \(channel.name) are lost")
        }
        await suspension
    }
}

extension Event {
    var isLossOfMessages: Bool {
        if case .busLoses = kind { true } else { false }
    }
}

extension Role {
    /// The topics and lanes of whose lost messages the devices expire at the deadline of their task.
    var workThatExpires: [Channel] {
        switch self {
        case .ingest, .resolver, .reporter: []
        case .renderer: Topics.audience.declaration.channels
        case .apple: Topics.dispatchAPNs.declaration.channels
        case .android: Topics.dispatchAndroid.declaration.channels
        case .web: Topics.dispatchWeb.declaration.channels
        case .scheduler: Topics.retries.declaration.channels
        }
    }
}

extension IncomingMessage {
    /// Of a key for a task and a segment.
    fileprivate var task: TaskID? {
        key.flatMap { TaskID(String(decoding: $0.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)) }
    }
}
