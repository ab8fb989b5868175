package struct HTTP2Response: Sendable, Equatable {
    package let status: Int
    package let headers: HTTP2Headers
    package let body: [UInt8]
    /// The peer sent more headers or a longer body than is kept.
    package let isTruncated: Bool
    /// Number of its connection, among all that the pool has opened.
    package var connection = 0
}
