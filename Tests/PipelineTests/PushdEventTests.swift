import JSONKit
import PushModel
import ServiceKit
import TestSupport
import Testing

/// What a publisher of pushd does, and what its devices get, as seen from outside. The scenarios of one bus share a
/// harness, and each has its own devices and events.
@Suite(.timeLimit(.minutes(10))) struct PushdEventTests {
    private static let events = "/apps/news/event"

    @Test(arguments: Harness.BusKind.allCases)
    func publishersOfPushdKeepWorking(_ bus: Harness.BusKind) async throws {
        let harness = try await Harness(bus)
        let scenarios = [
            everySubscriberGetsOnePush, aBroadcastReachesDevicesWithoutSubscriptions, aUnicastReachesOneDevice,
            anEventIsCountedUntilItIsDeleted, aFaultyEventIsDroppedAndSaysWhy, devicesGetTheirLanguage,
            devicesGetTheirBadgeWithoutAnAlert,
        ]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for scenario in scenarios { group.addTask { try await scenario(harness) } }
            // The first error ends the others, which may wait for what it prevents.
            for try await _ in group {}
        }
        try await harness.close()
    }

    /// pushd reads subscribers in pages of a hundred, and loses or repeats those at the edges of a page.
    private func everySubscriberGetsOnePush(_ harness: Harness) async throws {
        let devices = TestDevice.mixture(410, from: 1_000, topics: ["four-hundred"])
        _ = try await harness.ingest.register(devices)
        try await harness.publish("four-hundred", "msg=Hello")
        try await waitUntil { try await harness.delivered(byEvent: "four-hundred") == 410 }
        for device in devices { #expect(try await harness.deliveries(to: device) == 1, "\(device)") }
    }

    private func aBroadcastReachesDevicesWithoutSubscriptions(_ harness: Harness) async throws {
        let devices = (0..<20).map { TestDevice(2_000 + $0, kind: .fcm, topics: []) }
        _ = try await harness.ingest.register(devices, app: "shop")
        try await harness.publish("broadcast", "msg=Hello", app: "shop")
        for device in devices { try await waitUntil { try await harness.deliveries(to: device) == 1 } }
    }

    private func aUnicastReachesOneDevice(_ harness: Harness) async throws {
        let devices = (0..<3).map { TestDevice(3_000 + $0, kind: .apns, topics: ["unicasts"]) }
        let ids = try await harness.ingest.register(devices)
        try await harness.publish("unicast:\(ids[1])", "msg=For+you")
        let push = try await harness.push(to: devices[1])
        #expect(push["aps"]?["alert"] == .string("For you"))
        // What follows on the same way has overtaken nothing.
        try await harness.publish("unicasts", "msg=For+all")
        for (device, count) in zip(devices, [1, 2, 1]) {
            try await waitUntil { try await harness.deliveries(to: device) == count }
        }
    }

    private func anEventIsCountedUntilItIsDeleted(_ harness: Harness) async throws {
        let path = "\(Self.events)/counted"
        #expect(try await harness.ingest.send("GET", path).status == 404)
        let devices = (0..<3).map { TestDevice(4_000 + $0, kind: .apns, topics: ["counted", "kept"]) }
        let ids = try await harness.ingest.register(devices)
        // Until the first publication pushd has the number of subscribers in its place.
        try await waitUntil { try await harness.statistics(of: "counted")?["total"] == .integer(3) }
        for _ in 0..<4 { try await harness.publish("counted", "msg=x") }
        try await waitUntil { try await harness.statistics(of: "counted")?["total"] == .integer(4) }
        try await harness.killAndRestart("targeting-resolver")
        try await harness.publish("counted", "msg=x")
        try await waitUntil { try await harness.statistics(of: "counted")?["total"] == .integer(5) }
        let statistics = try #require(try await harness.statistics(of: "counted"))
        #expect(statistics["created"] != nil && statistics["last"] != nil)
        // Events are counted before their subscribers are looked up.
        for device in devices { try await waitUntil { try await harness.deliveries(to: device) == 5 } }

        #expect(try await harness.ingest.send("DELETE", path).status == 204)
        try await waitUntil { try await harness.ingest.send("GET", path).status == 404 }
        #expect(try await harness.ingest.send("DELETE", path).status == 404)
        for id in ids {
            let list = try JSON(
                try await harness.ingest.send("GET", "/apps/news/subscriber/\(id)/subscriptions").body)
            #expect(list["counted"] == nil && list["kept"] != nil)
        }
        try await harness.publish("counted", "msg=x")
        try await harness.publish("kept", "msg=x")
        for device in devices { try await waitUntil { try await harness.deliveries(to: device) == 6 } }
        // The reports follow the deliveries.
        try await waitUntil { try await harness.delivered(byEvent: "counted") == 15 }
    }

    /// pushd answers before it looks at an event, and says nothing.
    private func aFaultyEventIsDroppedAndSaysWhy(_ harness: Harness) async throws {
        let device = TestDevice(5_000, kind: .apns, topics: ["faulty"])
        _ = try await harness.ingest.register([device])
        for form in ["", "var.a=1", "msg=${var.missing}", "mesage=Hello"] {
            let response = try await harness.ingest.publish("faulty", form)
            #expect(response.status == 204 && response.headers["carillon-dropped"] != nil, "\(form)")
        }
        #expect(try await harness.ingest.publish("a%20name", "msg=x").status == 400)
        let response = try await harness.ingest.publish("faulty", "msg=good")
        #expect(response.status == 204 && response.headers["carillon-dropped"] == nil)
        #expect(try await harness.push(to: device)["aps"]?["alert"] == .string("good"))
        #expect(try await harness.deliveries(to: device) == 1)
    }

    private func devicesGetTheirLanguage(_ harness: Harness) async throws {
        let devices = (0..<4).map { TestDevice(6_000 + $0, kind: .apns, topics: ["lang:video"]) }
        _ = try await harness.ingest.register(devices)
        let form = """
            msg=${var.name}+sent+${event.name}&msg.fr=${var.name}+a+envoy%C3%A9+${data.id}&msg.fi=${var.name}+l%C3%A4hetti\
            &var.name=J%C3%BCrgen&data.id=k3&sound=video.mp3
            """
        try await harness.publish("lang:video", form)
        // The languages of these devices are en, fr, de and fi_FI.
        let texts = ["Jürgen sent lang:video", "Jürgen a envoyé k3", "Jürgen sent lang:video", "Jürgen lähetti"]
        for (device, text) in zip(devices, texts) {
            let push = try await harness.push(to: device)
            #expect(push["aps"]?["alert"] == .string(text))
            #expect(push["aps"]?["sound"] == .string("video.mp3") && push["id"] == .string("k3"))
        }
    }

    /// A subscription with `ignore_message`, and an event without texts.
    private func devicesGetTheirBadgeWithoutAnAlert(_ harness: Harness) async throws {
        let devices = (0..<2).map { TestDevice(7_000 + $0, kind: .apns, topics: ["quiet"]) }
        let ids = try await harness.ingest.register(devices)
        let path = "/apps/news/subscriber/\(ids[1])/subscriptions/quiet"
        #expect(try await harness.ingest.send("POST", path, body: #"{"ignore_message":"1"}"#).status == 204)
        try await harness.publish("quiet", "msg=Hello&data.k=v")
        let (loud, still) = (try await harness.push(to: devices[0]), try await harness.push(to: devices[1]))
        #expect(loud["aps"]?["alert"] != nil && still["aps"]?["alert"] == nil)
        #expect(still["aps"]?["badge"] == .integer(1) && still["k"] == .string("v"))
        try await harness.publish("quiet", "data.k=w")
        for device in devices { try await waitUntil { try await harness.deliveries(to: device) == 2 } }
        let second = try await harness.push(to: devices[0])
        #expect(second["aps"]?["alert"] == nil && second["aps"]?["badge"] == .integer(2))
        #expect(second["k"] == .string("w"))
    }
}

