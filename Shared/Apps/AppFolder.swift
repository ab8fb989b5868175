import Glibc
import PushModel
import ServiceKit

/// The folder with one file per app. Calls block and are made on a native thread.
struct AppFolder: Sendable {
    /// Content of a file, or why it cannot be read.
    enum Content: Equatable, Sendable {
        case bytes([UInt8])
        case unreadable(String)
    }

    /// Files of the folder, or why it cannot be read. The cause may be temporary, so no app is removed because of it.
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
        try AppID(name: String(name.dropLast(suffix.count)))
    }

    /// Reads every `.json` file completely: comparing contents detects every change, even if a mounted folder is
    /// replaced through a link with the same times and sizes.
    func read() -> Listing {
        guard let directory = opendir(path) else {
            return .unreadable(
                "the folder cannot be read: \(AppFolder.reason); create it or set CARILLON_APPS")
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

    /// Nil if the file was deleted meanwhile.
    private func content(of name: String) -> Content? {
        let file = "\(path)/\(name)"
        var status = stat()
        guard stat(file, &status) == 0 else {
            return errno == ENOENT ? nil : .unreadable("cannot be read: \(AppFolder.reason)")
        }
        // Opening a pipe could block forever.
        guard status.st_mode & S_IFMT == S_IFREG else { return .unreadable("is not a regular file") }
        guard status.st_size <= AppReader.bytesMaximum else {
            return .unreadable("is larger than \(ByteText.print(AppReader.bytesMaximum))")
        }
        if let bytes = SmallFile.read(file, bytesMaximum: AppReader.bytesMaximum) { return .bytes(bytes) }
        return .unreadable("cannot be read: \(AppFolder.reason)")
    }

    private static var reason: String { String(cString: strerror(errno)) }
}
