import HTTPServer
import JSONKit
import ServiceKit
import Signing

/// The body of a request with many tasks. Each is read as if it were posted alone: its mistakes refuse it and no other.
struct TaskBatchForm {
    /// Makes the draft of a task. Mistakes are added to the problems of the fields.
    typealias DraftReading = (JSONFields) throws(Gatekeeper.AccessError) -> TaskDraft

    /// Those of users with a window included, each of whom gets a task.
    static let tasksMaximum = 1_000
    /// 4 KiB for each task on average.
    static let bodyBytesMaximum = 4 << 20
    /// Mistakes named in one response. Beyond, one is named for each task.
    private static let problemsMaximum = 1_000
    private static let tasksField = "tasks"
    private static let keyField = "idempotency_key"

    private static let limits = JSONLimits(
        bytesMaximum: bodyBytesMaximum, depthMaximum: TaskLimits.bodyDepthMaximum,
        valuesMaximum: TaskLimits.bodyValuesMaximum, namesMayRepeat: false)

    private let request: HTTPRequest
    private let bytes: [UInt8]
    private let headerKey: String?
    private var cursor: JSONCursor
    private var items: [Result<BatchSubmission.Item, TaskError>] = []
    /// The tasks' places by their keys.
    private var places: [String: Int] = [:]
    private var problemsLeft = problemsMaximum
    private var tasksMade = 0

    private init(_ request: HTTPRequest) throws {
        self.request = request
        headerKey = try IdempotencyHeader.key(of: request)
        bytes = try JSONBody.bytes(request)
        cursor = JSONCursor(bytes)
    }

    /// All tasks in their order. `admit` is called for each before it is read. Throws only for a body that is wrong as a
    /// whole.
    static func items(
        of request: HTTPRequest, admit: (_ place: Int) throws(Gatekeeper.AccessError) -> Void, draft: DraftReading
    ) throws -> [Result<BatchSubmission.Item, TaskError>] {
        var form = try TaskBatchForm(request)
        do {
            for place in try form.findTasks() {
                form.items.append(try form.item(at: place, admit: admit, draft: draft))
            }
        } catch let error as JSONError {
            throw BodyError.malformed("The body is not valid JSON: \(error).")
        }
        return form.items
    }

    /// Their places in the body.
    private mutating func findTasks() throws -> [Range<Int>] {
        guard try cursor.kind() == .object else { throw BodyError.malformed("The body must be a JSON object.") }
        var tasks: [Range<Int>]?
        try cursor.enterObject()
        while let name = try cursor.nextName() {
            guard name.elementsEqual(TaskBatchForm.tasksField.utf8) else {
                throw TaskError.invalidField(
                    OutsideText.excerpt(OutsideText.replacing(name)),
                    message: "unknown field; a request with many tasks has only \(TaskBatchForm.tasksField)")
            }
            guard tasks == nil else { throw TaskBatchForm.refusal("given twice in one object") }
            guard try cursor.kind() == .array else { throw TaskBatchForm.refusal("expected an array of tasks") }
            tasks = try elements()
        }
        try cursor.end()
        guard let tasks, !tasks.isEmpty else { throw TaskBatchForm.refusal("missing; expected at least one task") }
        return tasks
    }

    private mutating func elements() throws -> [Range<Int>] {
        var places: [Range<Int>] = []
        try cursor.enterArray()
        while try cursor.nextElement() {
            guard places.count < TaskBatchForm.tasksMaximum else {
                throw TaskBatchForm.refusal(
                    "too long: at most \(TaskBatchForm.tasksMaximum) tasks; send several requests")
            }
            places.append(try cursor.skip())
        }
        return places
    }

    private mutating func item(
        at place: Range<Int>, admit: (Int) throws(Gatekeeper.AccessError) -> Void, draft: DraftReading
    ) throws(JSONError) -> Result<BatchSubmission.Item, TaskError> {
        let number = items.count
        do throws(Gatekeeper.AccessError) {
            try admit(number)
        } catch {
            return .failure(.access(error))
        }
        let problems = JSONProblems()
        let fields = JSONFields(try cursor.value(at: place, limits: TaskBatchForm.limits), problems: problems)
        guard problems.all.isEmpty else { return .failure(.invalid(named(problems.all))) }
        let key = key(in: fields, number: number, of: bytes[place])
        do throws(Gatekeeper.AccessError) {
            let draft = try draft(fields)
            if problems.all.isEmpty { count(draft, in: fields) }
            guard problems.all.isEmpty else { return .failure(.invalid(named(problems.all))) }
            return .success(BatchSubmission.Item(draft: draft, key: key))
        } catch {
            return .failure(.access(error))
        }
    }

    private mutating func count(_ draft: TaskDraft, in fields: JSONFields) {
        tasksMade += draft.timing.window == nil ? 1 : draft.entries.count
        guard tasksMade > TaskBatchForm.tasksMaximum else { return }
        fields.reject(
            "users",
            message: "too many: with deliver_within each user gets a task, and a request makes at most "
                + "\(TaskBatchForm.tasksMaximum); send several requests")
    }

    /// Without a key of its own, a task has that of the request with its place.
    private mutating func key(in fields: JSONFields, number: Int, of task: ArraySlice<UInt8>) -> SubmissionKey? {
        let name = fields.text(TaskBatchForm.keyField, expected: IdempotencyHeader.textRule) { text in
            IdempotencyHeader.isKey(text) ? text : nil
        }
        guard let name else {
            return headerKey.map {
                SubmissionKey(name: "\u{1}batch \(number) \($0)", request: request, content: task)
            }
        }
        if let first = places[name] {
            fields.reject(
                TaskBatchForm.keyField,
                message: "is that of \(TaskBatchForm.tasksField)[\(first)] too; use one for each task")
        } else {
            places[name] = number
        }
        return SubmissionKey(name: name, request: request, content: task)
    }

    private mutating func named(_ problems: [JSONProblems.Problem]) -> [JSONProblems.Problem] {
        let some = Array(problems.prefix(max(1, problemsLeft)))
        problemsLeft = max(0, problemsLeft - some.count)
        return some
    }

    private static func refusal(_ message: String) -> TaskError {
        .invalidField(tasksField, message: message)
    }
}
