import { useState } from 'react'
import { checkServiceCode } from '#domain/checks/service-code.ts'
import { useDispatch } from '#state/use-store.ts'
import type { ServiceCodeState } from '#features/orders/wizard/steps/DetailsStep.tsx'
import { fetchIsCodeTaken } from '#features/orders/draft/submit-order.ts'

/**
 * Whether the service code is free, asked when its field is left. What one's own unpaid order holds counts as free: that
 * order would be replaced (D32, D36).
 */
export function useServiceCode(code: string, isOwn: boolean) {
  const dispatch = useDispatch()
  const [codeCheck, setCodeCheck] = useState<{ code: string; state: ServiceCodeState | 'taken' }>({
    code: '',
    state: 'unasked',
  })
  const checkState = codeCheck.code === code ? codeCheck.state : 'unasked'

  /** False: it is taken. */
  async function checkIsFree(): Promise<boolean> {
    if (isOwn || checkServiceCode('code', code) !== null) return true
    setCodeCheck({ code, state: 'checking' })
    const isTaken = await dispatch(fetchIsCodeTaken(code))
    const state = isTaken === null ? 'later' : isTaken ? 'taken' : 'free'
    // Of another code by now nothing is said.
    setCodeCheck((current) => (current.code === code ? { code, state } : current))
    return isTaken !== true
  }
  return { state: isOwn && code !== '' ? ('own' as const) : checkState, checkIsFree }
}
