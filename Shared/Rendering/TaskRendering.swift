import JSONKit
package import PushModel
package import ServiceKit
package import TaskModel
package import Topics

/// Renders one task into payloads for providers. Created once for many devices; a pure function of its input.
///
/// A payload of the publisher for a platform takes precedence and is unchanged except for silence and a counted badge;
/// the message serves the other platforms. A message contains the task id in its data as `task_id`, unless that name is
/// set, so that an app can drop duplicates of silent pushes.
package struct TaskRendering: Sendable {
    private static let dataBytesMaximum = ProviderBounds.payloadBytesMaximum
    /// Maximum of what only a silent variant contains: members that wake the app, or the task id if nothing else is
    /// left.
    private static let silentBytesMaximum = 128
    /// Per provider: many languages may fail for one reason, and each costs as much as a successful one.
    private static let failuresMaximum = 16
    private static let addressName = "url"

    private struct Findings {
        var flaws: [RenderingError] = []
        var failures = 0
    }

    let content: TaskContent
    let task: String
    private let languages: Set<String>
    let terms: Result<DeliveryTerms, RenderingError>
    /// False for a task without a key for proofs.
    let provesReceipts: Bool
    /// True for a task that is sent to a short list only.
    let listsFewDevices: Bool
    /// The name of the task's topic, for addresses.
    let event: String?
    /// Data of the message, flattened once for all languages.
    let messageData: Result<FlatData, RenderingError>

    /// `now` is for providers that count the time to live from receipt; `begins` is the start of the devices' own life,
    /// if it is not the task's.
    package init(_ task: PushTask, begins: Timestamp? = nil, now: Timestamp) {
        content = task.content
        self.task = "\(task.id)"
        provesReceipts = task.receiptKey != nil
        listsFewDevices =
            task.target.audience == nil && task.target.list.entryCount <= HuaweiMessage.provenEntriesMaximum
        event = task.eventName
        languages = task.content.message?.languages ?? []
        terms = Result { () throws(RenderingError) in try DeliveryTerms(task, begins: begins, now: now) }
        let message = task.content.message ?? PushMessage()
        let id = self.task
        messageData = Result { () throws(RenderingError) in try TaskRendering.flatten(message, task: id) }
    }

    /// True if the variant depends on the language of a device.
    package var isTranslated: Bool { !languages.isEmpty }

    /// Key of a variant: devices with the same selection share a variant.
    package struct Selection: Hashable, Sendable {
        package let kind: PushProtocol
        /// A language of the task; nil for its standard texts.
        let language: String?
        package let isSilent: Bool
        /// `basic` for devices that are no Windows Phones.
        let phone: WindowsPhone
    }

    /// A silent device gets data and badge, but no alert. `phone` matters for Windows Phones only.
    package func selection(
        for kind: PushProtocol, language: String?, isSilent: Bool, phone: WindowsPhone = .basic
    ) -> Selection {
        let phone = kind == .mpns ? phone : .basic
        guard content.payloads[Platform(kind)] == nil, let message = content.message else {
            return Selection(kind: kind, language: nil, isSilent: isSilent, phone: phone)
        }
        guard !isSilent, !message.isSilent else {
            return Selection(kind: kind, language: nil, isSilent: true, phone: phone)
        }
        // Addresses get all languages.
        let language = kind == .http ? nil : ownLanguage(for: language)
        return Selection(kind: kind, language: language, isSilent: false, phone: phone)
    }

    package func variant(
        for kind: PushProtocol, language: String?, isSilent: Bool, phone: WindowsPhone = .basic
    ) throws(RenderingError) -> RenderedVariant {
        try variant(selection(for: kind, language: language, isSilent: isSilent, phone: phone))
    }

    package func variant(_ selection: Selection) throws(RenderingError) -> RenderedVariant {
        switch selection.kind {
        case .apns: try appleVariant(selection)
        case .fcm: try googleVariant(selection)
        case .huawei: try huaweiVariant(selection)
        case .webpush: try webVariant(selection)
        case .wns: try wnsVariant(selection)
        case .mpns: try mpnsVariant(selection)
        case .http: try httpVariant(selection)
        }
    }

    /// Renders all variants for these protocols and returns the errors, for the check before a task is accepted. One
    /// error per field: once shortened for the first provider, it may fit the next.
    package func checkLimits(of kinds: [PushProtocol] = PushProtocol.supported) -> [RenderingError] {
        var findings = Findings()
        let targeted = content.targetedPlatforms
        for kind in kinds where targeted.contains(Platform(kind)) {
            let spoken = [nil] + languages.sorted().map(Optional.some)
            var known: Set<Selection> = []
            // The newest phones get the longest payloads.
            let selections = spoken.map {
                selection(for: kind, language: $0, isSilent: false, phone: .withFlipTiles)
            }.filter { known.insert($0).inserted }
            findings.failures = 0
            let sizes = selections.compactMap { check($0, findings: &findings) }
            let silent = selection(for: kind, language: nil, isSilent: true, phone: .withFlipTiles)
            let limit = ProviderBounds.payloadBytesMaximum(of: kind)
            let fitsSilent = sizes.contains { $0 + TaskRendering.silentBytesMaximum <= limit }
            if !fitsSilent, !known.contains(silent) { _ = check(silent, findings: &findings) }
        }
        return findings.flaws
    }

    /// The size of the variant; nil if rendering fails.
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

    /// The exact locale or its language alone, if any text has a translation for it.
    private func ownLanguage(for language: String?) -> String? {
        guard let language, !languages.isEmpty else { return nil }
        let exact = LocalizedText.spelling(language)
        if languages.contains(exact) { return exact }
        let plain = String(exact.prefix { $0 != "-" })
        return languages.contains(plain) ? plain : nil
    }

    private static func flatten(_ message: PushMessage, task: String) throws(RenderingError) -> FlatData {
        let data = message.data
        try ProviderBounds.check(data, path: "message.data")
        let bytes = JSON.object(data).compactBytes.count
        guard bytes <= dataBytesMaximum else {
            throw RenderingError(
                "message.data",
                message: "too long: \(bytes) bytes; at most \(dataBytesMaximum) for the whole payload")
        }
        var flat = try FlatData(data, path: "message.data")
        if let url = message.url {
            guard flat[addressName] == nil else {
                throw RenderingError(
                    "message.data.url", message: "name used for message.url; choose another or remove one of them")
            }
            flat[addressName] = url
        }
        if flat[ReceiptField.task] == nil { flat[ReceiptField.task] = task }
        return flat
    }

    /// The message's data with the task's id, unless the publisher uses that name.
    func data(of message: PushMessage) throws(RenderingError) -> MessageData {
        _ = try messageData.get()
        var data = MessageData(members: message.data)
        guard message.data[ReceiptField.task] == nil else { return data }
        data.members[ReceiptField.task] = .string(task)
        data.provesReceipt = provesReceipts && message.data[ReceiptField.proof] == nil
        return data
    }

    /// The same, with the address to open for platforms that have no field for it.
    func dataWithAddress(of message: PushMessage) throws(RenderingError) -> MessageData {
        var data = try data(of: message)
        if let url = message.url { data.members[TaskRendering.addressName] = .string(url) }
        return data
    }

    /// Data of a push that would be empty otherwise, and would not wake the app.
    var taskData: MessageData {
        MessageData(members: JSONObject([(ReceiptField.task, .string(task))]), provesReceipt: provesReceipts)
    }

    /// Where the image is passed on as data.
    func checkImageName(in message: PushMessage) throws(RenderingError) {
        guard message.data["image"] == nil else {
            throw RenderingError(
                "message.data.image",
                message: "name used for message.image on Apple devices and addresses; choose another")
        }
    }

    func message(for platform: Platform) throws(RenderingError) -> PushMessage {
        if let message = content.message, content.platforms.contains(platform) { return message }
        throw RenderingError(
            "payloads.\(platform.rawValue)", message: "missing; the message is not sent to this platform")
    }

    func texts(
        of message: PushMessage, _ selection: Selection
    ) throws(RenderingError) -> MessageTexts? {
        guard !selection.isSilent, message.hasTexts else { return nil }
        let template = TextTemplate(variables: content.variables, data: message.data)
        let texts = try MessageTexts(message, language: selection.language, template: template)
        return texts.areEmpty ? nil : texts
    }
}
