import type { RowRef, Intent, RowKind } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { UserRights } from '#domain/access.ts'

export interface Subject {
  companyId: number
  userId: number
}

/** The exact request, which is the same in every attempt (protocol 2). Only the bearer token is added when it is sent. */
export interface FrozenRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: string | null
}

/** `dropping`: the user cancelled the entry, and the server is requested to never execute it. */
export type WaitingState = 'waiting' | 'sending' | 'dropping' | 'refused' | 'asks' | 'conflict' | 'sign in'

export interface OutboxEntry {
  intent: Intent
  /** Idempotency key of the current bytes. Equals the intent until the write is corrected (protocol 1). */
  key: string
  seq: number
  queueKey: string
  /** Intents of other queue keys that must be executed first. */
  dependsOn: Intent[]
  endpoint: string
  kind: RowKind
  table: string
  target: RowRef | null
  action: 'create' | 'change' | 'delete'
  input: { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }
  ifMatch: number | `~${Intent}` | null
  /** Values of the changed fields when the form was opened. They are used to detect a conflict. */
  base: Record<string, unknown> | null
  forUser: string
  state: WaitingState
  bytes: FrozenRequest | null
  attempts: number
  /** Time before which the entry is not sent. If `delayedBy` is `network`, any response of the server ends the wait. */
  notBefore: number
  delayedBy: 'network' | 'server' | null
  /** Incremented by every claim. A result under an older fence is accepted only if it is final (protocol 12). */
  fence: number
  leaseUntil: number
  problem: Problem | null
  since: number
  /** Set if the user still wants this old entry to be sent (protocol 19). */
  allowedAt?: number
  /** Number of attempts in a row that a proxy refused although the server could be reached. Absent means 0. */
  blockedTries?: number
}

/** Bytes of a waiting upload, stored by the page that received the file (protocol 22). */
export interface LocalFile {
  intent: Intent
  field: string
  name: string
  type: string
  bytes: ArrayBuffer
  /** The server's id of the file, or null before the upload. */
  assetId: string | null
}

export interface RowId {
  intent: Intent
  kind: RowKind
  id: number
}

/** Outcome of a deleted entry. `merged`: part of a later write. `void`: the server guarantees that it never runs. */
export interface Receipt {
  intent: Intent
  outcome: 'done' | 'refused' | 'dropped' | 'merged' | 'void'
  status: number
  body: string
  time: number
  /** Absent in receipts of older builds. */
  about?: WriteDescription
  /** Id of the server's record, from `Idempotency-Outcome`. Null if the write never reached the server. */
  outcomeId?: string | null
  code?: string | null
  into?: Intent
}

export type WriteDescription = Pick<OutboxEntry, 'endpoint' | 'table' | 'target' | 'action' | 'since'> & {
  /** Input and base if they are short. Absent in receipts of older builds. */
  values?: Pick<OutboxEntry, 'input' | 'base'>
  name: string | null
}

/** A call that is never queued. It is stored before its first byte is sent, until its outcome is known (protocol 13). */
export interface DirectCall {
  intent: Intent
  key: string
  endpoint: string
  forUser: string
  /** `unknown`: the call was sent, but its outcome is unknown. The device only checks it and never resends it by itself. */
  state: 'sending' | 'unknown'
  since: number
  /** Display name of the record that the call is about. Absent if unknown, and in calls of older builds. */
  name?: string | null
  nextAt: number
  failures: number
}

/** `unknown`: the response was lost, so the server is polled. `sign in`: waits for the same user. */
export type JobState = 'starting' | 'unknown' | 'running' | 'sign in' | 'done' | 'failed' | 'timeout' | 'gone'

/** A long request of this user, stored before it is sent and polled under a lease of its own (protocol 39). */
export interface Job {
  /** Identifies the job on this device. The server identifies the job by its location. */
  intent: Intent
  key: string
  endpoint: string
  input: OutboxEntry['input']
  forUser: string
  state: JobState
  /** Path of the server's record. Null until the server has answered the start. */
  location: string | null
  progressKey: string | null
  /** Progress in percent, which never decreases. */
  percent: number
  /** Time (server clock) after which the server no longer reports the job as running. Null if the server gave no deadline. */
  deadline: number | null
  since: number
  endedAt: number | null
  nextAt: number
  /** End of the current poll's lease. After that another page or worker may poll. */
  leaseUntil: number
  /** Incremented by every claim. A result under an older fence is accepted only if it is final. */
  fence: number
  failures: number
  /** Number of polls in a row that a proxy refused although the server could be reached. Absent means 0. */
  blockedTries?: number
  /** Generation of the session that the server refused. A newer session polls again. */
  generation: number | null
  answer: { status: number; body: string | null } | null
  problem: Problem | null
  /** True if the caller has received the result, or a user has seen it. */
  seen: boolean
}

