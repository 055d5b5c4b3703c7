/** What the page's end of the request pipeline answers. Nothing throws to the page. */
import type { exportTrail, keepTrail } from '#contract/audit-trail.ts'
import type { InputOf, Endpoint, Intent, OutputOf } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { LogFault } from '#domain/audit-log/fault.ts'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import type { PlainDate } from '#domain/time.ts'
import type { LogAlarm } from '#local/storage/trail-records.ts'
import type { OutboxEntry, WaitingState } from '#local/storage/records.ts'
import type { HoldReason } from '#local/outbox/status.ts'
import type { PreparationPartName, PreparationEnd } from '#local/storage/preparation-record.ts'

/** Both days are part of it; `to` null: up to the time of the answer. */
export interface StoredDays {
  from: PlainDate
  to: PlainDate | null
}

export type CallResult<O> =
  /**
   * The server said so just now. A fresh list is already in the device's rows. `leftOutCount`: so many rows are there besides, which the
   * server could not show.
   */
  | { kind: 'fresh'; output: O; leftOutCount?: number }
  /**
   * The device's last reading; for lists the rows come through their live query. `days`: it was asked for more days than the device
   * keeps, and the answer is of these alone. `problem`: the server's own, in whose place the last reading stands.
   */
  | { kind: 'cached'; output: O | null; asOf: number; days?: StoredDays | null; problem?: Problem }
  /** Recorded on this device, not yet accepted by the server; `holdReason`: by more than the connection. */
  | { kind: 'queued'; intent: Intent; holdReason?: HoldReason }
  /** The server works on it; progress is the job's row. */
  | { kind: 'started'; jobId: string }
  | { kind: 'problem'; problem: Problem; intent?: Intent }

/** Changes nothing, starts nothing and is no secret: may be asked for as often as one likes. */
export const isReadCall = ({ method, secret, job: jobSpec }: Endpoint) => method === 'GET' && !secret && !jobSpec

export interface CallOptions {
  /** The intent a form was given when it was opened or refused before: sent again, it is the same wish (protocol 1, 20). */
  intent?: Intent
  /** The version, or the write, that the form was opened on; base values of the fields it changes (protocol 9, 12). */
  base?: { rowVersion: number | `~${Intent}`; values: Record<string, unknown> }
  /** What people call the record it is about, where neither the base nor a row on the device says so. */
  recordName?: string
  signal?: AbortSignal
  /** Of a long request: its end (the usual), or only that the server has taken it. An abort only ends the waiting. */
  until?: 'started' | 'done'
}

export interface ApiClient {
  call<E extends Endpoint>(endpoint: E, input: InputOf<E>, options?: CallOptions): Promise<CallResult<OutputOf<E>>>
}

/** What may be done with a long request that stands in the list, by its intent. */
export interface JobActions {
  /** Asks once more about one whose time was up. */
  retry(intent: Intent): Promise<void>
  /** Forgets one that has ended. */
  dismiss(intent: Intent): Promise<void>
  /** They were looked at. */
  markSeen(intents: readonly Intent[]): Promise<void>
}

/** A file that the server made; `name`: as it calls it, null where it does not say. */
export interface DownloadedFile {
  bytes: Blob
  name: string | null
}

/** How a package of an app is sent. */
export interface SendOptions {
  /** Of its bytes: the same file goes on where it was left. */
  md5: string
  /** The server has given it a place, by which it can be taken back. */
  onStarted: (id: string) => void
  /** Bytes that the server has, and of how many. */
  onProgress: (sent: number, total: number) => void
  /** Stops it. What was sent stays. */
  signal: AbortSignal
}

/** What the pages of apps ask of the server past the table of calls. */
export interface AppPackages {
  /** The change log of that id as a document for a frame without scripts, in the page's present colours. */
  fetchChangeLog(id: string): Promise<CallResult<string>>
  /** In pieces; resolves once the server has all of it, and never when it was stopped. */
  send(file: File, options: SendOptions): Promise<CallResult<{ id: string }>>
  /** Takes back what was sent, by the id of the upload. */
  forget(id: string): Promise<CallResult<null>>
}

/** What is wrong with a log: entries from that place on, up to the other without it, are not what this device knew. */
export type LogTrouble = Pick<LogAlarm, 'fault' | 'from' | 'to'>

export type EntryProof =
  /** `size`: of the log it was proven in. `file`: the proof to take along (domain/audit-log/proof-file.ts). */
  | { kind: 'proven'; size: number; file: string }
  /** It has no place in the log yet, or none that was signed. */
  | { kind: 'recording' }
  /** Neither the device nor the server could say. */
  | { kind: 'unchecked' }
  | { kind: 'alarm'; alarm: LogTrouble }

/** Of all kept entries; `hidden`: those of which only the hash is here. */
export type StoredTrailProof =
  | { kind: 'proven'; entries: number; hidden: number; size: number }
  | { kind: 'alarm'; alarm: LogTrouble }

export interface FillOptions {
  onProgress?: (doneCount: number, total: number) => void
  /** Pauses it; what came stays. */
  signal?: AbortSignal
}

export type StoreTrailResult =
  /** `busy`: another page is at it. `gone`: it was taken away meanwhile, or its user has left. */
  | { kind: 'done' | 'paused' | 'busy' | 'gone' }
  | { kind: 'problem'; problem: Problem }
  /** What came is no part of a log. */
  | { kind: 'refused'; fault: LogFault }
  | { kind: 'alarm'; alarm: LogTrouble }

