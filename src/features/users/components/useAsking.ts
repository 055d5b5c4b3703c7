import { useCallback, useEffect } from 'react'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { readView, remembered, type View } from '#features/users/address.ts'
import { askList } from '#features/users/slice.ts'

/** Asks for what the view lists whenever that changes, and again when the line is back. Returns how to ask by hand. */
export function useAsking(companyId: number, view: View): () => void {
  const dispatch = useDispatch()
  const { line } = useConnection()
  // The drawer is no reason to ask.
  const listed = remembered(view)
  const ask = useCallback(
    () => void dispatch(askList(companyId, readView(new URLSearchParams(listed)))),
    [dispatch, companyId, listed],
  )
  // biome-ignore lint: the line is not used, its coming back is the reason
  useEffect(ask, [ask, line === 'online'])
  return ask
}
