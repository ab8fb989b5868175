package struct HTTP2Response: Sendable, Equatable {
    package let status: Int
    package let headers: HTTP2Headers
    package let body: [UInt8]
    /// The peer sent more headers or more of a body than is kept.
    package let isTruncated: Bool
    /// The number of the connection it came on, among all that the pool has opened.
    package var connection = 0
}
