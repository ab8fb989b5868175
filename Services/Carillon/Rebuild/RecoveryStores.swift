import Store

/// Stores that a recovery of tasks fills.
struct RecoveryStores: Sendable {
    let ledger: any Ledger & LedgerRestoration
    let archive: any TaskArchive
    let agenda: any TaskAgenda
    /// Of scheduled tasks.
    let index: any RetryIndex
    let moments: any UserMoments
    let opens: any UserOpens
    let replacements: any TaskReplacements
    let statistics: any TaskStatistics
    let receipts: any TaskReceipts
    let traces: any TaskTraces
    let doubt: any StoreDoubt
}
