import CCurl
import TestSupport
import Testing

@Suite struct CCurlTests {
    /// A `file://` transfer needs no server and still covers options, callbacks and information of every type.
    @Test func fetchesAFileThroughEveryTypeOfOption() throws {
        let directory = TemporaryDirectory("curl")
        let url = "file://" + directory.write("answer", content: "ding dong")
        let easy = try #require(curl_easy_init())
        defer { curl_easy_cleanup(easy) }
        let headers = curl_slist_append(nil, "Accept: text/plain")
        defer { curl_slist_free_all(headers) }
        let received = Received()
        let context = Unmanaged.passUnretained(received).toOpaque()

        #expect(ccurl_easy_setopt_string(easy, CURLOPT_URL, url) == CURLE_OK)
        #expect(ccurl_easy_setopt_long(easy, CURLOPT_NOSIGNAL, 1) == CURLE_OK)
        #expect(ccurl_easy_setopt_offset(easy, CURLOPT_RESUME_FROM_LARGE, 5) == CURLE_OK)
        #expect(ccurl_easy_setopt_list(easy, CURLOPT_HTTPHEADER, headers) == CURLE_OK)
        #expect(ccurl_easy_setopt_pointer(easy, CURLOPT_WRITEDATA, context) == CURLE_OK)
        #expect(ccurl_easy_setopt_pointer(easy, CURLOPT_PRIVATE, context) == CURLE_OK)
        #expect(ccurl_easy_setopt_write_callback(easy, CURLOPT_WRITEFUNCTION, collect) == CURLE_OK)
        #expect(curl_easy_perform(easy) == CURLE_OK)
        #expect(String(decoding: received.bytes, as: UTF8.self) == "dong")

        var size: curl_off_t = 0
        var status = -1
        var effective: UnsafePointer<CChar>?
        var pointer: UnsafeMutableRawPointer?
        #expect(ccurl_easy_getinfo_offset(easy, CURLINFO_SIZE_DOWNLOAD_T, &size) == CURLE_OK && size == 4)
        #expect(ccurl_easy_getinfo_long(easy, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK && status == 0)
        #expect(ccurl_easy_getinfo_string(easy, CURLINFO_EFFECTIVE_URL, &effective) == CURLE_OK)
        #expect(effective.map { String(cString: $0) } == url)
        #expect(ccurl_easy_getinfo_pointer(easy, CURLINFO_PRIVATE, &pointer) == CURLE_OK && pointer == context)
    }

    /// The address check for untrusted endpoints depends on this callback: a refused socket must end the transfer.
    @Test func aRefusedSocketEndsTheTransfer() throws {
        let easy = try #require(curl_easy_init())
        defer { curl_easy_cleanup(easy) }
        #expect(ccurl_easy_setopt_string(easy, CURLOPT_URL, "http://127.0.0.1:\(FreePort.next())/") == CURLE_OK)
        #expect(ccurl_easy_setopt_string(easy, CURLOPT_PROXY, "") == CURLE_OK)
        let refuse: curl_opensocket_callback = { _, _, _ in CURL_SOCKET_BAD }
        #expect(ccurl_easy_setopt_opensocket_callback(easy, CURLOPT_OPENSOCKETFUNCTION, refuse) == CURLE_OK)
        #expect(curl_easy_perform(easy) == CURLE_COULDNT_CONNECT)
    }

    @Test func setsTheOptionsOfAMultiHandle() throws {
        let multi = try #require(curl_multi_init())
        defer { curl_multi_cleanup(multi) }
        #expect(ccurl_multi_setopt_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, 8) == CURLM_OK)
        #expect(ccurl_multi_setopt_long(multi, CURLMoption(rawValue: 0), 8) == CURLM_UNKNOWN_OPTION)
    }
}

private final class Received {
    var bytes: [UInt8] = []
}

private func collect(
    _ bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let received = Unmanaged<Received>.fromOpaque(context).takeUnretainedValue()
    received.bytes += UnsafeRawBufferPointer(start: bytes, count: size * count)
    return size * count
}
