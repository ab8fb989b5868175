import PushModel
import Rendering
import ServiceKit
import Store
import TaskKit
import TaskModel
import Topics

/// Sorts the devices of one audience chunk: into chunks for the senders, with each device's variant, and into devices
/// to which nothing can be sent, with the reason.
struct ChunkSorting {
    private struct End: Hashable {
        let segment: SegmentNumber
        let state: DeliveryState
        let reason: String
    }

    private enum Choice {
        case send(NumberedVariant, DispatchFamily)
        case end(DeliveryState, reason: String)
    }

    private struct Kind: Hashable {
        let content: ContentNumber
        let provider: PushProtocol
        let isSilent: Bool
        let phone: WindowsPhone
        var knowsChannels = false
        let language: [UInt8]
    }

    private struct VariantKey: Hashable {
        let content: ContentNumber
        let selection: TaskRendering.Selection
    }

    private struct LastChoice {
        let content: ContentNumber
        let language: ArraySlice<UInt8>
        let phone: WindowsPhone
        let choice: Choice
    }

    private let chunk: AudienceChunk
    private let contents: ChunkContents
    /// By family, and whether their pushes count badges, which is the same for all devices of a chunk.
    private var splits: [DispatchSplit]
    private var ends: [End: [DeviceEndings.Order.Device]] = [:]
    private var choices: [Kind: Choice] = [:]
    /// Several languages may share a variant.
    private var variants: [VariantKey: NumberedVariant] = [:]
    /// The last choice for each provider and silence, since neighbours mostly share a language.
    private var last: [LastChoice?]

    /// Devices whose content is missing are left out.
    init(_ chunk: AudienceChunk, contents: ChunkContents) {
        self.chunk = chunk
        self.contents = contents
        let task = contents.task.task
        splits = DispatchFamily.allCases.flatMap { _ in
            [false, true].map { DispatchSplit(chunk, task: task, countsBadge: $0) }
        }
        last = Array(repeating: nil, count: 2 * (PushProtocol.allCases.count + 1))
        for segment in chunk.segments { sort(segment) }
    }

    mutating func dispatches() -> [(DispatchFamily, DispatchChunk)] {
        DispatchFamily.allCases.flatMap { family in
            [false, true].flatMap { splits[ChunkSorting.place(family, countsBadge: $0)].chunks() }.map { (family, $0) }
        }
    }

    var endings: [DeviceEndings.Order] {
        ends.map { end, devices in
            DeviceEndings.Order(
                task: chunk.task, segment: SegmentID(chunk.app, number: end.segment), attempt: chunk.attempt,
                timing: chunk.timing, state: end.state, reason: end.reason, devices: devices)
        }
    }

    private mutating func sort(_ devices: AudienceDevices) {
        for position in 0..<devices.count {
            let offset = devices.offsets[position]
            let content = devices.content(at: position)
            guard let source = contents.source(of: content) else { continue }
            let record = devices.record(at: position)
            guard let device = DeviceGlance(packed: record), let token = device.token else {
                end(
                    .failed, reason: "its record cannot be read",
                    device: DeviceEndings.Order.Device(unreadable: record, offset),
                    devices: devices)
                continue
            }
            let startToken = source.task.content.startedType.flatMap { device.startToken(for: $0) }
            let choice =
                startToken == nil && token.kind.carrier == token.kind
                ? choice(for: device, isSilent: devices.isSilent[position], content: content, source: source)
                : activityChoice(for: device, kind: startToken?.kind ?? token.kind, content: content, source: source)
            switch choice {
            case .send(let variant, let family):
                splits[ChunkSorting.place(family, countsBadge: variant.countsBadge)].append(
                    device, token: (startToken ?? token).text, at: offset, of: devices.segment, variant: variant)
            case .end(let state, let reason):
                end(
                    state, reason: reason,
                    device: DeviceEndings.Order.Device(offset: offset, tag: device.tag, provider: device.kind),
                    devices: devices)
            }
        }
    }

