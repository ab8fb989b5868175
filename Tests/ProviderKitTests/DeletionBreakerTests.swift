import ProviderKit
import ServiceKit
import Testing

@Suite struct DeletionBreakerTests {
    @Test func nothingIsDeletedBeforeADelivery() {
        var breaker = DeletionBreaker()
        breaker.noteInvalid(1, at: .seconds(1))
        #expect(breaker.verdict(at: .seconds(1)) == .keep)
    }

    @Test func aFewAmongManyMayBeDeleted() {
        var breaker = DeletionBreaker()
        breaker.noteDelivered(80, at: .seconds(1))
        breaker.noteInvalid(20, at: .seconds(2))
        #expect(breaker.verdict(at: .seconds(2)) == .remove)
        breaker.noteInvalid(1, at: .seconds(3))
        #expect(breaker.verdict(at: .seconds(3)) == .count)
    }

    @Test func aWrongEnvironmentDeletesNoDevice() {
        var breaker = DeletionBreaker()
        for second in 0..<100 {
            breaker.noteInvalid(100, at: .seconds(second))
            #expect(breaker.verdict(at: .seconds(second)) == .keep)
        }
    }

    /// A few devices registered with their environment prove nothing about the many without one.
    @Test func whereMostAreInvalidNothingCounts() {
        var breaker = DeletionBreaker()
        breaker.noteDelivered(50, at: .seconds(1))
        breaker.noteInvalid(50, at: .seconds(1))
        #expect(breaker.verdict(at: .seconds(1)) == .count)
        breaker.noteInvalid(1, at: .seconds(2))
        #expect(breaker.verdict(at: .seconds(2)) == .keep)
    }

    @Test func aDeliveryCountsForItsMinute() {
        var breaker = DeletionBreaker()
        breaker.noteDelivered(1, at: .seconds(10))
        #expect(breaker.verdict(at: .seconds(69)) == .remove)
        #expect(breaker.verdict(at: .seconds(70)) == .keep)
    }
}
