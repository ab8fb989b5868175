import HTTP2
import JSONKit
import ProviderKit
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

@testable import AndroidSender

@Suite struct HuaweiGatewayTests {
    /// A thousand devices go in one request; exactly those that Huawei names are dead.
    @Test func aThousandTokensGoInOneRequest() async throws {
        let tokens = (0..<1_000).map { "token-\($0)" }
        let dead = Set(tokens.enumerated().filter { $0.offset % 7 == 0 }.map(\.element))
        let message = JSONText.object { $0.member("illegal_tokens", json: JSONText.array(dead.sorted())) }
        let body = JSONText.object { object in
            object.member("code", "80100000")
            object.member("msg", message)
        }
        try await withHuawei(HuaweiFixture(onPush: { _ in .json(200, body: body) })) { fixture in
            let gateway = fixture.gateway()
            #expect(await gateway.admit(1_000, lane: .bulk) == .admitted(1_000))
            let outcomes = await gateway.send(pushes(tokens, kind: .huawei, template: .huaweiMessage()))
            #expect(
                outcomes.map(\.verdict)
                    == tokens.map { dead.contains($0) ? .invalidDevice(since: nil) : .delivered })
            let seen = fixture.huawei.seen.pushes
            #expect(seen.count == 1)
            #expect(seen.first?.path == "/v1/100123/messages:send")
            #expect(seen.first?.authorization == "Bearer token-1")
            let listed = try seen.map { try HuaweiGatewayTests.tokens(in: $0) }
            #expect(listed == [tokens])
        }
    }

    @Test func moreThanAThousandAreSplit() async throws {
        try await withHuawei(HuaweiFixture()) { fixture in
            let gateway = fixture.gateway()
            let tokens = (0..<2_500).map { "token-\($0)" }
            #expect(await gateway.admit(2_500, lane: .bulk) == .admitted(2_500))
            let outcomes = await gateway.send(pushes(tokens, kind: .huawei, template: .huaweiMessage()))
            #expect(outcomes.allSatisfy { $0.verdict == .delivered })
            let requests = try fixture.huawei.seen.pushes.map { try HuaweiGatewayTests.tokens(in: $0) }
            #expect(requests.map(\.count).sorted() == [500, 1_000, 1_000])
            #expect(Set(requests.flatMap { $0 }) == Set(tokens))
        }
    }

    @Test func differentPayloadsGoInDifferentRequests() async throws {
        try await withHuawei(HuaweiFixture()) { fixture in
            let gateway = fixture.gateway()
            #expect(await gateway.admit(4, lane: .bulk) == .admitted(4))
            let badge = PayloadTemplate(
                parts: [#"{"badge":"#, #","message":{"token":[""#, #""]}}"#].map { Array($0.utf8) },
                slots: [.badge, .token])
            _ = await gateway.send(
                pushes(["a"], kind: .huawei, template: .huaweiMessage("1"))
                    + pushes(["b"], kind: .huawei, template: .huaweiMessage("2"))
                    + pushes(["c"], kind: .huawei, template: badge, badge: 3)
                    + pushes(["d"], kind: .huawei, template: badge, badge: 4))
            #expect(
                Set(fixture.huawei.seen.pushes.map(\.text)) == [
                    #"{"message":{"data":"1","token":["a"]}}"#, #"{"message":{"data":"2","token":["b"]}}"#,
                    #"{"badge":3,"message":{"token":["c"]}}"#, #"{"badge":4,"message":{"token":["d"]}}"#,
                ])
        }
    }

    /// A proof is one device's, so its push shares a request with no other.
    @Test func pushesWithProofsGoInDifferentRequests() async throws {
        try await withHuawei(HuaweiFixture()) { fixture in
            let gateway = fixture.gateway()
            #expect(await gateway.admit(2, lane: .bulk) == .admitted(2))
            let template = PayloadTemplate(
                parts: [#"{"message":{"data":""#, #"","token":[""#, #""]}}"#].map { Array($0.utf8) },
                slots: [.proof, .token])
            let plain = pushes(["a", "b"], kind: .huawei, template: template)
            let proven = plain.enumerated().map { number, push in
                Push(
                    id: push.id, token: push.token, isSandbox: false, content: push.content, badge: 0,
                    proof: ReceiptProof(day: 0, code: UInt64(number)))
            }
            let outcomes = await gateway.send(proven)
            #expect(outcomes.map(\.verdict) == [.delivered, .delivered])
            #expect(
                Set(fixture.huawei.seen.pushes.map(\.text)) == [
                    #"{"message":{"data":"AAAAAAAAAAAAAA","token":["a"]}}"#,
                    #"{"message":{"data":"AAAAAAAAAAAAAQ","token":["b"]}}"#,
                ])
        }
    }

    /// Huawei displays a message once for each occurrence of a token in the list.
    @Test func noTokenStandsInARequestTwice() async throws {
        try await withHuawei(HuaweiFixture()) { fixture in
            let gateway = fixture.gateway()
            #expect(await gateway.admit(4, lane: .bulk) == .admitted(4))
            let outcomes = await gateway.send(
                pushes(["a", #"b"\"#, "a", #"b"\"#], kind: .huawei, template: .huaweiMessage()))
            #expect(outcomes.map(\.verdict) == Array(repeating: .delivered, count: 4))
            let listed = try fixture.huawei.seen.pushes.map { try HuaweiGatewayTests.tokens(in: $0) }
            #expect(listed == [["a", #"b"\"#]])
        }
    }

    @Test func asksForATokenAsHuaweiWants() async throws {
        try await withHuawei(HuaweiFixture()) { fixture in
            #expect(await fixture.gateway().admit(1, lane: .fast) == .admitted(1))
            #expect(
                fixture.huawei.seen.tokenRequests == [
                    "grant_type=client_credentials&client_id=100123&client_secret=s%26cret"
                ])
        }
    }

    @Test func aProjectTakesTheSecondInterface() async throws {
        try await withHuawei(HuaweiFixture()) { fixture in
            let gateway = fixture.gateway(project: "736430079")
            #expect(await gateway.admit(1, lane: .bulk) == .admitted(1))
            _ = await gateway.send(pushes(["a"], kind: .huawei, template: .huaweiMessage()))
            #expect(fixture.huawei.seen.pushes.map(\.path) == ["/v2/736430079/messages:send"])
        }
    }

    /// A token expires while ten batches are in flight: one renewal serves all.
    @Test(arguments: ["80200001", "80200003"]) func anEndedTokenIsRenewedOnceForAll(_ code: String) async throws {
        let time = ManualTimeSource()
        let hasEnded = Monitor(false)
        let fixture = try await HuaweiFixture(
            time: time,
            onPush: { request in
                let isRefused = hasEnded.withLock { $0 } && request.authorization == "Bearer token-1"
                return .json(isRefused ? 401 : 200, body: #"{"code":"\#(isRefused ? code : "80000000")"}"#)
            })
        try await withHuawei(fixture) { fixture in
            let gateway = fixture.gateway()
            #expect(await gateway.admit(200, lane: .bulk) == .admitted(200))
            time.advance(by: .seconds(120))
            hasEnded.change { $0 = true }
            let outcomes = await withTaskGroup(of: [PushOutcome].self) { group in
                for batch in 0..<10 {
                    let tokens = (0..<20).map { "device-\(batch)-\($0)" }
                    group.addTask {
                        await gateway.send(pushes(tokens, kind: .huawei, template: .huaweiMessage()))
                    }
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
            #expect(outcomes.map(\.verdict) == Array(repeating: .delivered, count: 200))
            #expect(fixture.huawei.seen.tokenRequests.count == 2)
        }
    }

    @Test func aRefusedCredentialHalts() async throws {
        let fixture = try await HuaweiFixture(onToken: { _ in
            HTTP2Answer(400, body: Array(#"{"error":1101,"sub_error":20155,"error_description":"x"}"#.utf8))
        })
        try await withHuawei(fixture) { fixture in
            let admission = await fixture.gateway().admit(1, lane: .bulk)
            #expect(admission == .halted(reason: "no access token: status 400, 20155"))
        }
    }

    @Test(arguments: [[UInt8]?.none, [], Array("\n".utf8), [0xFF]]) func aBrokenSecretHalts(
        _ secret: [UInt8]?
    ) async throws {
        try await withHuawei(HuaweiFixture()) { fixture in
            guard case .halted(let reason) = await fixture.gateway(secret: secret).admit(1, lane: .bulk) else {
                Issue.record("no push can be sent without a secret")
                return
            }
            #expect(reason.contains("keys/huawei"))
        }
    }

    @Test func overloadPausesTheApp() async throws {
        let time = ManualTimeSource()
        let fixture = try await HuaweiFixture(
            time: time, onPush: { _ in .json(503, body: "", headers: ["retry-after": "9"]) })
        try await withHuawei(fixture) { fixture in
            let gateway = try #require(fixture.gateway() as? HuaweiGateway)
            let full = gateway.inFlightMaximum
            #expect(await gateway.admit(5, lane: .bulk) == .admitted(5))
            let tokens = (0..<5).map { "token-\($0)" }
            _ = await gateway.send(pushes(tokens, kind: .huawei, template: .huaweiMessage()))
            #expect(await gateway.admit(5, lane: .bulk) == .pausedFor(.seconds(9)))
            #expect(gateway.inFlightMaximum == full / 2)
        }
    }

    /// Goal: devices do not wait for a Huawei without answers. Method: one request gets no answer; a request ten
    /// seconds later is refused.
    @Test func aSilentHuaweiAdmitsNoPush() async throws {
        let time = ManualTimeSource()
        let arrived = OneTimeEvent()
        let fixture = try await HuaweiFixture(
            time: time,
            onPush: { _ in
                arrived.happen()
                return .stall
            })
        try await withHuawei(fixture) { fixture in
            let gateway = fixture.gateway()
            #expect(await gateway.admit(1, lane: .bulk) == .admitted(1))
            let sending = Task {
                await gateway.send(pushes(["device"], kind: .huawei, template: .huaweiMessage()))
            }
            await arrived.wait()
            time.advance(by: .seconds(10))
            guard case .unavailable = await gateway.admit(1, lane: .bulk) else {
                Issue.record("devices must not wait for a provider without answers")
                return
            }
            await fixture.huawei.server.close()
            _ = await sending.value
        }
    }

    @Test func aCutConnectionLeavesTheOutcomeUnknown() async throws {
        try await withHuawei(HuaweiFixture(onPush: { _ in .drop })) { fixture in
            let gateway = fixture.gateway()
            #expect(await gateway.admit(2, lane: .bulk) == .admitted(2))
            let outcomes = await gateway.send(pushes(["a", "b"], kind: .huawei, template: .huaweiMessage()))
            for outcome in outcomes {
                guard case .unknown = outcome else {
                    Issue.record("Huawei may have sent the push, so it must be unknown")
                    return
                }
            }
        }
    }

    private static func tokens(in request: HTTP2ServerRequest) throws -> [String] {
        let message = try JSON(request.text)["message"]
        return (message?["token"]?.elements ?? []).compactMap(\.text)
    }
}
