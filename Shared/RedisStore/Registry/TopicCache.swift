import PushModel
import Synchronization

/// Names and numbers of topics, which never change within a generation. Cleared when it is full.
final class TopicCache: Sendable {
    private struct NameKey: Hashable {
        let app: AppID
        let name: TopicName
    }

    private struct NumberKey: Hashable {
        let app: AppID
        let number: TopicNumber
    }

    private struct State {
        var numbers: [NameKey: TopicNumber] = [:]
        var names: [NumberKey: TopicName] = [:]
    }

    private static let topicsMaximum = 100_000
    private let state = Mutex(State())

    func number(of name: TopicName, in app: AppID) -> TopicNumber? {
        state.withLock { $0.numbers[NameKey(app: app, name: name)] }
    }

    func name(of number: TopicNumber, in app: AppID) -> TopicName? {
        state.withLock { $0.names[NumberKey(app: app, number: number)] }
    }

    func note(_ name: TopicName, number: TopicNumber, in app: AppID) {
        state.withLock { state in
            if state.numbers.count >= TopicCache.topicsMaximum { state = State() }
            state.numbers[NameKey(app: app, name: name)] = number
            state.names[NumberKey(app: app, number: number)] = name
        }
    }
}
