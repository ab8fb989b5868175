import ServiceKit
import Testing

@testable import ProviderKit

@Suite final class TokenMachineTests {
    private var machine = TokenMachine(backoff: Backoff(first: .seconds(2), longest: .seconds(60)))
    private let random = SeededRandomSource(seed: 7)
    private let outage = TokenError(.unavailable, message: "no answer")

    @Test func theFirstAskerRefreshesAndTheOthersWait() {
        #expect(ask(0) == .refreshAndWait(1))
        #expect(ask(0) == .wait)
        let token = succeed(1, value: "a", at: 1)
        #expect(ask(2) == token.map { .use($0) })
    }

    @Test func aTokenIsRenewedWhileItIsUsed() throws {
        _ = ask(0)
        let first = try #require(succeed(1, value: "a", at: 0))
        #expect(ask(45 * 60 - 1) == .use(first))
        #expect(ask(50 * 60) == .useAndRefresh(first, 2))
        #expect(ask(51 * 60) == .use(first))
        let second = try #require(succeed(2, value: "b", at: 51 * 60))
        #expect(ask(51 * 60) == .use(second))
    }

    @Test func theMomentOfRenewalIsSpread() {
        let moments = (0..<20).map { seed -> Int in
            var machine = TokenMachine(backoff: Backoff(first: .seconds(1), longest: .seconds(1)))
            _ = machine.ask(at: .zero)
            let issued = IssuedToken(Secret("a"), window: .apns())
            _ = machine.succeed(1, issued: issued, at: .zero, random: SeededRandomSource(seed: UInt64(seed)))
            return (0..<3_600).first { second in
                guard case .useAndRefresh = machine.ask(at: .seconds(second)) else { return false }
                return true
            } ?? 0
        }
        #expect(moments.allSatisfy { (2_700...3_000).contains($0) })
        #expect(Set(moments).count > 10)
    }

    @Test func anOldTokenIsNotUsed() {
        _ = ask(0)
        _ = succeed(1, value: "a", at: 0)
        #expect(ask(58 * 60) == .refreshAndWait(2))
    }

    /// Failures cause no retry storm: one attempt per pause, and the pauses grow.
    @Test func aFailureIsRepeatedWithBackoff() throws {
        var now: Int64 = 0
        var pauses: [Int64] = []
        for number in 1...8 {
            #expect(ask(now) == .refreshAndWait(number))
            #expect(fail(number, at: now))
            #expect(ask(now) == .fail(outage))
            let next = try #require((now...now + 61).first { ask($0, onCopy: true) == .refreshAndWait(number + 1) })
            pauses.append(next - now)
            now = next
        }
        #expect(pauses.allSatisfy { (1...60).contains($0) })
        #expect(pauses[0] <= 2 && pauses[7] >= 30)
    }

    @Test func aGoodTokenIsUsedOnWhenItsRenewalFails() throws {
        _ = ask(0)
        let token = try #require(succeed(1, value: "a", at: 0))
        #expect(ask(3_000) == .useAndRefresh(token, 2))
        #expect(fail(2, at: 3_000))
        #expect(ask(3_000) == .use(token))
        #expect(ask(3_003) == .useAndRefresh(token, 3))
        #expect(fail(3, at: 3_479))
        #expect(ask(3_480) == .fail(outage))
    }

    @Test func aRefusedTokenIsReplacedOnceItIsOldEnough() throws {
        _ = ask(0)
        let first = try #require(succeed(1, value: "a", at: 0))
        #expect(refuse(first, at: 1_199) == .tooYoung)
        #expect(ask(1_199) == .use(first))
        #expect(refuse(first, at: 1_200) == .replacing)
        #expect(refuse(first, at: 1_200) == .replacing)
        #expect(ask(1_200) == .refreshAndWait(2))
        let second = try #require(succeed(2, value: "b", at: 1_201))
        #expect(refuse(first, at: 1_202) == .replaced)
        #expect(refuse(second, at: 1_202) == .tooYoung)
        #expect(ask(1_202) == .use(second))
    }

    @Test func aRefreshThatWasGivenUpChangesNothing() {
        _ = ask(0)
        #expect(fail(1, at: 0))
        #expect(succeed(1, value: "late", at: 1) == nil)
        #expect(!fail(1, at: 1))
        #expect(ask(2) == .refreshAndWait(2))
    }

    struct Window: Sendable {
        let lifetime: Int
        let replaceable: Double
        let renewal: Double
        let usable: Double
    }

    /// A short-lived token is renewed as well: used after its expiry it would be refused and halt its app.
    @Test(arguments: [
        Window(lifetime: 3_600, replaceable: 60, renewal: 3_300, usable: 3_570),
        Window(lifetime: 86_400, replaceable: 60, renewal: 86_100, usable: 86_370),
        Window(lifetime: 600, replaceable: 60, renewal: 480, usable: 570),
        Window(lifetime: 60, replaceable: 20, renewal: 48, usable: 50.4),
        Window(lifetime: 30, replaceable: 10, renewal: 24, usable: 25.2),
        Window(lifetime: 0, replaceable: 2, renewal: 4.8, usable: 5.04),
    ])
    func anOAuthTokenIsRenewedBeforeItsEnd(_ expected: Window) {
        let window = TokenWindow.oauth(lifetime: .seconds(expected.lifetime))
        #expect(window.replaceableAge.inSeconds == expected.replaceable)
        #expect(window.renewalAges.lowerBound.inSeconds == expected.renewal)
        #expect(window.usableAge.inSeconds == expected.usable)
    }

    @Test func applesTokensAreRenewedInProportionToTheirLife() {
        let hour = TokenWindow.apns()
        #expect(hour.replaceableAge == .seconds(20 * 60))
        #expect(hour.renewalAges == .seconds(45 * 60) ... .seconds(50 * 60))
        #expect(hour.usableAge == .seconds(58 * 60))
        #expect(TokenWindow.apns(lifetime: .seconds(60)).renewalAges == .seconds(45) ... .seconds(50))
    }

    private func ask(_ seconds: Int64, onCopy: Bool = false) -> TokenMachine.Answer {
        guard onCopy else { return machine.ask(at: .seconds(seconds)) }
        var copy = machine
        return copy.ask(at: .seconds(seconds))
    }

    private func succeed(_ number: Int, value: String, at seconds: Int64) -> BearerToken? {
        machine.succeed(
            number, issued: IssuedToken(Secret(value), window: .apns()), at: .seconds(seconds), random: random)
    }

    private func fail(_ number: Int, at seconds: Int64) -> Bool {
        machine.fail(number, error: outage, at: .seconds(seconds), random: random)
    }

    private func refuse(_ token: BearerToken, at seconds: Int64) -> TokenCache.Refusal {
        machine.refuse(token, at: .seconds(seconds))
    }
}
