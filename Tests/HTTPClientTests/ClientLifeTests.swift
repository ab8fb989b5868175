import HTTPClient
import ServiceKit
import TestSupport
import Testing

/// Tests of cancellation, limits and closing.
@Suite struct ClientLifeTests {
    @Test func cancellingWhileTheServerIsSilentIsUnknown() async throws {
        let server = try ScriptedServer([.readHeader, .hold])
        try await withClient { client in
            let request = HTTPClientRequest(.post, url: server.url(), to: .trusted)
            let sending = Task { await client.send(request) }
            #expect(await server.hasSeen(requests: 1))
            sending.cancel()
            let outcome = await sending.value
            #expect(outcome.unknown == .cancelled)
            #expect(await server.hasEnded(connections: 1))
        }
    }

    /// Goal: a cancellation is never lost, whenever it comes. Method: many requests to a silent server, each of which
    /// would wait for its deadline if it missed the cancellation.
    @Test func cancellingAtAnyMomentEndsTheWait() async throws {
        let server = try ScriptedServer([.readHeader, .hold])
        try await withClient { client in
            let request = HTTPClientRequest(.post, url: server.url(), to: .trusted, deadline: .seconds(600))
            for _ in 0..<200 {
                let sending = Task { await client.send(request) }
                sending.cancel()
                let outcome = await sending.value
                #expect(outcome.notSent == .cancelled || outcome.unknown == .cancelled)
            }
        }
    }

    @Test func beyondItsBoundsItRefuses() async throws {
        var configuration = HTTPClientConfiguration.forTests
        configuration.concurrentMaximum = 1
        configuration.waitingMaximum = 1
        let server = try ScriptedServer([.readHeader, .hold])
        try await withClient(configuration) { client in
            let request = HTTPClientRequest(.post, url: server.url(), to: .trusted)
            let first = Task { await client.send(request) }
            #expect(await server.hasSeen(requests: 1))
            // One of the next two requests waits, the other finds the queue full; either may be first.
            let others = (0..<2).map { _ in Task { await client.send(request) } }
            let refused = await firstOf(others)
            #expect(refused.notSent == .full)
            // The waiting request is cancelled first; otherwise it would take the freed slot.
            for task in others {
                task.cancel()
                _ = await task.value
            }
            first.cancel()
            #expect(await first.value.unknown == .cancelled)
            #expect(server.connections == 1)
        }
    }

    @Test func whatWaitsTooLongIsNotSent() async throws {
        var configuration = HTTPClientConfiguration.forTests
        configuration.concurrentMaximum = 1
        let server = try ScriptedServer([.readHeader, .hold])
        try await withClient(configuration) { client in
            let first = Task { await client.send(HTTPClientRequest(.post, url: server.url(), to: .trusted)) }
            #expect(await server.hasSeen(requests: 1))
            let second = await client.send(
                HTTPClientRequest(.post, url: server.url(), to: .trusted, deadline: .milliseconds(50)))
            #expect(second.notSent == .deadline)
            first.cancel()
            _ = await first.value
        }
    }

    @Test func aSilentHostDoesNotHoldUpAnother() async throws {
        var configuration = HTTPClientConfiguration.forTests
        configuration.concurrentMaximum = 2
        configuration.hostMaximum = 1
        let silent = try ScriptedServer([.readHeader, .hold])
        let other = try ScriptedServer([.readHeader, .send("HTTP/1.1 204 No Content\r\n\r\n")])
        try await withClient(configuration) { client in
            let first = Task { await client.send(HTTPClientRequest(.post, url: silent.url(), to: .trusted)) }
            #expect(await silent.hasSeen(requests: 1))
            let second = Task { await client.send(HTTPClientRequest(.post, url: silent.url("/2"), to: .trusted)) }
            let answered = await client.send(HTTPClientRequest(.post, url: other.url(), to: .trusted))
            #expect(answered.response?.status == 204)
            second.cancel()
            #expect(await second.value.notSent == .cancelled)
            first.cancel()
            #expect(await first.value.unknown == .cancelled)
            #expect(silent.connections == 1)
        }
    }

    @Test func closingGivesUpWhatIsNotDoneInTime() async throws {
        let server = try ScriptedServer([.readHeader, .hold])
        try await withClient { client in
            let sending = Task { await client.send(HTTPClientRequest(.post, url: server.url(), to: .trusted)) }
            #expect(await server.hasSeen(requests: 1))
            await client.close(within: .milliseconds(50))
            #expect(await sending.value.unknown == .closed)
            let late = await client.send(HTTPClientRequest(.post, url: server.url(), to: .trusted))
            #expect(late.notSent == .closed)
        }
    }

    @Test func closingWaitsForWhatIsUnderWay() async throws {
        let gate = OneTimeEvent()
        let server = try ScriptedServer([.readHeader, .await(gate), .send("HTTP/1.1 204 No Content\r\n\r\n")])
        try await withClient { client in
            let sending = Task { await client.send(HTTPClientRequest(.post, url: server.url(), to: .trusted)) }
            #expect(await server.hasSeen(requests: 1))
            let closing = Task { await client.close(within: .seconds(30)) }
            gate.happen()
            #expect(await sending.value.response?.status == 204)
            await closing.value
        }
    }

    @Test func aForgottenClientEnds() async throws {
        let server = try ScriptedServer([.readHeader, .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), .hold])
        var client: HTTPClient? = HTTPClient(
            configuration: .forTests, log: Log(service: "test", sink: CollectingSink()), metrics: Metrics())
        let outcome = await client?.send(HTTPClientRequest(.post, url: server.url(), to: .trusted))
        #expect(outcome?.response?.status == 200)
        client = nil
        // Closing the client also closes the kept-alive connection.
        #expect(await server.hasEnded(connections: 1))
    }

    private func firstOf(_ tasks: [Task<HTTPClientOutcome, Never>]) async -> HTTPClientOutcome {
        let first = Monitor<HTTPClientOutcome?>(nil)
        for task in tasks {
            Task {
                let outcome = await task.value
                first.change { $0 = $0 ?? outcome }
            }
        }
        let outcome = await blocking { first.wait(timeout: .hangLimit) { $0 } }
        return outcome ?? .notSent(HTTPClientError(.closed, message: "nothing came"))
    }
}
