package import PushModel

/// One form of a chunk's push: a provider, its options, and the payload.
package struct RenderedVariant: Hashable, Sendable {
    /// The raw value is part of messages and must not change.
    package enum Priority: UInt8, Sendable {
        /// Delivered when convenient for the device.
        case normal = 0
        /// Delivered immediately.
        case high = 1
    }

    package let kind: PushProtocol
    /// For devices that receive data and badge but no alert; a retry must keep this.
    package let isSilent: Bool
    package let priority: Priority
    /// The provider's name for it (`alert`, `background`, …); empty if the provider has no types.
    package let pushType: String
    /// Replaces an earlier notification with the same id; empty for none.
    package let collapseID: String
    /// Time in seconds since 1970 at which the provider stops trying; zero for one attempt without storage.
    package let expiration: UInt32
    package let payload: PayloadTemplate
    /// Which content of the task it is a form of; a retry must keep this.
    package private(set) var content = ContentNumber.ofTask

    package init(
        kind: PushProtocol, priority: Priority, pushType: String, collapseID: String, expiration: UInt32,
        payload: PayloadTemplate, isSilent: Bool = false
    ) {
        self.kind = kind
        self.isSilent = isSilent
        self.priority = priority
        self.pushType = pushType
        self.collapseID = collapseID
        self.expiration = expiration
        self.payload = payload
    }

    package func of(_ content: ContentNumber) -> RenderedVariant {
        var variant = self
        variant.content = content
        return variant
    }

    /// True if the push changes nothing that the user of the device sees, except its badge.
    package var showsNothing: Bool { isSilent || pushType == "background" }

    func write(to bytes: inout [UInt8], hasContent: Bool) {
        if hasContent { bytes.append(integer: content.rawValue) }
        bytes.append(kind.rawValue)
        bytes.append(isSilent ? 1 : 0)
        bytes.append(priority.rawValue)
        bytes.append(counted: pushType.utf8)
        bytes.append(counted: collapseID.utf8)
        bytes.append(integer: expiration)
        payload.write(to: &bytes)
    }

    init?(from reader: inout ByteReader, hasContent: Bool) {
        guard let content = hasContent ? ContentNumber(from: &reader) : .ofTask,
            let kind = reader.byte().flatMap(PushProtocol.init(rawValue:)),
            let silence = reader.byte(), let priority = reader.byte().flatMap(Priority.init(rawValue:)),
            let pushType = reader.text(),
            let collapseID = reader.text(), let expiration = reader.integer(UInt32.self),
            let payload = PayloadTemplate(from: &reader)
        else { return nil }
        self.init(
            kind: kind, priority: priority, pushType: pushType, collapseID: collapseID, expiration: expiration,
            payload: payload, isSilent: silence != 0)
        self.content = content
    }
}
