import Apps
import PushModel
import Rendering
import TaskModel
import Topics

@testable import HTTPServer
@testable import IngestAPI
@testable import JSONKit
@testable import ServiceKit

// The work of the API between reading a request and querying a store.
extension HostileOperation {
    func work(on bytes: [UInt8]) {
        switch self {
        case .createTask: createTask(bytes)
        case .createRichieTask: createRichieTask(bytes)
        case .scheduleContextPushMessage: scheduleContextPushMessage(bytes)
        case .startPushwooshActivity: startPushwooshActivity(bytes)
        case .register: register(bytes, type: "application/json")
        case .registerByForm: register(bytes, type: "application/x-www-form-urlencoded")
        case .putDevice: putDevice(bytes)
        case .subscribeInBulk: subscribe(bytes)
        case .listTasks: _ = try? TaskQuery(request(query: bytes))
        case .target: _ = bytes.withUnsafeBytes { RequestTarget($0) }
        case .contentType: _ = MediaType(contentType: String(decoding: bytes, as: UTF8.self))
        case .idempotencyKey:
            _ = try? IdempotencyHeader.key(of: request(IdempotencyHeader.name, bytes))
        case .authorization:
            let header = String(decoding: bytes, as: UTF8.self)
            _ = PresentedKey.text(inAuthorization: header).flatMap { APIKey($0) }
        case .traceparent: _ = request("traceparent", bytes).traceContext
        case .event: _ = try? PushdEvent.topic(String(decoding: bytes, as: UTF8.self))
        }
    }

    private func request(
        _ name: String = "Host", _ value: [UInt8] = [], query: [UInt8] = [], body: [UInt8] = []
    ) -> HTTPRequest {
        HTTPRequest(
            method: .post, path: "/", query: String(decoding: query, as: UTF8.self),
            headers: HTTPHeaders([name: String(decoding: value, as: UTF8.self)]), body: HTTPRequestBody(body))
    }

    private func createTask(_ bytes: [UInt8]) {
        let problems = JSONProblems()
        guard let fields = try? JSONBody.fields(request(body: bytes), problems: problems),
            let draft = try? NativeTaskForm(fields).draft(defaults: AppDefaults(), authorize: { _ in })
        else { return }
        finish(draft, problems: problems)
    }

    private func createRichieTask(_ bytes: [UInt8]) {
        let problems = JSONProblems()
        guard let fields = try? JSONBody.fields(request(body: bytes), problems: problems) else { return }
        let appID = fields.text("app_id", isRequired: true)
        guard let form = try? RichieForm(fields, appID: appID ?? "", authorize: { _ in }) else { return }
        finish(form.draft(TaskID(high: 0, low: 0), defaults: AppDefaults()), problems: problems)
        _ = form.warnings.text
    }

    private func scheduleContextPushMessage(_ bytes: [UInt8]) {
        let problems = JSONProblems()
        guard let fields = try? JSONBody.fields(request(body: bytes), problems: problems),
            let app = try? AppID("news")
        else { return }
        let bundle = fields.text("bundle_id", isRequired: true)
        let form = ContextPushForm(fields, bundle: bundle ?? "")
        let draft = form?.draft(TaskID(high: 0, low: 0), app: app, defaults: AppDefaults())
        finish(draft ?? TaskDraft(), problems: problems)
    }

    private func startPushwooshActivity(_ bytes: [UInt8]) {
        let problems = JSONProblems()
        guard let fields = try? JSONBody.fields(request(body: bytes), problems: problems),
            let app = try? AppID("news"), let id = try? ActivityID("a")
        else { return }
        let form = PushwooshStartForm(fields, app: PushApp(id: app))
        let draft = try? form.draft(id: id, authorize: { _ in })
        finish(draft?.task(timestamp: 0) ?? TaskDraft(), problems: problems)
    }

    /// Checked against the providers' limits and encoded for the bus, or refused with the list of problems.
    private func finish(_ draft: TaskDraft, problems: JSONProblems) {
        guard problems.all.isEmpty, let app = try? AppID("news") else {
            _ = problems.all.text
            return
        }
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        var task = PushTask(id: TaskID(high: 0, low: 0), app: app, created: now)
        task.dialect = draft.dialect
        task.target.audience = draft.audience
        task.content = draft.content
        task.options = draft.options
        task.reported = draft.reported
        guard TaskRendering(task, now: now).checkLimits().isEmpty else { return }
        _ = try? TaskMessage(decoding: TaskMessage.task(task).encoded())
    }

    private func register(_ bytes: [UInt8], type: String) {
        let request = HTTPRequest(
            method: .post, path: "/subscribers", headers: HTTPHeaders(["Content-Type": type]),
            body: HTTPRequestBody(bytes))
        guard let fields = try? RequestFields(request) else { return }
        let form = RegistrationForm(fields)
        _ = try? form.token()
        _ = try? form.changes()
        _ = try? form.token(fromPath: String(decoding: bytes.prefix(16 << 10), as: UTF8.self))
        _ = try? SubscriptionForm.options(in: fields)
    }

    private func putDevice(_ bytes: [UInt8]) {
        let problems = JSONProblems()
        guard let fields = try? JSONBody.fields(request(body: bytes), problems: problems) else { return }
        _ = try? NativeDeviceForm(fields, naming: .trusted).description()
        _ = problems.all.text
    }

    /// Reads like `BulkSubscriptions`.
    private func subscribe(_ bytes: [UInt8]) {
        let request = HTTPRequest(
            method: .post, path: "/subscriber/x/subscriptions",
            headers: HTTPHeaders(["Content-Type": "application/json"]), body: HTTPRequestBody(bytes))
        guard let members = try? RequestFields(request).object.members else { return }
        for (name, value) in members {
            guard (try? PushdEvent.topic(name)) != nil,
                (try? SubscriptionForm.options(in: RequestFields(value.object ?? JSONObject()))) != nil
            else { return }
        }
    }
}
