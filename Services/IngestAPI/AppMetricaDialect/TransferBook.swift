import Apps
import PushModel
import Store

/// Finds transfers in the apps of a caller. Their ids do not name the app.
struct TransferBook: Sendable {
    typealias Lookup = (any Transfers, AppID) async throws -> Transfer?

    let transfers: any Transfers
    let tasks: TaskBook

    func status(of caller: UnnamedCaller, find: Lookup) async throws -> TransferStatus {
        for app in caller.apps {
            guard let transfer = try await find(transfers, app.id) else { continue }
            _ = try caller.caller(in: app)
            var statuses: [TaskStatus?] = []
            for id in transfer.tasks { statuses.append(try await status(of: id, in: app.id)) }
            return TransferStatus(transfer, tasks: statuses)
        }
        throw AppMetricaError.unknownTransfer
    }

    /// Nil for a task that has expired.
    private func status(of id: TaskID, in app: AppID) async throws -> TaskStatus? {
        do {
            return try await tasks.status(of: try await tasks.task(id, of: app))
        } catch TaskError.unknownTask {
            return nil
        }
    }
}
