package import ServiceKit

/// Runs services while `body` runs, then stops them in reverse order and waits until they have finished their work in
/// flight. If the body throws, they are also cancelled, so that a failed test does not wait for that work; the body's
/// error is thrown.
package func withRunning<Answer>(_ services: [any Service], body: () async throws -> Answer) async throws -> Answer {
    try await withThrowingTaskGroup(of: Void.self) { runs -> Answer in
        for service in services { runs.addTask { try await service.run() } }
        let answer: Answer
        do {
            answer = try await body()
        } catch {
            for service in services.reversed() { service.stop() }
            runs.cancelAll()
            throw error
        }
        for service in services.reversed() { service.stop() }
        try await runs.waitForAll()
        return answer
    }
}

package func withRunning<Answer>(_ service: some Service, body: () async throws -> Answer) async throws -> Answer {
    try await withRunning([service], body: body)
}

/// Runs `body`, then `cleanUp`, even if the body throws.
package func withCleanup<Answer>(
    _ cleanUp: () async throws -> Void, body: () async throws -> Answer
) async throws -> Answer {
    let answer: Answer
    do {
        answer = try await body()
    } catch {
        try? await cleanUp()
        throw error
    }
    try await cleanUp()
    return answer
}
