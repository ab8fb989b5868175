/// Registration tokens that select an error, as in `unregistered-1234`.
enum GoogleTokenPrefix {
    static let errors: [String: (GoogleError, retryAfter: Int?)] = [
        "unregistered": (messaging(404, code: "UNREGISTERED", message: "Requested entity was not found."), nil),
        "invalid": (
            messaging(
                400, code: "INVALID_ARGUMENT", message: "The registration token is not a valid FCM registration token"),
            nil
        ),
        "mismatch": (messaging(403, code: "SENDER_ID_MISMATCH", message: "SenderId mismatch"), nil),
        "thirdparty": (
            messaging(401, code: "THIRD_PARTY_AUTH_ERROR", message: "Auth error from APNS or Web Push Service"), nil
        ),
        "quota": (messaging(429, code: "QUOTA_EXCEEDED", message: "Quota exceeded."), 1),
        "internal": (messaging(500, code: "INTERNAL", message: "Internal error encountered."), nil),
        "unavailable": (messaging(503, code: "UNAVAILABLE", message: "The service is currently unavailable."), 1),
    ]

    private static func messaging(_ status: Int, code: String, message: String) -> GoogleError {
        GoogleError(status: status, message: message, detail: .messaging(code: code))
    }
}
