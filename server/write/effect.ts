/** What a write does, as far as its own transaction goes: names, permission, the service, the answer's bytes. */
import type { Caller } from '#domain/access.ts'
import type { Endpoint, InputOf } from '#contract/endpoint.ts'
import { isStored } from '#contract/verdict.ts'
import { takeChange } from '#server/db/changes.ts'
import { type Claim, findIntents, type Left, type Outcome, type Owner } from '#server/db/ledger.ts'
import type { Scope } from '#server/db/scope.ts'
import type { Answer, Context, Handle, House, TrailNote } from '#server/house.ts'
import { ProblemError } from '#server/problem.ts'
import { etagOf, outputOf } from '#server/output.ts'
import { checkAfter, namedIn, versionLeftBy, withIds } from '#server/write/names.ts'
import { problemAnswer } from '#server/write/told.ts'
import { noteOf } from '#server/write/trailed.ts'
import type { WriteRequest } from '#server/write.ts'

export type Act = (context: Context, input: InputOf<Endpoint>) => Promise<Answer<unknown>>

/** One write on its way: what is the same in every attempt at its transaction. */
export interface Write {
  house: House
  request: WriteRequest
  service: Act
  scope: Scope
  owner: Owner
  intent: string | null
  ifMatch: number | `~${string}` | null
  now: number
  /** A row was taken as it was last seen; it happens once, so that another attempt reads it. */
  hasRecalled: boolean
}

export interface Made {
  outcome: Outcome
  notes: readonly TrailNote[]
  /** For when it is committed. */
  learn: readonly (() => void)[]
}

export async function effect(db: Handle, write: Write): Promise<Made> {
  const { request, service } = write
  const { endpoint } = request
  const chained = typeof write.ifMatch === 'string' ? write.ifMatch.slice(1) : null
  const named = namedIn(endpoint, request.input)
  const waits = [...named, ...(chained ? [chained] : []), ...(request.after ? [request.after] : [])]
  const known = await findIntents(db, write.owner, waits)
  if (request.after) checkAfter(request.after, known)
  const input = named.length > 0 ? withIds(endpoint, request.input, known) : request.input
  const base = chained === null ? null : versionLeftBy(chained, known)
  request.permit()

  const desk = deskOf(db, write, base)
  const answer = await service(desk.context, input)
  // That a long request has begun is no answer of its schema yet.
  const begun = endpoint.relays !== undefined && answer.status === 202
  const body = begun ? answer.body : outputOf(endpoint, answer.body)
  const etag = etagOf(body)
  return {
    outcome: {
      state: 'done',
      status: answer.status ?? (endpoint.output === null ? 204 : 200),
      headers: { ...(etag ? { etag } : {}), ...answer.headers },
      // Built and stored before the commit: nothing can fail any more after it (protocol 7).
      body: endpoint.output === null && !begun ? null : JSON.stringify(body),
      left: desk.left(),
    },
    notes: desk.notes,
    learn: desk.learn,
  }
}

/** What the service is handed, and what it leaves there. */
function deskOf(db: Handle, write: Write, base: { version: number; kind: string; rowId: number } | null) {
  const notes: TrailNote[] = []
  const learn: (() => void)[] = []
  let left: Left | null = null
  const { house, request, intent, now } = write
  const context: Context = {
    db,
    house,
    caller: request.caller ?? nobody,
    now,
    requestId: request.requestId,
    intent,
    ifMatch: base ? base.version : write.ifMatch,
    // Written at the end, in one go: the trail's lock is held for the shortest time.
    note: async (note) => void notes.push(note),
    nextChange: (companyId) => takeChange(db, companyId),
    left(kind, rowId, rowVersion) {
      // A version of one row says nothing about another.
      if (base && (base.kind !== kind || base.rowId !== rowId)) throw new ProblemError('VERSION_CONFLICT')
      left = { kind, rowId, rowVersion }
    },
    recall(rows, id) {
      const { ifMatch } = context
      const row = typeof ifMatch === 'number' && !write.hasRecalled ? rows.find(id, ifMatch) : null
      write.hasRecalled ||= row !== null
      return row
    },
    whenDone: (learned) => void learn.push(learned),
  }
  return { context, notes, learn, left: () => left }
}

/** Of calls without a session: no right of any kind. */
const nobody: Caller = { userId: 0, companyId: 0, companyCode: '', admin: false, order: false, accessLevel: 0 }

/** What is not kept may turn out differently next time (protocol 3). */
export function isKept(problem: ProblemError, { request }: Write, claim: Claim | null): boolean {
  // A stranger must not be able to fill the trail; without a key there is nothing to keep either.
  return isStored(problem.status, problem.code) && (claim !== null || request.caller !== null)
}

/** What is kept of a refusal. Throws what is not. */
export function refusalOf(problem: ProblemError, write: Write, claim: Claim | null): Made {
  const { request } = write
  if (!isKept(problem, write, claim)) throw problem
  const { status, headers, body } = problemAnswer(problem, request.language)
  const note = noteOf(request.endpoint)
  return {
    outcome: { state: 'refused', status, headers, body, left: null },
    notes: request.caller ? [{ ...note, info: { ...note.info, problem: problem.code, path: request.path } }] : [],
    learn: [],
  }
}
