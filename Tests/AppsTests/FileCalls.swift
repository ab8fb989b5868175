import Glibc

func unlinkFile(_ path: String) -> Bool {
    unlink(path) == 0
}
