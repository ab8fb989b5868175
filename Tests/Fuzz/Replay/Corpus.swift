import Glibc
import ServiceKit

/// The inputs stored in the repository.
enum Corpus {
    private static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        .joined(separator: "/")
    static let folder = "\(root)/Tests/Fuzz/Corpus"
    static let page = "\(root)/docs/fuzzing.md"
    private static let bytesMaximum = 1 << 20
    private static let variantsMaximum = 30

    static func inputs(of target: FuzzTarget) -> [(name: String, bytes: [UInt8])] {
        let folder = "\(folder)/\(target.rawValue)"
        return entries(of: folder).compactMap { name in
            SmallFile.read("\(folder)/\(name)", bytesMaximum: bytesMaximum).map { (name, $0) }
        }
    }

    static func entries(of folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
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

    /// A bounded number of variants of one input, the same in each run.
    static func variants(of bytes: [UInt8]) -> [[UInt8]] {
        guard !bytes.isEmpty, bytes.count <= 4_096 else { return [] }
        let step = max(1, bytes.count * 3 / variantsMaximum)
        return stride(from: 0, to: bytes.count, by: step).flatMap { place in
            let random = SplitMix64.mixed(UInt64(place))
            var changed = bytes
            changed[place] = UInt8(truncatingIfNeeded: random)
            let end = min(bytes.count, place + Int(random >> 8 & 31))
            return [Array(bytes[..<place]), changed, Array(bytes[..<end]) + bytes[place...]]
        }
    }
}
