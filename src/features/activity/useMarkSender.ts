import { useCallback, useEffect, useRef } from 'react'
import { readNotifications } from '#contract/notifications.ts'
import { confirmMarks, readMarks } from '#local/lists/read-marks.ts'
import { type AppThunk, callEndpoint } from '#state/app-thunk.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'

/** Sends all marks that the server has not confirmed. Returns true if it has confirmed some. Ends at the first problem. */
const sendMarks = (): AppThunk<boolean> => async (dispatch) => {
  for (let hasSent = false; ; hasSent = true) {
    const { ids, upTo } = await readMarks()
    if (ids.length === 0 && upTo === 0) return hasSent
    const body = { ids: [...ids], ...(upTo > 0 ? { up_to: upTo } : {}) }
    const result = await dispatch(callEndpoint(readNotifications, { body }))
    if (result.kind === 'problem') return hasSent
    await confirmMarks({ ids, upTo })
  }
}

/**
 * Sends read marks when they or the connection change. Used once in each page. Of several pages one sends. The returned function sends
 * marks that a problem has left.
 */
export function useMarkSender(refetch: () => Promise<void>): () => void {
  const dispatch = useDispatch()
  const isOnline = useConnection().networkState === 'online'
  const marks = useLiveQuery(() => readMarks(), [])
  const hasMarks = marks !== undefined && (marks.ids.length > 0 || marks.upTo > 0)
  const run = useRef({ isActive: false, isRepeated: false })
  const send = useCallback(() => {
    const { current } = run
    current.isRepeated = true
    if (current.isActive) return
    current.isActive = true
    const repeat = async () => {
      try {
        while (current.isRepeated) {
          current.isRepeated = false
          if (await runAlone(() => dispatch(sendMarks()))) await refetch()
        }
      } finally {
        current.isActive = false
      }
    }
    void repeat().catch(() => undefined)
  }, [dispatch, refetch])
  useEffect(() => {
    if (isOnline && hasMarks) send()
  }, [isOnline, hasMarks, marks, send])
  return send
}

/** Runs the action unless another page runs it. That page also sends the marks of this one. */
async function runAlone(action: () => Promise<boolean>): Promise<boolean> {
  if (!navigator.locks) return await action()
  return await navigator.locks.request(
    'read marks',
    { ifAvailable: true },
    async (lock) => lock !== null && (await action()),
  )
}
