import JSONKit
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

/// Goal: each user gets its push once, within its window: at a good moment if there is one, else before the window ends,
/// whatever is killed meanwhile. Method: a third of the users has a moment before the push, a third while it waits, with
/// a repeat, and a third none; each service is killed while pushes wait, and the one that released them right after that,
/// so that some are released again at the end of their windows.
@Suite(.timeLimit(.minutes(10))) struct MomentTests {
    private static let users = 30

    private struct Sent {
        let user: Int
        let task: TaskID
        let posted: Timestamp

        var ends: Timestamp { posted + .seconds(120) }
    }

    @Test(arguments: Harness.BusKind.allCases)
    func eachUserIsReachedOnceWithinItsWindow(_ bus: Harness.BusKind) async throws {
        let harness = try await Harness(bus)
        _ = try await harness.ingest.register(
            (0..<Self.users).map { TestDevice($0, kind: .apns, topics: [], user: "user-\($0)") })
        for user in 0..<Self.users where user % 3 == 0 { #expect(try await report(user, harness) == 0) }
        var sent: [Sent] = []
        for user in 0..<Self.users { sent.append(try await post(user, harness)) }
        // At once, as soon as their user's app says so, or at the end.
        let (atOnce, called, last) = (third(0, of: sent), third(1, of: sent), third(2, of: sent))
        for each in atOnce {
            let report = try #require(await harness.reports.report(of: each.task), "\(harness.lines)")
            #expect(report[.delivered] == 1 && report.closed < each.ends)
        }
        for service in Harness.services { try await harness.killAndRestart(service) }
        for each in called {
            #expect(try await report(each.user, harness) <= 1)
            _ = try await report(each.user, harness)
        }
        try await harness.killAndRestart("ingest-api")
        for each in called + last {
            let report = try #require(await harness.reports.report(of: each.task), "\(harness.lines)")
            #expect(report.targeted == 1 && report[.delivered] == 1, "\(each)")
            // A report is written when the provider has answered.
            if each.user % 3 == 2 { #expect(report.closed >= each.ends + .seconds(-10)) }
        }
        #expect(try await harness.delivered() == Self.users)
        for each in sent { #expect(try await harness.delivered(each.task) == 1) }
        #expect(try await report(2, harness) == 0)
        try await harness.close()
    }

    private func third(_ number: Int, of all: [Sent]) -> [Sent] { all.filter { $0.user % 3 == number } }

    private func post(_ user: Int, _ harness: Harness) async throws -> Sent {
        let posted = SystemTimeSource().now
        let task = try await harness.ingest.post(
            #"{"users":["user-\#(user)"],"message":{"body":"x"},"deliver_within":"2m"}"#)
        return Sent(user: user, task: task, posted: posted)
    }

    /// Returns how many tasks the moment released.
    private func report(_ user: Int, _ harness: Harness) async throws -> Int64 {
        let response = try await harness.ingest.send(
            "POST", "/apps/news/v1/moments", body: #"{"user":"user-\#(user)","expires_in":"5m"}"#)
        guard response.status == 200, case .integer(let count) = try JSON(response.body)["released"] else {
            throw SetupError(description: "no moment: \(response.status) \(response.text)")
        }
        return count
    }
}
