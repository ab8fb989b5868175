import JSONKit
package import PushModel
package import ServiceKit

/// Outcomes of devices of one task, for analysts: JSON, versioned. A repeat has the same ids.
package struct ResultBatch: TopicMessage, Hashable {
    package static let version = 1
    package static let resultsMaximum = 500
    private static let usualResultBytes = 192

    package let task: TaskID
    package let app: AppID
    package let time: Timestamp
    package let results: [DeviceResult]

    package init(task: TaskID, app: AppID, time: Timestamp, results: [DeviceResult]) {
        self.task = task
        self.app = app
        self.time = time
        self.results = results
    }

    /// Splits results into as few batches as possible.
    package static func batches(
        _ results: [DeviceResult], of task: TaskID, app: AppID, at time: Timestamp
    ) -> [ResultBatch] {
        results.chunks(of: resultsMaximum).map { part in
            ResultBatch(task: task, app: app, time: time, results: Array(part))
        }
    }

    /// Its key on the bus; nil for an empty batch.
    package var key: [UInt8]? { results.first.map { Topics.key(task, segment: $0.device.index.segment) } }

    package var event: CloudEvent? {
        CloudEvent(
            id: "\(task)/results/\(fingerprint)", of: "results", version: ResultBatch.version, app: app,
            subject: "\(task)", time: time)
    }

    /// Fingerprint of the devices, independent of order and time: a task ends each device once, so the same devices
    /// have the same outcomes.
    private var fingerprint: String {
        results.reduce(into: UInt64(0)) { sum, result in
            sum &+= SplitMix64.mixed(UInt64(result.device.index.rawValue) << 32 | UInt64(result.device.tag))
        }.hexadecimal
    }

    package func encoded() -> [UInt8] {
        let task = "\(task)"
        let head = JSONText.object { json in
            json.member("version", ResultBatch.version)
            json.member("task", task)
            json.member("app", app.text)
            json.member("time", "\(time)")
        }
        var bytes = Array(head.utf8.dropLast())
        bytes.reserveCapacity(bytes.count + results.count * ResultBatch.usualResultBytes)
        bytes += #","results":["#.utf8
        var writer = ResultWriter(task: task)
        for (number, result) in results.enumerated() {
            if number > 0 { bytes.append(UInt8(ascii: ",")) }
            writer.write(result, to: &bytes)
        }
        bytes += "]}".utf8
        return bytes
    }

    package init(decoding bytes: [UInt8]) throws {
        if let batch = ResultScanner.batch(bytes) {
            self = batch
            return
        }
        try self.init(parsing: bytes)
    }

    /// Decodes any valid JSON form.
    init(parsing bytes: [UInt8]) throws {
        let json = try JSON(message: bytes, "results")
        guard json.hasVersion(ResultBatch.version),
            let task = json.value("task", convert: TaskID.init(_:)),
            let app = json.value("app", convert: { try? AppID($0) }),
            let time = json.value("time", convert: Timestamp.init(rfc3339:)), let elements = json["results"]?.elements
        else { throw MalformedMessageError("invalid results, or of an unknown version") }
        let results = elements.compactMap { DeviceResult($0) }
        guard results.count == elements.count else { throw MalformedMessageError("invalid result") }
        self.init(task: task, app: app, time: time, results: results)
    }
}

/// Writes results, of which there is one for every push: reuses the text of the previous result's outcome.
private struct ResultWriter {
    private let task: String
    private var last: DeviceResult?
    /// The text of `last` without the device.
    private var outcome = ""

    init(task: String) {
        self.task = task
    }

    mutating func write(_ result: DeviceResult, to bytes: inout [UInt8]) {
        if last?.hasOutcome(of: result) != true { outcome = result.outcomeText }
        last = result
        let device = result.device.description
        bytes += #"{"id":""#.utf8
        bytes += task.utf8
        bytes += "/".utf8
        bytes += device.utf8
        bytes += #"","device":""#.utf8
        bytes += device.utf8
        bytes += outcome.utf8
    }
}

extension DeviceResult {
    fileprivate func hasOutcome(of other: DeviceResult) -> Bool {
        provider == other.provider && state == other.state && attempt == other.attempt && status == other.status
            && reason == other.reason && isCounted == other.isCounted && attempted == other.attempted
    }

    /// The text from the quotation mark after the device to the end of the object.
    fileprivate var outcomeText: String {
        let members = JSONText.object { json in
            json.member("provider", provider.name)
            json.member("state", state.name)
            json.member("attempt", Int(attempt))
            json.member("status", Int(status))
            json.member("reason", reason)
            if let attempted { json.member("attempted", "\(attempted)") }
            if isCounted { json.member("counted", true) }
        }
        return "\"," + members.dropFirst()
    }

    fileprivate init?(_ json: JSON) {
        guard let device = json.value("device", convert: DeviceID.init(_:)),
            let provider = json.value("provider", convert: PushProtocol.init(name:)),
            let state = json.value("state", convert: DeliveryState.init(name:)),
            case .integer(let attempt) = json["attempt"], let attempt = UInt8(exactly: attempt),
            case .integer(let status) = json["status"], let status = UInt16(exactly: status),
            let reason = json["reason"]?.text, case .bool(let isCounted) = json["counted"] ?? .bool(false)
        else { return nil }
        let attempted = json["attempted"]?.text.flatMap { Timestamp(rfc3339: $0) }
        guard attempted != nil || json["attempted"] == nil else { return nil }
        self.init(
            device: device, provider: provider, state: state, attempt: attempt, status: status, reason: reason,
            isCounted: isCounted, attempted: attempted)
    }
}
