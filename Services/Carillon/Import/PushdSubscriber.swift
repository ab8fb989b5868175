import PushModel
import ServiceKit
import Store
import Topics

/// A subscriber as pushd stores it: a hash of texts, and its events with their options.
struct PushdSubscriber: Sendable {
    /// The fields of the hash that are read, in this order.
    static let fieldNames = [
        "proto", "token", "created", "updated", "lang", "version", "category", "contentAvailable", "badge",
    ]

    let id: [UInt8]
    private let fields: [String: [UInt8]]
    /// Event and options, of which the lowest bit ignores messages.
    private let events: [(name: [UInt8], options: Int)]
    /// The number of all events, of which no more than a device can have are read.
    private let eventCount: Int

    /// `values` are those of `fieldNames`, nil where the hash has none.
    init(
        id: [UInt8], values: [[UInt8]?], events: [(name: [UInt8], options: Int)] = [], eventCount: Int? = nil
    ) {
        self.id = id
        var fields: [String: [UInt8]] = [:]
        for (name, value) in zip(PushdSubscriber.fieldNames, values) { fields[name] = value }
        self.fields = fields
        self.events = events
        self.eventCount = eventCount ?? events.count
    }

    /// For reports.
    var name: String { OutsideText.excerpt(OutsideText.replacing(id)) }
    /// The field of the map from tokens to subscribers; nil without a token.
    var tokenField: [UInt8]? { fields["proto"].flatMap { tokenField(named: $0) } }
    var protocolName: String? { fields["proto"].flatMap { OutsideText.string($0) } }
    var topics: [TopicName] { events.compactMap { PushdSubscriber.topic($0.name) } }

    /// The same as if the protocol had this name.
    func tokenField(named name: [UInt8]) -> [UInt8]? {
        fields["token"].map { name + [UInt8(ascii: ":")] + $0 }
    }

    /// The device, or nil if the subscriber is left out. Omissions are added to the summary.
    func device(_ protocols: PushdProtocols, noting summary: inout ImportSummary) -> TakenDevice? {
        guard !fields.isEmpty else { return omit(.missing, sample: "no record", noting: &summary) }
        let missing = ["proto", "token", "updated"].filter { fields[$0] == nil }
        guard missing.isEmpty else {
            return omit(.incomplete, sample: "no \(missing.joined(separator: ", "))", noting: &summary)
        }
        guard let name = protocolName, let meaning = protocols.meaning(of: name) else {
            return omit(
                .unknownProtocol, sample: protocolName.map(OutsideText.excerpt) ?? "not UTF-8", noting: &summary)
        }
        guard meaning.kind != .webpush else {
            return omit(.missingKeys, sample: "pushd stores no keys", noting: &summary)
        }
        guard PushProtocol.supported.contains(meaning.kind) else {
            return omit(.unsupportedProtocol, sample: meaning.kind.name, noting: &summary)
        }
        guard let text = fields["token"].flatMap({ OutsideText.string($0) }) else {
            return omit(.invalidToken, sample: "not UTF-8", noting: &summary)
        }
        do {
            return device(try PushToken(meaning.kind, text: text), environment: meaning.environment, noting: &summary)
        } catch {
            return omit(.invalidToken, sample: "\(meaning.kind.name): \(error)", noting: &summary)
        }
    }

    private func device(
        _ token: PushToken, environment: Device.Environment, noting summary: inout ImportSummary
    ) -> TakenDevice {
        let updated = seconds("updated", noting: &summary) ?? 0
        var device = TakenDevice(
            token: token, created: seconds("created", noting: &summary) ?? updated, updated: updated)
        device.changes.environment = environment
        device.changes.language = text("lang", noting: &summary)
        device.changes.version = text("version", noting: &summary)
        device.changes.category = text("category", noting: &summary)
        device.changes.contentAvailable = flag("contentAvailable", noting: &summary)
        device.changes.badge = number("badge", in: 0...Int64(RegistryBounds.badgeMaximum), noting: &summary).map(
            UInt32.init)
        for event in events {
            guard let topic = PushdSubscriber.topic(event.name) else {
                summary.add(.invalidEvent, sample: "\(name): \(OutsideText.excerpt(OutsideText.replacing(event.name)))")
                continue
            }
            device.subscriptions[topic] = event.options & 1 == 1 ? .ignoreMessage : []
        }
        if eventCount > events.count {
            summary.add(
                .tooManySubscriptions, count: eventCount - events.count,
                sample: "\(name): \(eventCount) subscriptions, of which \(events.count) are taken over")
        }
        return device
    }

    private func omit(
        _ omission: ImportOmission, sample detail: String, noting summary: inout ImportSummary
    ) -> TakenDevice? {
        summary.add(omission, sample: "\(name): \(detail)")
        return nil
    }

    private static func topic(_ name: [UInt8]) -> TopicName? {
        OutsideText.string(name).flatMap { try? TopicName($0) }
    }
}

/// pushd stores what clients send: a value that Carillon would refuse is left out, and the device is taken over.
extension PushdSubscriber {
    /// An empty value is as good as none.
    private func value<Value>(
        _ field: String, noting summary: inout ImportSummary, parse: (String) -> Value?
    ) -> Value? {
        guard let bytes = fields[field], !bytes.isEmpty else { return nil }
        guard let value = OutsideText.string(bytes).flatMap(parse) else {
            summary.add(
                .invalidField, sample: "\(name): \(field) \(OutsideText.excerpt(OutsideText.replacing(bytes)))")
            return nil
        }
        return value
    }

    private func text(_ field: String, noting summary: inout ImportSummary) -> String? {
        value(field, noting: &summary) { RegistryBounds.isText($0) ? $0 : nil }
    }

    private func number(
        _ field: String, in range: ClosedRange<Int64>, noting summary: inout ImportSummary
    ) -> Int64? {
        value(field, noting: &summary) { text in Int64(text).flatMap { range.contains($0) ? $0 : nil } }
    }

    private func seconds(_ field: String, noting summary: inout ImportSummary) -> UInt32? {
        number(field, in: 0...Int64(UInt32.max), noting: &summary).map(UInt32.init)
    }

    private func flag(_ field: String, noting summary: inout ImportSummary) -> Bool? {
        value(field, noting: &summary) { text in
            switch text {
            case "true", "1": true
            case "false", "0": false
            default: nil
            }
        }
    }
}
