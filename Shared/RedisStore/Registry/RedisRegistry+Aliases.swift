import PushModel
import Store

extension RedisRegistry {
    func device(of token: PushToken, in scope: AppScope) async throws(StoreError) -> DeviceID? {
        guard let holder = try await tokens.holder(of: token, in: scope) else { return nil }
        let device = try await read(holder.index, in: scope)?.living(tag: holder.tag)
        return device?.token == token ? holder : nil
    }

    /// Entries are checked against the records. Entries of other devices are removed once no process can be about to
    /// write a record that makes them valid.
    func devices(
        of alias: Alias, in scope: AppScope
    ) async throws(StoreError) -> [DeviceID] {
        let entries = try await aliases.entries(of: alias, in: scope)
        let stored = try await read(entries.map(\.index), in: scope)
        var ids: [DeviceID] = []
        var stale: [AliasLists.Claim] = []
        for (entry, stored) in zip(entries, stored) {
            if let device = stored?.living, device.carries(alias) {
                ids.append(DeviceID(index: entry.index, tag: device.tag))
            } else {
                stale.append(AliasLists.Claim(alias: alias, index: entry.index))
            }
        }
        let limit = now - min(now, AliasLists.graceSeconds)
        if !stale.isEmpty { try await aliases.leave(stale, enteredBefore: limit, in: scope) }
        return ids
    }
}
