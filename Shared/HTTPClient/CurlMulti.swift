import CCurl
import ServiceKit

/// libcurl's multi interface, which drives many transfers.
///
/// `@unchecked Sendable`: only the loop's thread calls anything but `wake`, which libcurl allows from any thread.
final class CurlMulti: @unchecked Sendable {
    private let pointer: UnsafeMutableRawPointer

    init(_ configuration: HTTPClientConfiguration) {
        _ = CurlMulti.isReady
        guard let pointer = curl_multi_init() else { preconditionFailure("out of memory for libcurl") }
        self.pointer = pointer
        check(ccurl_multi_setopt_long(pointer, CURLMOPT_MAXCONNECTS, configuration.idleConnectionsMaximum))
    }

    deinit {
        curl_multi_cleanup(pointer)
    }

    private static let isReady: Void = {
        let status = curl_global_init(Int(CURL_GLOBAL_ALL))
        precondition(status == CURLE_OK, "libcurl cannot start: \(String(cString: curl_easy_strerror(status)))")
    }()

    func add(_ transfer: CurlTransfer) {
        check(curl_multi_add_handle(pointer, transfer.easy))
    }

    func remove(_ transfer: CurlTransfer) {
        check(curl_multi_remove_handle(pointer, transfer.easy))
    }

    /// Does all work that is possible without waiting.
    func perform() {
        var running: Int32 = 0
        check(curl_multi_perform(pointer, &running))
    }

    /// A transfer that has ended since the last call.
    func nextEnd() -> (transfer: CurlTransfer, code: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(pointer, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            return (CurlTransfer.of(easy), message.pointee.data.result)
        }
        return nil
    }

    /// Waits for a socket, a timer of libcurl, `wake`, or the limit.
    func wait(atMost limit: Duration) {
        let milliseconds = Int32(min(max(limit.wholeMilliseconds + 1, 0), 60_000))
        check(curl_multi_poll(pointer, nil, 0, milliseconds, nil))
    }

    func wake() {
        check(curl_multi_wakeup(pointer))
    }

    /// The multi interface fails only if memory or descriptors run out or it is misused; continuing would busy-loop.
    private func check(_ status: CURLMcode) {
        precondition(status == CURLM_OK, "libcurl failed: \(String(cString: curl_multi_strerror(status)))")
    }
}
