import PushModel
import ServiceKit

/// A transfer as it is stored.
package struct TransferRecord: Hashable, Sendable {
    package let transfer: Transfer
    /// As it was reserved. Such a record never replaces a stored one: repeats of a request may each store it, and be
    /// late.
    package let isFirst: Bool

    package init(_ transfer: Transfer, isFirst: Bool) {
        self.transfer = transfer
        self.isFirst = isFirst
    }
}

/// The packed form begins with text, which scripts of the store read: the time of creation in milliseconds, the group,
/// the client's id or nothing, and 0 for the first record or 1, each followed by a space. Then a flag, the fingerprint,
/// the tag, the number of tasks, the tasks, and the errors.
extension TransferRecord {
    private static let spacesOfHead = 4

    package var packed: [UInt8] {
        let client = transfer.clientID.map(String.init) ?? ""
        var bytes = Array(
            "\(transfer.created.milliseconds) \(transfer.group) \(client) \(isFirst ? 0 : 1) ".utf8)
        bytes.append(transfer.isAccepted ? 1 : 0)
        bytes += transfer.fingerprint
        bytes.append(counted: transfer.tag.utf8)
        bytes.append(variableInteger: transfer.tasks.count)
        for task in transfer.tasks { bytes += task.bytes }
        for error in transfer.errors { bytes.append(counted: error.utf8) }
        return bytes
    }

    /// Nil if the bytes are not a transfer.
    package init?(id: UInt64, packed: some Collection<UInt8>) {
        let bytes = Array(packed)
        guard let head = Head(bytes), let transfer = Transfer(id: id, head: head, body: bytes[head.count...]),
            transfer.isWithinBounds
        else { return nil }
        self.init(transfer, isFirst: head.isFirst)
    }

    fileprivate struct Head {
        let created: Int64
        let group: Int64
        let clientID: Int64?
        let isFirst: Bool
        let count: Int

        init?(_ bytes: [UInt8]) {
            let parts = bytes.split(separator: UInt8(ascii: " "), maxSplits: 4, omittingEmptySubsequences: false)
            guard parts.count == TransferRecord.spacesOfHead + 1, let created = Int64(canonical: parts[0]),
                created >= 0, let group = Int64(canonical: parts[1])
            else { return nil }
            let client = Int64(canonical: parts[2])
            guard parts[2].isEmpty || client != nil, let version = Int64(canonical: parts[3]), 0...1 ~= version else {
                return nil
            }
            self.created = created
            self.group = group
            clientID = client
            isFirst = version == 0
            count = parts[4].startIndex
        }
    }
}

extension Transfer {
    fileprivate init?(id: UInt64, head: TransferRecord.Head, body: ArraySlice<UInt8>) {
        var reader = ByteReader(body)
        guard let flag = reader.byte(), flag <= 1, let fingerprint = reader.bytes(TransferBounds.fingerprintBytes),
            let tag = reader.text(), let count = reader.variableInteger(), count <= TransferBounds.tasksMaximum
        else { return nil }
        var tasks: [TaskID] = []
        for _ in 0..<count {
            guard let task = reader.bytes(16).flatMap({ TaskID(bytes: Array($0)) }) else { return nil }
            tasks.append(task)
        }
        var errors: [String] = []
        while !reader.isAtEnd {
            guard errors.count < TransferBounds.errorsMaximum, let error = reader.text() else { return nil }
            errors.append(error)
        }
        self.init(
            id: id, group: head.group, clientID: head.clientID, tag: tag,
            created: Timestamp(milliseconds: head.created), fingerprint: Array(fingerprint), tasks: tasks,
            errors: errors, isAccepted: flag == 1)
    }

    package var isWithinBounds: Bool {
        TransferBounds.ids.contains(id) && TransferGroupBounds.ids.contains(group) && created.milliseconds >= 0
            && fingerprint.count == TransferBounds.fingerprintBytes && tag.utf8.count <= TransferBounds.tagBytesMaximum
            && tasks.count <= TransferBounds.tasksMaximum && errors.count <= TransferBounds.errorsMaximum
            && errors.allSatisfy { $0.utf8.count <= TransferBounds.errorBytesMaximum }
    }

    /// Stores check what they are given, since no reader accepts anything else.
    package func checkBounds() throws(StoreError) {
        guard isWithinBounds else {
            throw StoreError(.tooMany, message: "a field of transfer \(id) is out of its bounds")
        }
    }
}

extension Int64 {
    /// Nil for a non-canonical form: no plus, no leading zero.
    fileprivate init?(canonical text: ArraySlice<UInt8>) {
        guard let string = OutsideText.string(text), let value = Int64(string),
            String(value).utf8.elementsEqual(text)
        else { return nil }
        self = value
    }
}
