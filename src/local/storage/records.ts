/** The records that the device stores beside cached rows: outbox, receipts, jobs, session, drafts. Types only. */
import type { RowRef, Intent, RowKind } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { UserRights } from '#domain/access.ts'

export interface Subject {
  companyId: number
  userId: number
}

/** The exact request, unchanged from the first attempt on (protocol 2). Only the bearer is added when it is sent. */
export interface FrozenRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: string | null
}

/** dropping: its user takes it back, and the server is asked to never do it. */
export type WaitingState = 'waiting' | 'sending' | 'dropping' | 'refused' | 'asks' | 'conflict' | 'sign in'

export interface OutboxEntry {
  intent: Intent
  /** Names the present bytes; equals the intent until they are mended (protocol 1). */
  key: string
  seq: number
  queueKey: string
  /** Intents that must be done first, from other lanes. */
  dependsOn: Intent[]
  endpoint: string
  kind: RowKind
  table: string
  target: RowRef | null
  action: 'create' | 'change' | 'delete'
  input: { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }
  ifMatch: number | `~${Intent}` | null
  /** Values that the changed fields had when the form was opened: what a conflict is judged by. */
  base: Record<string, unknown> | null
  forUser: string
  state: WaitingState
  bytes: FrozenRequest | null
  attempts: number
  /** Not sent again before; `line`: only because the line failed, so any sign of life may shorten it. */
  notBefore: number
  delayedBy: 'network' | 'server' | null
  /** Raised by every claim: an answer under an older fence counts only when it is final (protocol 12). */
  fence: number
  leaseUntil: number
  problem: Problem | null
  since: number
  /** Its user was shown that it is old, and wants it sent all the same (protocol 19). */
  allowedAt?: number
  /** So often in a row something in between refused it, while the server could be reached. Absent: never. */
  blockedTries?: number
}

/** Bytes that a waiting upload sends, kept by the page that was given the file (protocol 22). */
export interface LocalFile {
  /** Of the upload. */
  intent: Intent
  /** The form's field. */
  field: string
  name: string
  type: string
  bytes: ArrayBuffer
  /** What the server calls it; null until it is there. */
  assetId: string | null
}

/** What a made row is called: `~{intent}` and the id it was given. */
export interface RowId {
  intent: Intent
  kind: RowKind
  id: number
}

/**
 * What became of a write, after its entry is gone. merged: it went on inside a later one · void: the server made sure
 * that it never runs.
 */
export interface Receipt {
  intent: Intent
  outcome: 'done' | 'refused' | 'dropped' | 'merged' | 'void'
  status: number
  body: string
  time: number
  /** What it was, whom it was about, when it was made; absent in receipts of older builds. */
  about?: WriteDescription
  /** The server's own record of it, as `Idempotency-Outcome` names it; null: it never got there. */
  outcomeId?: string | null
  code?: string | null
  /** The write that it became part of. */
  into?: Intent
}

/** A write as it is told after it is gone. */
export type WriteDescription = Pick<OutboxEntry, 'endpoint' | 'table' | 'target' | 'action' | 'since'> & {
  /** What it asked for and what it was based on, where that is short; absent in receipts of older builds. */
  values?: Pick<OutboxEntry, 'input' | 'base'>
  /** What the row was called then. */
  name: string | null
}

/** A call that is never queued, from before its first byte until its outcome is known (protocol 13). */
export interface DirectCall {
  intent: Intent
  key: string
  endpoint: string
  forUser: string
  /** unknown: sent, and nobody could say what became of it; only asked about. */
  state: 'sending' | 'unknown'
  since: number
  /** What the record is called that it is about; absent where nobody knows, and in calls of older builds. */
  name?: string | null
  /** Not asked about before. */
  nextAt: number
  failures: number
}

/** starting: on its way · unknown: its answer was lost, the server is asked · sign in: waits for the same user. */
export type JobState = 'starting' | 'unknown' | 'running' | 'sign in' | 'done' | 'failed' | 'timeout' | 'gone'

