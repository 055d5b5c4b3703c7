/** The client type of the staff pages, chosen by users of the delete level (portal 1, M3). Others get saas. */
import { useSyncExternalStore } from 'react'
import type { Caller, ClientType } from '#domain/access.ts'
import { useSignedInSession } from '#state/use-store.ts'

const storageKey = 'portal.clientType'
const listeners = new Set<() => void>()
/** The last choice. It is used only if the browser forbids storage, and lasts as long as the page. */
let lastChoice: string | null = null

function read(): string | null {
  try {
    return localStorage.getItem(storageKey)
  } catch {
    return lastChoice
  }
}

const readChosenType = (): ClientType => (read() === 'mma' ? 'mma' : 'saas')

function subscribe(listener: () => void) {
  listeners.add(listener)
  addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', listener)
  }
}

export function chooseClientType(type: ClientType): void {
  lastChoice = type
  try {
    localStorage.setItem(storageKey, type)
  } catch {
    // Without storage the choice is kept for this page only.
  }
  for (const listener of listeners) listener()
}

/** Returns the client type. The component is rendered again after a new choice, also one in another tab. */
export function useClientType(rule: (caller: Caller, chosenType: ClientType) => ClientType): ClientType {
  const { caller } = useSignedInSession()
  return rule(caller, useSyncExternalStore(subscribe, readChosenType))
}
