/**
 * The one way a write is carried out (protocol 4): begin, role and tenant, ledger, names, permission, savepoint, the
 * service, the answer's bytes, commit. A batch calls it per item.
 */
import type { Caller } from '#domain/access.ts'
import type { Language } from '#domain/users.ts'
import type { Endpoint, InputOf, OutputOf } from '#contract/endpoint.ts'
import type { Answer, Context, House } from '#server/house.ts'

export interface WriteRequest<E extends Endpoint = Endpoint> {
  endpoint: E
  /** As sent, with its query. */
  path: string
  key: string | null
  intent: string | null
  forUser: string | null
  /** The raw header. */
  ifMatch: string | null
  /** The intent it must not overtake; batches only. */
  after: string | null
  /** As received, parsed, before unknown fields are stripped: what the print is made of. */
  body: unknown
  caller: Caller | null
  requestId: string
  /** Of the words in an error answer. */
  language: Language
  /** Throws FORBIDDEN or NOT_FOUND. Run after the ledger, so that a repeat after a lost role is still answered. */
  permit: () => void
  input: InputOf<E>
}

/** An answer whose bytes are final. */
export interface Carried {
  status: number
  headers: Record<string, string>
  /** Exact bytes; null: none. */
  body: string | null
}

export declare function carryOut<E extends Endpoint>(
  house: House,
  request: WriteRequest<E>,
  service: (context: Context, input: InputOf<E>) => Promise<Answer<OutputOf<E>>>,
): Promise<Carried>

/** GET /api/request/~{intent} (protocol 13). Throws INTENT_UNKNOWN. */
export declare function askWhatBecame(
  house: House,
  caller: Caller,
  intent: string,
  language: Language,
): Promise<Carried>

/** DELETE /api/request/~{intent}: void it, or answer the outcome when it is too late (protocol 13). */
export declare function voidIntent(house: House, caller: Caller, intent: string, language: Language): Promise<Carried>