extension Harness {
    func publish(_ event: String, _ form: String, app: String = "news") async throws {
        let response = try await ingest.publish(event, form, app: app)
        #expect(response.status == 204 && response.headers["carillon-dropped"] == nil, "\(response.headers)")
    }

    /// Nil for an event without subscribers.
    fileprivate func statistics(of event: String) async throws -> JSON? {
        let response = try await ingest.send("GET", "/apps/news/event/\(event)")
        return response.status == 200 ? try JSON(response.body) : nil
    }

    /// By the reports of its tasks.
    fileprivate func delivered(byEvent event: String) async throws -> Int {
        let response = try await ingest.send("GET", "/apps/news/v1/statistics?by=topic")
        let row = try JSON(response.body)["rows"]?.elements?.first { $0["value"] == .string(event) }
        guard case .integer(let count)? = row?["counts"]?["delivered"] else { return 0 }
        return Int(count)
    }

    fileprivate func deliveries(to device: TestDevice) async throws -> Int {
        let response = try await simulator.admin("GET", "/stats/\(device.kind.name)/devices/\(device.token)")
        guard case .integer(let count)? = try JSON(response.body)["deliveries"] else { return 0 }
        return Int(count)
    }

    /// The last push to an Apple device, once there is one.
    fileprivate func push(to device: TestDevice) async throws -> JSON {
        try await waitUntil { try await deliveries(to: device) > 0 }
        let pushes = try JSON(try await simulator.admin("GET", "/pushes/apns?limit=1000").body).elements ?? []
        let own = pushes.filter { $0["path"]?.text?.hasSuffix(device.token) == true }
        return try #require(own.max { ($0["received"]?.text ?? "") < ($1["received"]?.text ?? "") }?["body"])
    }
}
