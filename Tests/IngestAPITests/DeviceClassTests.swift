import Bus
import MemoryStore
import PushModel
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

@testable import IngestAPI

/// The class of a device changes at its first moment and at its removal, and the webhook of its app is told.
@Suite struct DeviceClassTests {
    private static let header = "Carillon-Device-Token"

    private func transitions(_ fixture: IngestFixture) throws -> [DeviceTransition] {
        try fixture.bus.sent.filter { $0.channel == Topics.statuses.channel }.compactMap { message in
            guard case .transition(let transition) = try StatusNotice(decoding: message.value) else { return nil }
            #expect(message.key == transition.key)
            return transition
        }
    }

    private func report(
        _ device: String, _ fixture: IngestFixture, score: String = "1", as key: IngestFixture.Key = .news,
        headers: [String: String] = [:]
    ) async -> Int {
        let body = #"{"device":"\#(device)","score":\#(score)}"#
        return await fixture.json("POST", "/v1/moments", json: body, as: key, headers: headers).status
    }

    private func reportsMoments(_ device: String, _ fixture: IngestFixture) async throws -> Bool? {
        let id = try #require(DeviceID(device))
        return try await fixture.registry.device(id, in: fixture.news)?.device.reportsMoments
    }

    /// A poor moment shows as well as a good one that the app reports moments.
    @Test(arguments: ["0", "1"]) func theFirstMomentIsTold(score: String) async throws {
        try await IngestFixture.run(hasWebhook: true) { fixture in
            let device = try await fixture.subscriber("external_user_id=ada")
            #expect(try await reportsMoments(device, fixture) == false)
            #expect(await report(device, fixture, score: score) == 200)
            let told = try transitions(fixture)
            #expect(told.map(\.device) == [DeviceID(device)] && told.map(\.app) == [fixture.news])
            #expect(told.map(\.previous) == [.unknown] && told.map(\.reached) == [.eligible])
            #expect(told.map(\.user) == ["ada"] && told.map(\.time) == [fixture.time.now])
            #expect(told.first?.token == SampleTokens.apns.lowercased())
            #expect(try await reportsMoments(device, fixture) == true)
            #expect(await report(device, fixture) == 200)
            #expect(try transitions(fixture).count == 1)
        }
    }

    @Test func aPublicKeyTellsItsOwnDevice() async throws {
        try await IngestFixture.run(hasWebhook: true) { fixture in
            let device = try await fixture.subscriber()
            #expect(await report(device, fixture, as: .app) == 404)
            #expect(await report(device, fixture, as: .app, headers: [Self.header: SampleTokens.fcm]) == 404)
            #expect(await report(device, fixture, as: .shop) == 404)
            #expect(try transitions(fixture).isEmpty)
            #expect(try await reportsMoments(device, fixture) == false)
            #expect(await report(device, fixture, as: .app, headers: [Self.header: SampleTokens.apns]) == 200)
            #expect(try transitions(fixture).map(\.reached) == [.eligible])
        }
    }

    /// A moment of a user names no device.
    @Test func aMomentOfAUserChangesNoDevice() async throws {
        try await IngestFixture.run(hasWebhook: true) { fixture in
            let device = try await fixture.subscriber("external_user_id=ada")
            #expect(await fixture.json("POST", "/v1/moments", json: #"{"user":"ada"}"#).status == 200)
            #expect(try await reportsMoments(device, fixture) == false)
            #expect(try transitions(fixture).isEmpty)
        }
    }

    /// The class is remembered, for a webhook that the app gets later.
    @Test func withoutAWebhookNothingIsTold() async throws {
        try await IngestFixture.run { fixture in
            let device = try await fixture.subscriber()
            #expect(await report(device, fixture) == 200)
            #expect(try await reportsMoments(device, fixture) == true)
            #expect(await fixture.json("DELETE", "/v1/devices/\(device)").status == 204)
            #expect(fixture.bus.sent.isEmpty)
        }
    }

    @Test(arguments: ["/v1/devices/", "/subscriber/", "/v1/users/ada"]) func aRemovalIsTold(path: String) async throws {
        try await IngestFixture.run(hasWebhook: true) { fixture in
            let device = try await fixture.subscriber("external_user_id=ada")
            #expect(await report(device, fixture) == 200)
            let removal = path.hasSuffix("/") ? path + device : path
            #expect((200...204).contains(await fixture.json("DELETE", removal, as: .owner).status))
            let told = try transitions(fixture)
            #expect(told.map(\.reached) == [.eligible, .ineligible])
            #expect(told.map(\.previous) == [.unknown, .eligible] && told.map(\.user) == ["ada", "ada"])
            #expect(try await reportsMoments(device, fixture) == nil)
            _ = await fixture.json("DELETE", removal, as: .owner)
            #expect(try transitions(fixture).count == 2)
            // The token is registered as another device, whose app has reported nothing.
            let fresh = try await fixture.subscriber("external_user_id=ada")
            #expect(fresh != device)
            #expect(await report(fresh, fixture) == 200)
            #expect(try transitions(fixture).last?.previous == .unknown)
        }
    }

    @Test func aRemovalWithAnotherTokenIsNotTold() async throws {
        try await IngestFixture.run(hasWebhook: true) { fixture in
            let device = try await fixture.subscriber()
            let path = "/v1/devices/\(device)"
            let other = await fixture.json("DELETE", path, as: .app, headers: [Self.header: SampleTokens.fcm])
            #expect(other.status == 404)
            #expect(try transitions(fixture).isEmpty)
            let own = await fixture.json("DELETE", path, as: .app, headers: [Self.header: SampleTokens.apns])
            #expect(own.status == 204)
            #expect(try transitions(fixture).map(\.previous) == [.unknown])
        }
    }

    /// Goal: whatever is cut off is told by a repeat of the request. Method: the bus fails, then the registry, for a
    /// moment and for a removal.
    @Test func aRequestThatIsCutOffIsToldByItsRepeat() async throws {
        try await IngestFixture.run(hasWebhook: true) { fixture in
            let device = try await fixture.subscriber()
            fixture.bus.fail(with: BusError(.unavailable, message: "away"))
            #expect(await report(device, fixture) == 503)
            #expect(try await reportsMoments(device, fixture) == false)
            let path = "/v1/devices/\(device)"
            #expect(await fixture.json("DELETE", path).status == 503)
            #expect(try await reportsMoments(device, fixture) == false)
            fixture.bus.fail(with: nil)
            #expect(await report(device, fixture) == 200)
            fixture.registry.failRemovals(after: 0)
            #expect(await fixture.json("DELETE", path).status == 503)
            fixture.registry.failRemovals(after: nil)
            #expect(await fixture.json("DELETE", path).status == 204)
            #expect(try transitions(fixture).map(\.reached) == [.eligible, .ineligible, .ineligible])
        }
    }
}
