import PushModel
import Store
import TestSupport
import Testing

@Suite struct RegistryModelTests {
    /// Goal: no sequence of operations leads the store away from the contract. Method: random ones, each answer compared
    /// with a naive model's; the seed that failed stands in the test's name.
    @Test(arguments: Driver.allCases, Dice.seeds)
    func everyAnswerIsThatOfTheModel(driver: Driver, seed: UInt64) async throws {
        try await driver.withRegistry { registry, fixture in
            var run = try RegistryRun(registry, app: fixture.app, time: fixture.time, seed: seed)
            for _ in 0..<5 {
                try await run.perform(120)
                try await run.compareEverything(try await fixture.client())
            }
        }
    }

    /// The same, with changes that come true by way of a log.
    @Test(arguments: Driver.allCases, Dice.seeds)
    func everyAnswerIsThatOfTheModelThroughALog(driver: Driver, seed: UInt64) async throws {
        try await driver.withRegistry { registry, fixture in
            let client = try await fixture.client(journal: TestLog(projection: registry))
            var run = try RegistryRun(client, app: fixture.app, time: fixture.time, seed: seed)
            try await run.perform(400)
            try await run.compareEverything(registry)
        }
    }
}
