import Glibc

/// Reads a file whole, up to a bound, without Foundation.
package enum SmallFile {
    /// Nil when the file cannot be read or is larger than the bound.
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
