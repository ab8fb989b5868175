import Glibc
import PushModel
import ServiceKit

/// The folder with a file for each app. Its calls block, so they are made on a native thread.
struct AppFolder: Sendable {
    /// A file as it was found.
    enum Content: Equatable, Sendable {
        case bytes([UInt8])
        case unreadable(String)
    }

    /// What was found, or why nothing could be: the reason may pass, so that no app is gone because of it.
    enum Listing: Equatable, Sendable {
        case files([String: Content])
        case unreadable(String)
    }

    private static let filesMaximum = 10_000
    private static let suffix = ".json"

    let path: String

    static func fileName(of app: AppID) -> String {
        "\(app)\(suffix)"
    }

    static func app(ofFile name: String) throws(InvalidValueError) -> AppID {
        try AppID(String(name.dropLast(suffix.count)))
    }

    /// Every file whose name ends in `.json`, read whole: comparing contents sees every change, also where a mounted folder
    /// is exchanged as a whole behind a link and times and sizes stay the same.
    func read() -> Listing {
        guard let directory = opendir(path) else {
            return .unreadable(
                "the folder cannot be read: \(AppFolder.reason); make it, or name another: CARILLON_APPS")
        }
        defer { closedir(directory) }
        var files: [String: Content] = [:]
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { OutsideText.replacing(cString: $0) }
            }
            guard name.hasSuffix(AppFolder.suffix), !name.hasPrefix(".") else { continue }
            guard files.count < AppFolder.filesMaximum else {
                return .unreadable("the folder has more than \(AppFolder.filesMaximum) files")
            }
            files[name] = content(of: name)
        }
        return .files(files)
    }

    /// Nil when it has gone meanwhile.
    private func content(of name: String) -> Content? {
        let file = "\(path)/\(name)"
        var status = stat()
        guard stat(file, &status) == 0 else {
            return errno == ENOENT ? nil : .unreadable("cannot be read: \(AppFolder.reason)")
        }
        // To open a pipe could wait for ever.
        guard status.st_mode & S_IFMT == S_IFREG else { return .unreadable("is no file") }
        guard status.st_size <= AppReader.bytesMaximum else {
            return .unreadable("is larger than \(ByteText.print(AppReader.bytesMaximum))")
        }
        if let bytes = SmallFile.read(file, bytesMaximum: AppReader.bytesMaximum) { return .bytes(bytes) }
        return .unreadable("cannot be read: \(AppFolder.reason)")
    }

    private static var reason: String { String(cString: strerror(errno)) }
}
