extension RedisClient {
    /// Like `submit` of a command; a server that does not have the script yet gets the whole source.
    package func submit(
        _ script: RedisScript, keys: [RedisArgument], arguments: [RedisArgument], deadline: Duration? = nil,
        completion: @escaping @Sendable (Result<RedisValue, RedisError>) -> Void
    ) {
        submit(script.command(keys: keys, arguments: arguments), deadline: deadline) { [weak self] result in
            guard let self, case .failure(let error) = result, error.code == .reply("NOSCRIPT") else {
                return completion(result)
            }
            submit(
                script.wholeCommand(keys: keys, arguments: arguments), deadline: deadline, completion: completion)
        }
    }

    /// Blocks the calling thread; for native threads only, never for a task.
    package func wait(
        _ script: RedisScript, keys: [RedisArgument], arguments: [RedisArgument], deadline: Duration? = nil
    ) -> Result<RedisValue, RedisError> {
        let result = wait(script.command(keys: keys, arguments: arguments), deadline: deadline)
        guard case .failure(let error) = result, error.code == .reply("NOSCRIPT") else { return result }
        return wait(script.wholeCommand(keys: keys, arguments: arguments), deadline: deadline)
    }

    /// One pipeline with a call of the script for each list of keys. Blocks the calling thread; for native threads
    /// only, never for a task.
    package func wait(
        _ script: RedisScript, keysOfCalls: [[RedisArgument]], arguments: [RedisArgument]
    ) -> [Result<RedisValue, RedisError>] {
        var results = wait(keysOfCalls.map { script.command(keys: $0, arguments: arguments) })
        let unknown = results.indices.filter { index in
            if case .failure(let error) = results[index] { error.code == .reply("NOSCRIPT") } else { false }
        }
        let repeated = wait(unknown.map { script.wholeCommand(keys: keysOfCalls[$0], arguments: arguments) })
        for (index, result) in zip(unknown, repeated) { results[index] = result }
        return results
    }
}
