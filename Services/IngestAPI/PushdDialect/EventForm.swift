import Apps
import JSONKit
import PushModel
import ServiceKit
import TaskModel

/// The fields of an event, as pushd's publishers send them: all of them texts.
struct EventForm {
    /// More than any provider's payload holds, with texts in many languages.
    static let fieldsMaximum = 512

    /// A text in the languages given.
    private struct Text {
        var standard: String?
        /// By language in normalized spelling.
        var translations: [String: String] = [:]
    }

    private static let badges = 0...999_999_999
    private static let textBytesMaximum = 1_024

    private let event: String
    private var title: Text?
    private var body: Text?
    private var data = JSONObject()
    private var variables: [String: String] = [:]
    private var sound: String?
    private var category: String?
    private var badge: UInt32?
    private var incrementsBadge = true
    private var wakesApp = false

    init(_ fields: JSONObject, event: String) throws(EventDrop) {
        self.event = event
        guard fields.members.count <= EventForm.fieldsMaximum else {
            throw EventDrop(.tooMany, because: "more than \(EventForm.fieldsMaximum) fields")
        }
        for (name, value) in fields.members {
            guard let text = value.text else {
                throw EventDrop(
                    .invalidValue, because: "\(OutsideText.excerpt(name)) is \(value.kind); expected a string")
            }
            try set(name, to: text)
        }
        guard title != nil || body != nil || !data.members.isEmpty else {
            throw EventDrop(.empty, because: "expected title, msg or data")
        }
    }

    private mutating func set(_ name: String, to text: String) throws(EventDrop) {
        switch name {
        case "title": title = EventForm.with(text, in: title)
        case "msg": body = EventForm.with(text, in: body)
        case "sound": sound = try EventForm.short(text, field: name)
        case "category": category = try EventForm.short(text, field: name)
        case "badge": badge = try EventForm.badge(text)
        case "incrementBadge": incrementsBadge = try EventForm.flag(text, field: name) ?? true
        case "contentAvailable": wakesApp = try EventForm.flag(text, field: name) ?? false
        default: try setNested(name, to: text)
        }
    }

    private mutating func setNested(_ name: String, to text: String) throws(EventDrop) {
        let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let key = parts.count == 2 ? String(parts[1]) : ""
        guard !key.isEmpty else { throw EventForm.unknown(name) }
        switch parts[0] {
        case "title": title = try EventForm.with(text, language: key, in: title)
        case "msg": body = try EventForm.with(text, language: key, in: body)
        case "var": variables[key] = text
        case "data":
            data[key] = .string(text)
            guard data.members.count <= PushMessage.dataMembersMaximum else {
                throw EventDrop(.tooMany, because: "more than \(PushMessage.dataMembersMaximum) fields data.*")
            }
        default: throw EventForm.unknown(name)
        }
    }

    func draft(for target: EventTarget, app: PushApp) throws(EventDrop) -> TaskDraft {
        var draft = TaskDraft()
        draft.dialect = .pushd
        try target.apply(to: &draft)
        let message = try message()
        let texts = [message.title, message.body].compactMap { $0 }
        if texts.contains(where: \.hasMark) {
            draft.content.variables[EventTemplate.markName] = EventTemplate.mark
        }
        draft.content.message = message
        draft.content.platforms = Set(Platform.allCases)
        draft.content.hasPlainAppleAlert = true
        draft.content.wakesAppleApp = wakesApp
        draft.options.timeToLive = app.defaults.timeToLive
        return draft
    }

    /// Without a text the event is silent: its data is for the app only.
    private func message() throws(EventDrop) -> PushMessage {
        let template = EventTemplate(event: event, variables: variables, data: data)
        var message = PushMessage()
        message.title = try EventForm.filled(title, template: template, field: "title")
        message.body = try EventForm.filled(body, template: template, field: "msg")
        message.data = data
        message.sound = sound
        message.category = category
        message.badge = badge.map { .set($0) } ?? (incrementsBadge ? .increment : nil)
        message.isSilent = [message.title, message.body].allSatisfy { $0?.isEmpty ?? true }
        return message
    }
}

extension EventForm {
    private static func with(_ text: String, in earlier: Text?) -> Text {
        var changed = earlier ?? Text()
        changed.standard = text
        return changed
    }

    /// `title.default` is the standard text, as in pushd.
    private static func with(_ text: String, language: String, in earlier: Text?) throws(EventDrop) -> Text {
        let spelling = LocalizedText.spelling(language)
        guard spelling != "default" else { return with(text, in: earlier) }
        guard spelling.utf8.count <= LocalizedText.languageBytesMaximum else {
            throw EventDrop(
                .invalidValue, because: "a language has more than \(LocalizedText.languageBytesMaximum) bytes")
        }
        var changed = earlier ?? Text()
        changed.translations[spelling] = text
        guard changed.translations.count <= LocalizedText.translationsMaximum else {
            throw EventDrop(.tooMany, because: "a text in more than \(LocalizedText.translationsMaximum) languages")
        }
        return changed
    }

    /// The standard text is empty if there are only translations: devices in other languages then get no alert.
    private static func filled(
        _ text: Text?, template: EventTemplate, field: String
    ) throws(EventDrop) -> LocalizedText? {
        guard let text else { return nil }
        var translations: [String: String] = [:]
        for (language, translation) in text.translations {
            translations[language] = try template.filled(translation, field: "\(field).\(language)")
        }
        return LocalizedText(
            try template.filled(text.standard ?? "", field: field), translations: translations)
    }

    /// Nil for an empty text, which forms send for an unset field.
    private static func short(_ text: String, field name: String) throws(EventDrop) -> String? {
        guard text.utf8.count <= textBytesMaximum else {
            throw EventDrop(.invalidValue, because: "\(name) has more than \(textBytesMaximum) bytes")
        }
        return text.isEmpty ? nil : text
    }

    private static func badge(_ text: String) throws(EventDrop) -> UInt32? {
        guard !text.isEmpty else { return nil }
        guard let count = Int(text), badges.contains(count) else {
            throw EventDrop(.invalidValue, because: "badge: expected an integer from 0 to \(badges.upperBound)")
        }
        return UInt32(count)
    }

    private static func flag(_ text: String, field name: String) throws(EventDrop) -> Bool? {
        switch text {
        case "": nil
        case "true", "1": true
        case "false", "0": false
        default: throw EventDrop(.invalidValue, because: "\(name): expected true, false, 1 or 0")
        }
    }

    private static func unknown(_ name: String) -> EventDrop {
        EventDrop(.unknownField, because: "\(OutsideText.excerpt(name)) is no field of an event")
    }
}

extension LocalizedText {
    fileprivate var isEmpty: Bool { standard.isEmpty && translations.values.allSatisfy(\.isEmpty) }

    fileprivate var hasMark: Bool { ([standard] + translations.values).contains { $0.contains(EventTemplate.mark) } }
}
