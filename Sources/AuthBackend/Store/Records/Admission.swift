/// Says in how many seconds a user's device may be given tokens again; nil when it may now. The store asks in the step that would give them, once all else is
/// right and before anything is spent: so only what is given counts, many at once are no more than one after the other, and who is made to wait
/// may come again with the same credential.
///
/// It may be called more than once for one step, on any thread, must not wait, and must not use the store.
public typealias Admission = @Sendable (_ user: String, _ device: String?) -> Int64?
