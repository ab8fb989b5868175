import PushModel
import RedisClient
import Store

/// Maps tokens to devices. A token is reserved before its device exists, so that two registrations of one token get the
/// same reservation and not two devices.
struct TokenReservations: Sendable {
    let buckets: NameBuckets

    func holder(of token: PushToken, in scope: AppScope) async throws(StoreError) -> DeviceID? {
        let (bucket, field) = place(of: token, in: scope)
        return try await buckets.read(bucket, script: RegistryScripts.lookUp, arguments: [field]).flatMap(id)
    }

    /// Returns the holder of the token: the candidate, unless another device already holds it.
    func reserve(
        _ token: PushToken, for candidate: DeviceID, in scope: AppScope
    ) async throws(StoreError) -> DeviceID {
        let (bucket, field) = place(of: token, in: scope)
        return try checked(
            try await buckets.write(bucket, script: RegistryScripts.reserve, arguments: [field, bytes(candidate)]))
    }

    /// The same for many tokens, in their order.
    func reserve(
        _ requests: [(token: PushToken, candidate: DeviceID)], in scope: AppScope
    ) async throws(StoreError) -> [DeviceID] {
        let replies = try await buckets.write(
            requests.map { request in
                let (bucket, field) = place(of: request.token, in: scope)
                return (bucket, [field, bytes(request.candidate)])
            }, script: RegistryScripts.reserve)
        var holders: [DeviceID] = []
        for reply in replies { holders.append(try checked(reply)) }
        return holders
    }

    /// Transfers the token unless the old holder no longer holds it; returns the current holder.
    func exchange(
        _ token: PushToken, from old: DeviceID, to new: DeviceID?, in scope: AppScope
    ) async throws(StoreError) -> DeviceID? {
        let (bucket, field) = place(of: token, in: scope)
        let reply = try await buckets.write(
            bucket, script: RegistryScripts.exchange,
            arguments: [field, bytes(old), new.map(bytes) ?? RedisArgument([UInt8]())])
        return id(reply)
    }

    private func place(of token: PushToken, in scope: AppScope) -> (NameBucket, RedisArgument) {
        let digest = NameDigest([token.kind.rawValue] + Array(token.text.utf8))
        let number = digest.bucket(of: scope.generation.aliasBuckets)
        return (NameBucket(scope: scope, kind: .token, number: number), digest.field)
    }

    private func bytes(_ id: DeviceID) -> RedisArgument {
        var bytes: [UInt8] = []
        bytes.append(integer: id.index.rawValue)
        bytes.append(integer: id.tag)
        return RedisArgument(bytes)
    }

    private func id(_ reply: RedisValue) -> DeviceID? {
        var reader = ByteReader(reply.bytes ?? [])
        guard let index = reader.integer(UInt32.self), let tag = reader.integer(UInt32.self) else { return nil }
        return DeviceID(index: DeviceIndex(rawValue: index), tag: tag)
    }

    private func checked(_ reply: RedisValue) throws(StoreError) -> DeviceID {
        guard let id = id(reply) else {
            throw StoreError(.corrupt, message: "invalid data: cannot decode a token's holder")
        }
        return id
    }
}
