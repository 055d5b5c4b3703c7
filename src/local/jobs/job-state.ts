/** Which long requests are on their way: as much as every signed-in page carries. */
import type { Job, JobState } from '#local/storage/records.ts'

const openStates: readonly JobState[] = ['starting', 'unknown', 'running', 'sign in']
export const isOpenJob = ({ state }: Pick<Job, 'state'>) => openStates.includes(state)

/** Of a job about which nothing is known yet but that it is wished. */
export const newJobFields = {
  state: 'starting',
  location: null,
  progressKey: null,
  percent: 0,
  deadline: null,
  endedAt: null,
  leaseUntil: 0,
  fence: 0,
  failures: 0,
  generation: null,
  answer: null,
  problem: null,
  seen: false,
} satisfies Partial<Job>

/** What the answer to a start tells. */
export type StartedJob = Pick<Job, 'progressKey' | 'deadline'> & { location: string }

export type NewJob = Pick<Job, 'intent' | 'key' | 'endpoint' | 'input' | 'forUser' | 'since'>

/** A queued write that the server answers as a long request has become one (protocol 39). */
export const createRunningJob = (
  { intent, key, endpoint, input, forUser, since }: NewJob,
  startedJob: StartedJob,
  now: number,
): Job => {
  const job = { intent, key, endpoint, input, forUser, since, ...newJobFields, ...startedJob }
  return { ...job, state: 'running', nextAt: now }
}