/** The audit trail on this device: ranges that it keeps, and proofs. Nothing rejects. */
export interface StoredTrailActions {
  /** Notes a range that `keepTrail` has opened, in place of what was kept of that company. `today`: in the business time zone. */
  begin(
    days: { dateFrom: PlainDate; dateTo: PlainDate; today: PlainDate },
    openedRange: OutputOf<typeof keepTrail>,
  ): Promise<StoreTrailResult>
  /** Goes on with what is missing. */
  fill(companyId: number, options?: FillOptions): Promise<StoreTrailResult>
  remove(companyId: number): Promise<void>
  /** Compares the log with what this device has seen of it, and stores the newest checkpoint or the alarm. */
  check(companyId: number): Promise<void>
  prove(companyId: number, entry: AuditEntryRow): Promise<EntryProof>
  /** Null: nothing is kept, or it was never proven. */
  proveAll(companyId: number, onProgress?: (doneCount: number, total: number) => void): Promise<StoredTrailProof | null>
  /** After an alarm that its user has looked at: the log counts as it is now. */
  accept(companyId: number): Promise<void>
  /** What is filtered, as a file that the server makes; without a connection CSV of what is kept here. */
  download(input: InputOf<typeof exportTrail>): Promise<CallResult<DownloadedFile>>
}

/** Which part is being fetched, its place among them, and how many of its rows are here. `total` 0: not known. */
export interface PreparationProgress {
  part: PreparationPartName
  index: number
  count: number
  doneCount: number
  total: number
}

/** `gone`: its user has left. `busy`: another page is at it. `off`: there was nothing to do. */
export type PrepareResult = PreparationEnd | { kind: 'gone' | 'busy' | 'off' }

/** Prepares this device to work offline. Nothing rejects. */
export interface DevicePreparer {
  /** Returns how to unsubscribe. */
  subscribe(listener: () => void): () => void
  /** Null: this page does not prepare anything now. */
  getProgress(): PreparationProgress | null
  /** Turns it on and fetches everything. */
  prepare(): Promise<PrepareResult>
  /** Ends the run; what came stays. */
  stop(): void
  turnOff(): Promise<void>
}

/** What may be done with a waiting write, by its intent. Each tries the line at once; false: it is not there any more. */
export interface OutboxActions {
  /** As it is: a refused write once more, a waiting one now, after which it says how that went. */
  retry(intent: Intent): Promise<boolean>
  /** With other values: the same wish, in its old place. One that waits only while nothing of it ever left. */
  fix(intent: Intent, input: OutboxEntry['input']): Promise<boolean>
  /** The user's yes to what the server asked, or to sending a write that is over 30 days old. */
  confirm(intent: Intent): Promise<boolean>
  /** Of a conflict: mine over theirs, as the row is now; `fields` names what is taken of mine, all of it if left out. */
  keepOwnValues(intent: Intent, fields?: readonly string[]): Promise<boolean>
  /** Of a conflict: the row stays as it is, mine is dropped. */
  keepServerValues(intent: Intent): Promise<boolean>
  /** `gone`: at once. `input`: it may be on its way, and is held until the server has said that it never runs. */
  drop(intent: Intent): Promise<'gone' | 'requested' | 'unknown'>
  /** What goes along when this one is dropped. */
  findDependents(intent: Intent): Promise<Intent[]>
  /** Everything that waits only for its time is tried now. */
  sendNow(): Promise<void>
  /** The three sides of a conflict, for a screen that lets its user choose field by field; null: it is in none. */
  compare(intent: Intent): Promise<ConflictComparison | null>
  /** Null: it is not there any more. */
  getWaitReason(intent: Intent): Promise<WaitReason | null>
  /** All that waits, as JSON to be kept or shown to support: values as they were typed, no secrets, no bytes of files. */
  exportAll(): Promise<string>
  /** The same of one; it holds no write where that is not there any more. */
  exportOne(intent: Intent): Promise<string>
  /** Brings back what was sealed when this user left; how many writes came back. Also done by itself at every sign-in. */
  unseal(): Promise<number>
  /** The user was told that unsent writes are gone (`readDataLoss` of `local/outbox/data-loss.ts`). */
  acknowledgeLoss(): Promise<void>
}

/** Base, mine and theirs of a conflict, each by the names of the row's fields. */
export interface ConflictComparison {
  /** Values when the form was opened; null: nobody noted them. */
  baseValues: Record<string, unknown> | null
  /** Only what this write changes; null: it takes the row away. */
  ownValues: Record<string, unknown> | null
  /** The whole row as the server has it; null: it is gone. */
  serverValues: Record<string, unknown> | null
  /** What both changed. The others could be merged. */
  fields: string[]
  /** Who made the row what it is now; null: not known. */
  authorName: string | null
  /** It was the user themselves, on another device or in another window. */
  isOwn: boolean
  /** As the server writes times. */
  changedAt: string | null
}

/** `until`: epoch ms by this device's clock, the earliest it is tried again by itself. */
export type WaitReason =
  /** Refused, in conflict or asked about: its user decides. */
  | { kind: 'user' }
  /** An earlier write of the same row goes first. */
  | { kind: 'earlier'; intent: Intent; state: WaitingState }
  /** It names what another write is to make. `state`: of that one. */
  | { kind: 'needs'; intent: Intent; state: WaitingState }
  | { kind: 'line' | 'server'; until: number }
  /** Somebody is doing something with the row. */
  | { kind: 'locked'; userName: string | null; actionName: string | null; until: number }
  /** Something between this device and the server refused it. */
  | { kind: 'blocked'; problem: Problem; until: number }
  /** The company has sent the mails that it may send for now. */
  | { kind: 'mails'; until: number }
  | { kind: 'sign in' | 'sending' | 'dropping' | 'turn' }
