import PushModel
import RedisClient
import Store

/// Maps external user ids and other aliases to devices.
///
/// A device is entered before its record carries the alias, so that no device is missed; results are checked against
/// the record. An entry is removed only when it is at least an hour old, because a process that is about to write the
/// record has just entered the device or refreshed its entry.
struct AliasLists: Sendable {
    struct Entry: Hashable {
        let index: DeviceIndex
        let entered: UInt32
    }

    struct Claim {
        let alias: Alias
        let index: DeviceIndex
    }

    /// Longer than any operation takes, including clock differences between machines.
    static let graceSeconds: UInt32 = 3_600

    let buckets: NameBuckets

    func entries(of alias: Alias, in scope: AppScope) async throws(StoreError) -> [Entry] {
        let (bucket, field) = place(of: alias, in: scope)
        let reply = try await buckets.read(bucket, script: RegistryScripts.lookUp, arguments: [field])
        var reader = ByteReader(reply?.bytes ?? [])
        var entries: [Entry] = []
        while let index = reader.integer(UInt32.self), let entered = reader.integer(UInt32.self) {
            entries.append(Entry(index: DeviceIndex(rawValue: index), entered: entered))
        }
        return entries
    }

    /// Enters each claim or refreshes its time; returns the claims for which there was no room.
    func enter(
        _ claims: [Claim], at now: UInt32, most: Int, in scope: AppScope
    ) async throws(StoreError) -> [Claim] {
        let replies = try await buckets.write(
            claims.map { claim in
                let (bucket, field) = place(of: claim.alias, in: scope)
                return (
                    bucket, [field, packed(claim.index.rawValue), packed(now), RedisArgument(most)]
                )
            }, script: RegistryScripts.enterAlias)
        return zip(claims, replies).filter { $1.integer == 0 }.map(\.0)
    }

    /// Removes the claims that were entered before `limit`.
    func leave(_ claims: [Claim], enteredBefore limit: UInt32, in scope: AppScope) async throws(StoreError) {
        _ = try await buckets.read(
            claims.map { claim in
                let (bucket, field) = place(of: claim.alias, in: scope)
                return (bucket, [field, packed(claim.index.rawValue), RedisArgument(Int64(limit))])
            }, script: RegistryScripts.leaveAlias)
    }

    private func place(of alias: Alias, in scope: AppScope) -> (NameBucket, RedisArgument) {
        let digest = NameDigest(Array(alias.value.utf8))
        let number = digest.bucket(of: scope.generation.aliasBuckets)
        return (NameBucket(scope: scope, kind: .alias(alias.kind), number: number), digest.field)
    }

    private func packed(_ value: UInt32) -> RedisArgument {
        var bytes: [UInt8] = []
        bytes.append(integer: value)
        return RedisArgument(bytes)
    }
}
