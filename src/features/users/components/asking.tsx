/** The asking for the list, beside the list: how it stands is no reason to draw rows again. */
import { useCallback, useEffect } from 'react'
import { useDispatch, useSelector } from '#state/hooks.ts'
import { problemOf } from '#state/status.ts'
import { ProblemNote } from '#ui/ProblemNote.tsx'
import { readView, remembered, type View } from '#features/users/address.ts'
import { askList, selectUsers } from '#features/users/slice.ts'

/** How to ask for what the view lists. */
export function useAsking(companyId: number, view: View): () => void {
  const dispatch = useDispatch()
  // The drawer is no reason to ask.
  const listed = remembered(view)
  return useCallback(
    () => void dispatch(askList(companyId, readView(new URLSearchParams(listed)))),
    [dispatch, companyId, listed],
  )
}

/** Asks whenever what is listed changes, and again when the line is back. */
export function Asks({ ask }: { ask: () => void }) {
  const online = useSelector(({ connection }) => connection.line === 'online')
  // biome-ignore lint: the line is not used, its coming back is the reason
  useEffect(ask, [ask, online])
  return null
}

export const useBusy = () => useSelector((state) => selectUsers(state).list.is === 'sending')

export function AskingProblem({ onRetry }: { onRetry: () => void }) {
  const status = useSelector((state) => selectUsers(state).list)
  return <ProblemNote problem={problemOf(status)} onRetry={onRetry} />
}
