import { useState } from 'react'
import { checkServiceCode } from '#domain/checks/service-code.ts'
import { useDispatch } from '#state/use-store.ts'
import { fetchIsCodeTaken } from '#features/orders/draft/submit-order.ts'

/** `own`: an unpaid order of the same company has the code. `later`: it cannot be checked without a connection. */
export type ServiceCodeState = 'unasked' | 'checking' | 'free' | 'taken' | 'own' | 'later'

/**
 * Checks a service code when its field loses focus. If an unpaid order of the same company has the code, it is treated as free: the new
 * order would replace that one (D32, D36).
 */
export function useServiceCode(code: string, isOwn: boolean) {
  const dispatch = useDispatch()
  const [codeCheck, setCodeCheck] = useState<{ code: string; state: ServiceCodeState }>({
    code: '',
    state: 'unasked',
  })
  const checkState = codeCheck.code === code ? codeCheck.state : 'unasked'

  /** Returns false if the code is taken. */
  async function checkIsFree(): Promise<boolean> {
    if (isOwn || checkServiceCode('code', code) !== null) return true
    setCodeCheck({ code, state: 'checking' })
    const isTaken = await dispatch(fetchIsCodeTaken(code))
    const state = isTaken === null ? 'later' : isTaken ? 'taken' : 'free'
    // The code may have changed in the meantime.
    setCodeCheck((current) => (current.code === code ? { code, state } : current))
    return isTaken !== true
  }
  return { state: isOwn && code !== '' ? ('own' as const) : checkState, checkIsFree }
}
