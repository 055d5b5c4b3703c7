/** What a reading call last said: live from the device, and asked for anew when its page comes and when the line is back. */
import type { ThunkAction, UnknownAction } from '@reduxjs/toolkit'
import { useCallback, useEffect, useState } from 'react'
import type { AskedOf, Endpoint, OutputOf } from '#contract/endpoint.ts'
import { type Aged, readAged } from '#local/answers.ts'
import type { Asking, Result } from '#request/result.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { useLive } from '#state/live.ts'
import { idle, type Status } from '#state/status.ts'
import type { Extra, RootState } from '#state/store.ts'

type Thunk<T> = ThunkAction<Promise<T>, RootState, Extra, UnknownAction>

export const ask =
  <E extends Endpoint>(endpoint: E, asked: AskedOf<E>, asking?: Asking): Thunk<Result<OutputOf<E>>> =>
  async (_dispatch, _getState, { api }) =>
    api.ask(endpoint, asked, asking)

export interface Kept<T> {
  /** Undefined: the device has not answered yet. Null: it holds none. */
  kept: Aged<T> | null | undefined
  asking: Status
  again: () => Promise<void>
}

/** `asked` null: it is not known yet what to ask for. */
export function useKept<E extends Endpoint>(endpoint: E, asked: AskedOf<E> | null): Kept<OutputOf<E>> {
  const dispatch = useDispatch()
  const online = useConnection().line === 'online'
  const [asking, setAsking] = useState<Status>(idle)
  // An asking is the same as long as it is written alike.
  const words = asked && JSON.stringify(asked)
  const again = useCallback(async () => {
    if (words === null) return
    setAsking({ is: 'sending' })
    const result = await dispatch(ask(endpoint, JSON.parse(words) as AskedOf<E>))
    setAsking(result.kind === 'problem' ? { is: 'failed', problem: result.problem } : idle)
  }, [dispatch, endpoint, words])
  // biome-ignore lint: the line is not used, its coming back is the reason
  useEffect(() => void again(), [again, online])
  const here = useLive(
    async () => words && { words, kept: await readAged(endpoint, JSON.parse(words) as AskedOf<E>) },
    [endpoint, words],
  )
  // The last answer stays until the next is there: what was asked before is no answer to this.
  return { kept: here && here.words === words ? here.kept : undefined, asking, again }
}
