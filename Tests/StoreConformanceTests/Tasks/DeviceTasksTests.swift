import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

/// One suite for every store: the last tasks of devices.
@Suite(.timeLimit(.minutes(5))) struct DeviceTasksTests {
    private struct Scene {
        let tasks: any DeviceTasks
        let time: ManualTimeSource
        let app = Samples.freshApp()

        func enter(_ task: TaskID, closed: Timestamp, under devices: [UInt32]) async throws {
            try await tasks.enter(
                task, closed: closed, under: devices.map { DeviceIndex(rawValue: $0) }, of: app)
        }

        func read(_ device: UInt32) async throws -> [TaskID] {
            try await tasks.tasks(of: DeviceIndex(rawValue: device), in: app)
        }

        func forget(_ device: UInt32) async throws {
            try await tasks.forget(DeviceIndex(rawValue: device), in: app)
        }
    }

    private func run(_ kind: StoreKind, _ body: (Scene) async throws -> Void) async throws {
        // Redis expires keys by its own clock.
        try await kind.withDeviceTasks(time: ManualTimeSource(now: SystemTimeSource().now)) {
            (tasks, time) async throws in
            try await body(Scene(tasks: tasks, time: time))
        }
    }

    /// Method: devices of one bucket, of two, and of two segments; repeated, as by a reporter that was interrupted.
    @Test(arguments: StoreKind.allCases)
    func theLastClosedComesFirst(_ kind: StoreKind) async throws {
        try await run(kind) { (scene) async throws in
            let ids = (0..<3).map { _ in Samples.freshTask() }
            let now = scene.time.now
            for _ in 0..<2 {
                try await scene.enter(ids[0], closed: now + .seconds(-60), under: [5, 6, 300, 9_000])
                try await scene.enter(ids[2], closed: now, under: [5, 9_000])
                try await scene.enter(ids[1], closed: now + .seconds(-30), under: [5])
            }
            #expect(try await scene.read(5) == [ids[2], ids[1], ids[0]])
            #expect(try await scene.read(6) == [ids[0]])
            #expect(try await scene.read(300) == [ids[0]])
            #expect(try await scene.read(9_000) == [ids[2], ids[0]])
            #expect(try await scene.read(7) == [])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aFurtherTaskTakesThePlaceOfTheFirstClosed(_ kind: StoreKind) async throws {
        try await run(kind) { (scene) async throws in
            let ids = (0..<DeviceTaskBounds.countMaximum + 2).map { _ in Samples.freshTask() }
            for (number, id) in ids.enumerated() {
                try await scene.enter(id, closed: scene.time.now + .seconds(number - 100), under: [1])
            }
            #expect(try await scene.read(1) == Array(ids.reversed().prefix(DeviceTaskBounds.countMaximum)))
        }
    }

    /// Method: the other devices are of the same bucket, of another one of the segment, and of another app.
    @Test(arguments: StoreKind.allCases)
    func theTasksOfOneDeviceAreRemoved(_ kind: StoreKind) async throws {
        try await run(kind) { (scene) async throws in
            let (task, later) = (Samples.freshTask(), Samples.freshTask())
            let other = Scene(tasks: scene.tasks, time: scene.time)
            try await scene.enter(task, closed: scene.time.now, under: [5, 6, 300])
            try await other.enter(task, closed: scene.time.now, under: [5])
            for _ in 0..<2 { try await scene.forget(5) }
            #expect(try await scene.read(5) == [])
            #expect(try await scene.read(6) == [task])
            #expect(try await scene.read(300) == [task])
            #expect(try await other.read(5) == [task])
            try await scene.enter(later, closed: scene.time.now, under: [5])
            #expect(try await scene.read(5) == [later])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aTaskIsForgottenAfterItsTime(_ kind: StoreKind) async throws {
        try await run(kind) { (scene) async throws in
            let (old, recent) = (Samples.freshTask(), Samples.freshTask())
            try await scene.enter(old, closed: scene.time.now, under: [1])
            scene.time.advance(by: DeviceTaskBounds.retention - .milliseconds(1))
            #expect(try await scene.read(1) == [old])
            scene.time.advance(by: .milliseconds(1))
            #expect(try await scene.read(1) == [])
            try await scene.enter(recent, closed: scene.time.now, under: [1])
            #expect(try await scene.read(1) == [recent])
        }
    }
}
