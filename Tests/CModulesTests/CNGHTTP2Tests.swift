import CNGHTTP2
import Testing

@Suite struct CNGHTTP2Tests {
    /// A client's first bytes: the connection preface, its SETTINGS, and one request on the first stream.
    @Test func writesSettingsAndARequest() throws {
        var session: OpaquePointer?
        var callbacks: OpaquePointer?
        #expect(nghttp2_session_callbacks_new(&callbacks) == 0)
        #expect(nghttp2_session_client_new(&session, callbacks, nil) == 0)
        nghttp2_session_callbacks_del(callbacks)
        defer { nghttp2_session_del(session) }

        let setting = nghttp2_settings_entry(
            settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0)
        #expect(nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), [setting], 1) == 0)
        let stream = submit(
            [(":method", "GET"), (":scheme", "https"), (":authority", "bell.example"), (":path", "/")], to: session)
        #expect(stream == 1)

        let bytes = pending(in: session)
        let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        #expect(Array(bytes.prefix(preface.count)) == preface)
        let frames = frames(in: bytes.dropFirst(preface.count))
        #expect(frames.map(\.type) == [UInt8(NGHTTP2_SETTINGS.rawValue), UInt8(NGHTTP2_HEADERS.rawValue)])
        #expect(frames.first?.payload == [0, UInt8(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), 0, 0, 0, 0])
        #expect(frames.last?.stream == 1)
    }

    private func submit(_ headers: [(name: String, value: String)], to session: OpaquePointer?) -> Int32 {
        // One buffer for all texts: the library copies them before it returns, but they must not move until then.
        var storage = headers.flatMap { Array($0.name.utf8) + Array($0.value.utf8) }
        return storage.withUnsafeMutableBufferPointer { storage in
            var next = storage.baseAddress
            let fields = headers.map { header in
                let (name, value) = (header.name.utf8.count, header.value.utf8.count)
                defer { next = next.map { $0 + name + value } }
                return nghttp2_nv(
                    name: next, value: next.map { $0 + name }, namelen: name, valuelen: value,
                    flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue))
            }
            return nghttp2_submit_request(session, nil, fields, fields.count, nil, nil)
        }
    }

    private func pending(in session: OpaquePointer?) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk: UnsafePointer<UInt8>?
        while true {
            let count = nghttp2_session_mem_send(session, &chunk)
            guard count > 0 else { return bytes }
            bytes += UnsafeBufferPointer(start: chunk, count: count)
        }
    }

    private func frames(in bytes: ArraySlice<UInt8>) -> [(type: UInt8, stream: Int, payload: [UInt8])] {
        var rest = Array(bytes)
        var frames: [(type: UInt8, stream: Int, payload: [UInt8])] = []
        while rest.count >= 9 {
            let length = rest[0..<3].reduce(0) { $0 << 8 | Int($1) }
            let stream = rest[5..<9].reduce(0) { $0 << 8 | Int($1) }
            frames.append((rest[3], stream, Array(rest[9...].prefix(length))))
            rest.removeFirst(min(rest.count, 9 + length))
        }
        return frames
    }
}
