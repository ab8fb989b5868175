import PushModel
import Store

/// Both ledgers: every call is made on each, and the answers must be equal.
struct LedgerPair {
    let plain: any Ledger
    let stored: any Ledger
    let task: TaskID

    func ask<Answer: Equatable & Sendable>(
        _ call: (any Ledger) async throws -> Answer
    ) async throws -> Answer {
        let expected = try await call(plain)
        let answer = try await call(stored)
        guard answer == expected else { throw DifferenceError(description: "got \(answer), expected \(expected)") }
        return answer
    }

    func resolve(_ job: Int) async throws {
        try await plain.resolve(job: job, of: task)
        try await stored.resolve(job: job, of: task)
    }

    struct DifferenceError: Error, CustomStringConvertible {
        let description: String
    }
}
