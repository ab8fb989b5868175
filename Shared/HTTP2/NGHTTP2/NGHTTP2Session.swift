import CNGHTTP2

/// Owns one session of the C library: bytes of the peer go in, frames for the peer come out, and their meaning arrives
/// in methods that a subclass overrides. Confined to one thread; a subclass method must not pass bytes back in.
package class NGHTTP2Session {
    enum Role {
        case client
        case server
    }

    struct Setting {
        let id: nghttp2_settings_id
        let value: UInt32

        static func streamsMaximum(_ count: Int) -> Setting {
            Setting(id: NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, value: UInt32(clamping: count))
        }

        static func streamWindow(_ bytes: Int) -> Setting {
            Setting(id: NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, value: UInt32(clamping: min(bytes, Int(Int32.max))))
        }

        static func headerBytesMaximum(_ bytes: Int) -> Setting {
            Setting(id: NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, value: UInt32(clamping: bytes))
        }

        static let noPush = Setting(id: NGHTTP2_SETTINGS_ENABLE_PUSH, value: 0)
    }

    private let pointer: OpaquePointer
    private var fields = NGHTTP2Fields()
    private var isFirstMessage = true

    init(_ role: Role, settings: [Setting], connectionWindow: Int, resetsMaximum: UInt64? = nil) {
        var session: OpaquePointer?
        let options = NGHTTP2Session.makeOptions(resetsMaximum: resetsMaximum)
        defer { nghttp2_option_del(options) }
        let callbacks = NGHTTP2Session.makeCallbacks()
        defer { nghttp2_session_callbacks_del(callbacks) }
        switch role {
        case .client: nghttp2_session_client_new2(&session, callbacks, nil, options)
        case .server: nghttp2_session_server_new2(&session, callbacks, nil, options)
        }
        guard let session else { preconditionFailure("out of memory for an HTTP/2 session") }
        pointer = session
        // Unretained: the callbacks run only inside calls of this object.
        nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
        submit(settings)
        // Many small responses in parallel must not wait for each other's window updates.
        nghttp2_session_set_local_window_size(session, none, 0, Int32(clamping: connectionWindow))
    }

    deinit {
        nghttp2_session_del(pointer)
    }

    func streamBegan(_ id: Int32) {}
    func headerArrived(
        _ stream: NGHTTP2Stream, name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>
    ) {}
    /// The header is complete, or the trailer; `isLast` if no body follows.
    func headerCompleted(_ stream: NGHTTP2Stream, isLast: Bool) {}
    func dataArrived(_ stream: NGHTTP2Stream, bytes: UnsafeBufferPointer<UInt8>) {}
    func streamCompleted(_ stream: NGHTTP2Stream) {}
    /// The stream has ended, with the peer's or our error code; no more callbacks follow for it.
    func streamClosed(_ stream: NGHTTP2Stream, code: UInt32) {}
    /// The first frame of the stream is about to be appended to the outgoing bytes.
    func streamIsLeaving(_ stream: NGHTTP2Stream) {}
    /// The last part of the stream's body is among the outgoing bytes.
    func outgoingBodyEnded(_ stream: NGHTTP2Stream) {}
    func settingsArrived() {}
    func goAwayArrived(code: UInt32, detail: String) {}
}

extension NGHTTP2Session {
    /// False if the peer has violated the protocol so that parsing cannot continue.
    package func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let taken = nghttp2_session_mem_recv(
            pointer, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        return taken == bytes.count
    }

    /// The next frame for the peer, valid until the next call; nil if there is none now.
    package func nextFrame() -> UnsafeRawBufferPointer? {
        var bytes: UnsafePointer<UInt8>?
        let count = nghttp2_session_mem_send(pointer, &bytes)
        return count > 0 ? UnsafeRawBufferPointer(start: bytes, count: count) : nil
    }

    /// True if both sides have sent GOAWAY and every stream has ended.
    package var isOver: Bool {
        nghttp2_session_want_read(pointer) == 0 && nghttp2_session_want_write(pointer) == 0
    }

