/** Long requests as the screens see them: the session user's own, the newest first. */
import { liveQuery } from 'dexie'
import { type Device, thisDevice } from '#local/storage/device.ts'
import { isOpen } from '#local/jobs/job-state.ts'
import { readSession } from '#local/session/session.ts'
import type { Job } from '#local/storage/records.ts'

export type Activity = Pick<
  Job,
  | 'intent'
  | 'endpoint'
  | 'input'
  | 'state'
  | 'percent'
  | 'deadline'
  | 'since'
  | 'endedAt'
  | 'answer'
  | 'problem'
  | 'seen'
> & { open: boolean }

export async function readActivity(device: Device = thisDevice()): Promise<Activity[]> {
  const session = await readSession(device)
  if (!session || session.signedOut) return []
  const all = await device.of(session).jobs.toArray()
  return all.sort((a, b) => b.since - a.since).map((job) => ({ ...job, open: isOpen(job) }))
}

export interface ActivityCount {
  open: number
  /** Ended, and nobody has looked at them. */
  unseen: number
  /** The endpoint of the one among those that ended last. */
  newest: string | null
}

export async function countActivity(device: Device = thisDevice()): Promise<ActivityCount> {
  const all = await readActivity(device)
  const ended = all.filter(({ open, seen }) => !open && !seen).sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0))
  return { open: all.filter(({ open }) => open).length, unseen: ended.length, newest: ended[0]?.endpoint ?? null }
}

/** What is to be watched now: when the next of them is due, and the latest word on each by its progress key. */
export interface Watch {
  open: number
  nextAt: number
}

/** Hears how many are on their way, now and at every change; returns how to stop. */
export function onOpenJobs(hear: (watch: Watch) => void, device: Device = thisDevice()): () => void {
  const read = async (): Promise<Watch> => {
    const session = await readSession(device)
    if (!session || session.signedOut) return { open: 0, nextAt: Number.POSITIVE_INFINITY }
    const open = await device.of(session).jobs.filter(isOpen).toArray()
    const asked = open.filter(({ state }) => state !== 'sign in')
    return { open: asked.length, nextAt: Math.min(...asked.map(({ nextAt }) => nextAt)) }
  }
  const subscription = liveQuery(read).subscribe(hear)
  return () => subscription.unsubscribe()
}
