import JSONKit
package import PushModel
package import ServiceKit
package import TaskModel
package import Topics

/// Renders one task into payloads for providers. Created once for many devices; a pure function of its input.
///
/// A payload of the publisher for a platform takes precedence and is unchanged except for silence and a counted badge;
/// the platform's own message, or else the one for all, serves the other platforms. A message contains the task id in its
/// data as `task_id`, unless that name is set, so that an app can drop duplicates of silent pushes.
package struct TaskRendering: Sendable {
    /// Maximum of what only a silent variant contains: members that wake the app, or the task id if nothing else is
    /// left.
    private static let silentBytesMaximum = 128
    /// Per provider: many languages may fail for one reason, and each costs as much as a successful one.
    private static let failuresMaximum = 16

    private struct Findings {
        var flaws: [RenderingError] = []
        var failures = 0
    }

    let content: TaskContent
    let task: String
    private let messages: [Platform: PlatformMessage]
    private let terms: [Platform: Result<DeliveryTerms, RenderingError>]
    /// False for a task without a key for proofs.
    let provesReceipts: Bool
    /// True for a task that is sent to a short list only.
    let listsFewDevices: Bool
    /// The name of the task's topic, for addresses.
    let event: String?

    /// `now` is for providers that count the time to live from receipt; `begins` is the start of the devices' own life,
    /// if it is not the task's.
    package init(_ task: PushTask, begins: Timestamp? = nil, now: Timestamp) {
        content = task.content
        self.task = "\(task.id)"
        provesReceipts = task.receiptKey != nil
        listsFewDevices =
            task.target.audience == nil && task.target.list.entryCount <= HuaweiMessage.provenEntriesMaximum
        event = task.eventName
        messages = PlatformMessage.messages(of: task.content, task: self.task)
        terms = Dictionary(
            uniqueKeysWithValues: Platform.allCases.map { platform in
                let terms = Result { () throws(RenderingError) in
                    try DeliveryTerms(task, platform: platform, begins: begins, now: now)
                }
                return (platform, terms)
            })
    }

    /// True if the variant depends on the language of a device.
    package var isTranslated: Bool { messages.values.contains { !$0.languages.isEmpty } }

    /// Key of a variant: devices with the same selection share a variant.
    package struct Selection: Hashable, Sendable {
        package let kind: PushProtocol
        /// A language of the task; nil for its standard texts.
        let language: String?
        package let isSilent: Bool
        /// `basic` for devices that are no Windows Phones.
        let phone: WindowsPhone
        /// True for a phone on which an activity can be started that gets its updates from a channel.
        var knowsChannels = false
    }

    /// The key of what tokens and channels of Live Activities get.
    package func activitySelection(for kind: PushProtocol, knowsChannels: Bool) -> Selection {
        Selection(kind: kind, language: nil, isSilent: false, phone: .basic, knowsChannels: knowsChannels)
    }

    /// A silent device gets data and badge, but no alert. `phone` matters for Windows Phones only.
    package func selection(
        for kind: PushProtocol, language: String?, isSilent: Bool, phone: WindowsPhone = .basic
    ) -> Selection {
        let phone = kind == .mpns ? phone : .basic
        let platform = Platform(kind)
        guard content.payloads[platform] == nil, let message = messages[platform] else {
            return Selection(kind: kind, language: nil, isSilent: isSilent, phone: phone)
        }
        guard !isSilent, !message.content.isSilent else {
            return Selection(kind: kind, language: nil, isSilent: true, phone: phone)
        }
        // Addresses get all languages.
        let language = kind == .http ? nil : TaskRendering.language(of: message, for: language)
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
        case .liveActivity, .channel: try activityVariant(selection)
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
        for kind in kinds where targeted.contains(Platform(kind)) && content.canBeChecked(for: kind) {
            let selections = shownSelections(for: kind)
            findings.failures = 0
            let sizes = selections.compactMap { check($0, findings: &findings) }
            let silent = selection(for: kind, language: nil, isSilent: true, phone: .withFlipTiles)
            let limit = ProviderBounds.payloadBytesMaximum(of: kind)
            let fitsSilent = sizes.contains { $0 + TaskRendering.silentBytesMaximum <= limit }
            if !fitsSilent, !selections.contains(silent) { _ = check(silent, findings: &findings) }
        }
        return findings.flaws
    }

    /// Those that show something, one for each language, the standard texts first.
    func shownSelections(for kind: PushProtocol) -> [Selection] {
        let spoken = [nil] + (messages[Platform(kind)]?.languages.sorted() ?? []).map(Optional.some)
        var known: Set<Selection> = []
        // The newest phones get the longest payloads.
        return spoken.map {
            kind.carrier == kind
                ? selection(for: kind, language: $0, isSilent: false, phone: .withFlipTiles)
                : activitySelection(for: kind, knowsChannels: true)
        }.filter { known.insert($0).inserted }
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
    private static func language(of message: PlatformMessage, for language: String?) -> String? {
        guard let language, !message.languages.isEmpty else { return nil }
        let exact = LocalizedText.spelling(language)
        if message.languages.contains(exact) { return exact }
        let plain = String(exact.prefix { $0 != "-" })
        return message.languages.contains(plain) ? plain : nil
    }

    /// The message's data with the task's id, unless the publisher uses that name.
    func data(of message: PlatformMessage) throws(RenderingError) -> MessageData {
        _ = try message.data.get()
        let given = message.content.data
        var data = MessageData(members: given)
        guard given[ReceiptField.task] == nil else { return data }
        data.members[ReceiptField.task] = .string(task)
        data.provesReceipt = provesReceipts && given[ReceiptField.proof] == nil
        return data
    }

    /// The same, with the address to open for platforms that have no field for it.
    func dataWithAddress(of message: PlatformMessage) throws(RenderingError) -> MessageData {
        var data = try data(of: message)
        if let url = message.content.url { data.members[MessageData.addressName] = .string(url) }
        return data
    }

    /// Data of a push that would be empty otherwise, and would not wake the app.
    var taskData: MessageData {
        MessageData(members: JSONObject([(ReceiptField.task, .string(task))]), provesReceipt: provesReceipts)
    }

    /// Where the field of the message is passed on as data.
    func checkName(_ name: String, of field: String, in message: PlatformMessage) throws(RenderingError) {
        guard message.content.data[name] == nil else {
            throw RenderingError(
                "\(message.path).data.\(name)",
                message: "name used for \(message.path).\(field); choose another or remove one of them")
        }
    }

    func terms(of selection: Selection) throws(RenderingError) -> DeliveryTerms {
        guard let terms = terms[Platform(selection.kind)] else { preconditionFailure("a platform without terms") }
        return try terms.get()
    }

    func message(for platform: Platform) throws(RenderingError) -> PlatformMessage {
        if let message = messages[platform] { return message }
        throw RenderingError(
            "payloads.\(platform.rawValue)", message: "missing; no message is sent to this platform")
    }

    func texts(
        of message: PlatformMessage, _ selection: Selection
    ) throws(RenderingError) -> MessageTexts? {
        guard !selection.isSilent, message.content.hasTexts else { return nil }
        let template = TextTemplate(variables: content.variables, data: message.content.data)
        let texts = try MessageTexts(message, language: selection.language, template: template)
        return texts.areEmpty ? nil : texts
    }
}
