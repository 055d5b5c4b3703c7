/** Which long requests are on their way, and what of any a sign-out leaves: as much as every signed-in page carries. */
import type { Job, JobState, UserDatabase } from '#local/database.ts'

const open: readonly JobState[] = ['starting', 'unknown', 'running', 'sign in']
export const isOpen = ({ state }: Pick<Job, 'state'>) => open.includes(state)

/**
 * A sign-out takes the answers and what was asked; that something runs stays for its owner, who fetches the answer again
 * (the server keeps it for a day). Call it inside a transaction over `jobs`.
 */
export async function stripJobs(db: UserDatabase): Promise<void> {
  await db.jobs.filter(({ state, location }) => location === null || state === 'failed' || state === 'gone').delete()
  await db.jobs.toCollection().modify((job) => {
    const isDone = job.state === 'done'
    Object.assign(job, { asked: {}, answer: null, problem: null, ...(isDone ? { state: 'running', nextAt: 0 } : {}) })
  })
}
