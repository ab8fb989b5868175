import PushModel

/// The listeners of each topic of each app. A plain value: its owner locks it.
struct ListenerIndex {
    private var byTopic: [AppID: [TopicName: [Int: Listener]]] = [:]

    mutating func add(_ listener: Listener) {
        for name in listener.names {
            byTopic[listener.app, default: [:]][name, default: [:]][listener.number] = listener
        }
    }

    mutating func remove(_ listener: Listener) {
        for name in listener.names {
            byTopic[listener.app]?[name]?[listener.number] = nil
            if byTopic[listener.app]?[name]?.isEmpty == true { byTopic[listener.app]?[name] = nil }
        }
        if byTopic[listener.app]?.isEmpty == true { byTopic[listener.app] = nil }
    }

    func listeners(of topic: TopicName, in app: AppID) -> Dictionary<Int, Listener>.Values? {
        byTopic[app]?[topic]?.values
    }
}