    private mutating func end(
        _ state: DeliveryState, reason: String, device: DeviceEndings.Order.Device, devices: AudienceDevices
    ) {
        ends[End(segment: devices.segment, state: state, reason: reason), default: []].append(device)
    }

    private static func place(_ family: DispatchFamily, countsBadge: Bool) -> Int {
        family.rawValue * 2 + (countsBadge ? 1 : 0)
    }

    private mutating func choice(
        for device: DeviceGlance, isSilent: Bool, content: ContentNumber, source: CachedTask
    ) -> Choice {
        let language = source.rendering.isTranslated ? device.language : []
        let slot = Int(device.kind.rawValue) * 2 + (isSilent ? 1 : 0)
        let phone = device.kind == .mpns ? WindowsPhone(version: device.version) : .basic
        if let known = last[slot], known.content == content, known.phone == phone,
            known.language.elementsEqual(language)
        {
            return known.choice
        }
        let kind = Kind(
            content: content, provider: device.kind, isSilent: isSilent, phone: phone, language: Array(language))
        let choice = choice(of: kind, source: source)
        last[slot] = LastChoice(content: content, language: language, phone: phone, choice: choice)
        return choice
    }

    /// For a token with which an activity is started, or that belongs to one, and for a channel.
    private mutating func activityChoice(
        for device: DeviceGlance, kind: PushProtocol, content: ContentNumber, source: CachedTask
    ) -> Choice {
        choice(
            of: Kind(
                content: content, provider: kind, isSilent: false, phone: .basic,
                knowsChannels: SystemVersion.knowsChannels(device.version), language: []),
            source: source)
    }

    private mutating func choice(of kind: Kind, source: CachedTask) -> Choice {
        if let known = choices[kind] { return known }
        let choice = choose(kind, source: source)
        choices[kind] = choice
        return choice
    }

    private mutating func choose(_ kind: Kind, source: CachedTask) -> Choice {
        let language =
            kind.language.isEmpty ? source.task.content.fallbackLanguage : OutsideText.string(kind.language)
        let selection =
            kind.provider.carrier == kind.provider
            ? source.rendering.selection(
                for: kind.provider, language: language, isSilent: kind.isSilent, phone: kind.phone)
            : source.rendering.activitySelection(for: kind.provider, knowsChannels: kind.knowsChannels)
        let family = DispatchFamily(kind.provider)
        let key = VariantKey(content: kind.content, selection: selection)
        if let known = variants[key] { return .send(known, family) }
        switch source.variant(selection) {
        case .success(let variant):
            let numbered = numbered(variant, of: kind, source: source)
            variants[key] = numbered
            return .send(numbered, family)
        case .failure where source.task.unprovided.contains(kind.provider):
            return .end(.suppressed, reason: OutcomeReason.noProvider)
        case .failure
        where source.task.content.startedType != nil && !source.task.content.hasContent(for: kind.provider):
            return .end(.suppressed, reason: OutcomeReason.noStartToken)
        case .failure(let flaw): return .end(.failed, reason: "\(flaw)")
        }
    }

    private func numbered(
        _ variant: RenderedVariant, of kind: Kind, source: CachedTask
    ) -> NumberedVariant {
        let platform = Platform(kind.provider)
        return NumberedVariant(
            number: variants.count, kind.content == .ofTask ? variant : variant.of(kind.content),
            deadline: source.task.deadline(on: platform, from: chunk.begins),
            countsBadge: source.task.content.countsBadge(on: platform))
    }
}

extension DeviceEndings.Order.Device {
    /// Uses what can be read of a newer or corrupt record: the end of its device must be reported all the same.
    fileprivate init(unreadable record: ArraySlice<UInt8>, _ offset: UInt16) {
        let provider = record.first.flatMap { PushProtocol(rawValue: $0 & 0x0F) }
        self.init(offset: offset, tag: DeviceGlance(packed: record)?.tag ?? 0, provider: provider ?? .http)
    }
}
