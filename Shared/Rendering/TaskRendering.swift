import JSONKit
package import PushModel
package import ServiceKit
package import TaskModel
package import Topics

/// Renders one task: from what its publisher wrote to what a provider takes. Made once for many devices; what it answers
/// depends on nothing but what it is given.
///
/// A payload that the publisher wrote for a platform comes first, and stays as it is but for silence and a counted badge;
/// the message serves the other platforms. A message carries the task's id in its data as `task_id`, unless there is one
/// already, so that an app can drop a repeat of what is not shown.
package struct TaskRendering: Sendable {
    /// Who can be reached so far.
    package static let kinds: [PushProtocol] = [.apns, .fcm, .huawei]
    private static let dataBytesMaximum = ProviderBounds.payloadBytesMaximum
    /// The least that any provider takes of a whole payload.
    private static let bytesMaximum = ProviderBounds.payloadBytesMaximum
    /// What a silent variant may have that one with texts has not: what wakes the app, or the task's id where nothing else
    /// is left.
    private static let silentBytesMaximum = 128
    /// Of one provider: many languages may fail for one reason, and each costs as much as one that works out.
    private static let failuresMaximum = 16

    private struct Findings {
        var flaws: [RenderingError] = []
        var failures = 0
    }

    let content: TaskContent
    let task: String
    private let languages: Set<String>
    let terms: Result<DeliveryTerms, RenderingError>
    /// The message's, made flat once for all languages.
    let messageData: Result<FlatData, RenderingError>

    /// `now` matters to providers that count a message's life from when they get it.
    package init(_ task: PushTask, now: Timestamp) {
        content = task.content
        self.task = "\(task.id)"
        languages = task.content.message?.languages ?? []
        terms = Result { () throws(RenderingError) in try DeliveryTerms(task, now: now) }
        let data = task.content.message?.data ?? JSONObject()
        let id = self.task
        messageData = Result { () throws(RenderingError) in try TaskRendering.flatten(data, task: id) }
    }

    /// Whether the language of a device matters at all.
    package var isTranslated: Bool { !languages.isEmpty }

    /// What one device's variant is told apart by: devices of one selection share a variant.
    package struct Selection: Hashable, Sendable {
        package let kind: PushProtocol
        /// One of the task's own; nil for its standard texts.
        let language: String?
        package let isSilent: Bool
    }

    /// A silent device takes data and badge, but no alert.
    package func selection(for kind: PushProtocol, language: String?, isSilent: Bool) -> Selection {
        guard content.payloads[Platform(kind)] == nil, let message = content.message else {
            return Selection(kind: kind, language: nil, isSilent: isSilent)
        }
        guard !isSilent, !message.isSilent else { return Selection(kind: kind, language: nil, isSilent: true) }
        return Selection(kind: kind, language: ownLanguage(for: language), isSilent: false)
    }

    package func variant(
        for kind: PushProtocol, language: String?, isSilent: Bool
    ) throws(RenderingError) -> RenderedVariant {
        try variant(selection(for: kind, language: language, isSilent: isSilent))
    }

    package func variant(_ selection: Selection) throws(RenderingError) -> RenderedVariant {
        switch selection.kind {
        case .apns: try appleVariant(selection)
        case .fcm: try googleVariant(selection)
        case .huawei: try huaweiVariant(selection)
        case .webpush, .wns, .mpns, .http:
            throw RenderingError(
                "platforms", message: "has devices of \(selection.kind.name), which cannot be reached yet")
        }
    }

    /// Renders whatever devices of these kinds may get, and tells what does not work out: for the one who takes the task
    /// in. One flaw a field: shortened for the first provider, it may be short enough for the next.
    package func checkLimits(of kinds: [PushProtocol] = TaskRendering.kinds) -> [RenderingError] {
        var findings = Findings()
        let targeted = content.targetedPlatforms
        for kind in kinds where targeted.contains(Platform(kind)) {
            let spoken = [nil] + languages.sorted().map(Optional.some)
            var known: Set<Selection> = []
            let selections = spoken.map { selection(for: kind, language: $0, isSilent: false) }
                .filter { known.insert($0).inserted }
            findings.failures = 0
            let sizes = selections.compactMap { check($0, findings: &findings) }
            let silent = selection(for: kind, language: nil, isSilent: true)
            let fitsSilent = sizes.contains { $0 + TaskRendering.silentBytesMaximum <= TaskRendering.bytesMaximum }
            if !fitsSilent, !known.contains(silent) { _ = check(silent, findings: &findings) }
        }
        return findings.flaws
    }

    /// The bytes of the variant; nil for one that does not work out.
    private func check(_ selection: Selection, findings: inout Findings) -> Int? {
        guard findings.failures < TaskRendering.failuresMaximum else { return nil }
        do throws(RenderingError) {
            return try variant(selection).payload.parts.reduce(0) { $0 + $1.count }
        } catch {
            findings.failures += 1
            if !findings.flaws.contains(where: { $0.path == error.path }) { findings.flaws.append(error) }
            return nil
        }
    }

    /// The exact locale or its language alone, whichever any of the texts has.
    private func ownLanguage(for language: String?) -> String? {
        guard let language, !languages.isEmpty else { return nil }
        let exact = LocalizedText.spelling(language)
        if languages.contains(exact) { return exact }
        let plain = String(exact.prefix { $0 != "-" })
        return languages.contains(plain) ? plain : nil
    }

    private static func flatten(_ data: JSONObject, task: String) throws(RenderingError) -> FlatData {
        try ProviderBounds.check(data, path: "message.data")
        let bytes = JSON.object(data).compactBytes.count
        guard bytes <= dataBytesMaximum else {
            throw RenderingError(
                "message.data",
                message: "has \(bytes) bytes, and providers take \(dataBytesMaximum) of everything together; shorten it"
            )
        }
        var flat = try FlatData(data, path: "message.data")
        if flat["task_id"] == nil { flat["task_id"] = task }
        return flat
    }

    func message(for platform: Platform) throws(RenderingError) -> PushMessage {
        if let message = content.message, content.platforms.contains(platform) { return message }
        throw RenderingError(
            "payloads.\(platform.rawValue)", message: "is missing, and no message is meant for the platform")
    }

    func texts(
        of message: PushMessage, _ selection: Selection
    ) throws(RenderingError) -> MessageTexts? {
        guard !selection.isSilent, message.hasTexts else { return nil }
        let template = TextTemplate(variables: content.variables, data: message.data)
        return try MessageTexts(message, language: selection.language, template: template)
    }
}
