import { liveQuery } from 'dexie'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { isOpenJob } from '#local/jobs/job-state.ts'
import { findUserDatabase } from '#local/session/session.ts'
import type { Job } from '#local/storage/records.ts'

export type JobActivity = Job & { isOpen: boolean }

export async function readActivity(device: Device = getThisDevice()): Promise<JobActivity[]> {
  const db = await findUserDatabase(device)
  const jobs = (await db?.jobs.toArray()) ?? []
  return jobs.sort((a, b) => b.since - a.since).map((job) => ({ ...job, isOpen: isOpenJob(job) }))
}

export interface ActivityCount {
  openCount: number
  unseenCount: number
  latestEndpoint: string | null
}

export async function countActivity(device: Device = getThisDevice()): Promise<ActivityCount> {
  const jobs = await readActivity(device)
  const endedJobs = jobs
    .filter(({ isOpen, seen }) => !isOpen && !seen)
    .sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0))
  return {
    openCount: jobs.filter(({ isOpen }) => isOpen).length,
    unseenCount: endedJobs.length,
    latestEndpoint: endedJobs[0]?.endpoint ?? null,
  }
}

export interface JobWatch {
  openCount: number
  nextAt: number
}

/** Calls the listener with the open jobs now and after each change. Returns an unsubscribe function. */
export function subscribeToOpenJobs(listener: (watch: JobWatch) => void, device: Device = getThisDevice()): () => void {
  const read = async (): Promise<JobWatch> => {
    const db = await findUserDatabase(device)
    const openJobs = (await db?.jobs.filter(isOpenJob).toArray()) ?? []
    const polledJobs = openJobs.filter(({ state }) => state !== 'sign in')
    return { openCount: polledJobs.length, nextAt: Math.min(...polledJobs.map(({ nextAt }) => nextAt)) }
  }
  const subscription = liveQuery(read).subscribe(listener)
  return () => subscription.unsubscribe()
}
