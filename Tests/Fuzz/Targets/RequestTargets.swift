import Apps
import PushModel
import Store

@testable import HTTPServer
@testable import IngestAPI
@testable import JSONKit
@testable import ServiceKit

/// Forms of the HTTP API's dialects.
enum RequestTargets {
    /// The first byte selects the form.
    static func forms(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let kind = input.number(below: 5)
        let isForm = input.byte() & 1 == 0
        let body = input.remainder()
        let type = isForm ? "application/x-www-form-urlencoded" : "application/json"
        let request = HTTPRequest(
            method: .post, path: "/subscribers", query: String(decoding: body.prefix(256), as: UTF8.self),
            headers: HTTPHeaders(["Content-Type": type]), body: HTTPRequestBody(body))
        switch kind {
        case 0: try registration(request)
        case 1: _ = try? TaskQuery(request)
        case 2: try header(String(decoding: body, as: UTF8.self))
        case 3: try device(request)
        default: try form(body)
        }
    }

    private static func registration(_ request: HTTPRequest) throws {
        guard let fields = try? RequestFields(request) else { return }
        let form = RegistrationForm(fields)
        if let token = try? form.token() {
            var device = Device(tag: 1, token: token, created: 1)
            if let changes = try? form.changes(registering: token) { device = device.applying(changes, at: 1) }
            try FuzzError.check(
                Device(packed: device.packed[...]) == device, message: "a subscriber reads back differently")
        }
        _ = try? form.changes()
        _ = try? form.token(fromPath: fields.object.names.first ?? "")
        _ = try? SubscriptionForm.options(in: fields)
        for name in fields.object.names {
            guard let topic = try? PushdEvent.topic(name) else { continue }
            try FuzzError.check(topic.text.utf8.elementsEqual(name.utf8), message: "a topic has another name")
        }
    }

    /// A device of the native API that is accepted is readable from its stored form.
    private static func device(_ request: HTTPRequest) throws {
        _ = try? DeviceQuery(request)
        let problems = JSONProblems()
        guard let fields = try? JSONBody.fields(request, problems: problems),
            let given = try? NativeDeviceForm(fields, naming: .trusted).description(), problems.all.isEmpty
        else { return }
        let device = Device(tag: 1, token: given.token, created: 1).applying(given.changes, at: 2)
        try FuzzError.check(Device(packed: device.packed[...]) == device, message: "a device reads back differently")
    }

    /// A decoded form, written with every byte escaped, is decoded to the same value.
    private static func form(_ body: [UInt8]) throws {
        guard let object = try? FormBody.decode(body) else { return }
        var items: [String] = []
        for (name, value) in object.members {
            guard let text = value.text else { throw FuzzError(description: "a form with a value that is no text") }
            guard !name.utf8.contains(0), !text.utf8.contains(0) else { return }
            items.append("\(escaped(name))=\(escaped(text))")
        }
        let again = try? FormBody.decode(Array(items.joined(separator: "&").utf8))
        try FuzzError.check(again == object, message: "a form reads back differently")
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in "%" + Hexadecimal.encode([byte]) }.joined()
    }

    private static func header(_ value: String) throws {
        let type = MediaType(contentType: value)
        if case .other(let name) = type {
            try FuzzError.check(MediaType(contentType: name) == type, message: "\(name) is another type")
        }
        let request = HTTPRequest(
            method: .post, path: "/v1/tasks", headers: HTTPHeaders([IdempotencyHeader.name: value]))
        if let key = try? IdempotencyHeader.key(of: request) {
            try FuzzError.check(
                1...IdempotencyHeader.bytesMaximum ~= key.utf8.count && key.utf8.allSatisfy { 0x20...0x7E ~= $0 },
                message: "\(key) is no key")
        }
    }

    /// Bodies of the routes that make tasks: an accepted task is unchanged by a round trip.
    static func tasks(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let route = input.byte()
        let limits = JSONLimits(
            bytesMaximum: TaskLimits.bodyBytesMaximum, depthMaximum: TaskLimits.bodyDepthMaximum)
        guard let json = try? JSON(input.remainder(), limits: limits) else { return }
        let (draft, problems) = try draft(json, route: route)
        guard problems == 0 else { return }
        let (again, _) = try Self.draft(try JSON(json.compactBytes, limits: limits), route: route)
        try FuzzError.check(again == draft, message: "a task reads back differently")
    }

    private static func draft(_ json: JSON, route: UInt8) throws -> (draft: TaskDraft?, problems: Int) {
        let problems = JSONProblems()
        let fields = JSONFields(json, problems: problems)
        let id = TaskID(high: 0, low: 1)
        let draft: TaskDraft? =
            switch route % 3 {
            case 0: try NativeTaskForm(fields).draft(defaults: AppDefaults(), authorize: { _ in })
            case 1:
                try RichieForm(fields, appID: "a", authorize: { _ in }).draft(id, defaults: AppDefaults())
            default:
                try ContextPushForm(fields, bundle: "a")?.draft(id, app: AppID("news"), defaults: AppDefaults())
            }
        return (draft, problems.all.count)
    }
}
