import { useEffect, useState } from 'react'

const tickMs = 20_000

/** Returns the time for texts such as "5 minutes ago", epoch ms. It is updated while the page is visible. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && setNow(Date.now()), tickMs)
    return () => clearInterval(timer)
  }, [])
  return now
}
