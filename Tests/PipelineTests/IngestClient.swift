import JSONKit
import PushModel
import ServiceKit
import TestSupport

/// Requests to the harness's `ingest-api`, as sent by curl.
struct IngestClient: Sendable {
    private static let attemptsMaximum = 20
    let port: UInt16

    @discardableResult
    func send(
        _ method: String, _ path: String, body: String = "", type: String = "application/json", headers: [String] = []
    ) async throws -> RawClient.Response {
        let response = await blocking { [port] in
            let client = RawClient(port: port)
            client.send(IngestClient.request(method, path, body: body, type: type, headers: headers))
            return client.receiveResponse()
        }
        guard let response else { throw SetupError(description: "no response to \(method) \(path)") }
        return response
    }

    /// Nil if no server listens, or it ends before it has answered.
    func attempt(_ method: String, _ path: String, body: String, headers: [String]) async -> RawClient.Response? {
        await blocking { [port] in
            guard let client = RawClient(ifListening: port) else { return nil }
            client.send(IngestClient.request(method, path, body: body, type: "application/json", headers: headers))
            return client.receiveResponse()
        }
    }

    /// True if a path is answered with this status, possibly after a wait: with Kafka a removal is applied shortly
    /// after its device was reported.
    func answers(_ status: Int, path: String) async throws -> Bool {
        try await waitUntil(within: .hangLimit) { try await send("GET", path).status == status }
    }

    /// Posts a task to the native API; returns its id.
    func post(_ task: String, app: String = "news") async throws -> TaskID {
        let response = try await send("POST", "/apps/\(app)/v1/tasks", body: task)
        guard response.status == 201, let id = try JSON(response.body)["id"]?.text.flatMap({ TaskID($0) }) else {
            throw SetupError(description: "the task was not accepted: \(response.status) \(response.text)")
        }
        return id
    }

    /// Publishes an event as pushd's publishers do, with a form.
    func publish(_ event: String, _ form: String, app: String = "news") async throws -> RawClient.Response {
        try await send("POST", "/apps/\(app)/event/\(event)", body: form, type: "application/x-www-form-urlencoded")
    }

    func task(_ id: TaskID, app: String = "news") async throws -> JSON {
        let response = try await send("GET", "/apps/\(app)/v1/tasks/\(id)")
        guard response.status == 200 else { throw SetupError(description: "\(response.status) \(response.text)") }
        return try JSON(response.body)
    }

    /// Registers and subscribes devices over several connections; returns their ids in the same order.
    func register(_ devices: [TestDevice], app: String = "news") async throws -> [String] {
        let ids = Monitor([String](repeating: "", count: devices.count))
        let next = Monitor(0)
        let problem = Monitor<String?>(nil)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<16 {
                group.addTask { [port] in
                    await onNativeThread("register-\(number)") {
                        var client = RawClient(port: port)
                        while let place = IngestClient.take(next, of: devices.count) {
                            do {
                                let id = try IngestClient.register(
                                    devices[place], app: app, client: &client, port: port)
                                ids.change { $0[place] = id }
                            } catch {
                                problem.change { $0 = "\(error)" }
                                return
                            }
                        }
                    }
                }
            }
        }
        if let text = problem.withLock({ $0 }) { throw SetupError(description: "registering: \(text)") }
        return ids.withLock { $0 }
    }

    private static func take(_ next: Monitor<Int>, of count: Int) -> Int? {
        next.change { place in
            defer { place += 1 }
            return place < count ? place : nil
        }
    }

    private static func register(
        _ device: TestDevice, app: String, client: inout RawClient, port: UInt16
    ) throws -> String {
        var form = "proto=\(device.kind.name)&token=\(device.token)&lang=\(device.language)"
        if let user = device.user { form += "&external_user_id=\(user)" }
        if let zone = device.timeZone { form += "&time_zone=\(zone)" }
        let registered = try exchange(&client, port: port, path: "/apps/\(app)/subscribers", form: form)
        guard let id = try JSON(registered.body)["id"]?.text else { throw SetupError(description: registered.text) }
        for topic in device.topics {
            try exchange(&client, port: port, path: "/apps/\(app)/subscriber/\(id)/subscriptions/\(topic)", form: "")
        }
        return id
    }

    @discardableResult
    private static func exchange(
        _ client: inout RawClient, port: UInt16, path: String, form: String
    ) throws -> RawClient.Response {
        // Retries as a client should: with Kafka a busy machine may not apply a change within its time.
        var last = "nothing"
        for _ in 0..<attemptsMaximum {
            client.send(request("POST", path, body: form, type: "application/x-www-form-urlencoded", headers: []))
            let response = client.receiveResponse()
            if let response, (200...204).contains(response.status) { return response }
            last = response.map { "\($0.status) \($0.text)" } ?? last
            guard response == nil || response?.status == 503 else { break }
            client = RawClient(port: port)
        }
        throw SetupError(description: "POST \(path) was answered \(last)")
    }

    private static func request(
        _ method: String, _ path: String, body: String, type: String, headers: [String]
    ) -> String {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
        for header in headers { head += header + "\r\n" }
        if method != "GET" { head += "Content-Length: \(body.utf8.count)\r\n" }
        if !body.isEmpty { head += "Content-Type: \(type)\r\n" }
        return head + "\r\n" + body
    }
}
