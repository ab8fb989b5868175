import Glibc

/// File operations in a test's folder.
enum TestFile {
    static func remove(_ path: String) -> Bool {
        unlink(path) == 0
    }

    static func link(_ path: String, to target: String) -> Bool {
        symlink(target, path) == 0
    }

    static func makeFolder(_ path: String) -> Bool {
        mkdir(path, 0o755) == 0
    }

    static func makePipe(_ path: String) -> Bool {
        mkfifo(path, 0o600) == 0
    }

    static func rename(_ path: String, to target: String) -> Bool {
        Glibc.rename(path, target) == 0
    }

    static func setMode(_ mode: mode_t, of path: String) -> Bool {
        chmod(path, mode) == 0
    }

    /// Nil if the file does not exist.
    static func mode(of path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode : nil
    }

    static func isLink(_ path: String) -> Bool {
        mode(of: path).map { $0 & S_IFMT == S_IFLNK } ?? false
    }
}
