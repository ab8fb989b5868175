import CNGHTTP2

// Free functions, as C requires. Each gets its session from the context and its stream from the library's table, and
// borrows both: several run for every request, and reference counting would cost more than most of them do. The session
// outlives the call that runs them, and a stream stays in its session's list of open streams until it is closed.

extension NGHTTP2Session {
    static func makeCallbacks() -> OpaquePointer? {
        var callbacks: OpaquePointer?
        guard nghttp2_session_callbacks_new(&callbacks) == 0 else { return nil }
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, onBeginHeaders)
        nghttp2_session_callbacks_set_on_header_callback(callbacks, onHeader)
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, onDataChunk)
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, onFrame)
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, onStreamClose)
        nghttp2_session_callbacks_set_before_frame_send_callback(callbacks, beforeFrameSend)
        return callbacks
    }

    static func makeOptions(resetsMaximum: UInt64?) -> OpaquePointer? {
        var options: OpaquePointer?
        guard nghttp2_option_new(&options) == 0 else { return nil }
        // Closed streams are kept only for priorities, which are unused.
        nghttp2_option_set_no_closed_streams(options, 1)
        // Until its SETTINGS arrive a peer is assumed to allow no streams.
        nghttp2_option_set_peer_max_concurrent_streams(options, 0)
        if let resetsMaximum { nghttp2_option_set_stream_reset_rate_limit(options, resetsMaximum, resetsMaximum) }
        return options
    }

}

private func withSession(_ context: UnsafeMutableRawPointer?, body: (NGHTTP2Session) -> Void) {
    guard let context else { return }
    Unmanaged<NGHTTP2Session>.fromOpaque(context)._withUnsafeGuaranteedRef { body($0) }
}

private func withStream(_ session: OpaquePointer?, id: Int32, body: (NGHTTP2Stream) -> Void) {
    guard let stream = nghttp2_session_get_stream_user_data(session, id) else { return }
    Unmanaged<NGHTTP2Stream>.fromOpaque(stream)._withUnsafeGuaranteedRef { body($0) }
}

private func onBeginHeaders(
    _ session: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame, frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST else { return 0 }
    withSession(context) { $0.streamBegan(frame.pointee.hd.stream_id) }
    return 0
}

private func onHeader(
    _ session: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, name: UnsafePointer<UInt8>?,
    nameLength: Int, value: UnsafePointer<UInt8>?, valueLength: Int, flags: UInt8,
    context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame else { return 0 }
    withStream(session, id: frame.pointee.hd.stream_id) { stream in
        withSession(context) { owner in
            owner.headerArrived(
                stream, name: UnsafeBufferPointer(start: name, count: nameLength),
                value: UnsafeBufferPointer(start: value, count: valueLength))
        }
    }
    return 0
}

private func onDataChunk(
    _ session: OpaquePointer?, flags: UInt8, id: Int32, bytes: UnsafePointer<UInt8>?, count: Int,
    context: UnsafeMutableRawPointer?
) -> Int32 {
    withStream(session, id: id) { stream in
        withSession(context) { $0.dataArrived(stream, bytes: UnsafeBufferPointer(start: bytes, count: count)) }
    }
    return 0
}

private func onFrame(
    _ session: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame else { return 0 }
    let flags = Int(frame.pointee.hd.flags)
    switch UInt32(frame.pointee.hd.type) {
    case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
        let isLast = flags & Int(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        let isHeader = UInt32(frame.pointee.hd.type) == NGHTTP2_HEADERS.rawValue
        withStream(session, id: frame.pointee.hd.stream_id) { stream in
            withSession(context) { owner in
                if isHeader { owner.headerCompleted(stream, isLast: isLast) }
                if isLast { owner.streamCompleted(stream) }
            }
        }
    case NGHTTP2_SETTINGS.rawValue:
        if flags & Int(NGHTTP2_FLAG_ACK.rawValue) == 0 { withSession(context) { $0.settingsArrived() } }
    case NGHTTP2_GOAWAY.rawValue:
        let goodbye = frame.pointee.goaway
        let bytes = UnsafeBufferPointer(start: goodbye.opaque_data, count: min(goodbye.opaque_data_len, 200))
        let detail = String(decoding: bytes, as: UTF8.self)
        withSession(context) { $0.goAwayArrived(code: goodbye.error_code, detail: detail) }
    default: break
    }
    return 0
}

private func onStreamClose(
    _ session: OpaquePointer?, id: Int32, code: UInt32, context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let pointer = nghttp2_session_get_stream_user_data(session, id) else { return 0 }
    // Retained here: it leaves its session's list, which may hold the last reference.
    let stream = Unmanaged<NGHTTP2Stream>.fromOpaque(pointer).takeUnretainedValue()
    withSession(context) { $0.streamClosed(stream, code: code) }
    return 0
}

private func beforeFrameSend(
    _ session: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame, UInt32(frame.pointee.hd.type) == NGHTTP2_HEADERS.rawValue else { return 0 }
    withStream(session, id: frame.pointee.hd.stream_id) { stream in
        withSession(context) { $0.streamIsLeaving(stream) }
    }
    return 0
}

/// The stream is looked up rather than kept in `source`: it may have been abandoned since the body was announced.
func readOutgoingBody(
    _ session: OpaquePointer?, id: Int32, buffer: UnsafeMutablePointer<UInt8>?, capacity: Int,
    flags: UnsafeMutablePointer<UInt32>?, source: UnsafeMutablePointer<nghttp2_data_source>?,
    context: UnsafeMutableRawPointer?
) -> Int {
    var result = Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
    guard let buffer else { return result }
    withStream(session, id: id) { stream in
        switch stream.readOutgoingBody(into: UnsafeMutableBufferPointer(start: buffer, count: capacity)) {
        case .bytes(let count, let isLast):
            result = count
            guard isLast else { break }
            flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
            withSession(context) { $0.outgoingBodyEnded(stream) }
        case .later: result = Int(NGHTTP2_ERR_DEFERRED.rawValue)
        case .cut: break
        }
    }
    return result
}