/** A long request of this user: stored before it is asked for, polled under its own lease (protocol 39). */
export interface Job {
  /** Names the wish; the outside of this device calls it by its location. */
  intent: Intent
  key: string
  endpoint: string
  input: OutboxEntry['input']
  forUser: string
  state: JobState
  /** Path of the server's own record of it; null until its start was answered. */
  location: string | null
  progressKey: string | null
  /** Never falls. */
  percent: number
  /** Until when the server says "still running", its clock; null where it did not say. */
  deadline: number | null
  since: number
  endedAt: number | null
  /** Asked about next, by whoever comes first. */
  nextAt: number
  /** Somebody is asking; past this they are given up. */
  leaseUntil: number
  /** Raised by every claim: what came back under an older one counts only when it is final. */
  fence: number
  /** In a row, of the line or the server. */
  failures: number
  /** So often in a row something in between refused a poll, while the server could be reached. Absent: never. */
  blockedTries?: number
  /** Of the session that was refused; a newer one asks again. */
  generation: number | null
  answer: { status: number; body: string | null } | null
  problem: Problem | null
  /** Whoever asked for it has the answer, or it was looked at. */
  seen: boolean
}

/** The last answer of a `read` endpoint. */
export interface CachedResponse {
  path: string
  body: string
  asOf: number
}

/** Rows are stored and entries claimed only while the gate is open and has not moved since the request began. */
export interface SessionGeneration {
  name: 'session-generation'
  open: boolean
  generation: number
}

export interface SendingPause {
  name: 'pause'
  until: number
  /** When it was set: a clock turned back must not hold the queue for ever. */
  since: number
}

/** How many writes were ever recorded here: what a count kept outside of this database is compared with. */
export interface WriteCounter {
  name: 'write-counter'
  count: number
  /** The greatest number that one was given; absent: by a build that did not note it. */
  seq?: number
}

/** The browser was asked to keep this site's data; it is not asked again and again. */
export interface PersistenceRequest {
  name: 'persist'
  requestedAt: number
}

/** Cached lists were cleared because a right was lost; `version`: of the user's row that lacks it. */
export interface LostRights {
  name: 'lost-rights'
  version: number
}

/** Room for sending what waits (local/storage/reserve); what only tries whether there is room (local/space/free-space). */
export interface SpaceFiller {
  name: 'reserve' | 'probe'
  bytes: Uint8Array<ArrayBuffer>
}

/** Writes that were here and are not: the browser took the database, or an older state of it came back. */
export interface WriteLoss {
  name: 'loss'
  writes: number
  /** What they were about, as far as it was known; absent: of an older build. */
  kinds?: Record<string, number>
  noticedAt: number
}

/** Writes, names and receipts of a user who has gone, readable only under a key that user is given (protocol 30). */
export interface SealedWrites {
  name: `sealed:${string}`
  id: string
  iv: Uint8Array<ArrayBuffer>
  data: ArrayBuffer
  /** Writes in it. */
  entries: number
  /** Names the key that opens it. Absent: 0, sealed by a build that knew one key for each user. */
  keyId?: number
  /** The key of that id does not open it, or the server has none: nothing waits for it any more. */
  isShut?: boolean
  /** Public key of whoever sealed it by a pair (`SealPair`); absent: by the key itself. */
  sender?: ArrayBuffer
  /** Of a single write of a session that had lapsed: the place it was made in. Absent: what a user left. */
  order?: number
  /** Kind, id and version of the row that it changes. */
  row?: string
}

/** What is sealed by after a session's key was locked away: its private half opens only under that key. */
export interface SealPair {
  name: `seal-pair:${number}`
  keyId: number
  /** This device's clock, epoch ms. */
  since: number
  /** Raw point of P-256. */
  publicKey: ArrayBuffer
  /** PKCS 8 under AES-GCM, with that `iv`. */
  privateKey: ArrayBuffer
  iv: Uint8Array<ArrayBuffer>
}

/** Cached rows that lie sealed in `sealedCache`, all under one key. */
export interface SealedCache {
  name: 'sealed-cache'
  keyId: number
  /** Those with which it was read; absent: they were not known. */
  rights?: UserRights
}

/** Records of one table; they are put back in the order of `id`. */
export interface SealedRows extends Pick<SealedWrites, 'iv' | 'data' | 'sender'> {
  id?: number
  table: string
}

/** Days of audit trails that their user keeps here, for the time when the entries themselves were wiped. */
export interface TrailChoices {
  name: 'trail-choices'
  choices: { companyId: number; dateFrom: string; dateTo: string; follows: boolean }[]
}

/** Sealing keys that nothing is sealed under here any more: named until the server knows that it may delete them. */
export interface SpentSealKeys {
  name: 'spent-seal-keys'
  ids: number[]
}

/** What stands typed in a form that takes long (local/typed). */
export interface FormDraft {
  name: `draft:${string}`
  value: unknown
  /** When it was kept, this device's clock, epoch ms. */
  at: number
  /** The version of what it changes, as the form names it. Absent: it changes nothing that is there already. */
  base?: string
}
