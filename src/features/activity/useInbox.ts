import { useMemo } from 'react'
import { listNotifications, type NotificationRow } from '#contract/notifications.ts'
import type { Problem } from '#contract/problem.ts'
import { addMarks, readMarks, type StoredMarks } from '#local/lists/read-marks.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useRecord } from '#state/use-record.ts'

export interface Inbox {
  /** Undefined until the device was read, null if it has no notifications. */
  rows: readonly NotificationRow[] | null | undefined
  unreadCount: number
  /** True if older notifications follow. */
  hasMore: boolean
  asOf: number | null
  problem: Problem | null
  refetch: () => Promise<void>
  markRead: (row: NotificationRow) => void
  markAllRead: () => void
}

const isMarked = ({ ids, upTo, confirmed }: StoredMarks, id: number) =>
  id <= Math.max(upTo, confirmed.upTo) || ids.includes(id) || confirmed.ids.includes(id)

/** The inbox as the device knows it, with the marks of this device. `before` reads an older page. */
export function useInbox(before?: number): Inbox {
  const { record, asOf, problem, refetch } = useRecord(
    listNotifications,
    before === undefined ? {} : { query: { before } },
  )
  const marks = useLiveQuery(() => readMarks(), [])
  const rows = useMemo(() => {
    if (record === undefined || marks === undefined) return undefined
    return record?.data.map((row) => (isMarked(marks, row.id) ? { ...row, is_read: true } : row)) ?? null
  }, [record, marks])
  return {
    rows,
    unreadCount: countUnread(record, marks),
    hasMore: record?.more ?? false,
    asOf,
    problem,
    refetch,
    markRead: ({ id, is_read }) => void (!is_read && addMarks({ ids: [id], upTo: 0 })),
    markAllRead: () => void addMarks({ ids: [], upTo: record?.data[0]?.id ?? 0 }),
  }
}

/** The server counts all unread notifications. Those that are marked here are subtracted. */
function countUnread(
  record: { unread: number; data: readonly NotificationRow[] } | null | undefined,
  marks: StoredMarks | undefined,
): number {
  if (!record) return 0
  const latestId = record.data[0]?.id ?? 0
  if (!marks) return record.unread
  if (latestId > 0 && Math.max(marks.upTo, marks.confirmed.upTo) >= latestId) return 0
  return Math.max(0, record.unread - record.data.filter(({ id, is_read }) => !is_read && isMarked(marks, id)).length)
}
