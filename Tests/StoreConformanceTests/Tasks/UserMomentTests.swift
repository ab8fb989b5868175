import MemoryStore
import PushModel
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing

@testable import Simulation

/// One suite for every store: good moments of users, and the tasks that wait for them.
@Suite(.timeLimit(.minutes(5))) struct UserMomentTests {
    private struct Scene {
        let moments: any UserMoments
        let time: ManualTimeSource
        let app = Samples.freshApp()

        func user(_ name: String) throws -> UserKey { UserKey(try Samples.user(name), of: app) }

        func enter(_ task: TaskID, for life: Duration, of user: UserKey) async throws -> Timestamp? {
            try await moments.enter(task, until: time.now + life, of: user)
        }

        func begin(for life: Duration, of user: UserKey) async throws -> Set<TaskID> {
            let tasks = try await moments.begin(until: time.now + life, of: user)
            #expect(Set(tasks).count == tasks.count)
            return Set(tasks)
        }
    }

    private func run(_ kind: StoreKind, _ body: (Scene) async throws -> Void) async throws {
        // Redis expires keys by its own clock.
        try await kind.withFixture(time: ManualTimeSource(now: SystemTimeSource().now)) { fixture in
            let moments: any UserMoments = try fixture.store(
                memory: { MemoryUserMoments(time: $0) }, redis: { RedisUserMoments($0, time: $1) },
                simulated: { SimulatedUserMoments(base: MemoryUserMoments(time: $0), seam: $1) })
            try await body(Scene(moments: moments, time: fixture.time))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aMomentFindsTheTasksOfItsUser(_ kind: StoreKind) async throws {
        try await run(kind) { scene in
            let (ada, eve) = (try scene.user("ada"), try scene.user("eve"))
            let ids = (0..<4).map { _ in Samples.freshTask() }
            for _ in 0..<2 {
                for id in ids[..<3] { #expect(try await scene.enter(id, for: .seconds(60), of: ada) == nil) }
            }
            #expect(try await scene.enter(ids[3], for: .seconds(60), of: eve) == nil)
            #expect(try await scene.begin(for: .seconds(10), of: ada) == Set(ids[..<3]))
            try await scene.moments.leave([ids[0], ids[3]], of: ada)
            #expect(try await scene.begin(for: .seconds(10), of: ada) == Set(ids[1..<3]))
            #expect(try await scene.begin(for: .seconds(10), of: eve) == [ids[3]])
            try await scene.moments.leave(Array(ids[1..<3]), of: ada)
            #expect(try await scene.begin(for: .seconds(10), of: ada) == [])
        }
    }

    /// The same name in another app is another user.
    @Test(arguments: StoreKind.allCases)
    func appsAreSeparate(_ kind: StoreKind) async throws {
        try await run(kind) { scene in
            let other = UserKey(try Samples.user("ada"), of: Samples.freshApp())
            #expect(try await scene.enter(Samples.freshTask(), for: .seconds(60), of: try scene.user("ada")) == nil)
            #expect(try await scene.begin(for: .seconds(10), of: other) == [])
            #expect(try await scene.enter(Samples.freshTask(), for: .seconds(60), of: try scene.user("ada")) == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aTaskLearnsOfAMomentThatLasts(_ kind: StoreKind) async throws {
        try await run(kind) { scene in
            let ada = try scene.user("ada")
            let end = scene.time.now + .seconds(10)
            #expect(try await scene.begin(for: .seconds(10), of: ada) == [])
            let task = Samples.freshTask()
            #expect(try await scene.enter(task, for: .seconds(60), of: ada) == end)
            // A later report counts, also if it ends earlier.
            #expect(try await scene.begin(for: .seconds(5), of: ada) == [task])
            #expect(try await scene.enter(task, for: .seconds(60), of: ada) == end + .seconds(-5))
            scene.time.advance(by: .seconds(5))
            #expect(try await scene.enter(task, for: .seconds(55), of: ada) == nil)
            #expect(try await scene.begin(for: .seconds(10), of: ada) == [task])
            try await scene.moments.end(of: ada)
            #expect(try await scene.enter(task, for: .seconds(55), of: ada) == nil)
            #expect(try await scene.begin(for: .zero, of: ada) == [task])
            #expect(try await scene.enter(task, for: .seconds(55), of: ada) == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aWindowThatEndedIsForgotten(_ kind: StoreKind) async throws {
        try await run(kind) { scene in
            let ada = try scene.user("ada")
            let (short, long) = (Samples.freshTask(), Samples.freshTask())
            #expect(try await scene.enter(short, for: .seconds(20), of: ada) == nil)
            #expect(try await scene.enter(long, for: .seconds(40), of: ada) == nil)
            scene.time.advance(by: .seconds(20))
            #expect(try await scene.begin(for: .seconds(1), of: ada) == [long])
            scene.time.advance(by: .seconds(20))
            #expect(try await scene.begin(for: .seconds(1), of: ada) == [])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aUserHasABoundOfTasks(_ kind: StoreKind) async throws {
        try await run(kind) { scene in
            let ada = try scene.user("ada")
            let ids = (0..<UserMomentBounds.tasksMaximum + 1).map { _ in Samples.freshTask() }
            for id in ids { #expect(try await scene.enter(id, for: .seconds(60), of: ada) == nil) }
            #expect(try await scene.begin(for: .seconds(1), of: ada) == Set(ids.dropLast()))
            try await scene.moments.leave([ids[0]], of: ada)
            try await scene.moments.end(of: ada)
            #expect(try await scene.enter(ids[ids.count - 1], for: .seconds(60), of: ada) == nil)
            #expect(try await scene.begin(for: .seconds(1), of: ada) == Set(ids.dropFirst()))
        }
    }
}
