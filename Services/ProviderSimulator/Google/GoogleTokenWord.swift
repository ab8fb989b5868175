/// Registration tokens that ask for trouble, as in `unregistered-1234`.
enum GoogleTokenWord {
    static let errors: [String: (GoogleError, retryAfter: Int?)] = [
        "unregistered": (messaging(404, "UNREGISTERED", "Requested entity was not found."), nil),
        "invalid": (
            messaging(
                400, "INVALID_ARGUMENT", "The registration token is not a valid FCM registration token"), nil
        ),
        "mismatch": (messaging(403, "SENDER_ID_MISMATCH", "SenderId mismatch"), nil),
        "thirdparty": (messaging(401, "THIRD_PARTY_AUTH_ERROR", "Auth error from APNS or Web Push Service"), nil),
        "quota": (messaging(429, "QUOTA_EXCEEDED", "Quota exceeded."), 1),
        "internal": (messaging(500, "INTERNAL", "Internal error encountered."), nil),
        "unavailable": (messaging(503, "UNAVAILABLE", "The service is currently unavailable."), 1),
    ]

    private static func messaging(_ status: Int, _ code: String, _ message: String) -> GoogleError {
        GoogleError(status: status, message: message, detail: .messaging(code: code))
    }
}
