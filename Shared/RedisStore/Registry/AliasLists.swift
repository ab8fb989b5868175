import PushModel
import RedisClient
import Store

/// Which devices carry a user's name or another alias.
///
/// A device is entered before its record carries the alias, so that nothing is hidden, and what is found is checked against
/// the record. An entry is not removed before it is an hour old: whoever is about to write the record has just entered it,
/// or entered it again.
struct AliasLists: Sendable {
    struct Entry: Hashable {
        let index: DeviceIndex
        let entered: UInt32
    }

    struct Claim {
        let alias: Alias
        let index: DeviceIndex
    }

    /// Longer than any operation takes, whatever the clocks of two machines say.
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

    /// Enters each, or its newer time; those for which there was no room.
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

    /// Removes those that were entered before.
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
