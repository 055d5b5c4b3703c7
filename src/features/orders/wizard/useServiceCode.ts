import { useState } from 'react'
import { checkServiceCode } from '#domain/checks/entrance.ts'
import { useDispatch } from '#state/hooks.ts'
import type { CodeState } from '#features/orders/wizard/steps/DetailsStep.tsx'
import { askTaken } from '#features/orders/draft/submit-order.ts'

/**
 * Whether the service code is free, asked when its field is left. What one's own unpaid order holds counts as free: that
 * order would be replaced (D32, D36).
 */
export function useCode(code: string, isOwn: boolean) {
  const dispatch = useDispatch()
  const [asked, setAsked] = useState<{ code: string; state: CodeState | 'taken' }>({ code: '', state: 'unasked' })
  const known = asked.code === code ? asked.state : 'unasked'

  /** False: it is taken. */
  async function look(): Promise<boolean> {
    if (isOwn || checkServiceCode('code', code) !== null) return true
    setAsked({ code, state: 'asking' })
    const taken = await dispatch(askTaken(code))
    const state = taken === null ? 'later' : taken ? 'taken' : 'free'
    // Of another code by now nothing is said.
    setAsked((now) => (now.code === code ? { code, state } : now))
    return taken !== true
  }
  return { state: isOwn && code !== '' ? ('own' as const) : known, look }
}
