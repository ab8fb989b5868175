import CNGHTTP2

// Free functions, as C wants them. Each finds its session in the context and its stream in the library's own table.

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

    static func makeOptions() -> OpaquePointer? {
        var options: OpaquePointer?
        guard nghttp2_option_new(&options) == 0 else { return nil }
        // Streams that are over are kept for priorities only, which nobody uses.
        nghttp2_option_set_no_closed_streams(options, 1)
        // Before its SETTINGS a peer is taken to allow nothing.
        nghttp2_option_set_peer_max_concurrent_streams(options, 0)
        return options
    }

    fileprivate static func from(_ context: UnsafeMutableRawPointer?) -> NGHTTP2Session? {
        context.map { Unmanaged<NGHTTP2Session>.fromOpaque($0).takeUnretainedValue() }
    }
}

private func stream(_ session: OpaquePointer?, _ id: Int32) -> NGHTTP2Stream? {
    guard let context = nghttp2_session_get_stream_user_data(session, id) else { return nil }
    return Unmanaged<NGHTTP2Stream>.fromOpaque(context).takeUnretainedValue()
}

private func onBeginHeaders(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame, frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST else { return 0 }
    NGHTTP2Session.from(context)?.streamBegan(frame.pointee.hd.stream_id)
    return 0
}

private func onHeader(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ name: UnsafePointer<UInt8>?,
    _ nameLength: Int, _ value: UnsafePointer<UInt8>?, _ valueLength: Int, _ flags: UInt8,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame, let stream = stream(session, frame.pointee.hd.stream_id) else { return 0 }
    NGHTTP2Session.from(context)?.headerArrived(
        stream, name: UnsafeBufferPointer(start: name, count: nameLength),
        value: UnsafeBufferPointer(start: value, count: valueLength))
    return 0
}

private func onDataChunk(
    _ session: OpaquePointer?, _ flags: UInt8, _ id: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let stream = stream(session, id) else { return 0 }
    NGHTTP2Session.from(context)?.dataArrived(stream, UnsafeBufferPointer(start: bytes, count: count))
    return 0
}

private func onFrame(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame, let owner = NGHTTP2Session.from(context) else { return 0 }
    let flags = Int(frame.pointee.hd.flags)
    switch UInt32(frame.pointee.hd.type) {
    case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
        guard flags & Int(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 else { break }
        if let stream = stream(session, frame.pointee.hd.stream_id) { owner.streamCompleted(stream) }
    case NGHTTP2_SETTINGS.rawValue:
        if flags & Int(NGHTTP2_FLAG_ACK.rawValue) == 0 { owner.settingsArrived() }
    case NGHTTP2_GOAWAY.rawValue:
        let goodbye = frame.pointee.goaway
        let detail = UnsafeBufferPointer(start: goodbye.opaque_data, count: min(goodbye.opaque_data_len, 200))
        owner.goAwayArrived(code: goodbye.error_code, detail: String(decoding: detail, as: UTF8.self))
    default: break
    }
    return 0
}

private func onStreamClose(
    _ session: OpaquePointer?, _ id: Int32, _ code: UInt32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    if let stream = stream(session, id) { NGHTTP2Session.from(context)?.streamClosed(stream, code: code) }
    return 0
}

private func beforeFrameSend(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame, UInt32(frame.pointee.hd.type) == NGHTTP2_HEADERS.rawValue else { return 0 }
    if let stream = stream(session, frame.pointee.hd.stream_id) {
        NGHTTP2Session.from(context)?.streamIsLeaving(stream)
    }
    return 0
}

/// The stream is looked up rather than kept in `source`: it may have been given up since the body was announced.
func readOutgoingBody(
    _ session: OpaquePointer?, _ id: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
    _ flags: UnsafeMutablePointer<UInt32>?, _ source: UnsafeMutablePointer<nghttp2_data_source>?,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let buffer, let stream = stream(session, id) else {
        return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
    }
    let rest = stream.outgoingBody.count - stream.outgoingBodySent
    let count = min(rest, capacity)
    stream.outgoingBody.withUnsafeBufferPointer { body in
        guard let start = body.baseAddress else { return }
        buffer.update(from: start + stream.outgoingBodySent, count: count)
    }
    stream.outgoingBodySent += count
    if count == rest { flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
    return count
}
