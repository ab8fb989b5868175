import Glibc

/// Reads a whole file, up to a size limit, without Foundation.
package enum SmallFile {
    /// Nil if the file cannot be read or exceeds the limit.
    package static func read(_ path: String, bytesMaximum: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while content.count <= bytesMaximum {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return content }
            content += buffer[..<count]
        }
        return nil
    }
}
