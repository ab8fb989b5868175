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
        let provider: PushProtocol
        let isSilent: Bool
        let phone: WindowsPhone
        let language: [UInt8]
    }

    private let chunk: AudienceChunk
    private let task: CachedTask
    private let isTranslated: Bool
    private var splits: [DispatchSplit]
    private var ends: [End: [DeviceEndings.Order.Device]] = [:]
    private var choices: [Kind: Choice] = [:]
    /// Several languages may share a variant.
    private var variants: [TaskRendering.Selection: NumberedVariant] = [:]
    /// The last choice for each provider and silence, since neighbours mostly share a language.
    private var last: [(language: ArraySlice<UInt8>, phone: WindowsPhone, choice: Choice)?]

    init(_ chunk: AudienceChunk, task: CachedTask) {
        self.chunk = chunk
        self.task = task
        isTranslated = task.rendering.isTranslated
        splits = DispatchFamily.allCases.map { _ in DispatchSplit(chunk, task: task.task) }
        last = Array(repeating: nil, count: 2 * (PushProtocol.allCases.count + 1))
        for segment in chunk.segments { sort(segment) }
    }

    mutating func dispatches() -> [(DispatchFamily, DispatchChunk)] {
        DispatchFamily.allCases.flatMap { family in splits[family.rawValue].chunks().map { (family, $0) } }
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
            let record = devices.record(at: position)
            guard let device = DeviceGlance(packed: record), let token = device.token else {
                end(
                    .failed, reason: "its record cannot be read",
                    device: DeviceEndings.Order.Device(unreadable: record, offset),
                    devices: devices)
                continue
            }
            switch choice(for: device, isSilent: devices.isSilent[position]) {
            case .send(let variant, let family):
                splits[family.rawValue].append(
                    device, token: token.text, at: offset, of: devices.segment, variant: variant)
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

    private mutating func choice(for device: DeviceGlance, isSilent: Bool) -> Choice {
        let language = isTranslated ? device.language : []
        let slot = Int(device.kind.rawValue) * 2 + (isSilent ? 1 : 0)
        let phone = device.kind == .mpns ? WindowsPhone(version: device.version) : .basic
        if let known = last[slot], known.phone == phone, known.language.elementsEqual(language) { return known.choice }
        let kind = Kind(provider: device.kind, isSilent: isSilent, phone: phone, language: Array(language))
        let choice = choice(of: kind)
        last[slot] = (language, phone, choice)
        return choice
    }

    private mutating func choice(of kind: Kind) -> Choice {
        if let known = choices[kind] { return known }
        let choice = choose(kind)
        choices[kind] = choice
        return choice
    }

    private mutating func choose(_ kind: Kind) -> Choice {
        let language =
            kind.language.isEmpty ? task.task.content.fallbackLanguage : OutsideText.string(kind.language)
        let selection = task.rendering.selection(
            for: kind.provider, language: language, isSilent: kind.isSilent, phone: kind.phone)
        let family = DispatchFamily(kind.provider)
        if let known = variants[selection] { return .send(known, family) }
        switch task.variant(selection) {
        case .success(let variant):
            let numbered = numbered(variant, of: kind)
            variants[selection] = numbered
            return .send(numbered, family)
        case .failure where task.task.unprovided.contains(kind.provider):
            return .end(.suppressed, reason: OutcomeReason.noProvider)
        case .failure(let flaw): return .end(.failed, reason: "\(flaw)")
        }
    }

    private func numbered(_ variant: RenderedVariant, of kind: Kind) -> NumberedVariant {
        let platform = Platform(kind.provider)
        return NumberedVariant(
            number: variants.count, variant, deadline: task.task.deadline(on: platform, from: chunk.begins),
            countsBadge: task.task.content.countsBadge(on: platform))
    }
}

extension DeviceEndings.Order.Device {
    /// Uses what can be read of a newer or corrupt record: the end of its device must be reported all the same.
    fileprivate init(unreadable record: ArraySlice<UInt8>, _ offset: UInt16) {
        let provider = record.first.flatMap { PushProtocol(rawValue: $0 & 0x0F) }
        self.init(offset: offset, tag: DeviceGlance(packed: record)?.tag ?? 0, provider: provider ?? .http)
    }
}
