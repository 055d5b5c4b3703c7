import { useCallback, useEffect, useState } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router-dom'
import { keyIn } from '#features/accounts/activation.ts'

interface TakenKey<T> {
  opened: T
  /** When the link has done its work, or never will. */
  forget: () => void
}

/**
 * The key is a secret: it is read once and leaves the address, and with it the history, before anything else (S-36). This tab has it
 * until it is used, so that a reload does not end what the mail began.
 */
export function useTakenKey<T>(read: (query: URLSearchParams) => T): TakenKey<T> {
  const [query] = useSearchParams()
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const name = `portal.link ${pathname}`
  const [opened] = useState(() => {
    if (query.size === 0) return read(new URLSearchParams(stored(name) ?? ''))
    if (keyIn(query) !== '') store(name, query.toString())
    return read(query)
  })
  const clean = query.size === 0
  useEffect(() => {
    if (!clean) void navigate({ search: '' }, { replace: true })
  }, [clean, navigate])
  return { opened, forget: useCallback(() => store(name, null), [name]) }
}

// Storage may be forbidden: then a reload asks for the link of the mail.
function stored(name: string): string | null {
  try {
    return sessionStorage.getItem(name)
  } catch {
    return null
  }
}

function store(name: string, value: string | null): void {
  try {
    if (value === null) sessionStorage.removeItem(name)
    else sessionStorage.setItem(name, value)
  } catch {
    // There is nowhere else to put it.
  }
}
