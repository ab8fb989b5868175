import Glibc
import ServiceKit

/// Notices that an app got credentials of its own while the pipeline runs with a simulator, and starts the senders
/// again that now send to the provider itself.
final class RealProviderWatch: Service {
    private static let interval = Duration.seconds(1)

    let name = "real-providers"
    private let folder: DataFolder
    private let board: SimulatorBoard
    private let report: UpReport
    private let time: any TimeSource
    private let stopRequest = OneTimeEvent()

    init(_ folder: DataFolder, board: SimulatorBoard, report: UpReport, time: any TimeSource) {
        self.folder = folder
        self.board = board
        self.report = report
        self.time = time
    }

    func run() async {
        var seen: FolderStamp?
        while await !stopRequest.wait(atMost: RealProviderWatch.interval, time: time) {
            // Each change of an app file renames a file in the folder.
            let stamp = FolderStamp(folder.apps)
            guard stamp != seen else { continue }
            seen = stamp
            apply(await onNativeThread("apps") { [folder] in RealProviders(in: folder) })
        }
    }

    func stop() {
        stopRequest.happen()
    }

    private func apply(_ new: RealProviders) {
        let former = board.replace(new)
        let programs = former.sendersToReplace(for: new)
        for sender in board.senders where programs.contains(sender.name) { sender.replace() }
        for name in new.names.subtracting(former.names).sorted() {
            report.tell("an app has its own key for \(name): its pushes go there and no longer to the simulator")
        }
        for name in former.names.subtracting(new.names).sorted() {
            report.tell("no app has its own key for \(name) any more: its pushes go to the simulator")
        }
    }
}

/// Changes with the names in a folder.
private struct FolderStamp: Equatable {
    private let seconds: Int
    private let nanoseconds: Int

    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }
}
