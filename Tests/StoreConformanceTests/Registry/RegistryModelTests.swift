import PushModel
import Store
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct RegistryModelTests {
    /// Goal: no sequence of operations violates the contract. Method: random operations whose results are compared with
    /// a naive model; the failing seed is in the test's name.
    @Test(arguments: StoreKind.allCases, Dice.seeds)
    func everyAnswerIsThatOfTheModel(kind: StoreKind, seed: UInt64) async throws {
        try await kind.withRegistry { registry, fixture in
            var run = try RegistryRun(registry, app: fixture.app, time: fixture.time, seed: seed)
            for _ in 0..<5 {
                try await run.perform(120)
                try await run.compareEverything(try await fixture.client())
            }
        }
    }

    /// The same, with changes written through a log.
    @Test(arguments: StoreKind.allCases, Dice.seeds)
    func everyAnswerIsThatOfTheModelThroughALog(kind: StoreKind, seed: UInt64) async throws {
        try await kind.withRegistry { registry, fixture in
            let client = try await fixture.client(journal: TestLog(projection: registry))
            var run = try RegistryRun(client, app: fixture.app, time: fixture.time, seed: seed)
            try await run.perform(400)
            try await run.compareEverything(registry)
        }
    }
}
