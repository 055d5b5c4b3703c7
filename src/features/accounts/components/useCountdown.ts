import { useEffect, useState } from 'react'
import { type Problem, waitOf } from '#contract/problem.ts'
import { useTranslation } from 'react-i18next'
import { spoken } from '#features/accounts/retry-after.ts'

/** Why one cannot try again yet, counting down; null as soon as one can. */
export function useWait(problem: Problem | null): string | null {
  const { t } = useTranslation('accounts')
  const [left, setLeft] = useState(0)
  useEffect(() => {
    const until = Date.now() + (waitOf(problem) ?? 0) * 1000
    const tick = () => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000)))
    tick()
    const timer = setInterval(tick, 1000)
    return () => clearInterval(timer)
  }, [problem])
  if (left === 0) return null
  const { unit, count } = spoken(left)
  return t(`login.wait${unit}`, { count })
}
