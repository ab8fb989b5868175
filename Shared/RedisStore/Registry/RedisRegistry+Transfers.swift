package import PushModel
import RedisClient
import ServiceKit
package import Store

extension RedisRegistry: Transfers {
    /// Forgotten transfers that are removed with a new one: more than one, so that they become fewer.
    private static let removedAtOnce = 4

    package func reserve(_ transfer: Transfer, in app: AppID) async throws(StoreError) -> Transfer {
        try transfer.checkBounds()
        return try await within(app) { scope in
            let first = TransferRecord(transfer, isFirst: true)
            let verdict = try await reserve(first, in: scope)
            guard !verdict.isStored else { return verdict.record.transfer }
            // Also the transfer of a caller that has not stored it yet, or never will.
            try await commit(
                verdict.forgotten.map { .transfer($0, nil) } + [.transfer(verdict.record.transfer.id, verdict.record)],
                in: scope)
            return try await settle(verdict.record, in: scope)
        }
    }

    package func update(_ transfer: Transfer, in app: AppID) async throws(StoreError) {
        try transfer.checkBounds()
        try await within(app) { scope in
            try await commit([.transfer(transfer.id, TransferRecord(transfer, isFirst: false))], in: scope)
        }
    }

    package func transfer(_ id: UInt64, in app: AppID) async throws(StoreError) -> Transfer? {
        try await within(app) { try await remembered(id, in: $0) }
    }

    package func transfer(
        clientID: Int64, group: Int64, in app: AppID
    ) async throws(StoreError) -> Transfer? {
        try await within(app) { scope in
            let field = RedisArgument("\(group):\(clientID)")
            guard let value = try await read([field], of: \.transferClients, in: scope).first?.bytes,
                let id = RedisRegistry.id(value.prefix { $0 != UInt8(ascii: " ") })
            else { return nil }
            return try await remembered(id, in: scope)
        }
    }
}

extension RedisRegistry {
    private struct Reservation {
        let record: TransferRecord
        let isStored: Bool
        let forgotten: [UInt64]
    }

    private func reserve(_ record: TransferRecord, in scope: AppScope) async throws(StoreError) -> Reservation {
        let keys = try await openFirstSegment(in: scope)
        let limit = time.now + (.zero - TransferBounds.retention)
        let reply = try await redis.run(
            ScriptCall(
                RegistryScripts.reserveTransfer,
                keys: [keys.header, keys.transfers, keys.transferClients, keys.transferTimes],
                arguments: [
                    RedisArgument(scope.generation.id), RedisArgument("\(record.transfer.id)"),
                    RedisArgument(record.packed), RedisArgument(max(0, limit.milliseconds)),
                    RedisArgument(TransferBounds.countMaximum), RedisArgument(RedisRegistry.removedAtOnce),
                ]))
        guard let parts = reply.array else { throw RedisRegistry.corruptTransfer }
        guard !parts.isEmpty else {
            throw StoreError(
                .tooMany, message: "the app already has the maximum of \(TransferBounds.countMaximum) transfers")
        }
        guard parts.count >= 3, let id = RedisRegistry.id(parts[0].bytes ?? []) else {
            throw RedisRegistry.corruptTransfer
        }
        return Reservation(
            record: try RedisRegistry.record(id, from: parts[1]), isStored: parts[2].integer == 1,
            forgotten: parts.dropFirst(3).compactMap { RedisRegistry.id($0.bytes ?? []) })
    }

    /// The transfer as it is stored after the first record was committed. Another caller with the same request may have
    /// updated it before: the log must not end with the first record, from which a rebuild would restore it.
    private func settle(_ first: TransferRecord, in scope: AppScope) async throws(StoreError) -> Transfer {
        guard let stored = try await record(first.transfer.id, in: scope) else { return first.transfer }
        if !stored.isFirst { try await commit([.transfer(stored.transfer.id, stored)], in: scope) }
        return stored.transfer
    }

    private func remembered(_ id: UInt64, in scope: AppScope) async throws(StoreError) -> Transfer? {
        let transfer = try await record(id, in: scope)?.transfer
        return transfer?.isForgotten(at: time.now) == false ? transfer : nil
    }

    private func record(_ id: UInt64, in scope: AppScope) async throws(StoreError) -> TransferRecord? {
        let values = try await read([RedisArgument("\(id)")], of: \.transfers, in: scope)
        guard let value = values.first, !value.isNull else { return nil }
        return try RedisRegistry.record(id, from: value)
    }

    private static func record(_ id: UInt64, from value: RedisValue) throws(StoreError) -> TransferRecord {
        guard let record = TransferRecord(id: id, packed: value.bytes ?? []) else { throw corruptTransfer }
        return record
    }

    private static func id(_ bytes: some Collection<UInt8>) -> UInt64? {
        OutsideText.string(Array(bytes)).flatMap { UInt64($0) }
    }

    private static var corruptTransfer: StoreError {
        StoreError(.corrupt, message: "invalid data in Redis: cannot decode a transfer")
    }
}
