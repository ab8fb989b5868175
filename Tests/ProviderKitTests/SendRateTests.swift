import ProviderKit
import ServiceKit
import Testing

@Suite struct SendRateTests {
    @Test func overloadHalvesOnceForWhatWasInFlightTogether() {
        var rate = SendRate(ceiling: 1_000)
        for _ in 0..<500 { rate.noteOverload(.soon, at: .seconds(10)) }
        #expect(rate.inFlightMaximum == 500)
        rate.noteOverload(.soon, at: .seconds(11))
        #expect(rate.inFlightMaximum == 250)
    }

    @Test func itFallsToOneAndNoFurther() {
        var rate = SendRate(ceiling: 100)
        for second in 0..<60 { rate.noteOverload(.soon, at: .seconds(second)) }
        #expect(rate.inFlightMaximum == 1)
    }

    @Test func itClimbsBackWithWhatIsDelivered() {
        var rate = SendRate(ceiling: 1_000)
        for second in 0..<60 { rate.noteOverload(.soon, at: .seconds(second)) }
        rate.noteDelivered(1_000)
        let early = rate.inFlightMaximum
        #expect(early > 1)
        for _ in 0..<20_000 { rate.noteDelivered() }
        #expect(rate.inFlightMaximum == 1_000)
    }

    @Test func retryAfterPausesSending() {
        var rate = SendRate(ceiling: 10)
        rate.noteOverload(RetryAdvice(floor: .seconds(30)), at: .seconds(100))
        #expect(rate.pause(at: .seconds(110)) == .seconds(20))
        #expect(rate.pause(at: .seconds(130)) == .zero)
    }
}
