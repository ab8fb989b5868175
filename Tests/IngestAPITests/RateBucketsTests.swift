import Testing

@testable import IngestAPI

/// The decision alone, with a manual clock.
@Suite struct RateBucketsTests {
    private let rate = RateBuckets<String>.Rate(perSecond: 10, burst: 3)

    @Test func aFullBucketGivesItsBurstAndThenItsRate() {
        var buckets = RateBuckets<String>(namesMaximum: 8)
        let start = Duration.seconds(1_000)
        for _ in 0..<3 { #expect(buckets.take("a", rate: rate, at: start) == nil) }
        #expect(buckets.take("a", rate: rate, at: start) == .milliseconds(100))
        #expect(buckets.take("a", rate: rate, at: start + .milliseconds(99)) == .milliseconds(1))
        #expect(buckets.take("a", rate: rate, at: start + .milliseconds(100)) == nil)
        #expect(buckets.take("a", rate: rate, at: start + .milliseconds(100)) == .milliseconds(100))
        #expect(buckets.take("b", rate: rate, at: start) == nil, "each name has its own bucket")
        for _ in 0..<3 { #expect(buckets.take("a", rate: rate, at: start + .seconds(60)) == nil) }
        #expect(buckets.take("a", rate: rate, at: start + .seconds(60)) != nil, "a bucket holds no more than its burst")
    }

    /// Over a long time the rate is exact to the token, whatever the pattern of requests.
    @Test func noCallerGetsMoreThanTheRate() {
        var buckets = RateBuckets<String>(namesMaximum: 8)
        let taken = (0..<100_000).count { buckets.take("a", rate: rate, at: .milliseconds($0)) == nil }
        #expect(taken == 3 + 999)
    }

    @Test func whatIsOwedIsWaitedFor() {
        var buckets = RateBuckets<String>(namesMaximum: 8)
        for _ in 0..<5 { buckets.charge("a", rate: rate, at: .zero) }
        #expect(buckets.wait(for: "a", rate, at: .zero) == .milliseconds(300))
        #expect(buckets.wait(for: "a", rate, at: .milliseconds(300)) == nil)
    }

    @Test func aBucketTellsWhatIsLeft() {
        typealias Level = RateBuckets<String>.Level
        var buckets = RateBuckets<String>(namesMaximum: 8)
        func level(at milliseconds: Int) -> Level {
            buckets.level(of: "a", rate: rate, at: .milliseconds(milliseconds))
        }
        #expect(level(at: 0) == Level(tokens: 3, untilFull: .zero))
        #expect(buckets.take("a", rate: rate, at: .zero) == nil)
        #expect(level(at: 0) == Level(tokens: 2, untilFull: .milliseconds(100)))
        #expect(level(at: 99) == Level(tokens: 2, untilFull: .milliseconds(1)), "a token in part is none")
        #expect(level(at: 100) == Level(tokens: 3, untilFull: .zero))
        for _ in 0..<5 { buckets.charge("a", rate: rate, at: .milliseconds(100)) }
        #expect(level(at: 100) == Level(tokens: 0, untilFull: .milliseconds(500)))
        #expect(level(at: 400) == Level(tokens: 1, untilFull: .milliseconds(200)))
    }

    /// Goal: no rounding of a division takes a token away. Method: rates whose interval is no whole number.
    @Test(arguments: [3, 7, 999, 1_000_000]) func everyTokenIsCounted(perSecond: Int) {
        let rate = RateBuckets<String>.Rate(perSecond: perSecond, burst: perSecond)
        var buckets = RateBuckets<String>(namesMaximum: 8)
        for taken in 1...min(perSecond, 2_000) {
            buckets.charge("a", rate: rate, at: .seconds(1_000_000))
            #expect(buckets.level(of: "a", rate: rate, at: .seconds(1_000_000)).tokens == perSecond - taken)
        }
    }

    /// Goal: any number of names takes bounded memory. Method: far more names than are stored; a name in constant use
    /// stays stored throughout.
    @Test func namesHaveABound() {
        var buckets = RateBuckets<String>(namesMaximum: 100)
        var most = 0
        for number in 0..<10_000 {
            buckets.charge("\(number)", rate: rate, at: .zero)
            buckets.charge("busy", rate: rate, at: .zero)
            most = max(most, buckets.nameCount)
        }
        #expect(most <= 100)
        #expect(buckets.wait(for: "busy", rate, at: .zero) == .milliseconds(100 * (10_000 - 2)))
        #expect(buckets.wait(for: "0", rate, at: .zero) == nil)
    }
}
