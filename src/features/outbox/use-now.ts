import { useEffect, useState } from 'react'

const tickMs = 20_000

/** The time for what says "5 minutes ago", moving on while the page is looked at; epoch ms. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && setNow(Date.now()), tickMs)
    return () => clearInterval(timer)
  }, [])
  return now
}