    var peerStreamsMaximum: Int {
        Int(nghttp2_session_get_remote_settings(pointer, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
    }

    /// False if the connection can take no further request, for example because its stream numbers are used up.
    func submit(_ request: HTTP2Request, authority: String, on stream: NGHTTP2Stream) -> Bool {
        fields.removeAll()
        fields.append(":method", request.method.name)
        fields.append(":scheme", "https")
        fields.append(":authority", authority)
        fields.append(":path", request.path)
        fields.append(request.sharedHeaders, isFirst: isFirstMessage)
        fields.append(request.headers, isFirst: isFirstMessage)
        isFirstMessage = false
        stream.outgoingBody = request.body
        stream.outgoingBodySent = 0
        let context = Unmanaged.passUnretained(stream).toOpaque()
        stream.id = fields.withFields { [pointer] fields, count in
            withProvider(hasBody: !request.body.isEmpty) {
                nghttp2_submit_request(pointer, nil, fields, count, $0, context)
            }
        }
        return stream.id > 0
    }

    func submit(status: String, headers: HTTP2Headers, body: [UInt8], on stream: NGHTTP2Stream) {
        stream.outgoingBody = body
        stream.outgoingBodySent = 0
        submit(status: status, headers: headers, hasBody: !body.isEmpty, on: stream)
    }

    /// The stream provides the body, if any, as the peer makes room for it.
    func submit(status: String, headers: HTTP2Headers, hasBody: Bool, on stream: NGHTTP2Stream) {
        fields.removeAll()
        fields.append(":status", status)
        fields.append(headers, isFirst: isFirstMessage)
        isFirstMessage = false
        fields.withFields { [pointer] fields, count in
            // Fails only if the stream has ended meanwhile.
            _ = withProvider(hasBody: hasBody) { nghttp2_submit_response(pointer, stream.id, fields, count, $0) }
        }
    }

    /// Sends 100 Continue: the client's body is wanted.
    func submitContinue(on stream: NGHTTP2Stream) {
        fields.removeAll()
        fields.append(":status", "100")
        fields.withFields { [pointer, none] fields, count in
            _ = nghttp2_submit_headers(pointer, none, stream.id, nil, fields, count, nil)
        }
    }

    /// The stream's body has data again.
    func resumeBody(of stream: NGHTTP2Stream) {
        nghttp2_session_resume_data(pointer, stream.id)
    }

    func submit(_ settings: [Setting]) {
        let entries = settings.map { nghttp2_settings_entry(settings_id: Int32($0.id.rawValue), value: $0.value) }
        nghttp2_submit_settings(pointer, none, entries, entries.count)
    }

    func ping() {
        nghttp2_submit_ping(pointer, none, nil)
    }

    func reset(_ id: Int32, code: nghttp2_error_code) {
        nghttp2_submit_rst_stream(pointer, none, id, UInt32(code.rawValue))
    }

    /// Refuses further streams of the peer; those up to `lastStream` are still answered.
    func sayGoodbye(lastStream: Int32, code: nghttp2_error_code = NGHTTP2_NO_ERROR) {
        nghttp2_submit_goaway(pointer, none, lastStream, UInt32(code.rawValue), nil, 0)
    }

    var lastPeerStream: Int32 { nghttp2_session_get_last_proc_stream_id(pointer) }

    /// Later frames of this stream number find the stream; with nil they find none.
    func attach(_ stream: NGHTTP2Stream?, to id: Int32) {
        let context = stream.map { Unmanaged.passUnretained($0).toOpaque() }
        nghttp2_session_set_stream_user_data(pointer, id, context)
    }

    private var none: UInt8 { UInt8(NGHTTP2_FLAG_NONE.rawValue) }

    private func withProvider<Result>(
        hasBody: Bool, _ body: (UnsafePointer<nghttp2_data_provider>?) -> Result
    ) -> Result {
        guard hasBody else { return body(nil) }
        let provider = nghttp2_data_provider(source: nghttp2_data_source(), read_callback: readOutgoingBody)
        return withUnsafePointer(to: provider) { body($0) }
    }
}
