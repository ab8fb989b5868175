import HTTPServer
import PushModel
import ServiceKit
import Store

/// `/v1/devices/ID/tasks`: the last tasks of a device, and what came of each.
struct DeviceTaskRoutes: Sendable {
    /// The app's newest tasks, whose ledgers are searched for the device: those for many, and those that are open.
    static let searchedMaximum = 50
    /// Tasks that are read concurrently.
    private static let readAtOnce = 8

    let book: TaskBook
    let tasks: any DeviceTasks
    let registry: any Registry

    @Sendable func list(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        guard let device = DeviceID(call.request.parameter("device")) else { throw TaskError.unknownDevice }
        var ids = try await tasks.tasks(of: device.index, in: call.app)
        let newest = try await book.archive.tasks(of: call.app, before: nil, limit: DeviceTaskRoutes.searchedMaximum)
        ids += newest.map(\.task).filter { !ids.contains($0) }
        var found: [DeviceTask] = []
        for part in ids.chunks(of: DeviceTaskRoutes.readAtOnce) {
            found += try await read(Array(part), device: device, app: call.app)
        }
        // A device that was removed since has tasks as well.
        if found.isEmpty, try await registry.device(device, in: call.app) == nil { throw TaskError.unknownDevice }
        found.sort { ($0.begins, $0.trace.task.key) > ($1.begins, $1.trace.task.key) }
        return .json(
            JSONText.object { json in
                json.member("device", "\(device)")
                json.member("tasks", json: "[\(found.map(\.text).joined(separator: ","))]")
            })
    }

    private struct DeviceTask: Sendable {
        let begins: Timestamp
        let trace: DeviceTrace

        var text: String {
            JSONText.object { json in
                json.member("begins", "\(begins)")
                trace.write(to: &json)
            }
        }
    }

    private func read(_ ids: [TaskID], device: DeviceID, app: AppID) async throws -> [DeviceTask] {
        try await withThrowingTaskGroup(of: DeviceTask?.self) { group in
            for id in ids {
                group.addTask { try await read(id, device: device, app: app) }
            }
            return try await group.reduce(into: []) { found, task in
                if let task { found.append(task) }
            }
        }
    }

    /// Nil for a task that does not have the device, or has expired, or that another version stored.
    private func read(_ id: TaskID, device: DeviceID, app: AppID) async throws -> DeviceTask? {
        do {
            let task = try await book.task(id, of: app)
            let trace = try await book.trace(of: device, in: task)
            return trace.state == .notTargeted ? nil : DeviceTask(begins: task.begins, trace: trace)
        } catch TaskError.unknownTask, TaskError.unknownDevice {
            return nil
        } catch let error as StoreError where error.code == .corrupt {
            return nil
        }
    }
}
