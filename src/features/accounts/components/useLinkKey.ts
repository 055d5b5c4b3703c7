import { useCallback, useEffect, useState } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router-dom'
import { readLinkKey } from '#features/accounts/activation.ts'

interface LinkKey<T> {
  link: T
  /** When the link has done its work, or never will. */
  forget: () => void
}

/**
 * The key is a secret: it is read once and leaves the address, and with it the history, before anything else (S-36). This tab has it
 * until it is used, so that a reload does not end what the mail began.
 */
export function useLinkKey<T>(read: (query: URLSearchParams) => T): LinkKey<T> {
  const [query] = useSearchParams()
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const storageKey = `portal.link ${pathname}`
  const [link] = useState(() => {
    if (query.size === 0) return read(new URLSearchParams(readStored(storageKey) ?? ''))
    if (readLinkKey(query) !== '') store(storageKey, query.toString())
    return read(query)
  })
  const isClean = query.size === 0
  useEffect(() => {
    if (!isClean) void navigate({ search: '' }, { replace: true })
  }, [isClean, navigate])
  return { link, forget: useCallback(() => store(storageKey, null), [storageKey]) }
}

// Storage may be forbidden: then a reload asks for the link of the mail.
function readStored(name: string): string | null {
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
