import HTTPServer
import HistoryJudge
import JSONKit
import PushModel
import ServiceKit

/// The calls of pushd's clients that make no task.
extension HistoryRun {
    /// One call after another, each until it is answered.
    func perform(_ plan: SubscriberPlan) async {
        let device = plan.device
        record.begin(
            subscriber: device,
            SubscriberRecord(population.id(device), isSubscribed: Population.isSubscribed(device)))
        for call in plan.calls {
            await world.pause(call.pause)
            if call.step.isRemoval { record.move(device, at: world.loop.uptime) }
            record.ask(call.step, of: device, at: world.loop.uptime)
            guard await perform(call.step, of: device) else { return }
        }
    }

    /// A device that is unknown has left, or was removed since a provider did not know it.
    private func perform(_ step: SubscriberPlan.Step, of device: Int) async -> Bool {
        let request = request(step, of: device)
        let isDone = Monitor(false)
        await ask { publisher in
            var id: DeviceID?
            do {
                id = try await publisher.send(request).json["id"]?.text.flatMap { DeviceID($0) }
            } catch let refusal as SimulatedAPI.RefusalError where refusal.saysThatDeviceIsUnknown {}
            return { [id] record in
                record.answer(device, id: id, at: self.world.loop.uptime)
                if let id { self.note(id, of: device) }
                isDone.withLock { $0 = true }
            }
        }
        return isDone.withLock { $0 }
    }

    /// A device that has another id now was removed before, perhaps since a provider did not know it.
    private func note(_ id: DeviceID, of device: Int) {
        if id != population.id(device) { record.move(device, at: world.loop.uptime) }
        population.note(id, of: device)
    }

    private func request(_ step: SubscriberPlan.Step, of device: Int) -> PublisherRequest {
        let path = subscriberPath(device)
        return switch step {
        case .register: PublisherRequest(.post, "/subscribers", population.pushdRegistration(device))
        case .change(let category):
            PublisherRequest(.post, path, JSONObject([("category", .string(category))]))
        case .subscribe(let topic, let ignoresText):
            PublisherRequest(.post, "\(path)/subscriptions/\(topic)", HistoryRun.options(ignoresText))
        case .unsubscribe(let topic): PublisherRequest(.delete, "\(path)/subscriptions/\(topic)")
        case .replace([:]): PublisherRequest(.delete, "\(path)/subscriptions")
        case .replace(let topics):
            PublisherRequest(
                .post, "\(path)/subscriptions",
                JSONObject(
                    topics.sorted { $0.key < $1.key }.map { ($0.key, .object(HistoryRun.options($0.value))) }))
        case .remove: PublisherRequest(.delete, path)
        }
    }

    private func subscriberPath(_ device: Int) -> String { "/subscriber/\(population.id(device))" }

    private static let ignoreMessage = "ignore_message"

    private static func options(_ ignoresText: Bool) -> JSONObject {
        JSONObject([(ignoreMessage, .string("\(ignoresText)"))])
    }
}

/// What pushd's routes answer in the end.
extension HistoryRun {
    func subscriberEvidence() async throws -> [JudgedSubscriber] {
        var subscribers: [JudgedSubscriber] = []
        for (device, known) in record.subscribers.sorted(by: { $0.key < $1.key }) where known.isAnswered {
            subscribers.append(
                JudgedSubscriber(
                    device, answered: known.state, found: try await subscriber(device), ids: known.ids.count))
        }
        return subscribers
    }

    /// Nil if it is not registered.
    private func subscriber(_ device: Int) async throws -> JudgedSubscriber.State? {
        let path = subscriberPath(device)
        guard let fields = try await found(path), let topics = try await found("\(path)/subscriptions")?.object else {
            return nil
        }
        let subscriptions = topics.members.map { ($0.name, $0.value[HistoryRun.ignoreMessage] == .bool(true)) }
        return JudgedSubscriber.State(
            category: fields["category"]?.text, subscriptions: Dictionary(uniqueKeysWithValues: subscriptions))
    }

    /// How many subscribers the topics have to which no task is sent, if all calls were answered.
    func topicCounts() async throws -> [String: Int] {
        let known = record.subscribers.values
        guard !known.isEmpty, known.allSatisfy(\.isAnswered) else { return [:] }
        var counts: [String: Int] = [:]
        for topic in SubscriberPlan.otherTopics {
            guard let event = try await found("/event/\(topic)") else {
                counts[topic] = 0
                continue
            }
            guard case .integer(let total) = event["total"] else { preconditionFailure("an event without a total") }
            counts[topic] = Int(total)
        }
        return counts
    }

    private func found(_ path: String) async throws -> JSON? {
        do {
            return try await fleet.publisher?.send(PublisherRequest(.get, path)).json
        } catch let refusal as SimulatedAPI.RefusalError where refusal.status == 404 {
            return nil
        }
    }
}

extension HistoryRun {
    /// The devices that a task addresses, and those that it may address, since their subscriptions changed before its
    /// report.
    func audience(
        of order: Order, askedAt begin: Duration, reportedAt end: Duration
    ) -> (certain: Set<Int>, changing: Set<Int>) {
        let subscriptions = record.subscribers.mapValues { $0.subscriptions(from: begin, to: end) }
        let most = population.devices(of: order) { subscriptions[$0]?.contains(true) ?? Population.isSubscribed($0) }
        let least = population.devices(of: order) {
            subscriptions[$0].map { $0 == [true] } ?? Population.isSubscribed($0)
        }
        return (most.intersection(least), most.symmetricDifference(least))
    }
}

extension Population {
    private static let kindsOfPushd: Set<PushProtocol> = [.apns, .fcm, .huawei, .http]

    /// True if the app on the device may call pushd's routes, which know no tokens that start activities.
    static func hasPushd(_ number: Int) -> Bool {
        kindsOfPushd.contains(kind(number)) && !canStart(number) && !HistoryRun.hasPushwoosh(number)
    }

    fileprivate func pushdRegistration(_ number: Int) -> JSONObject {
        JSONObject([
            ("proto", .string(kind(number).name)), ("token", .string(token(number))),
            ("lang", .string(Population.language(number))), ("app_version", .string(Population.appVersion(number))),
            ("external_user_id", .string(Population.userName(of: number))),
            ("hwid", .string(Population.hardwareID(number))),
        ])
    }
}
