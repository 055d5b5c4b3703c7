import { useCallback, useEffect, useState } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router-dom'
import { readLinkKey } from '#features/accounts/activation.ts'

interface LinkKey<T> {
  link: T
  forget: () => void
}

/**
 * Reads the secret key of a mail link and removes it from the address and the history before anything else happens (S-36). The key stays in
 * this tab's storage until it is used, so that the link survives a reload.
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

// Storage may be forbidden. Then the user has to open the link in the mail again after a reload.
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
    // Without storage, the key is lost on a reload.
  }
}
