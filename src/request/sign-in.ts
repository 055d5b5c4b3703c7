/** Coming and going: the two acts that change whose device this is. Light: the login page carries this file. */
import type { OutputOf } from '#contract/endpoint.ts'
import type { getUser, TokenInfo } from '#contract/accounts.ts'
import type { Ports } from '#request/ports.ts'
import type { Result } from '#request/result.ts'

export interface Credentials {
  company: string
  /** The e-mail. */
  username: string
  password: string
}
export interface SignedIn {
  token: TokenInfo
  user: OutputOf<typeof getUser>
}

/** `fresh` or `problem`; nothing of it is ever queued. */
export declare function signIn(ports: Ports, credentials: Credentials): Promise<Result<SignedIn>>
/** Works without a network: the mark is set first, rows are wiped, waiting writes stay for their owner. */
export declare function signOut(ports: Ports): Promise<void>
