import { useCallback, useEffect, useState } from 'react'
import { listNotifications, type NotificationRow, readNotifications } from '#contract/notifications.ts'
import type { Problem } from '#contract/problem.ts'
import { addMarks, type Marks, readMarks, removeMarks } from '#local/lists/read-marks.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useRecord } from '#state/use-record.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'

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

const isMarked = ({ ids, upTo }: Marks, id: number) => id <= upTo || ids.includes(id)

/** The inbox as the device knows it, with the marks that the server has not confirmed yet. `before` reads an older page. */
export function useInbox(before?: number): Inbox {
  const dispatch = useDispatch()
  const isOnline = useConnection().networkState === 'online'
  const { record, asOf, problem, refetch } = useRecord(
    listNotifications,
    before === undefined ? {} : { query: { before } },
  )
  const marks = useLiveQuery(() => readMarks(), [])
  const hasMarks = marks !== undefined && (marks.ids.length > 0 || marks.upTo > 0)
  const [isSending, setIsSending] = useState(false)
  const send = useCallback(
    async (sentMarks: Marks) => {
      const { ids, upTo } = sentMarks
      const body = { ids: [...ids], ...(upTo > 0 ? { up_to: upTo } : {}) }
      const result = await dispatch(callEndpoint(readNotifications, { body }))
      if (result.kind === 'problem') return
      // Read before the marks are removed, so that no row is shown as unread in between.
      await refetch()
      await removeMarks(sentMarks)
    },
    [dispatch, refetch],
  )
  // One page of the inbox sends, because several would send the same marks.
  const isSender = before === undefined
  useEffect(() => {
    if (!isSender || !isOnline || !hasMarks || isSending) return
    setIsSending(true)
    void send(marks).finally(() => setIsSending(false))
    // Sent again when the marks or the connection change, but not in a loop after a refusal.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isSender, isOnline, hasMarks, marks])

  const rows = record?.data.map((row) => (marks && isMarked(marks, row.id) ? { ...row, is_read: true } : row))
  return {
    rows: record === undefined || marks === undefined ? undefined : (rows ?? null),
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
  marks: Marks | undefined,
): number {
  if (!record) return 0
  const latestId = record.data[0]?.id ?? 0
  if (!marks) return record.unread
  if (latestId > 0 && marks.upTo >= latestId) return 0
  return Math.max(0, record.unread - record.data.filter(({ id, is_read }) => !is_read && isMarked(marks, id)).length)
}
