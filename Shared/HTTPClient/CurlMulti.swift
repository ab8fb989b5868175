import CCurl
import ServiceKit

/// libcurl's driver of many transfers.
///
/// `@unchecked Sendable`: everything but `wake` is called by the thread of the loop alone, and libcurl allows `wake`
/// from any.
final class CurlMulti: @unchecked Sendable {
    private let pointer: UnsafeMutableRawPointer

    init(_ configuration: HTTPClientConfiguration) {
        _ = CurlMulti.isReady
        guard let pointer = curl_multi_init() else { preconditionFailure("no memory for libcurl") }
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

    /// Does what can be done without waiting.
    func perform() {
        var running: Int32 = 0
        check(curl_multi_perform(pointer, &running))
    }

    /// A transfer that has ended since the last question.
    func nextEnd() -> (transfer: CurlTransfer, code: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(pointer, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            return (CurlTransfer.of(easy), message.pointee.data.result)
        }
        return nil
    }

    /// Waits for a socket, a time of libcurl's own, `wake`, or the limit.
    func wait(atMost limit: Duration) {
        let milliseconds = Int32(min(max(limit.wholeMilliseconds + 1, 0), 60_000))
        check(curl_multi_poll(pointer, nil, 0, milliseconds, nil))
    }

    func wake() {
        check(curl_multi_wakeup(pointer))
    }

    /// The multi interface fails for lack of memory or descriptors, or when it is misused; to go on would spin.
    private func check(_ status: CURLMcode) {
        precondition(status == CURLM_OK, "libcurl gave up: \(String(cString: curl_multi_strerror(status)))")
    }
}
