import Glibc
import ServiceKit

/// The repository that the tests were compiled from.
package enum SourceTree {
    static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(
        separator: "/")

    package static func path(_ path: String) -> String { "\(root)/\(path)" }

    package static func hasExecutable(_ path: String) -> Bool {
        access("\(root)/\(path)", X_OK) == 0
    }

    /// Returns nil when there is no such file.
    package static func text(_ path: String) -> String? {
        SmallFile.read("\(root)/\(path)", bytesMaximum: 4 << 20).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The folders of `Services` may group targets, as `AndroidSender/FCM`; sources are found at any depth.
    package static func swiftSources(under folder: String) -> [String] {
        files(named: ".swift", under: folder)
    }

    /// The Markdown files at any depth.
    package static func pages(under folder: String) -> [String] {
        files(named: ".md", under: folder)
    }

    private static func files(named ending: String, under folder: String) -> [String] {
        entries(of: folder).flatMap { name -> [String] in
            let path = "\(folder)/\(name)"
            if name.hasSuffix(ending) { return [path] }
            return files(named: ending, under: path)
        }
    }

    /// The Lua files that begin with the flags of a script, and are no library.
    package static func luaScripts(under folder: String) -> [String] {
        entries(of: folder).flatMap { name -> [String] in
            let path = "\(folder)/\(name)"
            guard name.hasSuffix(".lua") else { return luaScripts(under: path) }
            return text(path)?.hasPrefix("#!lua") == true ? [path] : []
        }
    }

    package static func entries(of folder: String) -> [String] {
        guard let directory = opendir("\(root)/\(folder)") else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}
