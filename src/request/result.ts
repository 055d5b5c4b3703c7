/** What the page's end of the corridor answers. Nothing throws to the page. */
import type { AskedOf, Endpoint, Intent, OutputOf } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'

export type Result<O> =
  /** The server said so just now. A fresh list is already in the device's rows. */
  | { kind: 'fresh'; output: O }
  /** The device's last reading; for lists the rows come through their live query. */
  | { kind: 'kept'; output: O | null; asOf: number }
  /** Recorded on this device, not yet accepted by the server. */
  | { kind: 'queued'; intent: Intent }
  /** The server works on it; progress is the job's row. */
  | { kind: 'started'; jobId: string }
  | { kind: 'problem'; problem: Problem; intent?: Intent }

export interface Asking {
  /** The intent a form was given when it was opened or refused before: sent again, it is the same wish (protocol 1, 20). */
  intent?: Intent
  /** The version, or the write, that the form was opened on; base values of the fields it changes (protocol 9, 12). */
  base?: { rowVersion: number | `~${Intent}`; values: Record<string, unknown> }
  signal?: AbortSignal
  /** Of a long request: its end (the usual), or only that the server has taken it. An abort only ends the waiting. */
  until?: 'started' | 'done'
}

export interface Api {
  ask<E extends Endpoint>(endpoint: E, asked: AskedOf<E>, asking?: Asking): Promise<Result<OutputOf<E>>>
}

/** What may be done with a long request that stands in the list, by its intent. */
export interface Jobs {
  /** Asks once more about one whose time was up. */
  again(intent: Intent): Promise<void>
  /** Forgets one that has ended. */
  dismiss(intent: Intent): Promise<void>
  /** They were looked at. */
  seen(intents: readonly Intent[]): Promise<void>
}

/** What may be done with a waiting write, by its intent. Each tries the line at once; false: it is not there any more. */
export interface Desk {
  /** A refused write once more, as it is. */
  retry(intent: Intent): Promise<boolean>
  /** With other values: the same wish, in its old place. */
  mend(
    intent: Intent,
    asked: { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown },
  ): Promise<boolean>
  /** The user's yes to what the server asked. */
  confirm(intent: Intent): Promise<boolean>
  /** Of a conflict: mine over theirs, as the row is now; `fields` names what is taken of mine, all of it if left out. */
  keepMine(intent: Intent, fields?: readonly string[]): Promise<boolean>
  /** Of a conflict: the row stays as it is, mine is dropped. */
  keepTheirs(intent: Intent): Promise<boolean>
  /** `gone`: at once. `asked`: it may be on its way, and is held until the server has said that it never runs. */
  drop(intent: Intent): Promise<'gone' | 'asked' | 'unknown'>
  /** What goes along when this one is dropped. */
  dependents(intent: Intent): Promise<Intent[]>
  /** Everything that waits only for its time is tried now. */
  sendNow(): Promise<void>
}
