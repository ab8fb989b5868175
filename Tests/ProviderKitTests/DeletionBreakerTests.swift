import ProviderKit
import ServiceKit
import Testing

@Suite struct DeletionBreakerTests {
    @Test func nothingIsDeletedBeforeADelivery() {
        var breaker = DeletionBreaker()
        breaker.noteInvalid(1, at: .seconds(1))
        #expect(!breaker.allowsDeletion(at: .seconds(1)))
    }

    @Test func aFewAmongManyMayBeDeleted() {
        var breaker = DeletionBreaker()
        breaker.noteDelivered(80, at: .seconds(1))
        breaker.noteInvalid(20, at: .seconds(2))
        #expect(breaker.allowsDeletion(at: .seconds(2)))
        breaker.noteInvalid(1, at: .seconds(3))
        #expect(!breaker.allowsDeletion(at: .seconds(3)))
    }

    @Test func aWrongEnvironmentDeletesNobody() {
        var breaker = DeletionBreaker()
        for second in 0..<100 {
            breaker.noteInvalid(100, at: .seconds(second))
            #expect(!breaker.allowsDeletion(at: .seconds(second)))
        }
    }

    @Test func aDeliveryCountsForItsMinute() {
        var breaker = DeletionBreaker()
        breaker.noteDelivered(1, at: .seconds(10))
        #expect(breaker.allowsDeletion(at: .seconds(69)))
        #expect(!breaker.allowsDeletion(at: .seconds(70)))
    }
}