export interface CachedResponse {
  path: string
  body: string
  asOf: number
}

/** Rows are stored and entries claimed only while the generation is open and the same as when the request began. */
export interface SessionGeneration {
  name: 'session-generation'
  open: boolean
  generation: number
}

/** Notifications that were read on this device: the ids, and all up to an id. */
export interface ReadMarks {
  name: 'read-notifications'
  ids: number[]
  upTo: number
  /** Marks that the server has confirmed. They still apply to older pages, whose stored responses do not contain them. */
  confirmed?: { ids: number[]; upTo: number }
}

/** Exists if the user wants push messages in this browser. */
export interface PushChoice {
  name: 'push'
  /** Generation of the session in which the server has last registered this browser. */
  registeredIn?: number
}

export interface SendingPause {
  name: 'pause'
  until: number
  /** Start of the pause. If it is in the future, the clock was turned back, and the pause is over. */
  since: number
}

/** Number of writes ever recorded in this database. It is compared with a count stored outside of the database. */
export interface WriteCounter {
  name: 'write-counter'
  count: number
  /** Highest sequence number ever assigned. Absent if written by an older build. */
  seq?: number
}

/** Exists if persistent storage was requested from the browser, so that the request is not repeated too often. */
export interface PersistenceRequest {
  name: 'persist'
  requestedAt: number
}

/** Exists if cached lists were cleared because the user lost a right. `version` is that of the user's row without the right. */
export interface LostRights {
  name: 'lost-rights'
  version: number
}

/** `reserve`: space for sending waiting writes (local/storage/reserve). `probe`: a test for free space (local/space/free-space). */
export interface SpaceFiller {
  name: 'reserve' | 'probe'
  bytes: Uint8Array<ArrayBuffer>
}

/** Writes that were lost because the browser deleted the database or restored an older state. */
export interface WriteLoss {
  name: 'loss'
  writes: number
  /** Number of lost writes by kind, as far as known. Absent if written by an older build. */
  kinds?: Record<string, number>
  noticedAt: number
}

/**
 * Sealed data, readable only under a key that its user receives: writes, ids and receipts of a signed-out user (protocol 30), or one write
 * of an expired session.
 */
export interface SealedWrites {
  name: `sealed:${string}`
  id: string
  iv: Uint8Array<ArrayBuffer>
  data: ArrayBuffer
  entries: number
  /** Id of the key that opens the data. Absent means 0: a build that knew only one key per user sealed it. */
  keyId?: number
  /** True if the key of that id does not open the data, or the server has no such key. Other writes no longer wait for it. */
  isShut?: boolean
  /** Sender's public key if sealed with a key pair (`SealPair`). Absent if sealed with the key itself. */
  sender?: ArrayBuffer
  /** Sequence number of a single write of an expired session. Absent for the data of a signed-out user. */
  order?: number
  row?: string
}

/** Key pair that seals writes after the session's key was removed. Only the session's key opens the private half. */
export interface SealPair {
  name: `seal-pair:${number}`
  keyId: number
  /** Epoch ms of this device's clock. */
  since: number
  /** Raw point on P-256. */
  publicKey: ArrayBuffer
  /** PKCS 8, encrypted by AES-GCM with `iv`. */
  privateKey: ArrayBuffer
  iv: Uint8Array<ArrayBuffer>
}

export interface SealedCache {
  name: 'sealed-cache'
  keyId: number
  /** Rights of the user when the rows were read. Absent if unknown. */
  rights?: UserRights
}

/** Sealed records of one table. They are restored in the order of `id`. */
export interface SealedRows extends Pick<SealedWrites, 'iv' | 'data' | 'sender'> {
  id?: number
  table: string
}

/** Days of audit trails that the user wants on this device. This record stays after the entries themselves were deleted. */
export interface TrailChoices {
  name: 'trail-choices'
  choices: { companyId: number; dateFrom: string; dateTo: string; follows: boolean }[]
}

/** Ids of sealing keys that this device no longer uses. They are reported to the server, which deletes the keys. */
export interface SpentSealKeys {
  name: 'spent-seal-keys'
  ids: number[]
}

export interface FormDraft {
  name: `draft:${string}`
  value: unknown
  /** Time when the draft was saved (device clock, epoch ms). */
  at: number
  /** Version of the record that the form changes, in the form's own format. Absent if the form creates a record. */
  base?: string
}
