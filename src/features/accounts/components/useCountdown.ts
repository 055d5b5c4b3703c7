import type { TFunction } from 'i18next'
import { useEffect, useState } from 'react'
import { type Problem, getRetrySeconds } from '#contract/problem.ts'
import { useTranslation } from 'react-i18next'
import { toRetryDelay } from '#features/accounts/retry-after.ts'

/** Returns why the call cannot be repeated yet, with a countdown; null once it can be repeated. */
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
  return secondsLeft === 0 ? null : formatRetryDelay(t, secondsLeft)
}

export function formatRetryDelay(t: TFunction<'accounts'>, seconds: number): string {
  const { unit, count } = toRetryDelay(seconds)
  return t(`login.wait${unit}`, { count })
}
