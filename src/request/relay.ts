/**
 * Long requests (protocol 39). The page stores a job row, then its start is sent, once; no fetch is held for the rest,
 * and whoever wants the answer waits on the row, which `watch.ts` keeps asking about.
 */
import type { Endpoint } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { localProblem, type Problem } from '#contract/problem.ts'
import type { Entry, Job } from '#local/database.ts'
import { askAgain, claimStart, dismissJob, doubtStart, followJob, markSeen, recordJob } from '#local/jobs.ts'
import { sendSignedIn } from '#request/bearer.ts'
import { heardOfStart } from '#request/heard.ts'
import { type Answer, isGood, jsonOf, type Letter, ownAnswer, problemOf } from '#request/line.ts'
import type { Ports } from '#request/ports.ts'
import type { Asking, Jobs, Result } from '#request/result.ts'
import { type Desk, deskNow, leaseMs, letterTo, lockOf, note, pollAlone, watch } from '#request/watch.ts'

export type RecordedJob = { job: Job } | { problem: Problem }

/** Stores the request; the page does it, before anything leaves. `problem`: nobody is signed in, or no room. */
export async function record(
  ports: Ports,
  endpoint: Endpoint,
  asked: Entry['asked'],
  asking: Asking = {},
): Promise<RecordedJob> {
  const desk = await deskNow(ports)
  if (!desk) return { problem: localProblem('SIGNED_OUT') }
  const intent = asking.intent ?? ports.newId()
  const key = ports.newId()
  try {
    const { db, forUser } = desk
    return { job: await recordJob(db, { intent, key, endpoint: endpoint.name, asked, forUser, since: ports.clock() }) }
  } catch {
    return { problem: localProblem('STORAGE_FAILED') }
  }
}

/**
 * Sends the start of a recorded request, once. The answer says only that it was dealt with: how it stands is in its row.
 * Null: it was not recorded here, and is sent like any other.
 */
export async function start(ports: Ports, letter: Letter): Promise<Answer | null> {
  const intent = letter.headers[headers.intent] ?? letter.headers[headers.key]
  const desk = intent ? await deskNow(ports) : null
  const job = intent && desk ? await desk.db.jobs.get(intent) : undefined
  if (!desk || !job) return null
  // Nobody asks about it while its answer may still come: that would withdraw what is on its way.
  const alone = () => startAlone(ports, desk, { job, letter })
  if (job.key === letter.headers[headers.key])
    await ports.locks.hold(lockOf(desk.db, job.intent), { waitMs: leaseMs }, alone)
  return ownAnswer(202, null)
}

async function startAlone(ports: Ports, desk: Desk, { job, letter }: { job: Job; letter: Letter }): Promise<void> {
  const claimed = await claimStart(desk.db, job, { now: ports.clock(), leaseMs })
  if (!claimed) return
  const forUser = { [headers.forUser]: claimed.forUser }
  const answer = await sendSignedIn(ports, { ...letter, headers: { ...letter.headers, ...forUser } })
  const heard = heardOfStart(claimed, answer)
  await note(ports, desk, claimed, heard)
  if (heard.is === 'unknown') await pollAlone(ports, desk, job.intent)
}

/**
 * Waits until the request has come to something, however long that takes and whatever happens to page and worker
 * meanwhile. A refusal that is told here leaves the list: its form has it (protocol 20).
 */
export async function follow(
  ports: Ports,
  { intent }: Pick<Job, 'intent'>,
  { until = 'done', signal }: Pick<Asking, 'until' | 'signal'>,
): Promise<Result<unknown>> {
  const desk = await deskNow(ports)
  if (!desk) return { kind: 'problem', problem: localProblem('SIGNED_OUT'), intent }
  const { db } = desk
  const job = await new Promise<Job | null>((told) => {
    const stop = followJob(db, intent, (now) => {
      if (now && !isTold(now, until)) return
      // The first hearing may come before there is anything to stop.
      queueMicrotask(() => stop())
      told(now)
    })
    signal?.addEventListener('abort', () => {
      stop()
      void db.jobs.get(intent).then((now) => told(now ?? null))
    })
  })
  if (job?.state === 'done') await markSeen(db, [intent])
  if (job?.state === 'failed') await dismissJob(db, intent)
  return job ? await resultOf(ports, job) : { kind: 'problem', problem: localProblem('NOT_STARTED') }
}

/** An outcome, or that nobody can say whether it began: then the form is told, and sends the same wish if any. */
const isTold = ({ state, location, problem, failures }: Job, until: Asking['until']): boolean =>
  state === 'done' ||
  problem !== null ||
  (state === 'unknown' && failures > 0) ||
  (until === 'started' && location !== null)

async function resultOf(ports: Ports, job: Job): Promise<Result<unknown>> {
  const { intent, state, problem, answer } = job
  if (problem) return { kind: 'problem', problem, intent }
  if (state === 'unknown') return { kind: 'problem', problem: localProblem('NEEDS_CONNECTION'), intent }
  if (!answer) return { kind: 'started', jobId: intent }
  if (answer.body === null && answer.status !== 204) return await fetchAnswer(ports, job)
  return { kind: 'fresh', output: answer.body === null ? null : JSON.parse(answer.body) }
}

/** One that is too long to be kept here; the server keeps it for a day. */
async function fetchAnswer(ports: Ports, job: Job): Promise<Result<unknown>> {
  const answer = job.location === null ? null : await sendSignedIn(ports, letterTo(job, 'GET', job.location))
  if (!answer) return { kind: 'problem', problem: localProblem('OFFLINE') }
  return isGood(answer) ? { kind: 'fresh', output: jsonOf(answer) } : { kind: 'problem', problem: problemOf(answer) }
}

/** The way to the worker broke while the start was on it: whether it was sent is found out at once. */
export async function doubt(ports: Ports, intent: string): Promise<void> {
  const desk = await deskNow(ports)
  if (!desk) return
  await doubtStart(desk.db, intent, ports.clock())
  ports.lasting(watch(ports))
}

/** What the screen may do with the rows. */
export const jobsOf = (ports: Ports): Jobs => {
  const change = async (act: (desk: Desk) => Promise<void>) => {
    const desk = await deskNow(ports)
    if (desk) await act(desk)
  }
  return {
    again: (intent) => change(({ db }) => askAgain(db, intent, ports.clock())),
    dismiss: (intent) => change(({ db }) => dismissJob(db, intent)),
    seen: (intents) => change(({ db }) => markSeen(db, intents)),
  }
}
