/** States of jobs. Every signed-in page loads this code, so it is kept small. */
import type { Job, JobState } from '#local/storage/records.ts'

const openStates: readonly JobState[] = ['starting', 'unknown', 'running', 'sign in']
export const isOpenJob = ({ state }: Pick<Job, 'state'>) => openStates.includes(state)

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

export type StartedJob = Pick<Job, 'progressKey' | 'deadline'> & { location: string }

export type NewJob = Pick<Job, 'intent' | 'key' | 'endpoint' | 'input' | 'forUser' | 'since'>

/** Builds the job of an outbox entry that the server answered as a long request (protocol 39). */
export const createRunningJob = (
  { intent, key, endpoint, input, forUser, since }: NewJob,
  startedJob: StartedJob,
  now: number,
): Job => {
  const job = { intent, key, endpoint, input, forUser, since, ...newJobFields, ...startedJob }
  return { ...job, state: 'running', nextAt: now }
}
