import Store
import Testing

@Suite struct StoreErrorTests {
    @Test(arguments: [
        (StoreError.Code.unavailable, true), (.notReady, true), (.full, true), (.refused, true), (.tooMany, false),
        (.corrupt, false),
    ])
    func whatMayPassIsTriedAgain(code: StoreError.Code, isRetriable: Bool) {
        #expect(StoreError(code, message: "x").isRetriable == isRetriable)
    }

    @Test func theDescriptionIsRedacted() {
        let token = String(repeating: "a1", count: 32)
        let error = StoreError(.corrupt, message: "record of \(token)")
        #expect(error.description.hasPrefix("corrupt: record of"))
        #expect(!error.description.contains(token))
    }
}
