import { useEffect, useState } from 'react'
import { type Problem, getRetrySeconds } from '#contract/problem.ts'
import { useTranslation } from 'react-i18next'
import { toRetryDelay } from '#features/accounts/retry-after.ts'

/** Why one cannot try again yet, counting down; null as soon as one can. */
export function useCountdown(problem: Problem | null): string | null {
  const { t } = useTranslation('accounts')
  const [secondsLeft, setSecondsLeft] = useState(0)
  useEffect(() => {
    const endsAt = Date.now() + (getRetrySeconds(problem) ?? 0) * 1000
    const tick = () => setSecondsLeft(Math.max(0, Math.ceil((endsAt - Date.now()) / 1000)))
    tick()
    const timer = setInterval(tick, 1000)
    return () => clearInterval(timer)
  }, [problem])
  if (secondsLeft === 0) return null
  const { unit, count } = toRetryDelay(secondsLeft)
  return t(`login.wait${unit}`, { count })
}
