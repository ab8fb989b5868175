/// Reasons to refuse a request about a transfer that no other dialect has.
enum TransferError: Error, Equatable {
    case unknownTransfer
    /// Its first request was interrupted so long ago that it is not known whether it was sent.
    case interrupted
}
