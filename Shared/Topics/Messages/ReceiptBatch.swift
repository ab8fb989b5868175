import JSONKit
package import PushModel
package import ServiceKit

/// Receipts of one task, for the reporter and for analysts: JSON, versioned. Every receipt has been proven; repeats
/// have the same ids.
package struct ReceiptBatch: TopicMessage, Hashable {
    package static let version = 1
    package static let receiptsMaximum = 500
    private static let usualReceiptBytes = 160

    package let task: TaskID
    package let app: AppID
    /// On which the life of the task began, in days since 1970.
    package let day: UInt16
    /// When they were accepted.
    package let time: Timestamp
    package let receipts: [DeviceReceipt]

    package init(task: TaskID, app: AppID, day: UInt16, time: Timestamp, receipts: [DeviceReceipt]) {
        self.task = task
        self.app = app
        self.day = day
        self.time = time
        self.receipts = receipts
    }

    package var key: [UInt8] { Array("\(task)".utf8) }

    package var event: CloudEvent? {
        CloudEvent(
            id: "\(task)/receipts/\(fingerprint)", of: "receipts", version: ReceiptBatch.version, app: app,
            subject: "\(task)", time: time)
    }

    /// Of the receipts' ids, in any order: a repeated request has the same.
    private var fingerprint: String {
        receipts.reduce(into: UInt64(0)) { sum, receipt in
            let action = receipt.action.utf8.reduce(UInt64(receipt.kind.rawValue)) { SplitMix64.mixed($0 ^ UInt64($1)) }
            let device = UInt64(receipt.device.index.rawValue) << 32 | UInt64(receipt.device.tag)
            sum &+= SplitMix64.mixed(device ^ SplitMix64.mixed(action))
        }.hexadecimal
    }

    package func encoded() -> [UInt8] {
        let task = "\(task)"
        let head = JSONText.object { json in
            json.member("version", ReceiptBatch.version)
            json.member("task", task)
            json.member("app", app.text)
            json.member("began", ReceiptBatch.text(of: day))
            json.member("time", "\(time)")
        }
        var bytes = Array(head.utf8.dropLast())
        bytes.reserveCapacity(bytes.count + receipts.count * ReceiptBatch.usualReceiptBytes)
        bytes += #","receipts":["#.utf8
        for (number, receipt) in receipts.enumerated() {
            if number > 0 { bytes.append(UInt8(ascii: ",")) }
            receipt.write(of: task, to: &bytes)
        }
        bytes += "]}".utf8
        return bytes
    }

    package init(decoding bytes: [UInt8]) throws {
        let json = try JSON(message: bytes, "receipts")
        guard json.hasVersion(ReceiptBatch.version),
            let task = json.value("task", convert: TaskID.init(_:)),
            let app = json.value("app", convert: { try? AppID($0) }),
            let day = json.value("began", convert: ReceiptBatch.day(_:)),
            let time = json.value("time", convert: Timestamp.init(rfc3339:)),
            let elements = json["receipts"]?.elements, elements.count <= ReceiptBatch.receiptsMaximum
        else { throw MalformedMessageError("invalid receipts, or of an unknown version") }
        let receipts = elements.compactMap { DeviceReceipt($0) }
        guard receipts.count == elements.count else { throw MalformedMessageError("invalid receipt") }
        self.init(task: task, app: app, day: day, time: time, receipts: receipts)
    }

    private static func text(of day: UInt16) -> String { String("\(ReceiptProof.begin(of: day))".prefix(10)) }

    private static func day(_ text: String) -> UInt16? {
        guard let begin = Timestamp(rfc3339: "\(text)T00:00:00Z"), begin.milliseconds >= 0 else { return nil }
        let day = ReceiptProof.day(of: begin)
        return ReceiptProof.begin(of: day) == begin ? day : nil
    }
}

extension DeviceReceipt {
    /// No member needs an escape.
    fileprivate func write(of task: String, to bytes: inout [UInt8]) {
        bytes += #"{"id":""#.utf8
        bytes += task.utf8
        bytes += "/".utf8
        bytes += path.utf8
        bytes += #"","device":""#.utf8
        bytes += device.description.utf8
        bytes += #"","platform":""#.utf8
        bytes += platform.rawValue.utf8
        bytes += #"","kind":""#.utf8
        bytes += kind.name.utf8
        if !action.isEmpty {
            bytes += #"","action":""#.utf8
            bytes += action.utf8
        }
        bytes += #"","at":""#.utf8
        bytes += time.description.utf8
        bytes += #""}"#.utf8
    }

    fileprivate init?(_ json: JSON) {
        guard let device = json.value("device", convert: DeviceID.init(_:)),
            let platform = json.value("platform", convert: Platform.init(rawValue:)),
            let kind = json.value("kind", convert: ReceiptKind.init(name:)),
            let time = json.value("at", convert: Timestamp.init(rfc3339:))
        else { return nil }
        let action = json["action"]?.text ?? ""
        guard (kind == .action) == DeviceReceipt.isAction(action) else { return nil }
        self.init(device: device, on: platform, kind: kind, action: action, time: time)
    }
}
