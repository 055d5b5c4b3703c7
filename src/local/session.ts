/** Who this device works for. The device's word is enough to open the app without a network. */
export interface Session {
  userId: number
  companyId: number
  /** Raised by every sign-in, sign-out and end of a session: what was asked before belongs to nobody after. */
  generation: number
  /** Signed out without a network: the server does not know yet, and nothing may renew the session. */
  signedOut: boolean
}

/** Null: nobody ever signed in here, or the session ended and the server knows. */
export declare function readSession(): Promise<Session | null>
/** Hears every change, of other tabs and the worker too; returns how to stop hearing. Called once at the start. */
export declare function onSessionChange(hear: (session: Session | null) => void): () => void
