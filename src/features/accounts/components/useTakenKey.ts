import { useEffect, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router-dom'

/** The key is a secret: it is read once and leaves the address, and with it the history, before anything else (S-36). */
export function useTakenKey<T>(read: (query: URLSearchParams) => T): T {
  const [query] = useSearchParams()
  const navigate = useNavigate()
  const [opened] = useState(() => read(query))
  const clean = query.size === 0
  useEffect(() => {
    if (!clean) void navigate({ search: '' }, { replace: true })
  }, [clean, navigate])
  return opened
}
